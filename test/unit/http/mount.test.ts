// What the mount owes to an endpoint definition, whatever the service: its gate, its media type, its ETag, its dialect.
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RequestContext } from "../../../src/http/context.ts";
import type { Endpoint } from "../../../src/http/endpoint.ts";
import { type AccessGuards, mount } from "../../../src/http/mount.edge.ts";
import { openapiDocument } from "../../../src/http/openapi.ts";
import { failureResponse, type RequestState, respondToException } from "../../../src/http/respond.edge.ts";
import { Timings } from "../../../src/http/timings.ts";

function context(): RequestContext {
	return {
		requestId: "svc-test",
		startedAtMs: 0,
		env: {} as Env,
		bodyLimits: { default: 1_000, chat: 1_000 },
		signal: new AbortController().signal,
		address: "unknown",
		origin: "https://svc.test",
		waitUntil: () => undefined,
		trail: { sentStatus: null, failure: null },
		log: { endpoint: "unmatched" },
		timings: new Timings(0, () => 0),
	};
}

const open: AccessGuards<RequestContext> = { public: { stage: () => (_, next) => next() } };

function serve(endpoints: readonly Endpoint[], gates = open): Hono<RequestState> {
	const app = new Hono<RequestState>();
	app.onError(respondToException);
	app.use((c, next) => {
		c.set("context", context());
		return next();
	});
	mount(app, endpoints, gates);
	return app;
}

function page(more: Partial<Endpoint> = {}): Endpoint {
	const base = { id: "page", method: "GET", path: "/page", access: "public", summary: "A page.", result: z.string() };
	return { ...base, handle: async () => ({ ok: true, value: "<p>hi</p>" }), ...more } as Endpoint;
}

describe("an endpoint", () => {
	it("cannot be mounted while its access has no gate", () => {
		expect(() => serve([page({ access: "session" })])).toThrow("page: there is no gate for access session");
	});

	it("with access session is let in by its gate, and handled with the context that the gate gives", async () => {
		const sessions: AccessGuards<RequestContext> = {
			session: {
				stage: () => (c, next) =>
					c.req.header("cookie") === "session=mine"
						? next()
						: Promise.resolve(failureResponse(c, { reason: "invalid_api_key", message: "sign in first" })),
				call: (_, given, handle) => handle({ ...given, requestId: "of the session" }),
			},
		};
		const handle: Endpoint["handle"] = async ({ context }) => ({ ok: true, value: context.requestId });
		const app = serve([page({ access: "session", handle })], sessions);
		expect((await app.request("/page")).status).toBe(401);
		const signedIn = await app.request("/page", { headers: { cookie: "session=mine" } });
		expect([signedIn.status, await signedIn.json()]).toEqual([200, "of the session"]);
	});

	it.each(["GET", "POST", "PUT", "DELETE"] as const)("may have the method %s, and no other answers", async (method) => {
		const app = serve([page({ method })]);
		for (const asked of ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]) {
			const response = await app.request("/page", { method: asked });
			const there = asked === method || (asked === "HEAD" && method === "GET");
			expect(response.status, asked).toBe(there ? 200 : 405);
			if (!there) expect(response.headers.get("allow")).toBe(method === "GET" ? "GET, HEAD" : method);
		}
	});

	it.each(["text/plain", "text/html", "image/svg+xml"] as const)("may answer as %s", async (mediaType) => {
		const response = await serve([page({ mediaType })]).request("/page");
		expect(response.headers.get("content-type")).toBe(`${mediaType}; charset=utf-8`);
		expect(await response.text()).toBe("<p>hi</p>");
	});

	it("has its Cache-Control on successes alone, unless its handler knows better", async () => {
		const cacheControl = "public, max-age=3600";
		const ask = async (handle: Endpoint["handle"]) =>
			(await serve([page({ cacheControl, handle })]).request("/page")).headers.get("cache-control");
		expect(await ask(async () => ({ ok: true, value: "" }))).toBe(cacheControl);
		expect(await ask(async () => ({ ok: true, response: new Response("") }))).toBe(cacheControl);
		const own = { "cache-control": "private" };
		expect(await ask(async () => ({ ok: true, value: "", headers: own }))).toBe("private");
		expect(await ask(async () => ({ ok: true, value: "", status: 503 }))).toBeNull();
		expect(await ask(async () => ({ ok: false, failure: { reason: "misconfigured" } }))).not.toBe(cacheControl);
	});

	it("speaks its own error dialect, in refusals of its gate, of its path and in its bugs", async () => {
		const throws = async () => {
			throw new Error("a bug");
		};
		const fails = async () => ({ ok: false, failure: { reason: "not_found", message: "gone" } }) as const;
		const refuse: AccessGuards<RequestContext> = {
			public: { stage: () => async (c) => failureResponse(c, { reason: "invalid_api_key", message: "no" }) },
		};
		for (const [errorDialect, shape] of [
			["openai", { error: { message: expect.any(String), code: expect.any(String) } }],
			["anthropic", { type: "error", request_id: "svc-test" }],
			["svc", { error: expect.any(String) }],
		] as const) {
			const app = serve([page({ errorDialect, handle: fails }), page({ errorDialect, path: "/bug", handle: throws })]);
			for (const [path, method, status] of [
				["/page", "GET", 404],
				["/page", "DELETE", 405],
				["/bug", "GET", 500],
			] as const) {
				const response = await app.request(path, { method });
				expect([response.status, await response.json()]).toMatchObject([status, shape]);
			}
			if (errorDialect === "svc") continue;
			const refused = await serve([page({ errorDialect })], refuse).request("/page");
			expect([refused.status, await refused.json()]).toMatchObject([401, shape]);
		}
	});
});

describe("a body that is not valid", () => {
	const body = z.strictObject({ names: z.record(z.string(), z.number()), tags: z.array(z.string()).max(2).optional() });
	const app = serve([page({ method: "POST", body })]);
	const post = async (value: unknown) => {
		const response = await app.request("/page", { method: "POST", body: JSON.stringify(value) });
		return { status: response.status, text: await response.text() };
	};

	it("is answered with the first twenty faults, and no longer for the length of what is quoted", async () => {
		const long = "k".repeat(300);
		const names = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}`, "one"]));
		const many = await post({ names });
		expect([many.status, JSON.parse(many.text).issues.length]).toEqual([422, 20]);
		const quoted = await post({ names: { [long]: "one" }, [long]: 1, [`${long}2`]: 1 });
		expect(quoted.status).toBe(422);
		for (const { path, message } of JSON.parse(quoted.text).issues) {
			expect(path.length).toBeLessThanOrEqual(200);
			expect(message.length).toBeLessThanOrEqual(500);
		}
	});

	it("is answered for a list that is too long before its entries are looked at", async () => {
		const { status, text } = await post({ names: {}, tags: [1, 2, 3] });
		expect([status, JSON.parse(text).issues]).toEqual([
			422,
			[{ path: "tags", message: "must have at most 2 entries" }],
		]);
	});
});

describe("a conditional answer", () => {
	const cacheControl = "public, max-age=60";
	const app = serve([
		page({ path: "/strong", conditional: "strong", cacheControl }),
		page({ path: "/weak", conditional: "weak" }),
		page({
			path: "/own",
			conditional: "strong",
			handle: async () => ({ ok: true, value: "", headers: { etag: 'W/"7"' } }),
		}),
		page({ path: "/down", conditional: "strong", handle: async () => ({ ok: true, value: "", status: 503 }) }),
	]);
	const ask = async (path: string, ifNoneMatch?: string, method = "GET") => {
		const headers: Record<string, string> = ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch };
		const response = await app.request(path, { method, headers });
		return { status: response.status, etag: response.headers.get("etag"), headers: response.headers, response };
	};

	it("has an ETag that is its body's hash, or the one its handler gives", async () => {
		expect((await ask("/strong")).etag).toMatch(/^"[0-9a-f]{64}"$/);
		expect((await ask("/weak")).etag).toBe(`W/${(await ask("/strong")).etag}`);
		expect((await ask("/own")).etag).toBe('W/"7"');
	});

	it("is 304 without a body, with ETag and Cache-Control, to whoever has it", async () => {
		const { etag } = await ask("/strong");
		for (const method of ["GET", "HEAD"]) {
			const { status, headers, response } = await ask("/strong", etag ?? "", method);
			expect([status, await response.text()]).toEqual([304, ""]);
			expect([headers.get("etag"), headers.get("cache-control")]).toEqual([etag, cacheControl]);
			expect(headers.get("content-type")).toBeNull();
		}
	});

	it("compares weakly, in lists, and takes * for any (RFC 9110, section 13.1.2)", async () => {
		const { etag } = await ask("/strong");
		for (const tags of [`W/${etag}`, `"a", ${etag}`, `"a",W/"b" , W/${etag}`, "*"])
			expect((await ask("/strong", tags)).status, tags).toBe(304);
		for (const tags of ["", '"a"', `"a${etag?.slice(1)}`, etag?.slice(1, -1) ?? ""])
			expect((await ask("/strong", tags)).status, tags).toBe(200);
		expect((await ask("/own", '"7"')).status).toBe(304);
	});

	it("is whole when something is down, whatever the client has", async () => {
		expect((await ask("/down", "*")).status).toBe(503);
	});
});

describe("the OpenAPI document", () => {
	it("says of each endpoint its media type, its 304, its way in and its dialect", () => {
		const document = openapiDocument([
			page({ mediaType: "image/svg+xml", conditional: "weak" }),
			page({ path: "/mine", method: "DELETE", access: "session", errorDialect: "anthropic" }),
		]);
		expect(document).toMatchObject({
			paths: {
				"/page": { get: { responses: { 200: { content: { "image/svg+xml": {} } }, 304: {} } } },
				"/mine": {
					delete: {
						security: [{ session: [] }],
						responses: {
							401: { content: { "application/json": { schema: { $ref: expect.stringMatching("Anthropic") } } } },
						},
					},
				},
			},
			components: { securitySchemes: { session: { type: "apiKey", in: "cookie" } } },
		});
	});
});
