// Bodies that are refused, as clients see it that send all of them before they listen.
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

const MIB = 1_048_576;

let service: TestService | undefined;
let url = "";
let key = "";

beforeAll(async () => {
	service = await startTestService();
	url = service.url;
	key = (await service.newKey("corporate")).key;
});
afterAll(() => service?.stop());

/** Sends head and body to the last byte, and only then reads: what Python's urllib does. Rejects when the connection is reset. */
async function sendThenRead(path: string, body: Buffer): Promise<string> {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	socket.pause();
	await once(socket, "connect");
	const head = [
		`POST ${path} HTTP/1.1`,
		`host: ${hostname}:${port}`,
		`authorization: Bearer ${key}`,
		"content-type: application/json",
		`content-length: ${body.length}`,
		"connection: close",
	];
	await new Promise<void>((resolve, reject) => {
		socket.on("error", reject);
		socket.write(`${head.join("\r\n")}\r\n\r\n`);
		socket.write(body, () => resolve());
	});
	// The runtime keeps the connection for seconds; leaving the loop closes it.
	for await (const piece of socket) return String(piece);
	throw new Error("the connection was closed without an answer");
}

describe("a body over the limit", () => {
	it.each([
		["/v1/chat/completions", 17],
		["/v1/chat/completions", 30],
		["/v1/policy/check", 17],
	])("is answered 413 on %s to who sends all of its %i MiB first", async (path, mebibytes) => {
		for (let times = 0; times < 3; times++)
			expect(await sendThenRead(path, Buffer.alloc(mebibytes * MIB, 32))).toMatch(/^HTTP\/1\.1 413 /);
	});

	it("is answered 413 to fetch, whether its length is declared or not", async () => {
		const headers = { authorization: `Bearer ${key}` };
		const whole = Buffer.alloc(17 * MIB, 32);
		for (let times = 0; times < 6; times++) {
			const body = times % 2 === 0 ? whole : new Blob([whole]).stream();
			const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
			const response = await fetch(`${url}/v1/chat/completions`, init);
			expect([response.status, await response.json()]).toMatchObject([413, { error: "request_too_large" }]);
		}
	});
});

describe("a body of more values than any call has", () => {
	it("is refused where it has them, and the service lives on", async () => {
		const headers = { authorization: `Bearer ${key}` };
		for (const piece of ["0,", "{},"]) {
			const body = `{"messages":[${piece.repeat((15 * MIB) / piece.length)}0]}`;
			const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
			expect([response.status, await response.json()]).toMatchObject([422, { issues: [{ path: "messages" }] }]);
		}
		expect((await fetch(`${url}/v1/usage`, { headers })).status).toBe(200);
	});
});

describe("a body that nobody reads", () => {
	/** What a refused request is answered with, and from which local port it was sent. */
	function refusal(agent: Agent, path: string, body: Buffer, headers: Record<string, string>) {
		return new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
			const sent = request(`${url}${path}`, { agent, method: "POST", headers }, (response) => {
				const port = response.socket.localPort;
				response.resume().on("end", () => resolve({ status: response.statusCode, port }));
			});
			sent.on("error", reject).end(body);
		});
	}

	it.each([
		["a malformed key", "/v1/chat/completions", { authorization: "Bearer svc_sk_wrong" }, 401],
		["no key", "/v1/policy/check", {}, 401],
		["a path that is not there", "/v1/nothing", {}, 404],
		["bytes that are no text", "/v1/policy/check", null, 400],
	] as const)("leaves the connection to the next request: %s", async (_, path, credentials, status) => {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		const headers = credentials ?? { authorization: `Bearer ${key}` };
		const ports = new Set<number | undefined>();
		try {
			for (const size of [2, 100, MIB, 2, 100_000]) {
				const body = Buffer.alloc(size, credentials ? "x" : 0xff);
				const answer = await refusal(agent, path, body, headers);
				expect(answer.status).toBe(status);
				ports.add(answer.port);
			}
		} finally {
			agent.destroy();
		}
		expect(ports.size).toBe(1);
	});

	it("is not waited for where its sender waits for the answer", async () => {
		const { hostname, port } = new URL(url);
		const socket = connect(Number(port), hostname);
		const head = ["POST /v1/policy/check HTTP/1.1", `host: ${hostname}:${port}`, "content-length: 1000"];
		socket.write(`${head.join("\r\n")}\r\n\r\n{"action":`);
		for await (const piece of socket) {
			expect(String(piece)).toMatch(/^HTTP\/1\.1 401 /);
			return;
		}
		throw new Error("the connection was closed without an answer");
	});
});
