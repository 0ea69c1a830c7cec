// The list of requests: each once, as it was decided and billed, up to the last answered one, and without reading all of them.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { afterEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { DaySums } from "../../src/meter/day-sums.ts";
import { FoldTable } from "../../src/meter/fold-table.edge.ts";
import { MeterState } from "../../src/meter/meter-state.edge.ts";
import { requestNumber } from "../../src/meter/request-number.ts";
import type { RequestPageQuery } from "../../src/meter/request-page.ts";
import { readRequestPage } from "../../src/meter/request-reader.edge.ts";
import { always, isSumsFlush, killObject, onlyFor, useFaults } from "../support/faults.ts";
import { hasOnePrice, modelOnWire } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import {
	callWithKey,
	chat,
	inMeter,
	meterAlarm,
	meterOf,
	newKey,
	proofOf,
	type TestKey,
	usageOf,
} from "../support/service.ts";
import { reservationFor, settlementFor, TEST_KEY_ID, UNLIMITED_KEY } from "../support/settlements.ts";

const [FIRST_MODEL = "", SECOND_MODEL = ""] = CATALOG.models.map(({ id }) => id);

const { key: owner, upstream } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => faults?.restore());

const stub = () => env.ACCOUNT_METER.getByName(owner.user_id) as unknown as DurableObjectStub<undefined>;

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

const LONG_MESSAGES = [{ role: "user", content: "a".repeat(200) }];
const OPENAI_ANSWER = {
	choices: [{ message: { content: "x" }, finish_reason: "stop" }],
	usage: {
		...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
		...{ prompt_tokens_details: { cached_tokens: 40 }, completion_tokens_details: { reasoning_tokens: 30 } },
	},
};
const ANTHROPIC_ANSWER = {
	...{ id: "msg_1", type: "message", role: "assistant", model: "x", stop_reason: "end_turn" },
	content: [{ type: "text", text: "x" }],
	usage: { input_tokens: 40, cache_read_input_tokens: 40, cache_creation_input_tokens: 20, output_tokens: 50 },
};

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
				...{ count: 1, error: null, session_id: null, end_user: null, metadata: {} },
				...{ cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
				http_status: 200,
				first_token_ms: expect.any(Number),
				// Only an answer that comes as a whole has none.
				tokens_per_second: expect.toBeOneOf([null, expect.any(Number)]),
				attempts: [
					{
						...{ provider: receipt["provider"], model: FIRST_MODEL, status: 200, error: null },
						...{ started_ms: expect.any(Number), first_token_ms: expect.any(Number), ms: expect.any(Number) },
					},
				],
			},
		]);
	});

	it.each(["openai", "anthropic"] as const)(
		"says which parts of the tokens were cached, written to a cache and reasoning: %s",
		async (wire) => {
			const parts = { cached_tokens: 40, cache_write_tokens: 0, reasoning_tokens: 0 };
			if (wire === "openai") parts.reasoning_tokens = 30;
			else parts.cache_write_tokens = 20;
			upstream.replace(async () => Response.json(wire === "openai" ? OPENAI_ANSWER : ANTHROPIC_ANSWER));
			const id = await ask(owner.key, { model: modelOnWire(wire, hasOnePrice).id, messages: LONG_MESSAGES });
			const { data } = await list();
			expect(data).toMatchObject([{ request_id: id, input_tokens: 100, output_tokens: 50, ...parts }]);
			const detail = await callWithKey(owner.key, `/v1/requests/${id}`);
			expect(await detail.json()).toMatchObject({ ...parts, call_costs: [{ tokens: 150, ...parts }] });
		},
	);

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
		for (const isFresh of [true, false]) {
			// An object that begins anew reads the same from its rows and its fold.
			if (!isFresh) await killObject(stub());
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

describe("when things fail", () => {
	it("lists each request once, in its place, while D1 takes no sums, when the object dies, and afterwards", async () => {
		faults = useFaults({ DB: ({ target }) => (isSumsFlush(target) ? "fail" : "pass") });
		const ids: string[] = [];
		for (let n = 0; n < 4; n++) ids.unshift(await ask(owner.key));
		const expectAll = async () => {
			for (const limit of [1, 2, 50]) expect(await walk({ limit })).toEqual(ids);
			expect(await walk({ key_id: owner.key_id, limit: 2 })).toEqual(ids);
			expect(await walk({ kind: "skill" })).toEqual([]);
		};
		await expectAll();
		await meterAlarm(owner);
		await killObject(stub());
		await expectAll();
		faults.restore();
		await meterAlarm(owner);
		await expectAll();
	});

	it("shows a stranded request by its id as its meter will show it, and lists it once that has taken it over", async () => {
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle", "takeStranded"], always("fail")) });
		const id = await ask(owner.key, { model: FIRST_MODEL });
		const read = async () => (await callWithKey(owner.key, `/v1/requests/${id}`)).json();
		expect(await walk()).toEqual([]);
		expect((await usageOf(owner)).open).toMatchObject([{ request_id: id }]);
		const stranded = await read();
		faults.restore();
		await meterOf(owner).takeStranded(owner.user_id);
		expect(await walk()).toEqual([id]);
		expect(await read()).toEqual(stranded);
		expect((await usageOf(owner)).open).toEqual([]);
	});

	it("is 503 without the meter, but for a stranded request by its id", async () => {
		const known = await ask(owner.key);
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle", "takeStranded"], always("fail")) });
		const stranded = await ask(owner.key);
		faults.restore();
		faults = useFaults({ ACCOUNT_METER: onlyFor(["request", "requestPage", "salt"], always("fail")) });
		for (const path of ["/v1/requests", `/v1/requests/${known}`])
			expect((await callWithKey(owner.key, path)).status, path).toBe(503);
		const answer = await callWithKey(owner.key, `/v1/requests/${stranded}`);
		expect([answer.status, await answer.json()]).toMatchObject([200, { request_id: stranded, salt: null }]);
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

describe("the row of a chat", () => {
	/** What SQLite stores of a row, at most: nine bytes a number and, with the column's type, a text. */
	const ROW_BYTES = `SELECT ${[
		...[
			"id",
			"api_key",
			"budget_key",
			"key_budget",
			"kind",
			"model",
			"provider",
			"mode",
			"outcome",
			"calls",
			"receipt",
			"key_id",
		],
		...["proof_hash", "signature"],
	]
		.map((name) => `coalesce(length(CAST(${name} AS BLOB)), 0)`)
		.join(" + ")} + 33 * 2 + 20 * 6 AS bytes FROM requests`;

	it("has at most 1,340 bytes, while it is open and afterwards, under a key with a budget too", async () => {
		const { key } = (await (
			await callWithKey(owner.key, "/v1/keys", {
				name: "the key of the nightly build",
				budget_usd: 100,
				budget_period: "month",
			})
		).json()) as TestKey;
		for (const model of ["auto", FIRST_MODEL]) await ask(key, { model });
		await ask(key, { stream: true });
		const rows = await inMeter(owner, (sql) => sql.exec<{ bytes: number }>(ROW_BYTES).toArray());
		expect(rows).toHaveLength(3);
		for (const { bytes } of rows) expect(bytes).toBeLessThanOrEqual(1_340);
	});
});

describe("requests of one moment", () => {
	it("are listed once each, in one order, on pages of any size, also where ids share the bits that number their rows", async () => {
		const meter = meterOf(owner);
		const atMs = Date.now() - 1_000;
		const head = ulid(atMs).slice(0, 10);
		// In another order than that of their ids.
		const tails = ["7Z", "70", "7G", "80", "71", "8Z", "72", "6Z"];
		for (const tail of tails) {
			const requestId = `svc-${head}00${tail}${"0".repeat(12)}`;
			const reservation = reservationFor(owner.user_id, requestId, 5, Date.now() + 60_000);
			const admission = { ...UNLIMITED_KEY, plan: "corporate" as const, countsTowardsDay: false, keyId: TEST_KEY_ID };
			expect((await meter.admit({ ...admission, requestId, reservation })).admitted).toBe(true);
			await meter.settle(await settlementFor(owner.user_id, requestId, 5));
		}
		const all = await walk();
		expect(new Set(all).size).toBe(tails.length);
		for (let limit = 1; limit <= tails.length; limit++) expect(await walk({ limit }), String(limit)).toEqual(all);
		expect(await walk({ limit: 1, model: "real" })).toEqual(all);
	});
});

const FILLED_FROM_MS = Date.UTC(2026, 0, 1);

/** Stores so many requests of the owner's, one a second, with their sums. Every thousandth is a skill's, by a key of its own. */
async function storeRequests(count: number, rareKeyId: string): Promise<void> {
	const rows = Array.from({ length: count }, (_, at) => {
		const atMs = FILLED_FROM_MS + (at + 1) * 1_000;
		const id = `svc-${ulid(atMs)}`;
		return { n: requestNumber(id), id, at_ms: atMs, is_rare: (at + 1) % 1_000 === 0 };
	});
	const sums = new DaySums();
	const call = { model: "a-model", provider: "a-provider", tokens: 2, input_tokens: 1, cost_nano_usd: 1 };
	for (const { at_ms, is_rare } of rows) {
		const api_key_id = is_rare ? rareKeyId : "key_common";
		sums.addRow({ created_at: new Date(at_ms).toISOString(), api_key_id, model: "a-model", calls: [call] });
	}
	await inMeter(owner, (sql) => {
		for (let from = 0; from < count; from += 10_000)
			sql.exec(
				`INSERT INTO requests (n, id, changed, admitted, at_ms, counts, api_key, limited, booked_day, nano_usd, settled, created_at_ms,
					kind, model, provider, mode, tokens, input_tokens, estimated, fallback, outcome, latency_ms, receipt, proof_hash)
				SELECT value ->> 'n', value ->> 'id', 0, 0, value ->> 'at_ms', 0, iif(value ->> 'is_rare', ?2, 'key_common'), 0, 0, 1, 0,
					value ->> 'at_ms', iif(value ->> 'is_rare', 'skill', 'chat'), 'a-model', 'a-provider', 'direct', 2, 1, 0, 0, 'complete', 1,
					'{}', zeroblob(32) FROM json_each(?1)`,
				JSON.stringify(rows.slice(from, from + 10_000)),
				rareKeyId,
			);
		const fold = { changed: 0, floor: 0, open: [], windows: null, totals: [], unsent: { places: [], days: [] } };
		new FoldTable(sql).write(fold, { keyWindows: [], keySpending: [], daySums: sums.all() });
	});
}

/** Rows that the meter's object reads for a page. */
function rowsRead(query: RequestPageQuery): Promise<number> {
	return runInDurableObject(stub(), async (_, { storage }) => {
		const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
		const exec = (text: string, ...values: SqlStorageValue[]) => {
			const cursor = storage.sql.exec(text, ...values);
			cursors.push(cursor);
			return cursor;
		};
		const transactionSync = storage.transactionSync.bind(storage);
		const state = new MeterState({ sql: { exec }, transactionSync } as unknown as DurableObjectStorage, Date.now());
		cursors.length = 0;
		await readRequestPage(state, { keptSince: null, firstKept: 0, archivesOf: () => [] }, query);
		return cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
	});
}

describe("a list of 60,000 requests", () => {
	const RARE_KEY = "key_01M00000000000000000000000";
	/** Looked at and shown, one more than fits; SQLite counts what it passes on once more. Two say that none has failed. */
	const OF_A_PAGE = 4 * 51 + 2;
	/** One slice, what is shown of it, and the sums of the days. */
	const OF_A_FILTERED_PAGE = 2 * (1_000 + 51 + 50);

	it("is read by number: a page costs its own rows, wherever it is", async () => {
		await storeRequests(60_000, RARE_KEY);
		const cost = (filter: RequestPageQuery["filter"], after: RequestPageQuery["after"] = null) =>
			rowsRead({ filter, after, limit: 50 });
		for (const until of ["2026-01-01T16:40:00Z", "2026-01-01T08:00:00Z", "2026-01-01T00:00:30Z"])
			expect(await cost({ until })).toBeLessThanOrEqual(OF_A_PAGE);
		const deep = (await list({ limit: 50, until: "2026-01-01T08:00:00Z" })).data.at(-1);
		const after = { created_at: deep?.created_at ?? "", id: deep?.request_id ?? "" };
		expect(await cost({}, after)).toBeLessThanOrEqual(OF_A_PAGE + 3);
		for (const filter of [{ until: "2026-01-02" }, { model: "a-model" }, { kind: "chat" }]) {
			expect(await cost(filter, after)).toBeLessThanOrEqual(OF_A_FILTERED_PAGE);
			expect(await cost(filter)).toBeLessThanOrEqual(OF_A_FILTERED_PAGE);
		}
		// The sums know that there are none.
		expect(await cost({ model: "nope" })).toBeLessThanOrEqual(10);
		expect(await cost({ apiKeyIds: ["key_nobodys"] })).toBeLessThanOrEqual(10);
		expect(await cost({ kind: "agent" })).toBeLessThanOrEqual(2 * 20_000);
	});

	it("is looked through in bounded parts for what is rare, and nothing is left out", async () => {
		await storeRequests(60_000, RARE_KEY);
		const first = await list({ key_id: RARE_KEY, limit: 50 });
		expect(first.data).toHaveLength(20);
		expect(first).toMatchObject({ has_more: true, searched_back_to: expect.any(String) });
		expect(await rowsRead({ filter: { apiKeyIds: [RARE_KEY] }, after: null, limit: 50 })).toBeLessThanOrEqual(
			2 * 20_100,
		);
		expect(await walk({ key_id: RARE_KEY, limit: 50 })).toHaveLength(60);
		expect(await walk({ kind: "skill", limit: 7 })).toHaveLength(60);
		expect(await list({ kind: "skill", key_id: RARE_KEY, limit: 200 })).toMatchObject({
			searched_back_to: expect.any(String),
		});
		expect(await walk({ kind: "agent" })).toEqual([]);
		expect(await walk({ limit: 200, until: "2026-01-01T01:00:00Z" })).toHaveLength(3_599);
	});

	it("lets other requests through while it is looked through", async () => {
		await storeRequests(60_000, RARE_KEY);
		let isOver = false;
		const looking = list({ kind: "agent" }).finally(() => {
			isOver = true;
		});
		for (let n = 0; n < 3; n++) await meterOf(owner).ping();
		expect(isOver).toBe(false);
		await looking;
	});
});
