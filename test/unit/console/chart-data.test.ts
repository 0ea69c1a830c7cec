// What charts are drawn from: sums of series, and the values and labels of axes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { axisTicks, hasValues, labelledSteps, stackSeries, topValue } from "../../../src/console/chart-data.ts";

const line = (values: (number | null)[]) => ({ name: "", colour: 1, values });

describe("bars upon each other", () => {
	it("are as high as all of a step together", () => {
		const series = [line([1, 2]), line([3, null]), line([0, 5])];
		expect(stackSeries(series)).toEqual([
			[1, 2],
			[4, 2],
			[4, 7],
		]);
		expect(topValue({ kind: "bars", series })).toBe(7);
		expect(topValue({ kind: "lines", series })).toBe(5);
	});

	it("of nothing are nothing", () => {
		expect(hasValues({ series: [line([0, null])] })).toBe(false);
		expect(hasValues({ series: [] })).toBe(false);
		expect(topValue({ kind: "bars", series: [] })).toBe(0);
	});
});

describe("the values of an axis", () => {
	it("begin at 0, are at even distances, and reach the top by less than one of them", () => {
		const tops = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
		const property = fc.property(tops, fc.boolean(), (top, areWhole) => {
			const ticks = axisTicks(top, areWhole);
			const apart = (ticks[1] ?? 0) - (ticks[0] ?? 0);
			expect(ticks[0]).toBe(0);
			expect(ticks.length).toBeGreaterThanOrEqual(2);
			expect(ticks.length).toBeLessThanOrEqual(6);
			const last = ticks.at(-1) ?? 0;
			expect(last).toBeGreaterThanOrEqual(top * (1 - 1e-6));
			expect(last - apart).toBeLessThan(top);
			if (areWhole) expect(ticks.every(Number.isInteger)).toBe(true);
		});
		fc.assert(property, { numRuns: 500 });
	});

	it("are those that people count in", () => {
		expect(axisTicks(7, true)).toEqual([0, 2, 4, 6, 8]);
		expect(axisTicks(1, true)).toEqual([0, 1]);
		expect(axisTicks(0.9, false)).toEqual([0, 0.25, 0.5, 0.75, 1]);
		expect(axisTicks(0, false)).toEqual([0, 1]);
	});
});

it("labels stand at even distances, from the first step on", () => {
	expect(labelledSteps(30, 8)).toEqual([0, 4, 8, 12, 16, 20, 24, 28]);
	expect(labelledSteps(3, 8)).toEqual([0, 1, 2]);
	expect(labelledSteps(0, 8)).toEqual([]);
});
