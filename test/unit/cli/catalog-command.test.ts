// `npm run catalog -- apply|show` as a process, against a service that answers as the test says.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "../../../src/cli/catalog.ts");
const FILE = `providers:
  - id: my-vllm
    template: vllm
    base_url: https://models.example.com/v1
    auth: bearer
models:
  - id: small
    provider: my-vllm
    tier: budget
    prices: {input: 0, output: 0}
    limits: {context_window: 8192, max_output_tokens: 2048}
`;
const CHANGES = { catalog_version: "2026-11-22+0123456789ab", providers: ["my-vllm"], models: ["small"] };

/** Runs the command in a folder of its own; the service answers every request alike. */
async function run(args: string[], [status, answer]: [number, unknown], file = FILE) {
	const cwd = mkdtempSync(join(tmpdir(), "catalog-"));
	writeFileSync(join(cwd, "my.yaml"), file);
	const asked: { request: IncomingMessage; body: string }[] = [];
	const server = createServer(async (request, response) => {
		asked.push({ request, body: await text(request) });
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const child = spawn(process.execPath, [COMMAND, ...args, "--url", `http://127.0.0.1:${port}`], {
		cwd,
		env: { ...process.env, ADMIN_TOKEN: "a token for the test" },
	});
	const [stdout, stderr, code] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		new Promise((resolve) => child.on("exit", resolve)),
	]);
	server.close();
	return { code, stdout, stderr, asked };
}

describe("npm run catalog -- apply", () => {
	it("sends the document with the operator's token, and prints what it adds", async () => {
		const { code, stdout, asked } = await run(["apply", "my.yaml"], [200, CHANGES]);
		expect(stdout).toBe(
			"applied: 1 provider (my-vllm), 1 model (small); catalog_version 2026-11-22+0123456789ab\nkeys of these providers: MY_VLLM_API_KEY\n",
		);
		expect(code).toBe(0);
		expect(asked).toHaveLength(1);
		const [{ request, body } = { request: null, body: "" }] = asked;
		expect([request?.method, request?.url, request?.headers.authorization]).toEqual([
			"PUT",
			"/internal/catalog",
			"Bearer a token for the test",
		]);
		expect(JSON.parse(body)).toMatchObject({
			providers: [{ id: "my-vllm", auth: "bearer" }],
			models: [{ id: "small" }],
		});
	});

	it("sends nothing with a mistake in it", async () => {
		const { code, stdout, asked } = await run(["apply", "my.yaml"], [200, CHANGES], FILE.replace("budget", "bugdet"));
		expect([code, stdout, asked]).toEqual([
			1,
			'my.yaml: line 9, column 11: models.0.tier: must be one of budget, mid, premium, frontier, not "bugdet"; did you mean budget?\n',
			[],
		]);
	});

	it("names what the service refuses by its line", async () => {
		const issues = [
			{ path: "providers.0.base_url", message: "must be https" },
			{ path: "models.0.limits.none", message: "is missing" },
			{ path: "", message: "and the settings disagree" },
		];
		const { code, stdout } = await run(["apply", "my.yaml"], [422, { error: "invalid_request", message: "x", issues }]);
		expect(stdout.split("\n").slice(0, 3)).toEqual([
			"my.yaml: line 4, column 15: providers.0.base_url: must be https",
			"my.yaml: line 11, column 13: models.0.limits.none: is missing",
			"my.yaml: line 1, column 1: and the settings disagree",
		]);
		expect(stdout).toContain("refuses it, and keeps what it has");
		expect(code).toBe(1);
	});

	it("ends with 2 where the service fails, or has no operator endpoints", async () => {
		expect(await run(["apply", "my.yaml"], [503, { message: "KV refused the catalog" }])).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("answered 503: KV refused the catalog"),
		});
		expect(await run(["show"], [404, { message: "no such path" }])).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("has no operator endpoints"),
		});
	});
});

describe("npm run catalog -- show", () => {
	it("prints the rows as a file, and beside it what they are", async () => {
		const catalog = { providers: [{ id: "ollama" }] };
		const answer = { source: "kv", catalog, faults: [], ...CHANGES };
		const { code, stdout, stderr, asked } = await run(["show"], [200, answer]);
		expect([code, JSON.parse(stdout), asked[0]?.request.method]).toEqual([0, catalog, "GET"]);
		expect(stderr).toBe("from KV; 1 provider (my-vllm), 1 model (small); catalog_version 2026-11-22+0123456789ab\n");
	});

	it("says why one cannot be read, and ends with 1", async () => {
		const faults = ["providers.0: needs base_url"];
		const answer = { source: "variable", catalog: null, faults, catalog_version: "1", providers: [], models: [] };
		const { code, stderr } = await run(["show"], [200, answer]);
		expect([code, stderr.split("\n")[1]]).toEqual([1, "cannot be read: providers.0: needs base_url"]);
	});
});
