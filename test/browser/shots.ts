// `npm run test:browser -- --shots`: writes a picture of each page of the console, with a month of a team's work, for the documents.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { seedHistory } from "../support/history/seed.ts";
import { type FurnishedUser, furnishUser } from "./furnish.ts";
import { MAX_PICTURE_BYTES, writePicture } from "./picture.ts";
import { useConsole } from "./use-console.ts";
import type { View } from "./visit.ts";

const FOLDER = join(import.meta.dirname, "../../src/docs/pictures");

const { service, visitAs } = useConsole();
let user: FurnishedUser;

beforeAll(async () => {
	user = await furnishUser(service());
	await service().restart((stateDir) => seedHistory(stateDir, user.userId));
	mkdirSync(FOLDER, { recursive: true });
});

/** Pages by the name of their picture. */
const PAGES: Readonly<Record<string, string>> = {
	overview: "/console?range=30d",
	requests: "/console/requests",
	policy: "/console/policy",
	models: "/console/models",
	keys: "/console/keys",
	playground: "/console/playground",
	runs: "/console/runs",
	workspaces: "/console/workspaces",
	audit: "/console/audit",
	config: "/console/config",
};

const SCHEMES: readonly View["colorScheme"][] = ["light", "dark"];

it.each(Object.entries(PAGES).flatMap(([name, path]) => SCHEMES.map((scheme) => [name, scheme, path] as const)))(
	"a picture of %s, %s",
	async (name, colorScheme, path) => {
		const visitor = await visitAs(user.key, { width: 1440, colorScheme });
		expect(await visitor.open(path)).toBe(200);
		await visitor.page.waitForLoadState("networkidle");
		const file = `${name}${colorScheme === "dark" ? "-dark" : ""}.webp`;
		expect(await writePicture(visitor.page, join(FOLDER, file))).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
	},
);
