// Host and scheme: on Cloudflare plain HTTP is redirected or refused, on this machine loopback and allowed hosts are answered.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { generateApiKey } from "../../src/account/api-key.ts";
import { app } from "../../src/app.ts";

/** wrangler.toml says that the service runs on Cloudflare. */
async function ask(url: string, init: RequestInit = {}, variables: Record<string, string> = {}): Promise<Response> {
	const request = new Request(url, { redirect: "manual", ...init });
	return app.fetch(request, { ...env, ...variables }, createExecutionContext());
}

/** Well-formed, and nobody's. */
const NEVER_ISSUED = generateApiKey(() => new Uint8Array(64).fill(7));

const LOCAL = { PLATFORM: "local" };
const ALLOWED = { ...LOCAL, ALLOWED_HOSTS: "svc.example, 10.0.0.7" };
const PROXIED = { ...ALLOWED, TRUST_PROXY: "1" };

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

	it("counts as such behind a proxy that the operator trusts, and is the origin that answers name", async () => {
		for (const proto of ["https", "HTTPS", "https, http"]) {
			const headers = { "x-forwarded-proto": proto };
			const response = await ask("http://svc.example/v1/plans", { headers }, PROXIED);
			expect([response.status, response.headers.get("strict-transport-security")]).toEqual([200, SECURE]);
		}
		for (const proto of ["http", "http, https", "httpsx"]) {
			const headers = { "x-forwarded-proto": proto };
			expect((await ask("http://svc.example/v1/plans", { headers }, PROXIED)).status).toBe(308);
		}
	});

	it.each([
		["on Cloudflare", {}],
		["on Cloudflare, with TRUST_PROXY set by mistake", { TRUST_PROXY: "1" }],
		["on a machine without a trusted proxy", ALLOWED],
	])("is not believed of a request that only says so %s", async (_, variables) => {
		const headers = { "x-forwarded-proto": "https" };
		expect((await ask("http://svc.example/v1/plans", { headers }, variables)).status).toBe(308);
		const withKey = { ...headers, authorization: "Bearer svc_sk_x" };
		expect((await ask("http://svc.example/v1/usage", { headers: withKey }, variables)).status).toBe(403);
	});
});

describe("a host that is not the service's", () => {
	it.each(["svc.example", "evil.test", "127.0.0.1.example", "10.0.0.8"])(
		"is misdirected on a machine: %s",
		async (host) => {
			for (const url of [`http://${host}:8787/v1/plans`, `https://${host}/v1/usage`]) {
				const response = await ask(url, {}, LOCAL);
				expect([response.status, await response.json()]).toMatchObject([
					421,
					{ error: "misdirected_request", message: expect.stringContaining(host) },
				]);
				expect([response.headers.get("x-should-retry"), response.headers.get("x-request-id")]).toEqual([
					"false",
					expect.stringMatching(/^svc-/),
				]);
			}
		},
	);

	it("is answered where the operator allows it, whatever its case and port, and over HTTPS", async () => {
		for (const host of ["svc.example", "SVC.example:8443", "10.0.0.7"])
			expect((await ask(`https://${host}/v1/plans`, {}, ALLOWED)).status).toBe(200);
		expect((await ask("https://sub.svc.example/v1/plans", {}, ALLOWED)).status).toBe(421);
	});

	it.each([
		["http://127.0.0.1:8787", "evil.test"],
		["http://127.0.0.1:8787", "svc.example"],
		["https://svc.example", "evil.test"],
		["https://svc.example", "svc.example.evil.test"],
	])("is misdirected where the address says %s and the Host header %s", async (origin, host) => {
		const response = await ask(`${origin}/v1/plans`, { headers: { host } }, ALLOWED);
		expect([response.status, await response.json()]).toMatchObject([
			421,
			{ error: "misdirected_request", message: expect.stringContaining(host) },
		]);
	});

	it.each([
		["http://127.0.0.1:8787", "127.0.0.1:8787"],
		["http://localhost:8787", "LOCALHOST:8787"],
		["http://[::1]:8787", "[::1]:8787"],
		["https://svc.example", "Svc.Example"],
		["https://svc.example:8443", "svc.example:8443"],
	])("is none where the address %s and the Host header %s agree", async (origin, host) => {
		expect((await ask(`${origin}/v1/plans`, { headers: { host } }, ALLOWED)).status).toBe(200);
	});

	it("is none on Cloudflare, which routes only the service's own to it", async () => {
		for (const host of ["svc.example", "svc.user.workers.dev"])
			expect((await ask(`https://${host}/v1/plans`, {}, { ALLOWED_HOSTS: "other.example" })).status).toBe(200);
	});

	it("opens nothing by a header", async () => {
		const headers = { "x-forwarded-host": "127.0.0.1", forwarded: "host=127.0.0.1;proto=https", "cf-ray": "8f-FRA" };
		expect((await ask("http://evil.test/v1/plans", { headers }, PROXIED)).status).toBe(421);
	});
});

describe("the address that guesses are counted by", () => {
	const guess = (address: Record<string, string>, variables: Record<string, string>) =>
		ask(
			"https://svc.example/v1/usage",
			{ headers: { authorization: `Bearer ${NEVER_ISSUED}`, ...address } },
			{ ...variables },
		);
	const keysCounted: string[] = [];
	const MISS_LIMITER = {
		limit: async ({ key }: { key: string }) => {
			keysCounted.push(key);
			return { success: true };
		},
	} as unknown as RateLimit;

	it("is the platform's on Cloudflare, the trusted proxy's behind one, and nobody's word elsewhere", async () => {
		const limited = (variables: Record<string, string>) =>
			({ ...variables, MISS_LIMITER }) as unknown as Record<string, string>;
		const headers = { "cf-connecting-ip": "192.0.2.1", "x-forwarded-for": "198.51.100.9, 203.0.113.5" };
		for (const variables of [{}, PROXIED, ALLOWED]) await guess(headers, limited(variables));
		expect(keysCounted.map((key) => key.split(" ").at(-1))).toEqual(["192.0.2.1", "203.0.113.5", "unknown"]);
	});
});

describe("this machine", () => {
	it.each(["127.0.0.1:8787", "127.9.9.9", "localhost:8787", "svc.localhost", "[::1]:8787"])(
		"is served in plain as %s, without asking for HTTPS",
		async (host) => {
			const response = await ask(`http://${host}/v1/plans`, {}, LOCAL);
			expect([response.status, response.headers.get("strict-transport-security")]).toEqual([200, null]);
			const headers = { authorization: "Bearer x" };
			expect((await ask(`http://${host}/v1/usage`, { headers }, LOCAL)).status).toBe(401);
		},
	);

	it.each(["127.0.0.1.example", "localhost.example", "[::2]", "10.0.0.1"])("is not %s", async (host) => {
		expect((await ask(`http://${host}/v1/plans`)).status).toBe(308);
		expect((await ask(`http://${host}/v1/plans`, {}, LOCAL)).status).toBe(421);
	});
});

describe("a malformed Host", () => {
	it.each(["a b", "[::1", "svc.example:99999", "user@svc.example", "svc.example/x"])("%j is 400", async (host) => {
		for (const variables of [{}, LOCAL, ALLOWED]) {
			const response = await ask("https://svc.example/v1/plans", { headers: { host } }, variables);
			expect([response.status, await response.json()]).toMatchObject([400, { error: "invalid_host" }]);
		}
	});
});
