// Plain HTTP: on a deployment a redirect or a refusal, on this machine the service.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";

async function ask(url: string, init: RequestInit = {}): Promise<Response> {
	return app.fetch(new Request(url, { redirect: "manual", ...init }), env, createExecutionContext());
}

const SECURE = "max-age=31536000";

describe("plain HTTP on a deployment", () => {
	it.each(["GET", "HEAD"])("is sent on to HTTPS for good where %s brings no credentials", async (method) => {
		const response = await ask("http://svc.example/v1/models?limit=1&x=%2F", { method });
		expect([response.status, response.headers.get("location")]).toEqual([
			308,
			"https://svc.example/v1/models?limit=1&x=%2F",
		]);
		expect(response.headers.get("x-request-id")).toMatch(/^svc-/);
		expect(response.headers.get("strict-transport-security")).toBeNull();
	});

	it("is sent on to the port of HTTPS", async () => {
		const { headers } = await ask("http://svc.example:8080/health");
		expect(headers.get("location")).toBe("https://svc.example/health");
	});

	it.each([
		["GET", { authorization: "Bearer svc_sk_x" }],
		["GET", { cookie: "session=1" }],
		["GET", { "x-api-key": "svc_sk_x" }],
		["POST", {}],
		["PUT", {}],
		["DELETE", {}],
		["OPTIONS", {}],
	] as const)("is refused to %s with %o, so that nobody sends it that way twice unseen", async (method, headers) => {
		const response = await ask("http://svc.example/v1/usage", { method, headers });
		expect([response.status, await response.json()]).toMatchObject([403, { error: "https_required" }]);
		expect([response.headers.get("location"), response.headers.get("x-should-retry")]).toEqual([null, "false"]);
	});

	it("is what it is on Cloudflare, whatever the client says of it", async () => {
		const headers = { "cf-ray": "8f-FRA", "x-forwarded-proto": "https" };
		expect((await ask("http://svc.example/v1/plans", { headers })).status).toBe(308);
	});
});

describe("HTTPS", () => {
	it("is asked for next time too, by answers and by errors", async () => {
		for (const [path, status] of [
			["/v1/plans", 200],
			["/verify", 200],
			["/nope", 404],
			["/v1/usage", 401],
		] as const) {
			const response = await ask(`https://svc.example${path}`);
			expect([response.status, response.headers.get("strict-transport-security")]).toEqual([status, SECURE]);
		}
	});

	it("counts as such behind a proxy that says so, and is the origin that answers name", async () => {
		for (const proto of ["https", "HTTPS", "https, http"]) {
			const response = await ask("http://svc.example/v1/plans", { headers: { "x-forwarded-proto": proto } });
			expect([response.status, response.headers.get("strict-transport-security")]).toEqual([200, SECURE]);
		}
		for (const proto of ["http", "http, https", "httpsx"])
			expect((await ask("http://svc.example/v1/plans", { headers: { "x-forwarded-proto": proto } })).status).toBe(308);
	});
});

describe("this machine", () => {
	it.each(["127.0.0.1:8787", "127.9.9.9", "localhost:8787", "svc.localhost", "[::1]:8787"])(
		"is served in plain as %s, without asking for HTTPS",
		async (host) => {
			const response = await ask(`http://${host}/v1/plans`);
			expect([response.status, response.headers.get("strict-transport-security")]).toEqual([200, null]);
			expect((await ask(`http://${host}/v1/usage`, { headers: { authorization: "Bearer x" } })).status).toBe(401);
		},
	);

	it.each(["127.0.0.1.example", "localhost.example", "[::2]", "10.0.0.1"])("is not %s", async (host) => {
		expect((await ask(`http://${host}/v1/plans`)).status).toBe(308);
	});
});
