// Expected quality: from a model's figures, by intent and difficulty; what is not known counts as the general figure.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/catalog/schema.ts";
import { INTENTS } from "../../../src/catalog/vocabulary.ts";
import { curveAt, expectedQuality, fromLogit, toLogit, unknownFigures } from "../../../src/routing/quality.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { signalsFor } from "../../support/selection.ts";

const base = modelWhere(TEST_CATALOG, ({ id }) => id === "apex-frontier");

function withQuality(general: number, byIntent: Model["quality"]["by_intent"] = {}): Model {
	return { ...base, quality: { general, by_intent: byIntent, low_effort_ratio: 1 } };
}

const facts = (chars: number) => ({ ...signalsFor("chat", 1).facts, chars });
const figure = fc.double({ min: 0.02, max: 0.98, noNaN: true });
const level = fc.constantFrom(1 as const, 2 as const, 3 as const);
const intent = fc.constantFrom(...INTENTS);

describe("expected quality", () => {
	it("falls as prompts get harder", () => {
		const at = (each: 1 | 2 | 3) => expectedQuality(withQuality(0.4), 1, signalsFor("factual", each), {});
		expect(at(1)).toBeGreaterThan(at(2));
		expect(at(2)).toBeGreaterThan(at(3));
	});

	it("differs between models as recorded answers do: little on an easy prompt, much on a hard one", () => {
		const gap = (expectedDifficulty: number, weak: number, strong: number) => {
			const signals = signalsFor("factual", 2, { expectedDifficulty });
			const of = (share: number) => expectedQuality(withQuality(share), 1, signals, {});
			return of(strong) - of(weak);
		};
		// The thirds of RouteLLM's MMLU by expected difficulty gain 0.07, 0.13 and 0.21 (Mixtral 8x7B and GPT-4).
		expect(gap(1.67, 0.16, 0.42)).toBeCloseTo(0.17, 1);
		expect(gap(2.1, 0.16, 0.42)).toBeCloseTo(0.25, 1);
		expect(gap(1.1, 0.38, 0.47)).toBeLessThan(0.025);
		expect(gap(2, 0.38, 0.47)).toBeGreaterThan(0.07);
	});

	it("stays between 0 and 1, and a better figure is never a worse expectation", () => {
		fc.assert(
			fc.property(figure, figure, intent, level, fc.nat(100_000), (a, b, about, hard, chars) => {
				const signals = signalsFor(about, hard, { facts: facts(chars) });
				const [low, high] = [Math.min(a, b), Math.max(a, b)].map((each) =>
					expectedQuality(withQuality(0.3, { [about]: each }), 1, signals, {}),
				);
				expect(low).toBeGreaterThan(0);
				expect(high).toBeLessThan(1);
				expect(high).toBeGreaterThanOrEqual(low ?? 1);
			}),
		);
	});

	it("weighs the figures by the probabilities of the intents, and tools as half of the work", () => {
		const model = withQuality(0.3, { code: 0.6, math: 0.2, tools: 0.5 });
		const of = (about: "code" | "math") => expectedQuality(model, 1, signalsFor(about, 3), {});
		const { probabilities } = signalsFor("code", 3);
		const both = signalsFor("code", 3, { probabilities: { ...probabilities, code: 0.25, math: 0.75 } });
		expect(expectedQuality(model, 1, both, {})).toBeCloseTo(0.25 * of("code") + 0.75 * of("math"), 10);
		const withTools = expectedQuality(model, 1, signalsFor("code", 3, { hasTools: true }), {});
		expect(withTools).toBeLessThan(of("code"));
		expect(withTools).toBeGreaterThan(of("math"));
	});

	it("takes the general figure where there is none, at the scale of the intent's own test", () => {
		const known = withQuality(0.3, { code: fromLogit(toLogit(0.3) + 0.7) });
		const unknown = withQuality(0.3);
		const signals = signalsFor("code", 2);
		expect(expectedQuality(known, 1, signals, { code: 0.7 })).toBeCloseTo(expectedQuality(unknown, 1, signals, {}), 10);
		expect(unknownFigures(unknown, { intents: ["code", "chat"], hasTools: true })).toEqual(["code", "chat", "tools"]);
		expect(unknownFigures(known, { intents: ["code"], hasTools: false })).toEqual([]);
	});

	it("is less at a low effort, by the model's own ratio", () => {
		const model = { ...base, quality: { general: 0.6, by_intent: {}, low_effort_ratio: 0.5 } };
		const signals = signalsFor("factual", 3);
		expect(expectedQuality(model, 0, signals, {})).toBeCloseTo(expectedQuality(withQuality(0.3), 1, signals, {}), 10);
	});
});

describe("the curve of quality", () => {
	it("asks more of a figure the harder a prompt is, within the difficulties that there are", () => {
		const at = (expectedDifficulty: number) => curveAt({ expectedDifficulty });
		expect(at(2).base).toBeLessThan(at(1).base);
		expect(at(2).slope).toBeGreaterThan(at(1).slope);
		expect(at(0)).toEqual(at(1));
		expect(at(9)).toEqual(at(3));
	});
});
