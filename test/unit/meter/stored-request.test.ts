// Requests as rows, in the tables of a meter: what was stored is what is read, to the last byte of a receipt.
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { ATTEMPT_ERRORS, type CallAttempt, MAX_KEPT_ATTEMPTS } from "../../../src/meter/call-attempt.ts";
import { METER_TABLES } from "../../../src/meter/meter-tables.ts";
import { NO_FACTS, type RequestEnd, type RequestFacts, UNNAMED } from "../../../src/meter/request-facts.ts";
import { requestNumber } from "../../../src/meter/request-number.ts";
import { type NewRequest, RequestTable } from "../../../src/meter/request-table.edge.ts";
import type { Settlement, UsageCall, UsageRow } from "../../../src/meter/settlement.ts";
import {
	toListedRequest,
	toSettlementDetail,
	toStoredDetail,
	toStoredReceipt,
	type WholeRow,
} from "../../../src/meter/stored-request.ts";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { usd } from "../../../src/proof/money.ts";
import { type Receipt, type ReceiptStage, sealReceipt, verifyReceipt } from "../../../src/proof/receipt.ts";
import { createSigner, toPublicKeyEntry } from "../../../src/proof/signing.ts";
import { sqliteStorage } from "../../support/sqlite-storage.ts";

const AT_MS = Date.UTC(2026, 10, 25, 15, 58, 42, 546);
const USER = "usr_01M89PWG9SK1BHZ88SV0Z81SE5";
const KEY = "key_01M89PWG9SK1BHZ88SV0Z81SE5";
const HASH = `sha256:${"9e".repeat(32)}`;
const signer = createSigner(new Uint8Array(32).fill(7));
const KEYS = [toPublicKeyEntry(signer.publicKey, "current")];

function tableOf() {
	const db = new DatabaseSync(":memory:");
	const { sql } = sqliteStorage(db);
	for (const step of METER_TABLES.steps) step(sql);
	return { db, table: new RequestTable(sql) };
}

const BASE = {
	type: "svc.receipt.v2" as const,
	timestamp: new Date(AT_MS + 150).toISOString(),
	bound_usd: 0.00342171,
	input_hash: HASH,
	output_hash: HASH,
	compliance: null,
	catalog_version: "2026-11-22",
	config_digest: null,
};

const REASON =
	"agility routing for a trivial chat prompt: GPT-6 Luna ranks first of 27 eligible models (expected quality 0.90, about $0.00015 and 3.7 s); GPT-6 Sol would gain 0.02 at 22 times the price";

const STAGE: ReceiptStage = {
	name: "answer",
	results: [
		{
			...{ model: "gpt-6-luna", ok: true, role: "author", in_tokens: 11, out_tokens: 24 },
			...{ cost_usd: 0.0000131, confidence: 0.87, output_hash: HASH },
		},
	],
};

type Usage = Pick<UsageRow, "model" | "provider" | "mode" | "tokens" | "input_tokens" | "cost_nano_usd" | "calls"> &
	Partial<UsageRow>;

/** What several kinds of requests are billed as, and their receipts without what columns say as well. */
const KINDS = {
	chat: (usage: Usage) => ({ ...answerOf(usage), kind: "chat" as const, skill_id: null }),
	skill: (usage: Usage) => ({ ...answerOf(usage), kind: "skill" as const, skill_id: "summarize" }),
	embedding: (usage: Usage) => encoderOf("embedding", usage),
	moderation: (usage: Usage) => encoderOf("moderation", usage),
	rerank: (usage: Usage) => encoderOf("rerank", usage),
	orchestration: () => ({
		...{ kind: "orchestration" as const, policy: "balanced", strategy: "debate", models_used: ["a", "b"] },
		...{ confidence: 0.87, agreement: 1, stages: [STAGE, STAGE] },
	}),
	code: () => ({
		...{ kind: "code" as const, policy: "quality", language: "python", passed: true, confidence: 0.5 },
		models_used: ["a"],
		files: [{ path_hash: HASH, language: "python", bytes: 1_200, hash: HASH }],
		stages: [STAGE],
	}),
	agent: () => ({
		...{ kind: "agent" as const, status: "completed", policy: "balanced", strategy: "single", n_steps: 3 },
		...{ trajectory_proof: HASH, max_cost_usd: 1.5, goal_outcome: "reached" },
	}),
};
const ALL_KINDS = Object.keys(KINDS) as (keyof typeof KINDS)[];

function answerOf({ model, provider, mode, tokens, input_tokens }: Usage) {
	const answer = { model, provider, mode, prompt_tokens: input_tokens, completion_tokens: tokens - input_tokens };
	return { ...answer, upstream_host: "api.openai.com", reason: REASON, fallback_from: null };
}

/** Nothing is written. */
function encoderOf<Kind extends string>(kind: Kind, usage: Usage) {
	const { completion_tokens: _, ...answer } = answerOf(usage);
	return { ...answer, kind, skill_id: null };
}

const CALL: UsageCall = {
	model: "gpt-6-luna",
	provider: "openai",
	tokens: 35,
	input_tokens: 11,
	cost_nano_usd: 13_100,
	cached_tokens: 7,
	cache_write_tokens: 3,
	reasoning_tokens: 12,
};

function usageOf(kind: keyof typeof KINDS, calls: readonly UsageCall[] = [CALL], id = `svc-${ulid(AT_MS)}`): UsageRow {
	const sum = (of: (call: UsageCall) => number) => calls.reduce((total, call) => total + of(call), 0);
	const [{ model, provider } = CALL] = calls;
	return {
		...{ request_id: id, user_id: USER, api_key_id: KEY, created_at: new Date(AT_MS).toISOString(), kind },
		...{ model, provider, mode: "agility", tokens: sum(({ tokens }) => tokens) },
		...{ input_tokens: sum(({ input_tokens }) => input_tokens), cost_nano_usd: sum((call) => call.cost_nano_usd) },
		...{ estimated: false, outcome: "complete", latency_ms: 150, fallback: false, calls: [...calls] },
	};
}

function receiptOf(usage: UsageRow, more: object = {}): Receipt {
	const { request_id, outcome, estimated, cost_nano_usd } = usage;
	const detail = KINDS[usage.kind](usage);
	return { ...BASE, request_id, outcome, estimated, cost_usd: usd(cost_nano_usd), ...detail, ...more } as Receipt;
}

async function settlementOf(
	usage: UsageRow,
	more: object = {},
	ended: Pick<Settlement, "facts" | "end"> = {},
): Promise<Settlement> {
	return { usage, receipt: await sealReceipt(receiptOf(usage, more), signer), ...ended };
}

/** What an ordinary chat leaves behind: one call, which served. */
const ORDINARY: { facts: RequestFacts; end: RequestEnd } = {
	facts: {
		...NO_FACTS,
		firstTokenMs: 137,
		attempts: [
			{
				...{ provider: "openai", model: "gpt-6-luna", status: 200, error: null },
				...{ startedMs: 12, firstTokenMs: 125, ms: 131 },
			},
		],
	},
	end: { status: 200, error: null },
};

function admissionOf(usage: UsageRow, receipt: Receipt): NewRequest {
	return {
		...{ id: usage.request_id, apiKeyId: usage.api_key_id, atMs: AT_MS, counting: "day", isLimited: false },
		...{ budgetKeyId: usage.api_key_id, bookedDay: 20_782, nanoUsd: usage.cost_nano_usd, keyBudget: null },
		...{ expiresAtMs: AT_MS + 600_000 },
		reservation: { usage, receipt, holdNanoUsd: usage.cost_nano_usd, expiresAtMs: AT_MS + 600_000 },
	};
}

function insertIn(table: RequestTable, admission: NewRequest, change: number) {
	const place = table.insert(admission, change);
	if (place === null) throw new Error("the request has a row");
	return place;
}

/** Admits and settles a request, and reads it. */
function storeIn(table: RequestTable, settlement: Settlement, change = 1): WholeRow & { n: number } {
	const { usage } = settlement;
	const place = insertIn(table, admissionOf(usage, JSON.parse(settlement.receipt.receipt)), change);
	table.settle(place, settlement, change + 1);
	const whole = table.whole(place);
	if (!whole) throw new Error("the request is settled");
	return { ...whole, n: place.n };
}

async function expectSameBack(whole: WholeRow, settlement: Settlement): Promise<void> {
	const { usage, receipt } = settlement;
	const { created_at: _, ...shown } = receipt;
	expect(toStoredReceipt(whole)).toEqual(shown);
	expect((await verifyReceipt(toStoredReceipt(whole), KEYS)).valid).toBe(true);
	expect(toStoredDetail(whole)).toEqual(toSettlementDetail(settlement));
	expect(toListedRequest(whole.row)).toEqual(toSettlementDetail(settlement).request);
	expect(toStoredDetail(whole).calls).toEqual(usage.calls);
}

const aPart = fc.integer({ min: 1, max: 9_999 });
const aCall: fc.Arbitrary<UsageCall> = fc
	.record({
		model: fc.constantFrom("gpt-6-luna", "ein-größeres"),
		provider: fc.constantFrom("openai", "anthropic"),
		input: fc.nat(10_000),
		output: fc.nat(10_000),
		cost_nano_usd: fc.integer({ min: 0, max: 2_000_000_000_000 }),
		more: fc.constantFrom({}, {}, { provider_key: "second" }, { requests: 3 }),
		parts: fc.record(
			{ cached_tokens: aPart, cache_write_tokens: aPart, reasoning_tokens: aPart },
			{ requiredKeys: [] },
		),
	})
	.map(({ model, provider, input, output, cost_nano_usd, more, parts }) => ({
		...{ model, provider, tokens: input + output, input_tokens: input, cost_nano_usd, ...more, ...parts },
	}));

/** Members that differ from what columns say, and such that only a receipt has. */
const moreMembers = fc.constantFrom<object>(
	{},
	{ cost_usd: 0.5 },
	{ model: "another", prompt_tokens: 1 },
	{ outcome: "client_closed" },
	{ estimated: true },
	{ completion_tokens: 0 },
	{ input_hash: null, output_hash: null },
	{ reason: "Größer „als“ \u2028 \ud83d\ude80 \\ \" 'quoted'" },
	{ compliance: { type: "svc.attestation.v1", models: ["x".repeat(3_000)] } },
	{ invented: { z: 1, a: [1e21, 1e-7, 0] } },
);

const maybeMs = fc.option(fc.nat(100_000));
const anAttempt: fc.Arbitrary<CallAttempt> = fc.record({
	provider: fc.constantFrom("openai", "anthropic"),
	model: fc.constantFrom("gpt-6-luna", "ein-größeres"),
	status: fc.constantFrom(200, 429, 503, null),
	error: fc.constantFrom(null, null, ...ATTEMPT_ERRORS),
	startedMs: fc.nat(10_000),
	firstTokenMs: maybeMs,
	ms: fc.nat(100_000),
});
const anEnding = fc.constantFrom<Pick<Settlement, "facts" | "end">[]>({}, ORDINARY).chain((fixed) =>
	fc.oneof(
		fc.constant(fixed),
		fc.record({
			facts: fc.record({
				sessionId: fc.option(fc.string({ minLength: 1, maxLength: 128 })),
				endUser: fc.option(fc.string({ minLength: 1, maxLength: 128 })),
				metadata: fc.dictionary(fc.string({ maxLength: 64 }), fc.string({ maxLength: 512 }), { maxKeys: 16 }),
				firstTokenMs: maybeMs,
				attempts: fc.array(anAttempt, { maxLength: 3 }),
			}),
			end: fc.record({
				status: fc.constantFrom(200, 502, null),
				error: fc.option(fc.record({ code: fc.constantFrom("a", "b"), message: fc.string() })),
			}),
		}),
	),
);

describe("a settled request", () => {
	it.each(ALL_KINDS)("of kind %s comes back as it was, with a valid receipt", async (kind) => {
		const { table } = tableOf();
		const settlement = await settlementOf(usageOf(kind));
		await expectSameBack(storeIn(table, settlement), settlement);
	});

	it("comes back as it was, whatever its calls are and its receipt says", async () => {
		const aUsage = fc
			.tuple(fc.constantFrom(...ALL_KINDS), fc.array(aCall, { maxLength: 4 }))
			.map(([kind, calls]) => usageOf(kind, calls));
		const anEnd = fc.record({
			estimated: fc.boolean(),
			fallback: fc.boolean(),
			outcome: fc.constantFrom("complete" as const, "cut" as const, "client_closed" as const),
		});
		const property = fc.asyncProperty(aUsage, anEnd, moreMembers, anEnding, async (usage, end, more, ended) => {
			const settlement = await settlementOf({ ...usage, ...end }, more, ended);
			await expectSameBack(storeIn(tableOf().table, settlement), settlement);
		});
		await fc.assert(property, { numRuns: 150 });
	});

	it("comes back with its hash alone where the service has no signing key", async () => {
		const { table } = tableOf();
		const usage = usageOf("chat");
		const settlement = { usage, receipt: await sealReceipt(receiptOf(usage), null) };
		const whole = storeIn(table, settlement);
		await expectSameBack(whole, settlement);
		expect(toListedRequest(whole.row).isSigned).toBe(false);
	});

	it("of one ordinary call has numbers of it, and no text", async () => {
		const { row } = storeIn(tableOf().table, await settlementOf(usageOf("chat"), {}, ORDINARY));
		const { attempts, metadata, error_code, error_message, session_id, end_user } = row;
		expect([attempts, metadata, error_code, error_message, session_id, end_user]).toEqual(Array(6).fill(null));
		expect(toListedRequest(row).facts).toEqual(ORDINARY.facts);
	});

	it("keeps the first and the last of many calls", async () => {
		const [one] = ORDINARY.facts.attempts;
		const attempts = Array.from({ length: 100 }, (_, startedMs) => ({ ...(one as CallAttempt), startedMs }));
		const ended = { ...ORDINARY, facts: { ...ORDINARY.facts, attempts } };
		const { row } = storeIn(tableOf().table, await settlementOf(usageOf("chat"), {}, ended));
		const kept = toListedRequest(row).facts.attempts.map(({ startedMs }) => startedMs);
		expect(kept).toHaveLength(MAX_KEPT_ATTEMPTS);
		expect([kept[0], kept[15], kept[16], kept.at(-1)]).toEqual([0, 15, 84, 99]);
	});

	it("says once what columns and receipt both say", async () => {
		const { row } = storeIn(tableOf().table, await settlementOf(usageOf("chat")));
		expect(row.calls).toBeNull();
		const members = Object.keys(JSON.parse(row.receipt));
		for (const name of ["request_id", "kind", "outcome", "estimated", "cost_usd", "model", "provider", "mode"])
			expect(members).not.toContain(name);
	});
});

describe("a large request", () => {
	const calls = Array.from({ length: 400 }, (_, n) => ({ ...CALL, model: `model-${n % 7}`, cost_nano_usd: n }));
	const stages = Array.from({ length: 9_000 }, (_, n) => ({ ...STAGE, name: `stage ${n} \ud83d\ude80` }));

	it("stands apart in pieces, and its row has what lists show", async () => {
		const { table, db } = tableOf();
		const settlement = await settlementOf(usageOf("orchestration", calls), { stages });
		const whole = storeIn(table, settlement);
		await expectSameBack(whole, settlement);
		expect(settlement.receipt.receipt.length).toBeGreaterThan(1_000_000);
		expect(whole.row.is_large).toBe(1);
		expect(whole.row.receipt.length).toBeLessThan(1_000);
		const sizes = db.prepare("SELECT length(text) AS size FROM large_receipts ORDER BY piece").all();
		expect(sizes.length).toBeGreaterThan(2);
		for (const { size } of sizes) expect(size).toBeLessThanOrEqual(500_000);
	});

	it("leaves nothing apart when it is replaced by a smaller one, or released", async () => {
		const { table, db } = tableOf();
		const pieces = () => db.prepare("SELECT count(*) AS n FROM large_receipts").get()?.["n"];
		const usage = usageOf("orchestration", calls);
		const large = receiptOf(usage, { stages });
		const place = insertIn(table, admissionOf(usage, large), 1);
		expect(place.isLarge).toBe(true);
		expect(pieces()).toBeGreaterThan(2);
		expect(table.reserved(place, USER)).toEqual({
			usage,
			receipt: JSON.parse(canonicalJson(large)),
			names: UNNAMED,
		});
		const small = usageOf("orchestration", [CALL], usage.request_id);
		const booked = { bookedDay: 20_782, nanoUsd: 5 };
		const reservation = { usage: small, receipt: receiptOf(small), holdNanoUsd: 5, expiresAtMs: AT_MS + 1 };
		expect(table.extend(place, reservation, booked, 2)).toBe(false);
		expect(pieces()).toBe(0);
		const isLarge = table.extend({ ...place, isLarge: false }, { ...reservation, usage, receipt: large }, booked, 3);
		expect([isLarge, table.find(usage.request_id)?.isLarge]).toEqual([true, true]);
		const settlement = await settlementOf(small);
		table.settle({ ...place, isLarge }, settlement, 4);
		expect(pieces()).toBe(0);
		await expectSameBack(table.whole(place) as WholeRow, settlement);
		const other = usageOf("orchestration", calls);
		const released = insertIn(table, admissionOf(other, receiptOf(other, { stages })), 5);
		table.release(released, 6);
		expect(pieces()).toBe(0);
		expect(table.whole(released)).toBeUndefined();
	});
});

describe("a reservation", () => {
	it("comes back as it was, and says what it holds", async () => {
		const property = fc.asyncProperty(
			fc.constantFrom(...ALL_KINDS),
			fc.array(aCall, { minLength: 1, maxLength: 3 }),
			fc.constantFrom(0, 7),
			moreMembers,
			async (kind, calls, spentNanoUsd, more) => {
				const { table } = tableOf();
				const usage = usageOf(kind, calls);
				const receipt = receiptOf(usage, more);
				const admission = admissionOf(usage, receipt);
				const names = { sessionId: "s 1", endUser: null, metadata: { team: "ü" } };
				const reservation = { ...admission.reservation, spentNanoUsd, names };
				const place = insertIn(table, { ...admission, reservation }, 1);
				expect(table.reserved(place, USER)).toEqual({ usage, receipt: JSON.parse(JSON.stringify(receipt)), names });
				expect(table.whole(place)).toBeUndefined();
				expect(table.holds([place.n])).toEqual([
					{
						...{ request_id: usage.request_id, api_key_id: KEY, kind, spent_nano_usd: spentNanoUsd },
						...{ held_nano_usd: usage.cost_nano_usd - spentNanoUsd, bound_nano_usd: 3_421_710 },
					},
				]);
			},
		);
		await fc.assert(property, { numRuns: 60 });
	});
});

describe("the row of a request", () => {
	it("has the next free number where ids share one, and is found by its id", async () => {
		const { table } = tableOf();
		const head = ulid(AT_MS).slice(0, 13);
		const ids = Array.from({ length: 5 }, (_, n) => `svc-${head}${String(n).padStart(13, "0")}`);
		const first = requestNumber(ids[0] ?? "");
		for (const [at, id] of ids.entries()) {
			expect(table.find(id)).toBeUndefined();
			const settlement = await settlementOf(usageOf("chat", [CALL], id));
			expect(storeIn(table, settlement, 2 * at + 1).n).toBe(first + at);
		}
		for (const [at, id] of ids.entries()) expect(table.find(id)).toMatchObject({ n: first + at, id, isOpen: false });
		const usage = usageOf("chat", [CALL], ids[3]);
		expect(table.insert(admissionOf(usage, receiptOf(usage)), 99)).toBeNull();
		expect(table.find(`svc-${head}${"9".repeat(13)}`)).toBeUndefined();
	});

	/** What SQLite writes of the row of a chat: its payload on the table's only page, without what the page needs besides. */
	function rowBytes(db: DatabaseSync): number {
		return Number(db.prepare("SELECT sum(payload) AS n FROM dbstat WHERE name = 'requests'").get()?.["n"]);
	}

	it("of a chat has at most 1,340 bytes from admission to settlement, so that three fit a page", async () => {
		const budget = { limitNanoUsd: 5_000_000_000, period: "month" as const, name: "ci", last4: "abcd" };
		const usage = usageOf("chat");
		const settlement = await settlementOf(usage, {}, ORDINARY);
		const { table, db } = tableOf();
		const admission = { ...admissionOf(usage, receiptOf(usage)), budgetKeyId: `key_${ulid(AT_MS)}`, keyBudget: budget };
		const place = insertIn(table, admission, 1_000_000);
		expect(rowBytes(db)).toBeLessThanOrEqual(1_340);
		table.settle(place, settlement, 1_000_001);
		expect(rowBytes(db)).toBeLessThanOrEqual(1_340);
		expect(rowBytes(db)).toBeGreaterThan(500);
	});

	it("of a small chat is written three to a page at least", async () => {
		const { table, db } = tableOf();
		for (let n = 0; n < 300; n++) storeIn(table, await settlementOf(usageOf("chat"), {}, ORDINARY), 2 * n + 1);
		const { pages } = db.prepare("SELECT count(*) AS pages FROM dbstat WHERE name = 'requests'").get() as {
			pages: number;
		};
		expect(pages).toBeLessThanOrEqual(150);
	});
});
