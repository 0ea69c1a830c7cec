// The front of a service that is bound beyond loopback: Miniflare's own doors are shut, everything else is as without it.
import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { connect, createServer } from "node:net";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startFront } from "../../src/cli/front.ts";
import { startTestService, type TestService } from "./support.ts";

let service: TestService;
let front: Awaited<ReturnType<typeof startFront>>;
let url: string;
let key: string;

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	return typeof address === "object" && address ? address.port : 0;
}

/** What a server writes first after a CONNECT to the host that Miniflare reserves for the runtime's own protocol. */
async function sendConnect(origin: string): Promise<string> {
	const { hostname, port } = new URL(origin);
	const socket = connect(Number(port), hostname);
	const host = "miniflare-unsafe-internal-capnp-connect";
	socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
	try {
		for await (const part of socket.setEncoding("utf8")) return String(part);
		return "";
	} finally {
		socket.destroy();
	}
}

function statusFor(origin: string, host: string): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const sent = request(`${origin}/health`, { headers: { host } }, (response) => {
			response.resume();
			resolve(response.statusCode);
		});
		sent.once("error", reject).end();
	});
}

beforeAll(async () => {
	service = await startTestService();
	const port = await freePort();
	front = await startFront(service.url, "127.0.0.1", port);
	url = `http://127.0.0.1:${port}`;
	key = (await service.newKey("corporate")).key;
});
afterAll(async () => {
	await front?.stop();
	await service?.stop();
});

it("shuts what Miniflare opens: a URL of the sender's choice, paths of the simulator, the runtime's own protocol", async () => {
	const headers = { "mf-original-url": "http://evil.example/health" };
	expect((await fetch(`${url}/health`, { headers })).status).toBe(400);
	expect((await fetch(`${url}/cdn-cgi/platform-proxy`)).status).toBe(404);
	// The Worker's socket lets in whoever names this host, so the front lets nobody through.
	expect(await sendConnect(service.url)).toMatch(/^HTTP\/1\.1 200 /);
	expect(await sendConnect(url)).not.toMatch(/^HTTP\/1\.1 200 /);
});

it("is not alone: the Worker's socket knows neither Miniflare's headers nor its paths", async () => {
	const own = await (await fetch(`${service.url}/health`)).json();
	for (const header of ["mf-original-url", "mf-route-override", "mf-cf-blob"]) {
		const value = header === "mf-cf-blob" ? "{}" : "http://evil.example/v1/plans";
		const response = await fetch(`${service.url}/health`, { headers: { [header]: value } });
		expect(response.status).toBe(200);
		expect(Object.keys(Object(await response.json()))).toEqual(Object.keys(Object(own)));
	}
	for (const path of ["platform-proxy", "handler/scheduled", "mf/scheduled", "explorer"])
		expect((await fetch(`${service.url}/cdn-cgi/${path}`)).status).toBe(404);
	expect(await statusFor(service.url, "evil.example")).toBe(421);
});

it("passes whole answers, streams, large bodies and errors on as they are", async () => {
	const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
	const messages = [{ role: "user" as const, content: "Say hello" }];
	const whole = await client.chat.completions.create({ model: "auto", messages });
	expect(whole.choices[0]?.message.content).toContain("Say hello");
	let text = "";
	for await (const chunk of await client.chat.completions.create({ model: "auto", messages, stream: true }))
		text += chunk.choices[0]?.delta.content ?? "";
	expect(text).toBe(whole.choices[0]?.message.content);
	const large = [{ role: "user" as const, content: "hello ".repeat(200_000) }];
	const direct = await fetch(`${service.url}/v1/route`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}` },
		body: JSON.stringify({ messages: large }),
	});
	const passed = await fetch(`${url}/v1/route`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}` },
		body: JSON.stringify({ messages: large }),
	});
	expect(passed.status).toBe(direct.status);
	expect((await fetch(`${url}/v1/usage`)).status).toBe(401);
});

it("shows the host that the client named", async () => {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	socket.write("GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
	let answer = "";
	for await (const part of socket.setEncoding("utf8")) answer += part;
	expect(answer).toMatch(/^HTTP\/1\.1 421 /);
});

it("hangs up at the service when the client does", async () => {
	const silent = createHttpServer().listen(0, "127.0.0.1");
	await once(silent, "listening");
	const address = silent.address();
	const port = await freePort();
	const before = await startFront(
		`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
		"127.0.0.1",
		port,
	);
	const stop = new AbortController();
	const call = fetch(`http://127.0.0.1:${port}/`, { signal: stop.signal });
	const [, response] = await once(silent, "request");
	stop.abort();
	await expect(call).rejects.toThrow();
	await once(response, "close");
	await before.stop();
	silent.close();
});

it("says that the service is away when it is", async () => {
	const port = await freePort();
	const lonely = await startFront(`http://127.0.0.1:${await freePort()}`, "127.0.0.1", port);
	const response = await fetch(`http://127.0.0.1:${port}/health`);
	expect([response.status, await response.json()]).toEqual([502, expect.objectContaining({ error: "unavailable" })]);
	await lonely.stop();
});
