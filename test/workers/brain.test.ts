// Routing configs through the front door: validate, share, apply, the server's default, the badge.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelWhere } from "../support/catalog.ts";
import {
	call,
	callWith,
	callWithKey,
	db,
	eventually,
	newKey,
	ORIGIN,
	receiptOf,
	type TestKey,
	type Upstream,
	useSandbox,
	withKey,
} from "../support/service.ts";

const frontier = modelWhere(CATALOG, ({ tier }) => tier === "frontier");
const elsewhere = CATALOG.models.filter(({ provider }) => provider !== frontier.provider);
const mid = modelWhere({ models: elsewhere }, ({ tier }) => tier === "mid");
const budget = modelWhere({ models: elsewhere }, ({ tier }) => tier === "budget");

let upstream: Upstream;
let owner: TestKey;
beforeEach(async () => {
	upstream = useSandbox();
	owner = await newKey("corporate");
});
afterEach(() => {
	upstream.restore();
	vi.restoreAllMocks();
});

type Json = Record<string, unknown>;

async function json(response: Response | Promise<Response>, status = 200): Promise<Json> {
	const settled = await response;
	const text = await settled.text();
	expect(settled.status, text).toBe(status);
	return JSON.parse(text);
}

const post = (path: string, body: unknown) =>
	call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const validate = (body: unknown) => post("/v1/brain/validate", body);
const share = (body: unknown, { key } = owner) => callWithKey(key, "/v1/brain/share", body);
const route = (body: Json, { key } = owner) => callWithKey(key, "/v1/route", { prompt: "hi", ...body });

describe("validation", () => {
	it("needs no key, and answers 200 to any well-formed request", async () => {
		expect(
			await json(validate({ brain_md: "max_cost_per_request: 0.5\nrules:\n  - when: {matches: 'a+'}\n    use: {}" })),
		).toEqual({
			object: "brain.validation",
			valid: true,
			errors: [],
			warnings: [],
			config: {
				model: "auto",
				routing_mode: null,
				max_cost: 0.5,
				blocked: [],
				fallback: [],
				rules: [{ when: { matches: "a+" }, use: {} }],
			},
		});
		expect(await json(validate({ brain_md: "modle: auto" }))).toMatchObject({
			valid: false,
			errors: ["line 1, column 1: modle: unknown key; did you mean model?"],
		});
		expect(await json(validate({ brain_config: { model: "nope" } }))).toMatchObject({
			valid: false,
			errors: ['model: unknown model "nope"'],
		});
	});

	it("refuses both forms, neither, and more than 64 KiB", async () => {
		for (const path of ["/v1/brain/validate", "/v1/brain/share"]) {
			const send = (body: unknown) => call(path, withKey(owner.key, body));
			for (const body of [
				{ brain_md: "", brain_config: {} },
				{},
				{ brain_md: null },
				{ brain_md: "é".repeat(32_769) },
				{ brain_config: { x: "y".repeat(65_536) } },
			])
				expect(await json(send(body), 422)).toMatchObject({ error: "invalid_request" });
		}
	});
});

describe("a share", () => {
	it("is read by anybody, in its normal form and as it was written", async () => {
		const brain_md = `---\nmax_cost_per_request: 0.5\nblocked: [${frontier.provider}]\n---\n# Why\n`;
		const made = await json(share({ brain_md, title: " Cheap " }));
		const config = { model: "auto", routing_mode: null, max_cost: 0.5, blocked: [frontier.provider], fallback: [] };
		const id = String(made["share_id"]);
		expect(made).toEqual({
			object: "brain.share",
			share_id: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{10}$/),
			url: `${ORIGIN}/v1/b/${id}`,
			short_url: `${ORIGIN}/b/${id}`,
			title: "Cheap",
			config,
			valid: true,
			errors: [],
		});
		const read = await json(call(`/v1/b/${id}`));
		expect(read).toEqual({
			object: "brain.share",
			share_id: id,
			title: "Cheap",
			config,
			brain_md,
			valid: true,
			errors: [],
			created_at: expect.any(Number),
		});
		expect(Math.abs(Number(read["created_at"]) - Date.now() / 1000)).toBeLessThan(60);
		// What was read can be sent as it is.
		expect(await json(route({ brain_config: read["config"] }))).toMatchObject({ matched_rule: null });
	});

	it("of an object has no text, and may be invalid", async () => {
		const made = await json(share({ brain_config: { modle: "auto", max_cost: 1 } }));
		expect(made).toMatchObject({
			valid: false,
			title: null,
			config: { max_cost: 1 },
			errors: ["modle: unknown key; did you mean model?"],
		});
		expect(await json(call(`/v1/b/${made["share_id"]}`))).toMatchObject({ brain_md: null, title: null, valid: false });
	});

	it("that is sent again is the same one, of another user another", async () => {
		const body = { brain_md: "max_cost: 0.25", title: "Same" };
		const ids = await Promise.all(Array.from({ length: 4 }, async () => (await json(share(body)))["share_id"]));
		expect(new Set(ids).size).toBe(1);
		expect((await json(share({ ...body, title: "Other" })))["share_id"]).not.toBe(ids[0]);
		expect((await json(share(body, await newKey("pro"))))["share_id"]).not.toBe(ids[0]);
	});

	it("gets another id when its own is taken", async () => {
		const taken = String((await json(share({ brain_md: "max_cost: 0.125" })))["share_id"]);
		const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
		const real = crypto.getRandomValues.bind(crypto);
		let forced = 0;
		vi.spyOn(crypto, "getRandomValues").mockImplementation((bytes) => {
			// Twenty bytes are asked for an id, and for nothing else.
			if (!(bytes instanceof Uint8Array) || bytes.length !== 20 || forced > 0) return real(bytes);
			forced++;
			bytes.set([...taken].map((digit) => digits.indexOf(digit)));
			return bytes;
		});
		const other = await json(share({ brain_md: "max_cost: 0.0625" }));
		expect(forced).toBe(1);
		expect(other["share_id"]).not.toBe(taken);
		expect(await json(call(`/v1/b/${taken}`))).toMatchObject({ config: { max_cost: 0.125 } });
	});

	it("is listed to its owner alone, newest first, page by page", async () => {
		const other = await newKey("pro");
		await share({ brain_md: "max_cost: 9" }, other);
		for (const title of ["one", "two", "three"]) {
			await json(share({ brain_md: "max_cost: 0.5", title }));
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		const titles: unknown[] = [];
		let cursor: unknown = null;
		do {
			const page = await json(callWithKey(owner.key, `/v1/brain/shares?limit=2${cursor ? `&cursor=${cursor}` : ""}`));
			titles.push(...(page["data"] as Json[]).map(({ title }) => title));
			cursor = page["next_cursor"];
			expect(page["has_more"]).toBe(cursor !== null);
		} while (cursor !== null);
		expect(titles).toEqual(["three", "two", "one"]);
		const theirs = await json(callWithKey(other.key, "/v1/brain/shares"));
		expect(theirs["data"]).toEqual([
			{
				share_id: expect.any(String),
				title: null,
				config: expect.objectContaining({ max_cost: 9 }),
				url: expect.stringMatching(/\/v1\/b\/\w{10}$/),
				short_url: expect.stringMatching(/\/b\/\w{10}$/),
				created_at: expect.any(Number),
			},
		]);
		for (const bad of ["nope", (theirs["data"] as Json[])[0]?.["share_id"]])
			expect(await json(callWithKey(owner.key, `/v1/brain/shares?cursor=${bad}`), 422)).toMatchObject({
				error: "invalid_request",
			});
	});

	it("that nobody made is 404 share_not_found, and a malformed id is not looked up", async () => {
		expect(await json(call("/v1/b/1111111111"), 404)).toMatchObject({ error: "share_not_found" });
		const prepare = vi.spyOn(env.DB, "prepare");
		for (const id of ["x", "0000000000", "%00", "..%2F..", "a".repeat(4_000)]) {
			for (const path of ["/v1/b/", "/b/"])
				expect(await json(call(path + id), 404), id).toMatchObject({ error: "share_not_found" });
		}
		expect(prepare).not.toHaveBeenCalled();
	});

	it("takes a title of 120 characters, however many code units they have", async () => {
		expect(await json(share({ brain_md: "", title: "😀".repeat(120) }))).toMatchObject({ title: "😀".repeat(120) });
		expect(await json(share({ brain_md: "", title: "x".repeat(121) }), 422)).toMatchObject({
			error: "invalid_request",
		});
		expect(await json(share({ brain_md: "", title: "  " }))).toMatchObject({ title: null });
	});

	it("has its short address at SHORT_URL_BASE", async () => {
		const bindings = { SHORT_URL_BASE: "https://s.test/" } as Partial<Env>;
		const made = await json(callWith(bindings, "/v1/brain/share", withKey(owner.key, { brain_md: "max_cost: 3" })));
		expect(made).toMatchObject({
			url: `${ORIGIN}/v1/b/${made["share_id"]}`,
			short_url: `https://s.test/b/${made["share_id"]}`,
		});
	});

	it("has a page for people that runs nothing", async () => {
		const made = await json(
			share({ brain_md: "max_cost: 0.5 # <script>alert(1)</script>", title: '"><script>alert(1)</script>' }),
		);
		const page = await call(`/b/${made["share_id"]}`);
		const html = await page.text();
		expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
		expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
		expect(page.headers.get("x-robots-tag")).toBe("noindex");
		expect(html).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
		expect(html).not.toContain("<script");
		const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? "";
		const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
		expect(page.headers.get("content-security-policy")).toContain(btoa(String.fromCharCode(...new Uint8Array(digest))));
	});
});

describe("a request's config", () => {
	it("routes by its rules, in chat as in the preview, and says which", async () => {
		const brain_config = {
			rules: [
				{ name: "tickets", when: { matches: "(?i)\\bticket-\\d+" }, use: { model: mid.id } },
				{ when: { intent: "chat" }, use: { tier: "budget" } },
			],
		};
		const prompt = "Please look at TICKET-42";
		expect(await json(route({ prompt, brain_config }))).toMatchObject({
			model: mid.id,
			matched_rule: "tickets",
			mode: "direct",
		});
		expect(await json(route({ brain_config }))).toMatchObject({ matched_rule: "rule 2", tier: "budget" });
		const answer = await callWithKey(owner.key, "/v1/chat/completions", {
			messages: [{ role: "user", content: prompt }],
			brain_config,
		});
		const id = answer.headers.get("x-request-id") ?? "";
		expect(await json(answer)).toMatchObject({
			model: mid.id,
			svc: { routing: { reason: expect.stringMatching(/^rule "tickets": /) } },
		});
		const other = await callWithKey(owner.key, "/v1/chat/completions", {
			messages: [{ role: "user", content: prompt }],
		});
		const digests = [
			(await receiptOf(id))["config_digest"],
			(await receiptOf(other.headers.get("x-request-id") ?? ""))["config_digest"],
		];
		expect(digests).toEqual([expect.stringMatching(/^sha256:/), null]);
	});

	it("is 422 with every fault when it is invalid, and 402 with what would fit when nothing fits", async () => {
		expect(await json(route({ brain_config: { model: "nope", fallback: ["x"] } }), 422)).toMatchObject({
			error: "invalid_brain_config",
			errors: ['model: unknown model "nope"', 'fallback.0: unknown model "x"'],
		});
		expect(
			await json(route({ model: frontier.id, max_tokens: 4_000, brain_config: { max_cost: 0.01 } }), 402),
		).toMatchObject({
			error: "cost_limit_exceeded",
			scope: "max_cost",
			limit_usd: 0.01,
			would_fit: { model: expect.any(String), max_tokens: expect.any(Number), worst_case_usd: expect.any(Number) },
		});
		expect(await json(route({ brain_config: { max_cost: 1e-9 } }), 402)).toMatchObject({ would_fit: null });
	});

	it("with compliance in any spelling is shared in one", async () => {
		const brain_config = { compliance: { required_frameworks: "gdpr", certifications: ["SOC 2 Type II"] } };
		expect(await json(share({ brain_config }))).toMatchObject({
			valid: true,
			config: { compliance: { frameworks: ["GDPR"], certifications: ["SOC2"] } },
		});
	});

	it("never lets a blocked provider be called, though every other one fails", async () => {
		upstream.restore();
		upstream = useSandbox(async () => new Response("{}", { status: 500 }));
		const brain_config = { blocked: [mid.provider] };
		const messages = [{ role: "user", content: "hi" }];
		const answer = await callWithKey(owner.key, "/v1/chat/completions", { messages, brain_config });
		expect(answer.status).toBe(502);
		expect(upstream.requests.length).toBeGreaterThan(1);
		expect(upstream.requests.filter(({ url }) => url.includes(`/${mid.provider}/`))).toEqual([]);
	});
});

/** KV in which the server's config is what a test says; a new binding, so that nothing is held of it. */
function kvWith(text: string | null, reads: { count: number } = { count: 0 }): Partial<Env> {
	const get = async (key: string) => {
		if (key !== "brain:default") return null;
		reads.count++;
		return text;
	};
	return { KV: { get } as unknown as KVNamespace };
}

describe("the server's config", () => {
	const ask = (bindings: Partial<Env>, body: Json = {}, path = "/v1/route") =>
		callWith(
			bindings,
			path,
			withKey(owner.key, { prompt: "hi", messages: [{ role: "user", content: "hi" }], ...body }),
		);
	const health = async (bindings: Partial<Env>) => (await json(callWith(bindings, "/health")))["default_config"];

	it("holds where a request says nothing, and its limits always", async () => {
		const server = kvWith(`model: ${mid.id}\nblocked: ["${frontier.provider}"]\nmax_cost: 0.05`);
		expect(await json(ask(server))).toMatchObject({ model: mid.id });
		expect(await json(ask(server, { model: frontier.id }), 403)).toMatchObject({ error: "model_blocked" });
		expect(await json(ask(server, { brain_config: { model: budget.id, max_cost: 5 } }))).toMatchObject({
			model: budget.id,
		});
		expect(
			await json(ask(server, { model: mid.id, max_tokens: 60_000, brain_config: { max_cost: 500 } }), 402),
		).toMatchObject({ limit_usd: 0.05 });
		const answer = await ask(server, {}, "/v1/chat/completions");
		const id = answer.headers.get("x-request-id") ?? "";
		expect(await json(answer)).toMatchObject({ model: mid.id });
		expect((await receiptOf(id))["config_digest"]).toMatch(/^sha256:/);
		expect(await health(server)).toBe("valid");
	});

	it("is read once for many requests", async () => {
		const reads = { count: 0 };
		const server = kvWith(null, reads);
		for (let i = 0; i < 3; i++) await json(ask(server));
		expect([reads.count, await health(server)]).toEqual([1, "none"]);
	});

	it("is BRAIN_MD where KV has none", async () => {
		const setting = { BRAIN_MD: `model: ${budget.id}` } as Partial<Env>;
		expect(await json(ask({ ...kvWith(null), ...setting }))).toMatchObject({ model: budget.id });
		expect(await json(ask({ ...kvWith(`model: ${mid.id}`), ...setting }))).toMatchObject({ model: mid.id });
	});

	it("that is invalid is not applied, logged once, and told by /health", async () => {
		const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
		const text = `model: nope-${crypto.randomUUID()}\nblocked: ["*"]`;
		const server = kvWith(text);
		await json(ask(server));
		await json(ask(server));
		await json(ask(kvWith(text)));
		expect(errors.mock.calls.filter(([line]) => String(line).includes("invalid_default_config"))).toHaveLength(1);
		expect(await health(server)).toBe("invalid");
	});

	it("with compliance holds for every call that has no policy of its own", async () => {
		const server = kvWith("compliance: {provider_allowlist: [mistral]}");
		expect(await json(ask(server, { model: frontier.id }), 403)).toMatchObject({ error: "compliance_blocked" });
		expect(await json(ask(server, { compliance: {} }))).toMatchObject({ provider: "mistral" });
		expect(await json(ask(server, { compliance: { provider_allowlist: ["cohere"] } }))).toMatchObject({
			provider: "cohere",
		});
	});

	it("that cannot be read is not taken for none", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		const away = { KV: { get: () => Promise.reject(new Error("KV: 503")) } as unknown as KVNamespace };
		expect(await json(ask(away), 503)).toMatchObject({ error: "storage_unavailable" });
	});
});

describe("the badge", () => {
	const badge = (query: string, init: RequestInit = {}) => call(`/v1/brain/badge${query}`, init);
	const said = async (query: string) => /aria-label="([^"]*)"/.exec(await (await badge(query)).text())?.[1];

	it("says the model in the colour of its tier, or auto, or that it knows no such model", async () => {
		expect(await said("")).toBe("BRAIN.md: auto");
		expect(await said(`?model=${mid.id}`)).toBe(`BRAIN.md: ${mid.display_name}`);
		expect(await said(`?model=${mid.id}&label=Routed%20by`)).toBe(`Routed by: ${mid.display_name}`);
		expect(await said("?model=nope")).toBe("BRAIN.md: unknown model");
		expect(await said("?share=1111111111")).toBe("BRAIN.md: unknown share");
		expect(await said("?label=%22%3E%3Cscript%3E")).toBe("&quot;&gt;&lt;script&gt;: auto");
		expect(await said("?label=%FF%ED%A0%80")).toMatch(/: auto$/);
	});

	it("is cached for an hour, with a strong ETag", async () => {
		const first = await badge("");
		expect(first.headers.get("cache-control")).toBe("public, max-age=3600");
		expect(first.headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
		const etag = first.headers.get("etag") ?? "";
		expect(etag).toMatch(/^"[0-9a-f]+"$/);
		expect((await badge("", { headers: { "if-none-match": etag } })).status).toBe(304);
		expect((await badge("?label=x")).headers.get("etag")).not.toBe(etag);
	});

	it("of a share says whether it is valid, and eight digits of its digest", async () => {
		const valid = await json(share({ brain_md: "max_cost: 0.03125" }));
		const invalid = await json(share({ brain_md: "max_cost: none" }));
		expect(await said(`?share=${valid["share_id"]}`)).toMatch(/^BRAIN\.md: valid [0-9a-f]{8}$/);
		expect(await said(`?share=${valid["share_id"]}&label=x`)).toMatch(/^x: valid [0-9a-f]{8}$/);
		expect(await said(`?share=${invalid["share_id"]}`)).toMatch(/^BRAIN\.md: invalid [0-9a-f]{8}$/);
	});

	it("is kept in KV with the default label and for shares that exist, and nothing else is", async () => {
		const before = (await env.KV.list()).keys.length;
		await badge("?share=1111111111");
		await badge("?model=nope");
		await badge("?label=stranger");
		const id = String((await json(share({ brain_md: "max_cost: 0.015625" })))["share_id"]);
		await badge(`?share=${id}&label=stranger`);
		expect((await env.KV.list()).keys.length).toBe(before);
		const first = await (await badge(`?share=${id}`)).text();
		await eventually(async () => (await env.KV.list()).keys.length === before + 1);
		await db.prepare("DELETE FROM brain_shares WHERE id = ?").bind(id).run();
		expect(await (await badge(`?share=${id}`)).text()).toBe(first);
	});
});
