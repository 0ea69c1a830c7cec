// Sums of a day that are compared: the meter's, those of its rows, and D1's.
import { describe, expect, it } from "vitest";
import { type DaySum, NO_COUNTS } from "../../../src/meter/day-sums.ts";
import { findSumDisagreements } from "../../../src/usage/account-check.ts";

const place = { day: "2026-11-21", api_key_id: "key_1", model: "m" };
const counts = { requests: 2, model_requests: 2, calls: 3, tokens: 10, input_tokens: 4, cost_nano_usd: 7 };
const sum: DaySum = { ...place, ...counts };
const other: DaySum = { ...sum, model: "n" };

describe("sums", () => {
	it("agree when every amount at every place is the same, in whatever order", () => {
		expect(findSumDisagreements([sum, other], [other, sum], [sum, other])).toEqual([]);
		expect(findSumDisagreements([], [], [])).toEqual([]);
	});

	it("agree whatever else D1 says of them", () => {
		expect(findSumDisagreements([sum], [sum], [{ ...sum, ...{ revision: 5 } }])).toEqual([]);
	});

	it.each(Object.keys(NO_COUNTS) as (keyof typeof NO_COUNTS)[])("disagree by one in %s, wherever", (name) => {
		const wrong = { ...counts, [name]: counts[name] + 1 };
		const changed = { ...sum, ...wrong };
		const sides = { sum: counts, rows: counts, database: counts };
		expect(findSumDisagreements([changed, other], [sum, other], [sum, other])).toEqual([
			{ ...place, ...sides, sum: wrong },
		]);
		expect(findSumDisagreements([sum, other], [changed, other], [sum, other])).toEqual([
			{ ...place, ...sides, rows: wrong },
		]);
		expect(findSumDisagreements([sum, other], [sum, other], [changed, other])).toEqual([
			{ ...place, ...sides, database: wrong },
		]);
	});

	it("disagree where one side does not have a place", () => {
		expect(findSumDisagreements([sum], [sum], [])).toEqual([{ ...place, sum: counts, rows: counts, database: null }]);
		expect(findSumDisagreements([], [sum], [])).toEqual([{ ...place, sum: null, rows: counts, database: null }]);
		expect(findSumDisagreements([], [], [sum])).toEqual([{ ...place, sum: null, rows: null, database: counts }]);
	});
});
