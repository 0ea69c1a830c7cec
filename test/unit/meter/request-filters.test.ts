// Pages of settled and failed requests under any filter: each matching request once, in one order, whatever the length of a page.
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UnbilledRequest } from "../../../src/meter/failed-request.ts";
import { MeterState } from "../../../src/meter/meter-state.edge.ts";
import { METER_TABLES } from "../../../src/meter/meter-tables.ts";
import { NO_FACTS } from "../../../src/meter/request-facts.ts";
import { requestNumber } from "../../../src/meter/request-number.ts";
import { type ListedRequest, type RequestFilter, toRequestPosition } from "../../../src/meter/request-page.ts";
import { readRequestPage } from "../../../src/meter/request-reader.edge.ts";
import type { Settlement } from "../../../src/meter/settlement.ts";
import { sealReceipt } from "../../../src/proof/receipt.ts";
import { sqliteStorage } from "../../support/sqlite-storage.ts";

const USER = "usr_1";
const NOW_MS = Date.UTC(2026, 10, 25, 12);
/** Ids of few times, so that numbers are shared. */
const HEADS = ["01M8A00000", "01M8A00001", "01M7000000"];

const aRequest = fc.record({
	head: fc.constantFrom(...HEADS),
	random: fc.constantFrom("000", "00Z", "YYY"),
	key: fc.constantFrom("key_1", "key_2"),
	kind: fc.constantFrom("chat" as const, "skill" as const),
	model: fc.constantFrom("a", "b"),
	ending: fc.constantFrom("complete" as const, "cut" as const, "refused" as const, "failed" as const),
	code: fc.constantFrom("rate_limit_exceeded", "all_models_failed"),
	sessionId: fc.constantFrom(null, "s-1", "s-2"),
	endUser: fc.constantFrom(null, "u-1"),
	metadata: fc.constantFrom<Record<string, string>>({}, { team: "x" }, { team: "x", 'odd "name" $.': "y'" }),
});
type Made = typeof aRequest extends fc.Arbitrary<infer Of> ? Of & { id: string } : never;

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
const aFilter: fc.Arbitrary<RequestFilter> = fc.record({
	kind: maybe("chat", "skill"),
	model: maybe("a", "none"),
	provider: maybe("p", "q"),
	outcome: maybe("complete", "refused", "failed"),
	code: maybe("rate_limit_exceeded"),
	sessionId: maybe("s-1"),
	endUser: maybe("u-1"),
	metadata: maybe<Record<string, string>>({ team: "x" }, { team: "x", 'odd "name" $.': "y'" }, { team: "z" }),
	apiKeyIds: maybe(["key_1"], ["key_1", "key_2"], []),
	idStart: maybe("svc-01M8A", "01M8A00001", "svc-01M7000000YYY", "01Z"),
});
/** Few conditions at once, so that something matches. */
const someFilter = fc
	.tuple(
		aFilter,
		fc.uniqueArray(fc.constantFrom(...(["kind", "model", "provider", "outcome", "code"] as const)), { maxLength: 1 }),
		fc.uniqueArray(fc.constantFrom(...(["sessionId", "endUser", "metadata", "apiKeyIds", "idStart"] as const)), {
			maxLength: 2,
		}),
	)
	.map(([filter, first, second]) =>
		Object.fromEntries(Object.entries(filter).filter(([name]) => [...first, ...second].some((one) => one === name))),
	) as fc.Arbitrary<RequestFilter>;

function attemptOf(model: string) {
	return { provider: "p", model, status: 503, error: "status" as const, startedMs: 1, firstTokenMs: null, ms: 2 };
}

function isSettled({ ending }: Pick<Made, "ending">): boolean {
	return ending === "complete" || ending === "cut";
}

async function toSettlement({ id, key, kind, model, ending, sessionId, endUser, metadata }: Made): Promise<Settlement> {
	const created_at = new Date(Date.UTC(2026, 10, 20)).toISOString();
	const call = { model, provider: "p", tokens: 2, input_tokens: 1, cost_nano_usd: 5 };
	const outcome = ending === "cut" ? ("cut" as const) : ("complete" as const);
	const usage = {
		...{ request_id: id, user_id: USER, api_key_id: key, created_at, kind, mode: "direct", ...call, calls: [call] },
		...{ estimated: false, outcome, latency_ms: 3, fallback: false },
	};
	const receipt = { request_id: id, kind, outcome, bound_usd: 0.1 } as unknown as Parameters<typeof sealReceipt>[0];
	return { usage, receipt: await sealReceipt(receipt, null), facts: { ...NO_FACTS, sessionId, endUser, metadata } };
}

function toUnbilled(
	{ id, key, kind, model, ending, code, sessionId, endUser, metadata }: Made,
	nth: number,
): UnbilledRequest {
	const attempts = ending === "failed" ? [attemptOf(model)] : [];
	return {
		...{ requestId: id, apiKeyId: key, atMs: Date.UTC(2026, 10, 20), latencyMs: 1, kind, attempts, count: 1 },
		// So that none is counted in another's row.
		endpoint: `endpoint ${nth}`,
		...{ outcome: ending === "failed" ? ("failed" as const) : ("refused" as const), status: 429 },
		...{ error: { code, message: "no" }, names: { sessionId, endUser, metadata } },
	};
}

/** Whether a request matches, by its plain members. */
function matches(made: Made, filter: RequestFilter): boolean {
	const hasModel = made.ending !== "refused";
	const plain: Record<string, unknown> = {
		kind: made.kind,
		model: hasModel ? made.model : null,
		provider: hasModel ? "p" : null,
		outcome: made.ending,
		code: isSettled(made) ? null : made.code,
		sessionId: made.sessionId,
		endUser: made.endUser,
	};
	const { metadata = {}, apiKeyIds, idStart, ...equal } = filter;
	return (
		Object.entries(equal).every(([name, value]) => value === undefined || plain[name] === value) &&
		Object.entries(metadata).every(([name, value]) => made.metadata[name] === value) &&
		(apiKeyIds?.includes(made.key) ?? true) &&
		(idStart === undefined || made.id.startsWith(idStart) || made.id.slice(4).startsWith(idStart))
	);
}

async function stateWith(all: readonly Made[]): Promise<MeterState> {
	const storage = sqliteStorage(new DatabaseSync(":memory:"));
	for (const step of METER_TABLES.steps) step(storage.sql);
	const state = new MeterState(storage, NOW_MS);
	for (const [nth, made] of all.entries()) {
		if (!isSettled(made)) {
			state.recordFailed(toUnbilled(made, nth));
			continue;
		}
		const settlement = await toSettlement(made);
		const { usage, receipt } = settlement;
		state.admit({
			...{ id: made.id, apiKeyId: made.key, atMs: NOW_MS, counting: "none", isLimited: false, budgetKeyId: made.key },
			...{ bookedDay: 1, nanoUsd: 5, keyBudget: null, expiresAtMs: NOW_MS + 1_000 },
			reservation: { usage, receipt: JSON.parse(receipt.receipt), holdNanoUsd: 5, expiresAtMs: NOW_MS + 1_000 },
		});
		const open = state.findOpen(made.id);
		if (open) state.settle(open, settlement);
	}
	return state;
}

const KEPT = { keptSince: null, firstKept: 0, archivesOf: () => [] };

/** All pages of a length, one after the other. */
async function walk(state: MeterState, filter: RequestFilter, limit: number): Promise<string[]> {
	const found: ListedRequest[] = [];
	for (;;) {
		const last = found.at(-1);
		const after = last ? toRequestPosition(last) : null;
		const { entries, readTo } = await readRequestPage(state, KEPT, { filter, after, limit });
		found.push(...entries.slice(0, limit));
		if (entries.length <= limit) {
			expect(readTo).toBeNull();
			return found.map(({ request_id }) => request_id);
		}
	}
}

describe("a list of settled and failed requests", () => {
	it("has each that matches once, newest first, in pages of any length", async () => {
		const requests = fc
			.array(aRequest, { maxLength: 14 })
			.map((all) =>
				all.map((one, nth) => ({ ...one, id: `svc-${one.head}${one.random}${String(nth).padStart(13, "0")}` })),
			);
		let found = 0;
		await fc.assert(
			fc.asyncProperty(requests, someFilter, fc.integer({ min: 1, max: 5 }), async (all, filter, limit) => {
				const state = await stateWith(all);
				const whole = await walk(state, filter, 100);
				expect(whole.toSorted()).toEqual(
					all
						.filter((made) => matches(made, filter))
						.map(({ id }) => id)
						.toSorted(),
				);
				expect(await walk(state, filter, limit)).toEqual(whole);
				const times = whole.map((id) => Math.floor(requestNumber(id) / 4_096));
				expect(times).toEqual(times.toSorted((a, b) => b - a));
				found += whole.length;
			}),
			{ numRuns: 250 },
		);
		expect(found).toBeGreaterThan(500);
	});
});
