// Usage over time: steps, percentiles, the largest series and the rest, and rows and sums that say the same.
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MeterState } from "../../../src/meter/meter-state.edge.ts";
import { METER_TABLES } from "../../../src/meter/meter-tables.ts";
import { firstNumberAt } from "../../../src/meter/request-number.ts";
import { chooseSource, readDaySeries, readRowSeries } from "../../../src/meter/usage-series.edge.ts";
import {
	addSeriesCounts,
	findStep,
	keepLargest,
	type NamedSeries,
	NO_SERIES_COUNTS,
	type SeriesQuery,
	SeriesSum,
	toPercentiles,
} from "../../../src/meter/usage-series.ts";
import { aRequestId, reservationFor, settlementFor } from "../../support/settlements.ts";
import { sqliteStorage } from "../../support/sqlite-storage.ts";

const DAY_MS = 86_400_000;
const BEGIN = Date.parse("2026-11-01");
const ALL_KEPT = { firstKept: 0, archivesOf: (): number[] => [], heldFromMs: 0 };

describe("the step of a time", () => {
	it("is the last one that began, and none outside of the range", () => {
		const property = fc.property(
			fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 30 }),
			fc.integer({ min: -10, max: 600 }),
			(numbers, atMs) => {
				const startsMs = numbers.sort((a, b) => a - b);
				const expected = atMs >= 501 ? -1 : startsMs.findLastIndex((startMs) => startMs <= atMs);
				expect(findStep({ startsMs, endMs: 501 }, atMs)).toBe(expected);
			},
		);
		fc.assert(property, { numRuns: 300 });
	});
});

describe("percentiles", () => {
	it("are durations that there were, by nearest rank", () => {
		expect(toPercentiles([])).toBeNull();
		expect(toPercentiles([7])).toEqual({ p50: 7, p95: 7 });
		expect(toPercentiles(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({ p50: 50, p95: 95 });
	});
});

describe("the largest series", () => {
	it("lose nothing: they and the rest are the whole", () => {
		const aCount = fc.record({
			requests: fc.nat(9),
			failed: fc.nat(2),
			refused: fc.nat(2),
			tokens: fc.nat(99),
			input_tokens: fc.nat(9),
			cost_nano_usd: fc.nat(999),
		});
		const someSeries = fc.uniqueArray(
			fc.record({ name: fc.string({ maxLength: 3 }), points: fc.array(aCount, { minLength: 4, maxLength: 4 }) }),
			{ selector: ({ name }) => name, maxLength: 12 },
		);
		const sum = (points: NamedSeries["points"][]) => points.flat().reduce(addSeriesCounts, NO_SERIES_COUNTS);
		const property = fc.property(someSeries, fc.integer({ min: 1, max: 14 }), (all, most) => {
			const { series, others } = keepLargest(all, most, 4);
			expect(series).toHaveLength(Math.min(most, all.length));
			expect(others === null).toBe(all.length <= most);
			const kept = series.map(({ points }) => points);
			expect(sum(others ? [...kept, others] : kept)).toEqual(sum(all.map(({ points }) => points)));
			const costs = series.map(({ points }) => sum([points]).cost_nano_usd);
			expect(costs).toEqual(costs.toSorted((a, b) => b - a));
		});
		fc.assert(property, { numRuns: 200 });
	});
});

describe("what got no answer", () => {
	it("is counted as such, and in no latency, as what was settled at its bound", () => {
		const sum = new SeriesSum({ startsMs: [0], endMs: 10 });
		const row = { created_at_ms: 1, name: "m", tokens: 3, input_tokens: 1, nano_usd: 5, first_token_ms: 20, count: 1 };
		sum.add({ ...row, outcome: "complete", latency_ms: 100 });
		sum.add({ ...row, outcome: "failed", latency_ms: 9_000, tokens: 0, input_tokens: 0, nano_usd: 0 });
		sum.add({ ...row, outcome: "refused", latency_ms: 1, tokens: 0, input_tokens: 0, nano_usd: 0, count: 40 });
		sum.add({ ...row, outcome: "cut", latency_ms: 0, first_token_ms: null, tokens: 0, input_tokens: 0, nano_usd: 0 });
		const { series, totalLatency, firstToken } = sum.finish(3);
		expect(series[0]?.points).toEqual([
			{ requests: 2, failed: 1, refused: 40, tokens: 3, input_tokens: 1, cost_nano_usd: 5 },
		]);
		expect(totalLatency).toEqual({ p50: 100, p95: 100 });
		expect(firstToken).toEqual([{ p50: 20, p95: 20 }]);
	});
});

const MODELS = [
	{ model: "a", provider: "one" },
	{ model: "b", provider: "one" },
	{ model: "c", provider: "two" },
] as const;

/** Admits and settles the nth request. */
async function settleOne(state: MeterState, n: number, atMs: number): Promise<void> {
	const requestId = aRequestId(atMs);
	const costNanoUsd = 1_000 * (1 + (n % 7));
	const apiKeyId = `key_${n % 3}`;
	const reservation = reservationFor("user", requestId, costNanoUsd, atMs + 60_000);
	state.admit({
		id: requestId,
		apiKeyId,
		atMs,
		counting: "day",
		isLimited: false,
		budgetKeyId: apiKeyId,
		bookedDay: state.today(atMs),
		nanoUsd: costNanoUsd,
		keyBudget: null,
		expiresAtMs: atMs + 60_000,
		reservation,
	});
	const open = state.findOpen(requestId);
	if (!open) throw new Error("the request was not admitted");
	const settlement = await settlementFor("user", requestId, costNanoUsd);
	const served = MODELS[n % MODELS.length] ?? MODELS[0];
	const amounts = { tokens: 30, input_tokens: 20, cost_nano_usd: costNanoUsd };
	const usage = {
		...settlement.usage,
		...served,
		...amounts,
		api_key_id: apiKeyId,
		latency_ms: 40 + 13 * n,
		calls: [{ ...served, ...amounts }],
	};
	state.settle(open, { ...settlement, usage });
}

const OUTCOMES = ["refused", "failed", "client_closed"] as const;

/** Records the nth request without an answer. */
function failOne(state: MeterState, n: number, atMs: number): void {
	const served = MODELS[n % MODELS.length] ?? MODELS[0];
	const outcome = OUTCOMES[n % 2 === 0 ? 0 : 1 + (n % 4 === 1 ? 0 : 1)] ?? "failed";
	const attempts =
		outcome === "refused"
			? []
			: [{ ...served, status: 503, error: "status" as const, startedMs: 0, ms: 9, firstTokenMs: null }];
	state.recordFailed({
		...{
			requestId: aRequestId(atMs),
			apiKeyId: `key_${n % 3}`,
			atMs,
			latencyMs: 9_000,
			endpoint: "create_chat",
			kind: "chat",
		},
		...{ outcome, status: 503, error: { code: `code_${n}`, message: "no" }, attempts, count: 1 + (n % 3) },
		names: { sessionId: null, endUser: null, metadata: {} },
	});
}

/** A meter with settled and failed requests of four days, half of them folded. */
async function meterWith(count: number): Promise<MeterState> {
	const storage = sqliteStorage(new DatabaseSync(":memory:"));
	for (const step of METER_TABLES.steps) step(storage.sql);
	const state = new MeterState(storage, BEGIN);
	for (let n = 0; n < count; n++) {
		const atMs = BEGIN + Math.floor((n * 4 * DAY_MS) / count);
		await settleOne(state, n, atMs);
		if (n % 5 === 0) failOne(state, n / 5, atMs);
		if (n === Math.floor(count / 2)) state.foldNow(atMs);
	}
	return state;
}

const QUERY: SeriesQuery = {
	startsMs: [0, 1, 2, 3].map((day) => BEGIN + day * DAY_MS),
	endMs: BEGIN + 4 * DAY_MS,
	isByDay: true,
	column: null,
	apiKeyIds: null,
	mostNames: 8,
};

describe("rows and sums of days", async () => {
	const state = await meterWith(80);
	it.each([null, "model", "api_key"] as const)("say the same of days in UTC, by %s", (column) => {
		for (const apiKeyIds of [null, ["key_1"], []]) {
			const query = { ...QUERY, column, apiKeyIds };
			const rows = readRowSeries(state, ALL_KEPT, query);
			const days = readDaySeries(state, query);
			expect(days.startsMs).toEqual(rows.startsMs);
			expect(days.series).toEqual(rows.series);
			expect(days.latency.map((of) => of === null)).toEqual(rows.latency.map((of) => of === null));
			for (const share of ["p50", "p95"] as const) {
				const [exact, read] = [rows.totalLatency?.[share] ?? 0, days.totalLatency?.[share] ?? 0];
				expect(Math.abs(read - exact)).toBeLessThanOrEqual(0.05 * exact);
			}
		}
		const total = readRowSeries(state, ALL_KEPT, QUERY).series[0]?.points.reduce(addSeriesCounts);
		expect(total).toMatchObject({ requests: 80, tokens: 80 * 30 });
	});

	it("count who has gone before an answer as failed, and nobody twice", () => {
		for (const { series } of [readRowSeries(state, ALL_KEPT, QUERY), readDaySeries(state, QUERY)]) {
			const total = series.flatMap(({ points }) => points).reduce(addSeriesCounts);
			expect(total).toMatchObject({ requests: 80, failed: 15, refused: 16 });
		}
	});

	it("sums of days tell the models of providers apart, whose names the meter does not know", () => {
		const { series, others } = readDaySeries(state, { ...QUERY, column: "provider", mostNames: 1 });
		expect(series.map(({ name }) => name).toSorted()).toEqual(["", "a", "b", "c"]);
		expect(others).toBeNull();
	});

	it("rows say from when on they count, where others are archived or removed", () => {
		const countedFrom = (kept: Partial<typeof ALL_KEPT>) =>
			readRowSeries(state, { ...ALL_KEPT, ...kept }, QUERY).countedFromMs;
		expect(countedFrom({})).toBeNull();
		expect(countedFrom({ archivesOf: () => [1], heldFromMs: BEGIN + DAY_MS })).toBe(BEGIN + DAY_MS);
		expect(countedFrom({ firstKept: firstNumberAt(BEGIN + 2 * DAY_MS) })).toBe(BEGIN + 2 * DAY_MS);
	});

	it("rows tell providers, sessions and users apart, and no more names than are asked for", () => {
		const { series } = readRowSeries(state, ALL_KEPT, { ...QUERY, column: "provider" });
		expect(series.map(({ name }) => name).toSorted()).toEqual(["", "one", "two"]);
		const largest = readRowSeries(state, ALL_KEPT, { ...QUERY, column: "provider", mostNames: 1 });
		expect(largest.series).toHaveLength(1);
		expect(largest.others).toHaveLength(4);
	});
});

describe("what series are read from", () => {
	it("is rows while they are there, else sums where they say enough", async () => {
		const state = await meterWith(8);
		const archived = { firstKept: 0, archivesOf: () => [1] };
		expect(chooseSource(state, ALL_KEPT, QUERY)).toBe("rows");
		expect(chooseSource(state, archived, QUERY)).toBe("days");
		expect(chooseSource(state, { ...ALL_KEPT, firstKept: Number.MAX_SAFE_INTEGER }, QUERY)).toBe("days");
		expect(chooseSource(state, archived, { ...QUERY, column: "model" })).toBe("days");
		expect(chooseSource(state, archived, { ...QUERY, column: "provider" })).toBe("days");
		expect(chooseSource(state, archived, { ...QUERY, column: "session_id" })).toBe("rows");
		expect(chooseSource(state, archived, { ...QUERY, isByDay: false })).toBe("rows");
	});
});
