// Sums of days, read through those of months and of whole days, against sums that are added up one by one.
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addCounts, coverDays, type DaySum, listDays, NO_COUNTS } from "../../../src/meter/day-sums.ts";
import { FoldTable, type SumColumn, type SumRange } from "../../../src/meter/fold-table.edge.ts";
import { METER_TABLES } from "../../../src/meter/meter-tables.ts";
import { sqliteStorage } from "../../support/sqlite-storage.ts";

const EMPTY_FOLD = { changed: 0, floor: 0, open: [], windows: null, totals: [], unsent: { places: [], days: [] } };

function tableOf(folds: readonly DaySum[][]): FoldTable {
	const { sql } = sqliteStorage(new DatabaseSync(":memory:"));
	for (const step of METER_TABLES.steps) step(sql);
	const table = new FoldTable(sql);
	for (const daySums of folds) table.write(EMPTY_FOLD, { keyWindows: [], keySpending: [], daySums });
	return table;
}

const aDay = fc
	.integer({ min: 0, max: 430 })
	.map((days) => new Date(Date.UTC(2025, 10, 20) + days * 86_400_000).toISOString().slice(0, 10));
const aSum: fc.Arbitrary<DaySum> = fc
	.record({ day: aDay, api_key_id: fc.constantFrom("key_a", "key_b", "key_c"), model: fc.constantFrom("m", "n") })
	.chain((place) =>
		fc.nat(9).map((n) => ({ ...place, ...NO_COUNTS, requests: n % 3, calls: n, tokens: n * 7, cost_nano_usd: n * 11 })),
	);
const someFolds = fc.array(fc.array(aSum, { maxLength: 12 }), { maxLength: 8 });
const aRange: fc.Arbitrary<SumRange> = fc
	.tuple(aDay, aDay, fc.constantFrom(null, ["key_a"], ["key_a", "key_c", "key_x"]))
	.map(([a, b, apiKeyIds]) => ({ since: a < b ? a : b, until: a < b ? b : a, apiKeyIds }));

function isIn({ day, api_key_id }: DaySum, { since, until, apiKeyIds }: SumRange): boolean {
	return day >= since && day <= until && (apiKeyIds === null || apiKeyIds.includes(api_key_id));
}

function sumOneByOne(folds: readonly DaySum[][], column: SumColumn, range: SumRange) {
	const sums = new Map<string, typeof NO_COUNTS>();
	for (const sum of folds.flat().filter((each) => isIn(each, range))) {
		const name = { day: sum.day, api_key: sum.api_key_id, model: sum.model }[column];
		sums.set(name, addCounts(sums.get(name) ?? NO_COUNTS, sum));
	}
	return [...sums].map(([name, counts]) => ({ name, ...counts })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

describe("folded sums", () => {
	it.each<SumColumn>(["day", "api_key", "model"])("by %s are those of their days", (column) => {
		const property = fc.property(someFolds, aRange, (folds, range) => {
			const found = tableOf(folds).sumsBy(column, range);
			const rows = found.map((row) => ({ ...row })).sort((a, b) => (a.name < b.name ? -1 : 1));
			expect(rows).toEqual(sumOneByOne(folds, column, range));
		});
		fc.assert(property, { numRuns: 150 });
	});

	it("tell the newest day with a model's and some keys' requests", () => {
		const property = fc.property(
			someFolds,
			aRange,
			fc.constantFrom(undefined, "m", "n", "o"),
			(folds, range, model) => {
				const days = folds
					.flat()
					.filter((sum) => isIn(sum, range) && sum.requests > 0 && (model === undefined || sum.model === model))
					.map(({ day }) => day);
				expect(tableOf(folds).newestDay(range, model)).toBe(days.sort().at(-1) ?? null);
			},
		);
		fc.assert(property, { numRuns: 300 });
	});
});

describe("the cover of a range of days", () => {
	it("has each day once, whole months as one", () => {
		const property = fc.property(aRange, ({ since, until }) => {
			const days = coverDays(since, until).flatMap((part) =>
				part.length === 10 ? part : listDays(`${part}-01`, `${part}-31`).filter((day) => day.startsWith(part)),
			);
			expect(days).toEqual(listDays(since, until));
		});
		fc.assert(property, { numRuns: 200 });
	});

	it("is short for a year", () => {
		expect(coverDays("2025-11-26", "2026-11-25")).toHaveLength(5 + 11 + 25);
	});
});
