// What a call costs: the tier that applied for actual cost, the dearest for every worst case.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputTokens, outputTokens, priceUsage, priceWorstCase, type TokenUsage } from "../../../src/catalog/price.ts";
import type { Model } from "../../../src/catalog/schema.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";

function model(id: string): Model {
	return modelWhere(TEST_CATALOG, (candidate) => candidate.id === id);
}

function usage(part: Partial<TokenUsage>): TokenUsage {
	return { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, outputText: 0, reasoning: 0, ...part };
}

const PEAK = Date.parse("2026-11-21T02:00:00Z");
const OFF_PEAK = Date.parse("2026-11-21T12:00:00Z");

describe("the dearest price that an operator may write", () => {
	it("is exact for the longest prompt: pico-USD of it would not be", () => {
		const prices = [
			{ input: 100_000, output: 99_999.999999, cached_input: null, cache_write: null, effective_from: null, tiers: [] },
		];
		const dear = { ...model("pebble-budget"), prices };
		const tokens = 9_999_999;
		const cost = priceUsage(dear, usage({ uncachedInput: tokens, outputText: tokens }), PEAK);
		expect(cost.inputNanoUsd).toBe(tokens * 100_000_000);
		// 99,999,999,999 pico-USD a token, rounded up.
		expect(BigInt(cost.outputNanoUsd)).toBe((BigInt(tokens) * 99_999_999_999n + 999n) / 1_000n);
		expect(Number.isSafeInteger(3 * cost.totalNanoUsd)).toBe(true);
		expect(priceWorstCase(dear, tokens, tokens, PEAK)).toEqual(cost);
	});

	it("is nothing where it is 0", () => {
		const prices = [{ input: 0, output: 0, cached_input: null, cache_write: null, effective_from: null, tiers: [] }];
		const free = { ...model("pebble-budget"), prices };
		expect(priceUsage(free, usage({ uncachedInput: 9, outputText: 9 }), PEAK).totalNanoUsd).toBe(0);
		expect(priceWorstCase(free, 1e7, 1e7, PEAK).totalNanoUsd).toBe(0);
	});
});

describe("actual cost", () => {
	it("rounds input and output up separately", () => {
		// 0.02 USD per million tokens is 20 nano-USD a token.
		expect(priceUsage(model("pebble-budget"), usage({ uncachedInput: 3, outputText: 2 }), PEAK)).toEqual({
			inputNanoUsd: 60,
			outputNanoUsd: 40,
			totalNanoUsd: 100,
		});
		// A cached token of ember's is 2.5 nano-USD.
		expect(priceUsage(model("ember-budget"), usage({ cacheRead: 1 }), PEAK).inputNanoUsd).toBe(3);
		expect(priceUsage(model("ember-budget"), usage({ cacheRead: 2 }), PEAK).inputNanoUsd).toBe(5);
	});

	it("charges cached, written and reasoning tokens at their own rates, once", () => {
		const cost = priceUsage(
			model("summit-premium"),
			usage({ uncachedInput: 10, cacheRead: 20, cacheWrite: 30, outputText: 5, reasoning: 7 }),
			PEAK,
		);
		expect(cost.inputNanoUsd).toBe(10 * 2_000 + 20 * 200 + 30 * 2_500);
		expect(cost.outputNanoUsd).toBe(12 * 10_000);
	});

	it("charges what a cache keeps for an hour at twice the input rate", () => {
		const cost = priceUsage(model("summit-premium"), usage({ cacheWrite: 10, hourCacheWrite: 30 }), PEAK);
		expect(cost.inputNanoUsd).toBe(10 * 2_500 + 30 * 4_000);
		// They count as input for the tier, and cost twice the tier's rate.
		const long = priceUsage(model("summit-premium"), usage({ hourCacheWrite: 100_001 }), PEAK);
		expect(long.inputNanoUsd).toBe(100_001 * 20_000);
	});

	it("charges the whole call at the tier of its prompt length, cached tokens counted in", () => {
		const at = (uncachedInput: number, cacheRead: number) =>
			priceUsage(model("summit-premium"), usage({ uncachedInput, cacheRead, outputText: 1 }), PEAK);
		expect(at(100_000, 0)).toMatchObject({ inputNanoUsd: 100_000 * 2_000, outputNanoUsd: 10_000 });
		expect(at(100_001, 0)).toMatchObject({ inputNanoUsd: 100_001 * 10_000, outputNanoUsd: 50_000 });
		expect(at(1, 100_000)).toMatchObject({ inputNanoUsd: 10_000 + 100_000 * 1_000, outputNanoUsd: 50_000 });
	});

	it("follows the hours of a peak tariff", () => {
		const hourly = Array.from(
			{ length: 24 },
			(_, hour) =>
				priceUsage(model("tide-mid"), usage({ uncachedInput: 1 }), Date.UTC(2026, 10, 21, hour, 59)).inputNanoUsd,
		);
		const peak = hourly.flatMap((nano, hour) => (nano === 300 ? [hour] : []));
		expect(peak).toEqual([1, 2, 3, 6, 7, 8, 9]);
		expect(new Set(hourly)).toEqual(new Set([300, 150]));
	});

	it("follows a price that changes on a date", () => {
		const at = (time: string) =>
			priceUsage(model("prism-mid"), usage({ uncachedInput: 2 }), Date.parse(time)).inputNanoUsd;
		expect(at("2026-12-31T23:59:59.999Z")).toBe(1_500);
		expect(at("2027-01-01T00:00:00.000Z")).toBe(3_000);
	});
});

describe("a price with several tiers", () => {
	const flat = (input: number, output: number) => ({ input, output, cached_input: null, cache_write: null });
	const above = (above_input_tokens: number, input: number, output: number) => ({
		when: { above_input_tokens },
		...flat(input, output),
	});
	const between = (from: number, to: number, input: number, output: number) => ({
		when: { utc_hours: [[from, to]] as [number, number][] },
		...flat(input, output),
	});
	const priced = (...tiers: Model["prices"][number]["tiers"]): Model => ({
		...model("pebble-budget"),
		prices: [{ effective_from: null, ...flat(1, 1), tiers }],
	});
	const rateOf = (candidate: Model, input: number, atMs = OFF_PEAK) =>
		priceUsage(candidate, usage({ uncachedInput: input }), atMs).inputNanoUsd / input / 1_000;

	it("charges the whole call at the highest threshold it passes, in whatever order they are written", () => {
		const thresholds = [above(100_000, 2, 2), above(500_000, 8, 8), above(200_000, 4, 4)];
		for (const tiers of [thresholds, thresholds.toReversed(), thresholds.toSorted((a, b) => a.input - b.input)]) {
			const rates = [100_000, 100_001, 200_000, 200_001, 500_001].map((input) => rateOf(priced(...tiers), input));
			expect(rates).toEqual([1, 2, 2, 4, 8]);
		}
		// A longer prompt may be cheaper: the highest threshold holds, not the dearest.
		expect(rateOf(priced(above(100_000, 4, 4), above(200_000, 3, 3)), 300_000)).toBe(3);
	});

	it("charges the dearer of a length and an hour that both apply, for the tokens of the call", () => {
		const both = priced(above(100_000, 2, 2), between(10, 14, 3, 3), between(11, 13, 0.5, 0.5));
		expect(rateOf(both, 100_001)).toBe(3);
		expect(rateOf(both, 100_001, PEAK)).toBe(2);
		expect(rateOf(both, 10)).toBe(3);
		const apart = priced(above(100_000, 2, 9), between(10, 14, 3, 1));
		expect(rateOf(apart, 200_000)).toBe(3);
		expect(priceUsage(apart, usage({ uncachedInput: 200_000, outputText: 100_000 }), OFF_PEAK).outputNanoUsd).toBe(
			900_000_000,
		);
	});

	it("is held for at the dearest of all its rates, whichever may apply", () => {
		const candidate = priced(above(100_000, 2, 9), between(10, 14, 3, 1));
		expect(priceWorstCase(candidate, 1, 1, PEAK)).toMatchObject({ inputNanoUsd: 3_000, outputNanoUsd: 9_000 });
	});
});

describe("the worst case", () => {
	it("is never below the cost of any usage within its token bounds, at any hour", () => {
		const tokens = fc.integer({ min: 0, max: 400_000 });
		fc.assert(
			fc.property(
				fc.constantFrom(...TEST_CATALOG.models),
				fc.record({
					uncachedInput: tokens,
					cacheRead: tokens,
					cacheWrite: tokens,
					hourCacheWrite: fc.option(tokens, { nil: 0 }),
					outputText: tokens,
					reasoning: tokens,
				}),
				fc.date({ min: new Date("2026-01-01"), max: new Date("2027-06-01"), noInvalidDate: true }),
				fc.integer({ min: 0, max: 10 * 60_000 }),
				(candidate, used, reservedAt, laterMs) => {
					const worst = priceWorstCase(
						candidate,
						inputTokens(used),
						outputTokens(used),
						reservedAt.getTime(),
						used.hourCacheWrite > 0,
					);
					const actual = priceUsage(candidate, used, reservedAt.getTime() + laterMs);
					expect(actual.inputNanoUsd).toBeLessThanOrEqual(worst.inputNanoUsd);
					expect(actual.outputNanoUsd).toBeLessThanOrEqual(worst.outputNanoUsd);
					expect(Number.isSafeInteger(worst.totalNanoUsd)).toBe(true);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it("counts a cache that is kept for an hour only for a call that may write one", () => {
		const bound = (writesHourCache: boolean) =>
			priceWorstCase(model("summit-premium"), 1, 1, PEAK, writesHourCache).inputNanoUsd;
		expect([bound(false), bound(true)]).toEqual([12_500, 20_000]);
	});

	it("prices the dearest tier: long prompts, peak hours, cache writes", () => {
		expect(priceWorstCase(model("summit-premium"), 1, 1, PEAK)).toMatchObject({
			inputNanoUsd: 12_500,
			outputNanoUsd: 50_000,
		});
		expect(priceWorstCase(model("tide-mid"), 1, 1, OFF_PEAK)).toMatchObject({
			inputNanoUsd: 300,
			outputNanoUsd: 1_200,
		});
	});
});
