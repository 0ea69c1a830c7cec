// Routing configs through the front door: validate, share, apply, the server's default, the badge.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelWhere } from "../support/catalog.ts";
import { useService } from "../support/per-test.ts";
import {
	call,
	callWith,
	callWithKey,
	db,
	eventually,
	newKey,
	ORIGIN,
	operator,
	receiptOf,
	type TestKey,
	withKey,
} from "../support/service.ts";

const frontier = modelWhere(CATALOG, ({ tier }) => tier === "frontier");
const elsewhere = CATALOG.models.filter(({ provider }) => provider !== frontier.provider);
const mid = modelWhere({ models: elsewhere }, ({ tier }) => tier === "mid");
const budget = modelWhere({ models: elsewhere }, ({ tier }) => tier === "budget");

const { upstream, key: owner } = useService("corporate");
afterEach(() => {
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

/** Stores shares of a user, one a millisecond, without a request for each. */
async function storeMany({ user_id }: TestKey, count: number): Promise<Pick<TestKey, "user_id">> {
	await db
		.prepare(
			`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
			INSERT INTO brain_shares (id, user_id, title, config, config_digest, errors, content_digest, created_at)
			SELECT replace(substr(?1, -6) || printf('%04d', i), '0', 'z'), ?1, 'share ' || i, '{"model":"auto","blocked":[],"fallback":[]}', 'sha256:x', '[]', 'd' || i,
				strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (i * 0.001) || ' seconds') FROM n`,
		)
		.bind(user_id, count)
		.run();
	return { user_id };
}

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

	it("is listed with all others up to a thousand at once, and `limit` narrows", async () => {
		const { user_id } = await storeMany(owner, 1_001);
		const all = await json(callWithKey(owner.key, "/v1/brain/shares"));
		const listed = (all["data"] as Json[]).map(({ title }) => title);
		expect(listed).toEqual(Array.from({ length: 1_000 }, (_, index) => `share ${1_001 - index}`));
		expect(all["has_more"]).toBe(true);
		const rest = await json(callWithKey(owner.key, `/v1/brain/shares?cursor=${all["next_cursor"]}`));
		expect(rest).toMatchObject({ has_more: false, next_cursor: null, data: [{ title: "share 1" }] });
		await db.prepare("DELETE FROM brain_shares WHERE user_id = ? AND title = 'share 1'").bind(user_id).run();
		const thousand = await json(callWithKey(owner.key, "/v1/brain/shares"));
		expect(thousand).toMatchObject({ has_more: false, next_cursor: null });
		expect(thousand["data"]).toHaveLength(1_000);
		expect((await json(callWithKey(owner.key, "/v1/brain/shares?limit=7")))["data"]).toHaveLength(7);
		expect(await json(callWithKey(owner.key, "/v1/brain/shares?limit=1001"), 422)).toMatchObject({
			error: "invalid_request",
		});
	});

	it("is listed on pages of a bounded size, each with at least one share", async () => {
		const { user_id } = await storeMany(owner, 100);
		const large = JSON.stringify({ model: "auto", blocked: ["x".repeat(60_000)], fallback: [] });
		await db.prepare("UPDATE brain_shares SET config = ? WHERE user_id = ?").bind(large, user_id).run();
		const titles: unknown[] = [];
		let cursor = "";
		let pages = 0;
		do {
			const answer = await (await callWithKey(owner.key, `/v1/brain/shares${cursor}`)).text();
			expect(answer.length).toBeLessThan(4_200_000);
			const page = JSON.parse(answer) as Json;
			titles.push(...(page["data"] as Json[]).map(({ title }) => title));
			cursor = page["next_cursor"] === null ? "" : `?cursor=${page["next_cursor"]}`;
			pages++;
		} while (cursor !== "");
		expect(pages).toBe(2);
		expect(titles).toEqual(Array.from({ length: 100 }, (_, index) => `share ${100 - index}`));
	});

	it("that ends a page may be deleted before the next page is read", async () => {
		const { user_id } = await storeMany(owner, 3);
		const first = await json(callWithKey(owner.key, "/v1/brain/shares?limit=1"));
		await db.prepare("DELETE FROM brain_shares WHERE user_id = ? AND title = 'share 3'").bind(user_id).run();
		const second = await json(callWithKey(owner.key, `/v1/brain/shares?limit=1&cursor=${first["next_cursor"]}`));
		expect(second).toMatchObject({ data: [{ title: "share 2" }], has_more: true });
	});

	it("is deleted by its owner alone, for everybody, and shared again it has another id", async () => {
		const body = { brain_md: "max_cost: 0.75", title: "Gone" };
		const id = String((await json(share(body)))["share_id"]);
		const remove = (key: string, path = `/v1/b/${id}`) =>
			call(path, { method: "DELETE", headers: { authorization: `Bearer ${key}` } });
		const other = await newKey("pro");
		for (const path of [`/v1/b/${id}`, "/v1/b/1111111111", "/v1/b/x"])
			expect(await json(remove(other.key, path), 404)).toMatchObject({ error: "share_not_found" });
		await json(call(`/v1/b/${id}`));
		expect(await json(remove(owner.key))).toEqual({ object: "brain.share", share_id: id, deleted: true });
		expect(await json(remove(owner.key), 404)).toMatchObject({ error: "share_not_found" });
		for (const path of [`/v1/b/${id}`, `/b/${id}`])
			expect(await json(call(path), 404)).toMatchObject({ error: "share_not_found" });
		expect((await json(callWithKey(owner.key, "/v1/brain/shares")))["data"]).toEqual([]);
		const again = String((await json(share(body)))["share_id"]);
		expect(again).not.toBe(id);
		await json(call(`/v1/b/${again}`));
		await json(call(`/v1/b/${id}`), 404);
	});

	it("of anybody is taken down by the operator", async () => {
		const id = String((await json(share({ brain_md: "max_cost: 0.875" })))["share_id"]);
		const path = `/internal/shares/${id}`;
		await json(call(path, { method: "DELETE", headers: { authorization: `Bearer ${owner.key}` } }), 401);
		expect(await json(operator("DELETE", path))).toEqual({
			object: "brain.share",
			share_id: id,
			deleted: true,
		});
		await json(call(`/v1/b/${id}`), 404);
		for (const unknown of [id, "x"])
			expect(await json(operator("DELETE", `/internal/shares/${unknown}`), 404)).toMatchObject({
				error: "share_not_found",
			});
	});

	it("is one of a thousand: of a hundred more at once, exactly as many are stored as there is room for", async () => {
		const { user_id } = await storeMany(owner, 960);
		const kept = await json(share({ brain_md: "max_cost: 0.5", title: "kept" }));
		const count = () =>
			db.prepare("SELECT count(*) AS n FROM brain_shares WHERE user_id = ?").bind(user_id).first<number>("n");
		const answers = await Promise.all(
			Array.from({ length: 100 }, (_, index) => share({ brain_md: "max_cost: 0.5", title: `more ${index}` })),
		);
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(39);
		expect(statuses.filter((status) => status === 409)).toHaveLength(61);
		expect(await count()).toBe(1_000);
		const refused = answers.find(({ status }) => status === 409);
		expect(await refused?.json()).toMatchObject({ error: "share_limit_reached", limit: 1_000 });
		// What is shared already is answered at the limit, too.
		expect((await json(share({ brain_md: "max_cost: 0.5", title: "kept" })))["share_id"]).toBe(kept["share_id"]);
		await json(
			call(`/v1/b/${kept["share_id"]}`, { method: "DELETE", headers: { authorization: `Bearer ${owner.key}` } }),
		);
		await json(share({ brain_md: "max_cost: 0.5", title: "room again" }));
		expect(await count()).toBe(1_000);
	});

	it("with a secret in it is refused with place and kind, never the value", async () => {
		const secret = `sk-ant-api03-${"Zu8kQ0px92Lw".repeat(4)}`;
		const inText = `max_cost: 0.5\n# for the bot: ${secret}\n`;
		const cases: [Json, Json][] = [
			[{ brain_md: inText }, { path: "brain_md", line: 2, column: 16 }],
			[{ brain_md: `max_cost: nope # ${secret}` }, { path: "brain_md", line: 1, column: 18 }],
			// Only the parsed config shows what escapes hide.
			[
				{ brain_md: `blocked: ["\\x73${secret.slice(1)}"]` },
				{ path: expect.stringMatching(/^(?:brain_md|config|errors|warnings)/) },
			],
			[
				{ brain_config: { rules: [{ when: { contains: secret }, use: {} }] } },
				{ path: "brain_config.rules.0.when.contains" },
			],
			[{ brain_config: { password: "Zu8kQ0p!x92Lw" } }, { path: "brain_config.password" }],
			[{ brain_config: { [secret]: { [secret]: 1 } } }, { path: expect.stringMatching(/^brain_config/) }],
			[{ brain_md: "max_cost: 0.5", title: secret }, { path: "title" }],
		];
		for (const [body, place] of cases) {
			const answer = await share(body);
			const text = await answer.text();
			expect(answer.status, JSON.stringify(place)).toBe(422);
			expect(text).not.toContain(secret.slice(8, 40));
			expect(text).not.toContain("Zu8kQ0p");
			expect(JSON.parse(text)).toMatchObject({
				error: "secret_in_share",
				secrets: expect.arrayContaining([expect.objectContaining({ kind: expect.any(String), ...place })]),
			});
		}
		expect((await json(callWithKey(owner.key, "/v1/brain/shares")))["data"]).toEqual([]);
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
		upstream.replace(async () => new Response("{}", { status: 500 }));
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
	return kvBinding({ get });
}

function kvBinding({ get, put }: { get(key: string): Promise<string | null>; put?: KVNamespace["put"] }): Partial<Env> {
	return { KV: { get, put: put ?? (async () => undefined) } as unknown as KVNamespace };
}

/** KV that keeps what is written; each call of `binding` stands for a new isolate. */
function kvStore(entries: Record<string, string>) {
	const writes: string[] = [];
	const put = async (key: string, value: string) => {
		writes.push(key);
		entries[key] = value;
	};
	const binding = () => kvBinding({ get: async (key) => entries[key] ?? null, put: put as KVNamespace["put"] });
	return { entries, writes, binding };
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

	it("that is invalid, and the first, lets nothing call a model; it is logged once, and told by /health", async () => {
		const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
		const text = `modle: nope-${crypto.randomUUID()}`;
		const server = kvWith(text);
		for (const path of ["/v1/route", "/v1/chat/completions", "/v2/orchestrate", "/v2/compliance/preview"])
			expect(await json(ask(server, {}, path), 503)).toMatchObject({ error: "misconfigured" });
		for (const [path, body] of [
			["/v2/code", { task: "add" }],
			["/v1/agent/run", { goal: "add" }],
			["/v1/skills/editing/invoke", { task: "hi", messages: undefined }],
		] as const)
			expect([path, await json(ask(server, body, path), 503)]).toMatchObject([path, { error: "misconfigured" }]);
		expect(await json(ask(kvWith(text)), 503)).toMatchObject({ error: "misconfigured" });
		expect(errors.mock.calls.filter(([line]) => String(line).includes("invalid_default_config"))).toHaveLength(1);
		expect(await json(callWith(server, "/health"), 503)).toMatchObject({
			status: "degraded",
			default_config: "invalid",
		});
	});

	it("that is invalid leaves the last one in force that could be read, for new isolates too", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		const store = kvStore({ "brain:default": "compliance: {provider_allowlist: [mistral]}" });
		expect(await json(ask(store.binding()))).toMatchObject({ provider: "mistral" });
		expect(store.writes).toEqual(["brain:default:last"]);
		await json(ask(store.binding()));
		expect(store.writes).toHaveLength(1);
		for (const text of ["compliance: {provider_denylist: [mistrl]}", "{", "blocked: 7", "x".repeat(70_000)]) {
			store.entries["brain:default"] = text;
			const isolate = store.binding();
			expect(await json(ask(isolate))).toMatchObject({ provider: "mistral" });
			expect(await json(callWith(isolate, "/health"), 503)).toMatchObject({ default_config: "invalid" });
		}
		expect(store.entries["brain:default:last"]).toBe("compliance: {provider_allowlist: [mistral]}");
		store.entries["brain:default"] = "max_cost: 0.5";
		expect(await health(store.binding())).toBe("valid");
		expect(store.entries["brain:default:last"]).toBe("max_cost: 0.5");
	});

	it("stays in force in an isolate that cannot write or read the last one", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		vi.useFakeTimers({ toFake: ["Date"] });
		try {
			let text = "compliance: {provider_allowlist: [mistral]}";
			const put = () => Promise.reject(new Error("KV: 429"));
			const isolate = kvBinding({ get: async (key) => (key === "brain:default" ? text : null), put });
			expect(await json(ask(isolate))).toMatchObject({ provider: "mistral" });
			text = "compliance: {provider_allowlist: [mistrl]}";
			vi.advanceTimersByTime(61_000);
			expect(await json(ask(isolate))).toMatchObject({ provider: "mistral" });
			expect(await json(callWith(isolate, "/health"), 503)).toMatchObject({ default_config: "invalid" });
		} finally {
			vi.useRealTimers();
		}
	});

	it("may name models that the catalog does not have; they restrict nothing", async () => {
		const server = kvWith(
			`model: nope\nblocked: [nope, ${frontier.provider}]\nfallback: [nope]\ncompliance: {provider_denylist: [zai]}`,
		);
		expect(await json(ask(server, { model: frontier.id }), 403)).toMatchObject({ error: "model_blocked" });
		expect(await health(server)).toBe("valid");
	});

	it("is not shown to a tenant", async () => {
		const server = kvWith(
			`blocked: ["*-7b*", "${frontier.provider}"]\ncompliance: {provider_denylist: [zai], jurisdiction: [FR], frameworks: [C5]}`,
		);
		for (const path of ["/v1/chat/completions", "/v2/orchestrate", "/v2/compliance/preview", "/v1/route"]) {
			const answer = await ask(server, {}, path);
			const text = await answer.text();
			expect([path, text]).not.toMatchObject([path, expect.stringMatching(/-7b\*|"zai"\]|"FR"|C5/)]);
			expect(text).toContain("operator");
		}
	});

	it("with compliance holds for every call, beside the call's own policy", async () => {
		const server = kvWith("compliance: {provider_allowlist: [mistral, xai]}");
		expect(await json(ask(server, { model: frontier.id }), 403)).toMatchObject({ error: "compliance_blocked" });
		expect(await json(ask(server, { compliance: { provider_denylist: ["xai"] } }))).toMatchObject({
			provider: "mistral",
		});
		const disjoint = { compliance: { provider_allowlist: ["cohere"] } };
		expect(await json(ask(server, disjoint), 403)).toMatchObject({ error: "compliance_blocked" });
		expect(await json(ask(server, { brain_config: disjoint }), 403)).toMatchObject({ error: "compliance_blocked" });
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

	it("of a deleted share is grey within an hour, whatever still holds the old one", async () => {
		const id = String((await json(share({ brain_md: "max_cost: 0.0078125" })))["share_id"]);
		const keep = vi.spyOn(env.KV, "put");
		const read = vi.spyOn(env.KV, "get");
		const shown = await badge(`?share=${id}`);
		const [, browserSeconds = 0] = /^public, max-age=(\d+)$/.exec(shown.headers.get("cache-control") ?? "") ?? [];
		await eventually(async () => keep.mock.calls.length > 0);
		const options = keep.mock.calls.find(([key]) => key.includes(id))?.[2];
		const readOptions = read.mock.calls.find(([key]) => String(key).includes(id))?.[1];
		const { cacheTtl = 0 } = readOptions as unknown as KVNamespaceGetOptions<"text">;
		// The entry in KV, its copy at the edge and the client's copy may each be taken when the one before is about to expire.
		expect((options?.expirationTtl ?? Infinity) + cacheTtl + Number(browserSeconds)).toBeLessThanOrEqual(3_600);
		await json(call(`/v1/b/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${owner.key}` } }));
		await eventually(async () => (await said(`?share=${id}`)) === "BRAIN.md: unknown share");
		expect((await env.KV.list()).keys.filter(({ name }) => name.includes(id))).toEqual([]);
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
