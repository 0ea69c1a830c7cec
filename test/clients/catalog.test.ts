// The operator's catalog as `npm start` and `npm run catalog` bring it into a running service.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/cli/sandbox-server.ts";
import { type Launch, ServiceHome } from "./process.ts";

let home: ServiceHome;
let upstream: Awaited<ReturnType<typeof startSandbox>>;
/** Providers that the upstream answered as. */
const answered: string[] = [];

beforeAll(async () => {
	home = await ServiceHome.makeMigrated();
	upstream = await startSandbox(0, (provider) => answered.push(provider));
});
afterAll(async () => {
	await home?.remove();
	await upstream?.stop();
});

const FILE = () => `# of this test
providers:
  - id: my-llm
    base_url: ${upstream.url}/my-llm
models:
  - id: my-model
    provider: my-llm
    tier: budget
    prices: {input: 0, output: 0}
    limits: {context_window: 8192, max_output_tokens: 2048}
`;

/** Writes the catalog's file in the home. */
function writeCatalog(text: string): string {
	const path = join(home.dir, "catalog.yaml");
	writeFileSync(path, text);
	return path;
}

function ask(model: string): Promise<Response> {
	return fetch(`${home.url}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${home.key()}`, "content-type": "application/json" },
		body: JSON.stringify({ model, messages: [{ role: "user", content: "Say hello" }] }),
	});
}

/** Runs `npm run catalog` on the running service. */
function catalog(...args: string[]) {
	const { ADMIN_TOKEN } = parseEnv(readFileSync(join(home.dir, ".dev.vars"), "utf8"));
	const { status, stdout, stderr } = spawnSync(process.execPath, ["src/cli/catalog.ts", ...args, "--url", home.url], {
		cwd: home.dir,
		env: { PATH: process.env["PATH"], ADMIN_TOKEN },
	});
	return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

async function stop(start: Launch): Promise<void> {
	start.process.kill("SIGTERM");
	await start.exited;
}

describe("CATALOG_FILE", () => {
	it("ends a start when it is wrong, with every mistake and its line", async () => {
		const file = writeCatalog(FILE().replace("budget", "bugdet").replace("output: 0", "ouput: 0"));
		const start = home.launch({ CATALOG_FILE: file });
		expect(await start.exited).toBe(1);
		expect(start.output).toBe(
			[
				`${file}: line 8, column 11: models.0.tier: must be one of budget, mid, premium, frontier, not "bugdet"; did you mean budget?`,
				`${file}: line 9, column 24: models.0.prices.ouput: unknown key; did you mean output?`,
				`${file}: line 9, column 13: models.0.prices: output must be a number: USD per million tokens, and 0 where it costs nothing`,
				"CATALOG_FILE is wrong: nothing was started or changed",
				"",
			].join("\n"),
		);
		const missing = home.launch({ CATALOG_FILE: "nowhere.yaml" });
		expect(await missing.exited).toBe(1);
		expect(missing.output).toMatch(/^CATALOG_FILE cannot be read: .*nowhere\.yaml/);
	});

	it("has its models answer, with their provider's key from the environment", async () => {
		const start = await home.startReady({ CATALOG_FILE: writeCatalog(FILE()), MY_LLM_API_KEY: "sk-of-the-test" });
		expect(start.output).not.toContain("answers come from the sandbox");
		const response = await ask("my-model");
		expect([response.status, answered]).toEqual([200, ["my-llm"]]);
		expect(await (await fetch(`${home.url}/health`)).json()).toMatchObject({ operator_catalog: "valid" });
		await stop(start);
	});

	it("that is not set leaves the service what it keeps, and the environment its keys", async () => {
		const start = await home.startReady({ MY_LLM_API_KEY: "sk-of-the-test" });
		answered.length = 0;
		expect([(await ask("my-model")).status, answered]).toEqual([200, ["my-llm"]]);
		await stop(start);
	});
});

describe("npm run catalog", () => {
	it("shows what the service keeps, refuses what is wrong, and puts a change in force", async () => {
		await home.startReady({ MY_LLM_API_KEY: "sk-of-the-test" });
		const shown = catalog("show");
		expect([shown.status, JSON.parse(shown.stdout)]).toMatchObject([0, { models: [{ id: "my-model" }] }]);

		const changed = FILE().replace("id: my-model", "id: my-other-model");
		// The service has no such host in its UPSTREAM_HOSTS; this machine may.
		const file = writeCatalog(changed.replace(upstream.url, "http://models.example.com"));
		writeFileSync(
			join(home.dir, ".dev.vars"),
			`${readFileSync(join(home.dir, ".dev.vars"), "utf8")}UPSTREAM_HOSTS=models.example.com\n`,
		);
		const refused = catalog("apply", file);
		expect([refused.status, refused.stdout]).toEqual([
			1,
			`${file}: line 4, column 15: providers.0.base_url: must be https, for UPSTREAM_HOSTS does not list its host\n${home.url} refuses it, and keeps what it has\n`,
		]);
		expect((await ask("my-model")).status).toBe(200);

		const applied = catalog("apply", writeCatalog(changed));
		expect([applied.status, applied.stdout]).toEqual([
			0,
			expect.stringMatching(
				/^applied: 1 provider \(my-llm\), 1 model \(my-other-model\); catalog_version [\d-]+\+[0-9a-f]{12}\n/,
			),
		]);
		expect((await ask("my-other-model")).status).toBe(200);
		expect(JSON.parse(catalog("show").stdout)).toMatchObject({ models: [{ id: "my-other-model" }] });
	});
});
