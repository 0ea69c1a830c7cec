// `npm run test:browser -- --shots`: writes a picture of each page of the console, with weeks of a team's work, for the documents.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { SHOWN, seedHistory } from "../support/history/seed.ts";
import { type FurnishedUser, furnishUser } from "./furnish.ts";
import { MAX_PICTURE_BYTES, writePicture } from "./picture.ts";
import { useConsole } from "./use-console.ts";
import type { View } from "./visit.ts";

const FOLDER = join(import.meta.dirname, "../../src/docs/pictures");

const { service, visitAs } = useConsole();
let user: FurnishedUser;

beforeAll(async () => {
	user = await furnishUser(service());
	await service().restart((stateDir) => seedHistory(stateDir, user.userId, SHOWN));
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

/** The page at `/` shows it in the scheme of its visitor; documents show the light ones. */
const DARK = ["overview"];

const SHOTS = Object.entries(PAGES).flatMap(([name, path]): [string, View["colorScheme"], string][] => [
	[name, "light", path],
	...(DARK.includes(name) ? [[`${name}-dark`, "dark", path] as [string, "dark", string]] : []),
]);

it.each(SHOTS)("%s, %s", async (name, colorScheme, path) => {
	const visitor = await visitAs(user.key, { width: 1440, colorScheme });
	expect(await visitor.open(path)).toBe(200);
	await visitor.page.waitForLoadState("networkidle");
	expect(await writePicture(visitor.page, join(FOLDER, `${name}.webp`))).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
});
