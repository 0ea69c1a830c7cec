// The benchmark's arithmetic on what it measured: percentiles, rounds, memory growth.
import { describe, expect, it } from "vitest";
import { growthMibPer1000Requests, median, medianRatio, percentile, slope, summarizeRounds } from "./statistics.ts";

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
		expect(growthMibPer1000Requests(samples((requests) => 100 + requests / 2000))).toBeCloseTo(0.5);
	});

	it("leaves out the first half, in which caches fill", () => {
		expect(growthMibPer1000Requests(samples((requests) => Math.min(requests, 10_000) / 100))).toBeCloseTo(0);
	});

	it("sees a leak that starts late", () => {
		expect(growthMibPer1000Requests(samples((requests) => Math.max(0, requests - 10_000) / 1000))).toBeCloseTo(1);
	});
});

describe("rounds", () => {
	const round = (requests: number, medianMs: number, cpuMs: number | null = null) => ({
		requests,
		elapsedMs: 1000,
		medianMs,
		p95Ms: 2 * medianMs,
		medianFirstDeltaMs: null,
		cpuMs,
	});

	it("are summed up by their medians, so that one disturbed round decides nothing", () => {
		const summary = summarizeRounds([round(100, 10, 3), round(9, 90, 8), round(110, 9, 2)]);
		expect(summary).toMatchObject({ requests: 219, medianMs: 10, p95Ms: 20, requestsPerSecond: 100, cpuMs: 3 });
		expect(summary.roundsRequestsPerSecond).toEqual([100, 9, 110]);
	});

	it("say nothing of first deltas where nothing was streamed, nor of CPU time that is not known", () => {
		expect(summarizeRounds([round(1, 1), round(1, 1)])).toMatchObject({ medianFirstDeltaMs: null, cpuMs: null });
	});

	it("are set beside the round that ran next to them: a slow minute slows both", () => {
		const bare = [round(1000, 1, 0.5), round(100, 10, 0.5), round(1000, 1, 0.5)];
		const svc = [round(250, 4, 1), round(25, 40, 2), round(250, 4, 1)];
		expect(medianRatio(svc, bare)).toEqual({ throughput: 0.25, cpu: 2 });
	});

	it("have no ratio of CPU times where one is not known", () => {
		expect(medianRatio([round(1, 1)], [round(2, 1, 0.5)])).toEqual({ throughput: 0.5, cpu: null });
	});
});
