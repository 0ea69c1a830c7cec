// What Miniflare's own paths and headers do from outside a really running service: they open nothing and choose no host.
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

let service: TestService;

beforeAll(async () => {
	service = await startTestService();
});
afterAll(() => service.stop());

/** Sends exactly these headers, Host too, which `fetch` does not let a caller choose. */
async function ask(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
	const { hostname, port, host } = new URL(service.url);
	return new Promise((resolve, reject) => {
		const sent = request({ hostname, port, path, headers: { host, ...headers } }, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (chunk) => {
				text += chunk;
			});
			response.on("error", reject);
			response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
		});
		sent.on("error", reject);
		sent.end();
	});
}

it("answers its own host", async () => {
	expect(await ask("/v1/plans")).toMatchObject({ status: 200 });
});

it.each<Record<string, string>>([
	{},
	{ "mf-original-url": "http://127.0.0.1/v1/plans" },
	{ "mf-original-url": "http://localhost/v1/plans" },
	{ "mf-original-url": "https://127.0.0.1/v1/plans", "mf-route-override": "svc" },
])("does not answer a stranger's host, whatever address it names besides: %o", async (headers) => {
	const { status, text } = await ask("/v1/plans", { host: "evil.test", ...headers });
	expect([status, JSON.parse(text)]).toMatchObject([421, { error: "misdirected_request" }]);
});

it.each([
	"/cdn-cgi/handler/scheduled",
	"/cdn-cgi/handler/email",
	"/cdn-cgi/mf/scheduled",
	"/cdn-cgi/mf/reload",
	"/cdn-cgi/explorer",
	"/cdn-cgi/explorer/api/storage",
	"/cdn-cgi/mf/stream/x",
	"/cdn-cgi/mf/imagedelivery/x",
	"/cdn-cgi/local/r2/public/x",
	"/cdn-cgi/local/r2/s3/x",
])("has nothing at %s, and refuses it to a stranger's host", async (path) => {
	expect(await ask(path)).toMatchObject({ status: 404, text: expect.stringContaining("not_found") });
	expect(await ask(path, { host: "evil.test" })).toMatchObject({ status: 421 });
	const forged = { host: "evil.test", "mf-original-url": "http://127.0.0.1/v1/plans" };
	expect(await ask(path, forged)).toMatchObject({ status: 421 });
});

it("lends no binding, with a secret or without", async () => {
	const call = { "mf-op": "GET", "mf-op-target": "0" };
	for (const headers of [{}, call, { ...call, "mf-op-secret": "00".repeat(16) }])
		expect(await ask("/cdn-cgi/platform-proxy", headers)).toMatchObject({ status: 404 });
});

it("takes no address of a client from its headers", async () => {
	const forged = {
		"mf-cf-blob": JSON.stringify({ clientIp: "192.0.2.1:1" }),
		"cf-connecting-ip": "192.0.2.1",
		"x-forwarded-for": "192.0.2.1",
		"x-forwarded-proto": "https",
	};
	expect(await ask("/v1/plans", forged)).toEqual(await ask("/v1/plans"));
});
