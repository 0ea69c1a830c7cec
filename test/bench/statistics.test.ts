// The benchmark's arithmetic on what it measured: percentiles, comparison, memory growth.
import { describe, expect, it } from "vitest";
import { compare, growthOf, median, percentile, slope, summarize } from "./statistics.ts";

const MIB = 1_048_576;

describe("percentiles", () => {
	it("are values that were measured, by nearest rank, whatever their order", () => {
		const values = [40, 10, 30, 20, 50];
		expect(median(values)).toBe(30);
		expect(percentile(values, 0.95)).toBe(50);
		expect(percentile(values, 0)).toBe(10);
		expect(percentile([7], 0.5)).toBe(7);
	});
});

describe("slope", () => {
	it("is the rise of a straight line, wherever it starts", () => {
		expect(
			slope([
				[0, 5],
				[1, 7],
				[4, 13],
			]),
		).toBeCloseTo(2);
	});

	it("is the least-squares line of scattered points", () => {
		// Anscombe's first data set: y = 3 + 0.5 x.
		const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
		const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
		expect(slope(x.map((value, index) => [value, y[index] ?? Number.NaN]))).toBeCloseTo(0.5, 3);
	});

	it("is unknown where there is no line", () => {
		expect(slope([])).toBeNaN();
		expect(slope([[1, 1]])).toBeNaN();
	});
});

describe("memory growth", () => {
	const samples = (mibAt: (requests: number) => number) =>
		Array.from({ length: 21 }, (_, step) => ({ requests: step * 1000, residentBytes: mibAt(step * 1000) * MIB }));

	it("is told in MiB per 1,000 requests", () => {
		expect(growthOf(samples((requests) => 100 + requests / 2000))).toBeCloseTo(0.5);
	});

	it("leaves out the first half, in which caches fill", () => {
		expect(growthOf(samples((requests) => Math.min(requests, 10_000) / 100))).toBeCloseTo(0);
	});

	it("sees a leak that starts late", () => {
		expect(growthOf(samples((requests) => Math.max(0, requests - 10_000) / 1000))).toBeCloseTo(1);
	});
});

describe("rounds", () => {
	const round = (latenciesMs: number[], elapsedMs: number, firstDeltasMs: number[] = []) => ({
		latenciesMs,
		firstDeltasMs,
		elapsedMs,
	});

	it("are pooled: a longer round weighs more", () => {
		const summary = summarize([round([1, 2, 3], 1000), round([4], 3000)]);
		expect(summary).toMatchObject({ requests: 4, medianMs: 2, p95Ms: 4, requestsPerSecond: 1 });
		expect(summary.roundsRequestsPerSecond).toEqual([3, 1 / 3]);
		expect(summary.medianFirstDeltaMs).toBeNull();
	});

	it("set the service beside the bare Worker", () => {
		const comparison = compare(16, [round([10, 10], 1000, [4, 4])], [round([25], 1000, [11])]);
		expect(comparison).toMatchObject({
			connections: 16,
			throughputRatio: 0.5,
			addedMedianMs: 15,
			addedMedianFirstDeltaMs: 7,
		});
	});

	it("say nothing of first deltas where nothing was streamed", () => {
		expect(compare(1, [round([1], 1)], [round([2], 1)]).addedMedianFirstDeltaMs).toBeNull();
	});
});
