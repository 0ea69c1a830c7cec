// The MCP project's own conformance tests against the running service: every server scenario that asks for no tool, prompt or
// resource of a test server's. They send no key, so a proxy on this machine adds one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

const RUNNER = resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** The others call tools such as `test_simple_text`, or want sessions, logging, completion or subscriptions, which nothing here has. */
const SCENARIOS = [
	"server-initialize",
	"ping",
	"tools-list",
	"resources-list",
	"prompts-list",
	"dns-rebinding-protection",
];

let service: TestService | undefined;
let proxy: Server | undefined;
let url = "";
let dir = "";

/** Passes requests on as they are, with a key. */
function keyedProxy(serviceUrl: string, key: string): Server {
	return createServer((incoming, outgoing) => {
		const { method = "GET", url = "/", headers } = incoming;
		const all = { ...headers, authorization: `Bearer ${key}` };
		const passed = request(new URL(url, serviceUrl).href, { method, headers: all }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		passed.on("error", () => outgoing.destroy());
		incoming.pipe(passed);
	});
}

beforeAll(async () => {
	service = await startTestService();
	proxy = keyedProxy(service.url, (await service.newKey("corporate")).key).listen(0, "127.0.0.1");
	await once(proxy, "listening");
	const { port } = proxy.address() as AddressInfo;
	url = `http://localhost:${port}/v1/mcp`;
	dir = mkdtempSync(join(tmpdir(), "svc-conformance-"));
});
afterAll(async () => {
	proxy?.close();
	await service?.stop();
	rmSync(dir, { recursive: true, force: true });
});

it.each(SCENARIOS)("the scenario %s passes", async (scenario) => {
	const child = spawn(process.execPath, [RUNNER, "server", "--url", url, "--scenario", scenario], { cwd: dir });
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (chunk) => {
			output += chunk;
		});
	const [code] = await once(child, "exit");
	expect(code, output).toBe(0);
	expect(output).toMatch(/^Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings$/m);
});
