// How commands find the service of this checkout, and the key that clients are given.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renewClientEnv } from "../../../src/cli/local-key.ts";
import { localServiceUrl } from "../../../src/cli/operator.ts";

let dir: string;
let envFile: string;

beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), "svc-local-"));
	envFile = join(dir, ".env.local");
});
afterEach(() => {
	vi.unstubAllEnvs();
	rmSync(dir, { recursive: true });
});

describe("commands of the operator call", () => {
	it("the port of the environment before what .env.local names", () => {
		writeFileSync(envFile, "SVC_BASE_URL=http://127.0.0.1:9100/v1\n");
		expect(localServiceUrl(envFile)).toBe("http://127.0.0.1:9100");
		vi.stubEnv("PORT", "9200");
		expect(localServiceUrl(envFile)).toBe("http://127.0.0.1:9200");
	});

	it.each(["", "SVC_BASE_URL=https://svc.example.com/v1\n", "SVC_BASE_URL=nonsense\n"])(
		"the default port, and never another machine, where .env.local holds %j",
		(text) => {
			writeFileSync(envFile, text);
			expect(localServiceUrl(envFile)).toBe("http://127.0.0.1:8787");
		},
	);
});

describe("the key in .env.local", () => {
	let server: Server;
	let url: string;

	/** A service that knows one key and makes another. */
	beforeEach(async () => {
		server = createServer((request, response) => {
			const isKnown = request.headers.authorization === "Bearer svc_sk_known";
			if (request.url === "/v1/usage") response.writeHead(isKnown ? 200 : 401).end("{}");
			else response.writeHead(200).end(JSON.stringify({ key: "svc_sk_new" }));
		}).listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	afterEach(() => server.close());

	it.each([
		["stays while the service knows it", "svc_sk_known", "svc_sk_known"],
		["is replaced when the service does not, as after a restore", "svc_sk_gone", "svc_sk_new"],
	])("%s", async (_, before, after) => {
		writeFileSync(envFile, `OTHER=1\nSVC_API_KEY=${before}\n`);
		const local = await renewClientEnv(url, "http://127.0.0.1:9100", "token", envFile);
		expect(local).toEqual({ key: after, isNew: before !== after });
		const lines = readFileSync(envFile, "utf8").trim().split("\n");
		expect(lines).toEqual(["OTHER=1", "SVC_BASE_URL=http://127.0.0.1:9100/v1", `SVC_API_KEY=${after}`]);
	});

	it("stays where the busy service closes the connection on the question, and answers the next one", async () => {
		let closed = 0;
		server.prependListener("request", (request) => {
			if (closed === 0) request.socket.destroy();
			closed += 1;
		});
		writeFileSync(envFile, "SVC_API_KEY=svc_sk_known\n");
		const local = await renewClientEnv(url, "http://127.0.0.1:9100", "token", envFile);
		expect(local).toEqual({ key: "svc_sk_known", isNew: false });
		expect(closed).toBe(2);
	});
});
