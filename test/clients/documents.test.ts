// The commands of the documents: every block of shell is run as a reader would, or stands below with the reason why it is not.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPILE_CACHE } from "../support/compile-cache.ts";
import { ServiceHome } from "./process.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGES = [
	"README.md",
	...readdirSync(join(ROOT, "src/docs"), { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".md"))
		.map((name) => `src/docs/${name}`),
];

/** Pages of which no block is run. */
const PAGES_NOT_RUN: Readonly<Record<string, string>> = {
	"src/docs/deployment.md": "deploys to an account, which a test has none of",
	"src/docs/measurements.md": "each measures for minutes or hours",
};

/** Blocks that are not run, by a text that only they have. */
const NOT_RUN: readonly [text: string, reason: string][] = [
	["npm ci", "installs; every test here starts the service itself"],
	["npm install ./svc-client-0.1.0.tgz", "test/clients/client-package.test.ts builds, packs and installs it"],
	["svc login --url https://svc.example.com", "needs a deployment; test/clients/svc.test.ts signs in to a local one"],
	["git diff | svc chat", "needs the reader's repository and ids; test/clients/svc.test.ts runs the commands"],
	[
		"CATALOG_FILE=",
		"starts or deploys another service; test/clients/catalog.test.ts and local-models.test.ts run what they say",
	],
	["docker compose", "needs Docker; test/clients/container.test.ts carries the recipe out"],
	["docker run", "needs Docker, and a deployment"],
	["npx wrangler", "needs a deployment and an account"],
	[
		"https://svc.example.workers.dev",
		"needs a deployment; test/clients/backup.test.ts backs services up and restores them",
	],
	["zcat svc-backup", "names a backup of the reader's"],
	[
		"$HANDOFF",
		"names a handoff and checkpoints of the reader's; test/unit/verifier/tree-proof.test.ts checks such files",
	],
	["--key KEY_ID", "names a key of the reader's; the endpoints are called by the examples of the API"],
];

/** What is the reader's own in a command, and what a command that is to fail must end with. */
const SUBSTITUTIONS: readonly [text: string, replacement: string][] = [
	["svc-01M81BGCZMN4Y3Q4XNDG521GMK", "'\"$ID\"'"],
	["'git push --force'     # exit code 12: deny", "'git push --force' || [ $? -eq 12 ]"],
	["verify -- run changed.json", "verify -- run changed.json || [ $? -eq 1 ]"],
];

/**
 * Begins as the README's first call does. Fails at the first command that fails, and takes an error of the service for one. ID is a
 * request of the reader's.
 */
const PRELUDE = `set -e
source .env.local && export SVC_BASE_URL SVC_API_KEY
curl() { command curl --silent --show-error --fail-with-body "$@"; }
svc() { '${process.execPath}' src/cli/svc.ts "$@"; }
ID=$(curl $SVC_BASE_URL/usage -H "Authorization: Bearer $SVC_API_KEY" | grep -o 'svc-[0-9A-Z]*' | head -1 || true)
`;

interface Block {
	page: string;
	text: string;
}

const blocks: Block[] = PAGES.flatMap((page) =>
	[...readFileSync(join(ROOT, page), "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = ""]) => ({
		page,
		text,
	})),
);

function reasonNotToRun({ page, text }: Block): string | undefined {
	return PAGES_NOT_RUN[page] ?? NOT_RUN.find(([part]) => text.includes(part))?.[1];
}

const runnable = blocks.filter((block) => reasonNotToRun(block) === undefined);

let home: ServiceHome;
beforeAll(async () => {
	home = await ServiceHome.makeMigrated();
	writeFileSync(join(home.dir, "BRAIN.md"), "max_cost: 0.01\n");
	await home.startReady();
});
afterAll(() => home?.remove());

async function runScript(script: string): Promise<{ code: number | null; output: string }> {
	const child = spawn("bash", ["-c", script], {
		cwd: home.dir,
		// The operator's commands and the client's take a local service's address from the port, as after `PORT=… npm start`.
		env: { PATH: process.env["PATH"], HOME: home.dir, TMPDIR: home.dir, PORT: String(home.port), ...COMPILE_CACHE },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk) => {
			output += chunk;
		});
	const [code] = await once(child, "close");
	return { code, output };
}

it("what is not run is still there, and most is run", () => {
	for (const [part] of NOT_RUN)
		expect(
			blocks.some(({ text }) => text.includes(part)),
			part,
		).toBe(true);
	for (const [part] of SUBSTITUTIONS)
		expect(
			runnable.some(({ text }) => text.includes(part)),
			part,
		).toBe(true);
	for (const page of Object.keys(PAGES_NOT_RUN)) expect(PAGES).toContain(page);
	expect(runnable.length).toBeGreaterThan(35);
});

describe("the commands of", () => {
	it.each(runnable.map((block): [string, string, Block] => [block.page, block.text.split("\n")[0] ?? "", block]))(
		"%s work: %s",
		async (_, __, { text }) => {
			const commands = SUBSTITUTIONS.reduce((script, [part, instead]) => script.replaceAll(part, () => instead), text);
			const { code, output } = await runScript(`${PRELUDE}${commands}`);
			expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
		},
	);
});
