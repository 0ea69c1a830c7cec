// What a candidate costs, takes and is worth: reasoning and cached tokens count, and gain decides what a dearer model is for.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/catalog/schema.ts";
import type { EffortChoice } from "../../../src/catalog/vocabulary.ts";
import { MODES, type Mode } from "../../../src/routing/mode.ts";
import { rankModels } from "../../../src/routing/rank.ts";
import { computeExpectation, modeUtility, scoreExpectation, typicalAnswerTokens } from "../../../src/routing/score.ts";
import type { Signals } from "../../../src/routing/signals.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { selectionRequest, signalsFor } from "../../support/selection.ts";

const named = (id: string) => modelWhere(TEST_CATALOG, (model) => model.id === id);
const NOON = Date.parse("2026-11-22T12:00:00Z");

function expectation(
	model: Model,
	signals: Signals,
	{ effort = null as EffortChoice, maxTokens = 4_000, cachedTokens = 0, slowdown = 1 } = {},
) {
	const terms = { effort, maxTokens, cachedTokens, observation: { slowdown } };
	return computeExpectation(model, terms, {
		signals,
		nowMs: NOON,
		testEase: {},
		answerTokens: typicalAnswerTokens(signals),
	});
}

describe("the expected cost", () => {
	it("has the reasoning of an effort in it, within the output limit", () => {
		const ember = named("ember-budget");
		const signals = signalsFor("math", 2);
		const low = expectation(ember, signals, { effort: "minimal" });
		const high = expectation(ember, signals, { effort: "high" });
		// 100 tokens at 0.05 and 400 at 0.4 USD a million; three quarters of 4,000 are left for reasoning.
		expect(low.cost.totalNanoUsd).toBe(100 * 50 + 400 * 400);
		expect(high.cost.totalNanoUsd).toBe(100 * 50 + 3_400 * 400);
		expect(high.latencyMs).toBeGreaterThan(low.latencyMs);
		expect(high.quality).toBeGreaterThan(low.quality);
	});

	it("takes cached tokens at their price, and answers as long as the model writes them", () => {
		const apex = named("apex-frontier");
		const signals = signalsFor("chat", 1, { promptTokens: 10_000 });
		const cached = expectation(apex, signals, { cachedTokens: 9_000 });
		expect(cached.cost.inputNanoUsd).toBe(1_000 * 3_000 + 9_000 * 300);
		const wordy = expectation({ ...apex, answer_length: 2 }, signals);
		expect(wordy.cost.outputNanoUsd).toBe(2 * expectation(apex, signals).cost.outputNanoUsd);
	});

	it("expects a translation to be as long as its prompt", () => {
		expect(typicalAnswerTokens(signalsFor("translation", 1, { promptTokens: 5_000 }))).toBe(5_000);
		expect(typicalAnswerTokens(signalsFor("translation", 1, { promptTokens: 10 }))).toBe(300);
	});
});

describe("what was observed", () => {
	it("makes a slow model slower", () => {
		const signals = signalsFor("factual", 2);
		const apex = named("apex-frontier");
		const [plain, slow] = [expectation(apex, signals), expectation(apex, signals, { slowdown: 3 })];
		expect(slow.latencyMs / plain.latencyMs).toBeCloseTo(3, 2);
	});

	const rank = (observations: object, difficulty: 1 | 3 = 1, mode: Mode = "agility") =>
		rankModels(selectionRequest(TEST_CATALOG, signalsFor("factual", difficulty), { observations }), mode, null)
			.eligible;

	it("moves a slow model down where latency counts", () => {
		const quickest = rank({})[0]?.model.id ?? "";
		expect(rank({ slowdown: { [quickest]: 8 } })[0]?.model.id).not.toBe(quickest);
	});

	it("puts a failing model behind the others, thinks no worse of it, and leaves one alone that failed once", () => {
		for (const mode of ["quality", "balanced", "agility"] as const) {
			const before = rank({}, 3, mode);
			const first = before[0]?.model.id ?? "";
			expect(rank({ failure_share: { [first]: 0.24 } }, 3, mode)).toEqual(before);
			const after = rank({ failure_share: { [first]: 0.25 } }, 3, mode);
			const at = after.findIndex(({ model }) => model.id === first);
			const fit = after.filter(({ isBelowFloor }) => !isBelowFloor);
			expect(at).toBe(fit.length - 1);
			expect(after[at]).toEqual({ ...before[0], isFailing: true });
			const others = (ranked: typeof before) => ranked.filter(({ model }) => model.id !== first);
			expect(others(after)).toEqual(others(before));
		}
	});
});

describe("the score", () => {
	const cost = (totalNanoUsd: number) => ({ inputNanoUsd: 0, outputNanoUsd: totalNanoUsd, totalNanoUsd });
	const amount = fc.integer({ min: 1, max: 10 ** 9 });
	const time = fc.integer({ min: 1, max: 600_000 });
	const share = fc.double({ min: 0, max: 1, noNaN: true });

	it("is the quality at most, and never better for a higher price, a longer time or a lower quality", () => {
		fc.assert(
			fc.property(
				share,
				share,
				amount,
				amount,
				time,
				time,
				fc.constantFrom(...MODES),
				(q1, q2, c1, c2, t1, t2, mode) => {
					const better = { quality: Math.max(q1, q2), cost: cost(Math.min(c1, c2)), latencyMs: Math.min(t1, t2) };
					const worse = { quality: Math.min(q1, q2), cost: cost(Math.max(c1, c2)), latencyMs: Math.max(t1, t2) };
					expect(scoreExpectation(better, mode)).toBeGreaterThanOrEqual(scoreExpectation(worse, mode));
					expect(scoreExpectation(better, mode)).toBeLessThanOrEqual(better.quality + 5e-5);
				},
			),
		);
	});

	it("takes the dearer model exactly when its gain is worth the price", () => {
		for (const mode of MODES) {
			const { perPriceDoubling } = modeUtility(mode);
			const cheap = { quality: 0.5, cost: cost(100_000), latencyMs: 1_000 };
			const dear = (gain: number) => ({ quality: 0.5 + gain, cost: cost(1_600_000), latencyMs: 1_000 });
			expect(scoreExpectation(dear(4 * perPriceDoubling + 0.001), mode)).toBeGreaterThan(scoreExpectation(cheap, mode));
			expect(scoreExpectation(dear(4 * perPriceDoubling - 0.001), mode)).toBeLessThan(scoreExpectation(cheap, mode));
		}
	});

	it("never prefers under agility what is dearer and weaker than another, however fast it is", () => {
		const apex = named("apex-frontier");
		const better = named("ember-budget");
		const fast: Model = {
			...better,
			id: "fast-budget",
			prices: better.prices.map((price) => ({ ...price, input: 3 * price.input, output: 3 * price.output })),
			quality: { ...better.quality, general: 0.9 * better.quality.general, by_intent: {} },
			speed: {
				low_effort: { output_tokens_per_s: 5_000, ttft_s: 0.01 },
				high_effort: { output_tokens_per_s: 5_000, ttft_s: 0.01 },
			},
		};
		const catalog = { ...TEST_CATALOG, models: [fast, better, apex] };
		for (const level of [1, 2, 3] as const) {
			const { eligible } = rankModels(selectionRequest(catalog, signalsFor("chat", level)), "agility", null);
			const ids = eligible.map(({ model }) => model.id);
			expect(ids.indexOf("fast-budget"), ids.join()).toBe(ids.indexOf("ember-budget") + 1);
		}
	});

	it("pays for the dearest model where something is to be gained, and not for small talk, in every mode", () => {
		const apex = named("apex-frontier");
		const like = (id: string, general: number, input: number): Model => ({
			...apex,
			id,
			prices: apex.prices.map((price) => ({ ...price, input, output: 5 * input, cached_input: null })),
			quality: { general, by_intent: {}, low_effort_ratio: 1 },
		});
		const catalog = { ...TEST_CATALOG, models: [like("cheap", 0.38, 0.1), like("dear", 0.47, 2)] };
		const first = (mode: "quality" | "balanced" | "agility", signals: Signals) =>
			rankModels(selectionRequest(catalog, signals), mode, null).eligible[0]?.model.id;
		const smallTalk = signalsFor("chat", 1, { expectedDifficulty: 1.05 });
		const hard = signalsFor("reasoning", 3);
		expect((["quality", "balanced", "agility"] as const).map((mode) => first(mode, smallTalk))).toEqual([
			"cheap",
			"cheap",
			"cheap",
		]);
		expect((["quality", "balanced"] as const).map((mode) => first(mode, hard))).toEqual(["dear", "dear"]);
		const ordinary = signalsFor("factual", 2, { expectedDifficulty: 1.5 });
		expect([first("quality", ordinary), first("balanced", ordinary)]).toEqual(["dear", "cheap"]);
	});

	it("ranks what is far worse than the best behind all others, however cheap it is", () => {
		const { eligible } = rankModels(selectionRequest(TEST_CATALOG, signalsFor("reasoning", 3)), "balanced", null);
		const firstBelow = eligible.findIndex(({ isBelowFloor }) => isBelowFloor);
		expect(firstBelow).toBeGreaterThan(0);
		expect(eligible.slice(firstBelow).every(({ isBelowFloor }) => isBelowFloor)).toBe(true);
		const best = Math.max(...eligible.map(({ expectation: { quality } }) => quality));
		for (const { isBelowFloor, expectation: each } of eligible)
			expect(isBelowFloor).toBe(each.quality < best - modeUtility("balanced").floorGap);
	});
});
