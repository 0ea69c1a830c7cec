// How long requests took, in buckets and in the meter's table: each percentile within 5 %, whatever was added in which order.
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SumColumn } from "../../../src/meter/fold-table.edge.ts";
import { METER_TABLES } from "../../../src/meter/meter-tables.ts";
import { addTime, EMPTY_HISTOGRAM, mergeHistograms, readPercentile } from "../../../src/meter/time-histogram.ts";
import { NO_TIMES, TimeSums } from "../../../src/meter/time-sums.ts";
import { TimeTable } from "../../../src/meter/time-table.edge.ts";
import { sqliteStorage } from "../../support/sqlite-storage.ts";

function histogramOf(times: readonly number[]) {
	return times.reduce(addTime, EMPTY_HISTOGRAM);
}

/** By the definition: the nearest rank. */
function exactPercentile(times: readonly number[], share: number): number {
	return times.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * times.length)) - 1] ?? Number.NaN;
}

const someTimes = fc.array(fc.oneof(fc.nat(50), fc.nat(5_000), fc.nat(3_600_000)), { minLength: 1, maxLength: 200 });

describe("a histogram of times", () => {
	it("gives each percentile within 5 %, or a tenth of a millisecond", () => {
		fc.assert(
			fc.property(someTimes, fc.constantFrom(0, 0.5, 0.95, 1), (times, share) => {
				const exact = exactPercentile(times, share);
				const read = readPercentile(histogramOf(times), share) ?? Number.NaN;
				expect(Math.abs(read - exact)).toBeLessThanOrEqual(Math.max(0.1, 0.05 * exact));
			}),
		);
	});

	it("has no percentile without times", () => {
		expect(readPercentile(EMPTY_HISTOGRAM, 0.5)).toBeNull();
	});

	it("is the same merged as added one by one, and small", () => {
		fc.assert(
			fc.property(someTimes, someTimes, (first, second) => {
				const merged = mergeHistograms(histogramOf(first), histogramOf(second));
				expect(merged).toEqual(histogramOf([...first, ...second]));
			}),
		);
		expect(Object.keys(histogramOf(Array.from({ length: 50_000 }, (_, n) => n * 100))).length).toBeLessThan(200);
	});
});

const DAYS = ["2026-01-30", "2026-01-31", "2026-02-01", "2026-03-31"];
const aRequest = fc.record({
	day: fc.constantFrom(...DAYS),
	api_key_id: fc.constantFrom("key_1", "key_2"),
	model: fc.constantFrom("a", "b"),
	// Of a request whose process died it is 0: nobody knows it.
	latency_ms: fc.oneof(fc.nat(9_000), fc.constant(0)),
	firstTokenMs: fc.option(fc.nat(900)),
	ending: fc.constantFrom("settled" as const, "settled" as const, "refused" as const, "failed" as const),
});
type Request = typeof aRequest extends fc.Arbitrary<infer Of> ? Of : never;

function sumsOf(requests: readonly Request[]) {
	const sums = new TimeSums();
	for (const { ending, day, ...request } of requests) {
		if (ending === "settled") sums.addRequest({ ...request, created_at: `${day}T10:00:00.000Z` });
		else
			sums.add({
				...{ day, api_key_id: request.api_key_id, model: ending === "refused" ? "" : request.model },
				...{ ...NO_TIMES, [ending]: 1 },
			});
	}
	return sums.all();
}

describe("the sums of a range", () => {
	const COLUMNS: SumColumn[] = ["day", "model", "api_key"];
	const ranges = [
		{ since: "2026-01-01", until: "2026-12-31" },
		{ since: "2026-01-31", until: "2026-02-28" },
		{ since: "2026-02-01", until: "2026-02-01" },
	];

	it.each(COLUMNS)("by %s are those of its requests, of all keys and of some", (column) => {
		fc.assert(
			fc.property(
				fc.array(fc.array(aRequest, { maxLength: 12 }), { maxLength: 4 }),
				fc.constantFrom(...ranges),
				fc.constantFrom<string[] | null>(null, ["key_1"], ["key_1", "key_2"], []),
				(folds, range, apiKeyIds) => {
					const db = new DatabaseSync(":memory:");
					const { sql } = sqliteStorage(db);
					for (const step of METER_TABLES.steps) step(sql);
					const table = new TimeTable(sql);
					for (const requests of folds) table.add(sumsOf(requests));
					const counted = folds
						.flat()
						.filter(
							({ day, api_key_id }) =>
								day >= range.since && day <= range.until && (apiKeyIds?.includes(api_key_id) ?? true),
						);
					const nameOf = ({ day, api_key_id, model, ending }: Request) =>
						({ day, api_key: api_key_id, model: ending === "refused" ? "" : model })[column];
					const expected = [...Map.groupBy(counted, nameOf)].map(([name, same]) => {
						const settled = column === "api_key" ? [] : same.filter(({ ending }) => ending === "settled");
						return {
							name,
							latency: histogramOf(settled.map(({ latency_ms }) => latency_ms).filter((ms) => ms > 0)),
							firstToken: histogramOf(settled.flatMap(({ firstTokenMs }) => firstTokenMs ?? [])),
							refused: same.filter(({ ending }) => ending === "refused").length,
							failed: same.filter(({ ending }) => ending === "failed").length,
						};
					});
					const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
					expect(table.sumsBy(column, { ...range, apiKeyIds }).toSorted(byName)).toEqual(expected.toSorted(byName));
				},
			),
			{ numRuns: 60 },
		);
	});
});
