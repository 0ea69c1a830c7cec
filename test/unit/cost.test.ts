// What a call costs: the tier that applied for actual cost, the dearest for every worst case.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costOf, inputTokens, outputTokens, type TokenUsage, worstCaseOf } from "../../src/catalog/price.ts";
import type { Model } from "../../src/catalog/schema.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";

function model(id: string): Model {
	const found = CATALOG.findModel(id);
	if (!found) throw new Error(id);
	return found;
}

function usage(part: Partial<TokenUsage>): TokenUsage {
	return { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, outputText: 0, reasoning: 0, ...part };
}

const PEAK = Date.parse("2026-11-21T02:00:00Z");
const OFF_PEAK = Date.parse("2026-11-21T12:00:00Z");

describe("actual cost", () => {
	it("rounds input and output up separately", () => {
		// 0.02 USD per million tokens is 20 nano-USD a token; gpt-5-nano's cached input is 5.
		expect(costOf(model("llama-3.2-3b-instruct"), usage({ uncachedInput: 3, outputText: 2 }), PEAK)).toEqual({
			inputNanoUsd: 60,
			outputNanoUsd: 40,
			totalNanoUsd: 100,
		});
		// deepseek-flash off-peak: 3 nano-USD a cached token, none of it fractional; gpt-oss cached: 75.
		expect(costOf(model("deepseek-flash"), usage({ cacheRead: 1 }), OFF_PEAK).inputNanoUsd).toBe(3);
	});

	it("charges cached, written and reasoning tokens at their own rates, once", () => {
		const cost = costOf(
			model("gpt-6-sol"),
			usage({ uncachedInput: 10, cacheRead: 20, cacheWrite: 30, outputText: 5, reasoning: 7 }),
			PEAK,
		);
		expect(cost.inputNanoUsd).toBe(10 * 2_000 + 20 * 200 + 30 * 2_500);
		expect(cost.outputNanoUsd).toBe(12 * 10_000);
	});

	it("charges the whole call at the tier of its prompt length, cached tokens counted in", () => {
		const at = (uncachedInput: number, cacheRead: number) =>
			costOf(model("claude-haiku-5-5"), usage({ uncachedInput, cacheRead, outputText: 1 }), PEAK);
		expect(at(100_000, 0)).toMatchObject({ inputNanoUsd: 100_000 * 100, outputNanoUsd: 500 });
		expect(at(100_001, 0)).toMatchObject({ inputNanoUsd: 100_001 * 500, outputNanoUsd: 2_500 });
		expect(at(1, 100_000)).toMatchObject({ inputNanoUsd: 500 + 100_000 * 50, outputNanoUsd: 2_500 });
	});

	it("follows the hours of a peak tariff", () => {
		const flash = model("deepseek-flash");
		const hourly = Array.from(
			{ length: 24 },
			(_, hour) => costOf(flash, usage({ uncachedInput: 1 }), Date.UTC(2026, 10, 21, hour, 59)).inputNanoUsd,
		);
		const peak = hourly.flatMap((nano, hour) => (nano === 300 ? [hour] : []));
		expect(peak).toEqual([1, 2, 3, 6, 7, 8, 9]);
		expect(new Set(hourly)).toEqual(new Set([300, 150]));
	});

	it("follows a price that changes on a date", () => {
		const at = (time: string) =>
			costOf(model("gemini-3.8-flash"), usage({ uncachedInput: 2 }), Date.parse(time)).inputNanoUsd;
		expect(at("2026-12-31T23:59:59.999Z")).toBe(1_500);
		expect(at("2027-01-01T00:00:00.000Z")).toBe(3_000);
	});
});

describe("the worst case", () => {
	it("is never below the cost of any usage within its token bounds, at any hour", () => {
		const tokens = fc.integer({ min: 0, max: 400_000 });
		fc.assert(
			fc.property(
				fc.constantFrom(...CATALOG.models),
				fc.record({
					uncachedInput: tokens,
					cacheRead: tokens,
					cacheWrite: tokens,
					outputText: tokens,
					reasoning: tokens,
				}),
				fc.date({ min: new Date("2026-01-01"), max: new Date("2027-06-01"), noInvalidDate: true }),
				fc.integer({ min: 0, max: 10 * 60_000 }),
				(candidate, used, reservedAt, laterMs) => {
					const worst = worstCaseOf(candidate, inputTokens(used), outputTokens(used), reservedAt.getTime());
					const actual = costOf(candidate, used, reservedAt.getTime() + laterMs);
					expect(actual.inputNanoUsd).toBeLessThanOrEqual(worst.inputNanoUsd);
					expect(actual.outputNanoUsd).toBeLessThanOrEqual(worst.outputNanoUsd);
					expect(Number.isSafeInteger(worst.totalNanoUsd)).toBe(true);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it("prices the dearest tier: long prompts, peak hours, cache writes", () => {
		expect(worstCaseOf(model("claude-haiku-5-5"), 1, 1, PEAK)).toMatchObject({
			inputNanoUsd: 625,
			outputNanoUsd: 2_500,
		});
		expect(worstCaseOf(model("deepseek-flash"), 1, 1, OFF_PEAK)).toMatchObject({
			inputNanoUsd: 300,
			outputNanoUsd: 1_200,
		});
	});
});
