// The list of requests: each once, as it was decided and billed, up to the last answered one, and without reading all of them.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { statementsOf } from "../support/d1-statements.ts";
import { type Fault, isSumsFlush, killObject, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, chat, db, eventually, newKey, proofOf, settledCount, type TestKey } from "../support/service.ts";

const [FIRST_MODEL = "", SECOND_MODEL = ""] = CATALOG.models.map(({ id }) => id);

const { key: owner } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => faults?.restore());

interface Listed {
	request_id: string;
	created_at: string;
	kind: string;
	key_id: string | null;
	requested_model: string | null;
	model: string;
	reason: string | null;
	cost_usd: number;
	tokens: number;
}

interface List {
	has_more: boolean;
	next_cursor: string | null;
	searched_back_to: string | null;
	data: Listed[];
}

async function list(query: Record<string, string | number> = {}, key = owner.key): Promise<List> {
	const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
	const response = await callWithKey(key, `/v1/requests?${search}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** Follows the cursor to the end. */
async function walk(query: Record<string, string | number> = {}): Promise<string[]> {
	const ids: string[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const page: List = await list({ ...query, ...(cursor ? { cursor } : {}) });
		expect(page.has_more).toBe(page.next_cursor !== null);
		ids.push(...page.data.map(({ request_id }) => request_id));
		cursor = page.next_cursor;
	}
	return ids;
}

async function ask(key: string, more: Record<string, unknown> = {}): Promise<string> {
	const response = await chat(key, "How are you?", more);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.headers.get("x-request-id") ?? "";
}

async function secondKey(): Promise<TestKey> {
	return { ...owner, ...((await (await callWithKey(owner.key, "/v1/keys", {})).json()) as TestKey) };
}

/** Keeps settlements from D1. */
function withoutFlushes(fault: Fault = "fail"): void {
	faults = useFaults({ DB: ({ target }) => (isSumsFlush(target) ? fault : "pass") });
}

describe("GET /v1/requests", () => {
	it("says what was asked for, what was chosen and why, and what it cost, as the receipt does", async () => {
		const id = await ask(owner.key, { model: FIRST_MODEL });
		const { receipt, proof_hash } = await proofOf(id);
		const { data } = await list();
		expect(data).toEqual([
			{
				...{ object: "request", request_id: id, kind: "chat", key_id: owner.key_id },
				created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
				...{ requested_model: FIRST_MODEL, model: FIRST_MODEL, provider: receipt["provider"], mode: "direct" },
				...{ reason: receipt["reason"], fallback: false, fallback_from: null, skill_id: null },
				...{ policy: null, strategy: null, language: null, status: null, n_steps: null, passed: null },
				...{ confidence: null, agreement: null, models: [FIRST_MODEL], calls: 1 },
				tokens: Number(receipt["prompt_tokens"]) + Number(receipt["completion_tokens"]),
				...{ input_tokens: receipt["prompt_tokens"], output_tokens: receipt["completion_tokens"] },
				...{ cost_usd: receipt["cost_usd"], bound_usd: receipt["bound_usd"], estimated: false },
				latency_ms: expect.any(Number),
				...{ outcome: "complete", truncated: false, signed: true, proof_hash },
				...{ catalog_version: receipt["catalog_version"], config_digest: null },
			},
		]);
	});

	it("names no requested model where routing chose, and the one asked for where another served", async () => {
		const chosen = await ask(owner.key, { model: "auto" });
		const replaced = await ask(owner.key, { model: "no-such-model" });
		const { data } = await list();
		expect(data).toMatchObject([
			{ request_id: replaced, requested_model: "no-such-model", fallback: true, fallback_from: "no-such-model" },
			{ request_id: chosen, requested_model: null, reason: expect.stringContaining("ranks first") },
		]);
	});

	it("shows an orchestration with its strategy and all of its models", async () => {
		const task = { messages: [{ role: "user", content: "Compare two sorting algorithms" }], strategy: "ensemble_moa" };
		expect((await callWithKey(owner.key, "/v2/orchestrate", task)).status).toBe(200);
		const [request] = (await list({ kind: "orchestration" })).data;
		expect(request).toMatchObject({ strategy: "ensemble_moa", reason: null, agreement: expect.any(Number) });
		expect(request).toMatchObject({ models: expect.arrayContaining([request?.model]) });
	});

	it("filters by kind, model, key and time, each alone and together", async () => {
		const other = await secondKey();
		const first = await ask(owner.key, { model: FIRST_MODEL });
		const second = await ask(other.key, { model: SECOND_MODEL });
		await callWithKey(owner.key, "/v1/skills/debugging/invoke", { task: "It prints 8, not 9.", model: FIRST_MODEL });
		const skill = (await list()).data[0]?.request_id ?? "";
		const at = (await list({ model: SECOND_MODEL })).data[0]?.created_at ?? "";
		for (const isStored of [false, true]) {
			if (isStored) await eventually(async () => (await settledCount(owner)) === 3);
			expect(await walk()).toEqual([skill, second, first]);
			expect(await walk({ kind: "skill" })).toEqual([skill]);
			expect(await walk({ kind: "chat" })).toEqual([second, first]);
			expect(await walk({ kind: "agent" })).toEqual([]);
			expect(await walk({ model: SECOND_MODEL })).toEqual([second]);
			expect(await walk({ model: "nope" })).toEqual([]);
			expect(await walk({ key_id: owner.key_id })).toEqual([skill, first]);
			expect(await walk({ key_id: owner.key_id, kind: "chat", model: FIRST_MODEL })).toEqual([first]);
			expect(await walk({ key_id: other.key_id, kind: "skill" })).toEqual([]);
			expect((await walk({ since: at })).at(-1)).toBe(second);
			expect((await walk({ until: at }))[0]).toBe(first);
			expect(await walk({ since: "2026-01-01", until: "2026-01-02", model: SECOND_MODEL })).toEqual([]);
		}
	});

	it("shows nothing of other users, whatever key or model is named", async () => {
		await ask(owner.key, { model: FIRST_MODEL });
		const stranger = await newKey("corporate");
		const queries: Record<string, string>[] = [{}, { key_id: owner.key_id }, { model: FIRST_MODEL }, { kind: "chat" }];
		for (const query of queries) expect((await list(query, stranger.key)).data).toEqual([]);
	});

	it.each([
		["limit", "0"],
		["limit", "201"],
		["kind", "nope"],
		["since", "yesterday"],
		["cursor", "a2V5"],
	])("refuses %s=%s", async (name, value) => {
		const response = await callWithKey(owner.key, `/v1/requests?${name}=${value}`);
		expect([response.status, await response.text()]).toEqual([422, expect.stringContaining(name)]);
	});
});

describe("what D1 lacks", () => {
	it.each<Fault>(["fail", "failAfter", "hangAfter"])(
		"is listed once, in its place, while flushes meet %s, and afterwards",
		async (fault) => {
			const ids = [await ask(owner.key)];
			await eventually(async () => (await settledCount(owner)) === 1);
			withoutFlushes(fault);
			for (let n = 0; n < 3; n++) ids.unshift(await ask(owner.key));
			for (const limit of [1, 2, 50]) expect(await walk({ limit })).toEqual(ids);
			expect(await walk({ key_id: owner.key_id, limit: 2 })).toEqual(ids);
			expect(await walk({ kind: "skill" })).toEqual([]);
			faults?.restore();
			const stub = env.ACCOUNT_METER.getByName(owner.user_id);
			await killObject(stub);
			expect(await walk({ limit: 2 })).toEqual(ids);
			await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(owner.user_id));
			await eventually(async () => (await settledCount(owner)) === 4);
			expect(await walk({ limit: 3 })).toEqual(ids);
		},
	);

	it("has the same members as what D1 has", async () => {
		withoutFlushes();
		const id = await ask(owner.key, { model: FIRST_MODEL });
		const read = async () => [(await list()).data, await (await callWithKey(owner.key, `/v1/requests/${id}`)).json()];
		const before = await read();
		faults?.restore();
		await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(owner.user_id));
		await eventually(async () => (await settledCount(owner)) === 1);
		expect(await read()).toEqual(before);
	});

	it("may have gone straight to D1", async () => {
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle"], () => "fail") });
		const id = await ask(owner.key);
		faults.restore();
		expect(await walk()).toEqual([id]);
	});
});

describe("GET /v1/requests/{request_id}", () => {
	it("shows one request with the cost of each call", async () => {
		const id = await ask(owner.key, { model: FIRST_MODEL });
		const [listed] = (await list()).data;
		const shown = await (await callWithKey(owner.key, `/v1/requests/${id}`)).json();
		const { tokens, cost_usd } = listed ?? {};
		expect(shown).toMatchObject({ ...listed, call_costs: [{ model: FIRST_MODEL, calls: 1, tokens, cost_usd }] });
	});

	it("is 404 for another user's, an unknown and a malformed id", async () => {
		const id = await ask(owner.key);
		const stranger = await newKey("corporate");
		for (const [key, of] of [
			[stranger.key, id],
			[owner.key, "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV"],
			[owner.key, "nope"],
		] as const) {
			const response = await callWithKey(key, `/v1/requests/${of}`);
			expect([response.status, await response.json()]).toMatchObject([404, { error: "request_not_found" }]);
		}
	});
});

/** Stores so many requests of the owner's in D1, one a second, with their rollup. Every thousandth is a skill's, by a key of its own. */
async function storeRequests(count: number, rareKeyId: string): Promise<void> {
	await db.batch([
		db
			.prepare(
				`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
				INSERT INTO settlements (request_id, user_id, created_at, kind, model, provider, mode, tokens, input_tokens, cost_nano_usd,
					estimated, outcome, latency_ms, fallback, calls, receipt, proof_hash, settled_at, api_key_id)
				SELECT 'svc-' || printf('%020d', i) || substr(?1, -6), ?1, strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-01-01', i || ' seconds'),
					iif(i % 1000 = 0, 'skill', 'chat'), 'a-model', 'a-provider', 'direct', 2, 1, 1, 0, 'complete', 1, 0,
					'[{"model":"a-model","provider":"a-provider","tokens":2,"input_tokens":1,"cost_nano_usd":1}]', '{}', '', '',
					iif(i % 1000 = 0, ?3, 'key_common') FROM n`,
			)
			.bind(owner.user_id, count, rareKeyId),
		db
			.prepare(
				`INSERT INTO usage_days SELECT user_id, substr(created_at, 1, 10), api_key_id, model, count(*), count(*), count(*), 2, 1, 1
				FROM settlements WHERE user_id = ?1 GROUP BY 1, 2, 3, 4`,
			)
			.bind(owner.user_id),
	]);
}

describe("a list of 60,000 requests", () => {
	/** An index entry, the row and its calls, and what joins them. */
	const OF_A_PAGE = 6 * 51;
	const RARE_KEY = "key_01M00000000000000000000000";

	async function rowsRead(query: Record<string, string | number>): Promise<number> {
		await callWithKey(owner.key, "/v1/plans");
		const statements = await statementsOf(() => list(query));
		for (const { plan, sql } of statements) expect(plan, sql).not.toMatch(/SCAN (?:settlements|usage_days)/);
		return statements.reduce((sum, statement) => sum + statement.rowsRead, 0);
	}

	it("is read by index: a page costs its own rows, wherever it is", async () => {
		await storeRequests(60_000, RARE_KEY);
		const first = await list({ limit: 50 });
		for (const at of ["2026-01-01T16:40:00Z", "2026-01-01T08:00:00Z", "2026-01-01T00:00:30Z"])
			expect(await rowsRead({ limit: 50, until: at })).toBeLessThanOrEqual(OF_A_PAGE);
		expect(await rowsRead({ limit: 50, cursor: first.next_cursor ?? "" })).toBeLessThanOrEqual(OF_A_PAGE);
		const deep = (await list({ limit: 50, until: "2026-01-01T08:00:00Z" })).next_cursor ?? "";
		const filters: Record<string, string>[] = [{}, { until: "2026-01-02" }, { model: "a-model" }, { kind: "chat" }];
		for (const filter of filters)
			expect(await rowsRead({ limit: 50, ...filter, cursor: deep })).toBeLessThanOrEqual(OF_A_PAGE);
		expect(await rowsRead({ limit: 50, kind: "chat" })).toBeLessThanOrEqual(OF_A_PAGE);
		expect(await rowsRead({ limit: 50, kind: "skill" })).toBeLessThanOrEqual(OF_A_PAGE);
		expect(await rowsRead({ limit: 50, kind: "agent" })).toBeLessThanOrEqual(4);
		expect(await rowsRead({ limit: 50, model: "nope" })).toBeLessThanOrEqual(50);
		expect(await rowsRead({ limit: 50, key_id: "key_nobodys" })).toBeLessThanOrEqual(50);
	});

	it("is looked through in bounded parts for what is rare, and nothing is left out", async () => {
		await storeRequests(60_000, RARE_KEY);
		const first = await list({ key_id: RARE_KEY, limit: 50 });
		expect(first.data).toHaveLength(20);
		expect(first).toMatchObject({ has_more: true, searched_back_to: expect.any(String) });
		expect(await rowsRead({ key_id: RARE_KEY, limit: 50 })).toBeLessThanOrEqual(2 * 20_000 + 200);
		expect(await walk({ key_id: RARE_KEY, limit: 50 })).toHaveLength(60);
		expect(await walk({ kind: "skill", limit: 7 })).toHaveLength(60);
		expect(await list({ kind: "skill", key_id: RARE_KEY, limit: 200 })).toMatchObject({ searched_back_to: null });
	});
});
