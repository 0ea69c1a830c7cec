// Plain arithmetic is worked out exactly, and anything else is left alone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkArithmetic } from "../../../src/orchestration/arithmetic.ts";
import { runStrategy } from "../../../src/orchestration/continuation.ts";
import { STRATEGIES, STRATEGY } from "../../../src/orchestration/strategies.ts";
import { fakeEngine, task, toPanel } from "../../support/fake-engine.ts";

describe("a value", () => {
	it.each([
		["What is 17 * 23?", "391"],
		["what's 2+2", "4"],
		["Calculate (3 + 4) × 5 − 6 ÷ 4", "33.5"],
		["12,345 + 5", "12350"],
		["Was ist 2 ^ 3 ^ 2?", "512"],
		["Combien font -3 + 5 ?", "2"],
		["Сколько будет 10 / 4?", "2.5"],
		["15 × 4 は？", "60"],
		["What is 10/3?", "3.33"],
		["What is 10/3?", "3.333333333"],
		["What is 3 x 4?", "12"],
		["Compute 2 ** 10.", "1024"],
		["What is 0.1 + 0.2?", "0.3"],
	])("%j is %s", (prompt, value) => {
		expect(checkArithmetic(prompt, value)).toBe(true);
	});

	it.each([
		["What is 17 * 23?", "401"],
		["What is 10/3?", "3.3"],
		["What is 1/2?", "1"],
		["What is 0.1 + 0.2?", "0.4"],
		["What is -2^2?", "4"],
	])("%j is not %s", (prompt, value) => {
		expect(checkArithmetic(prompt, value)).toBe(false);
	});

	it.each([
		"What is 20% of 50 + 3?",
		"What is the square root of 16 + 9?",
		"What is 17 * 23 in binary?",
		"What is 5?",
		"A train takes 17 + 23 minutes. How long is that?",
		"What is 3 + 4 and 5 + 6?",
		"What is 1 / 0?",
		"What is 2 ^ 0.5?",
		"What is 9 ^ 9 ^ 9?",
		"What is (3 + 4?",
		"What is 1,5 + 2?",
		"What number am I thinking of?",
	])("of %j is nobody's to say", (prompt) => {
		expect(checkArithmetic(prompt, "42")).toBeNull();
	});

	it("is that of sums, differences and products of whole numbers", () => {
		const number = fc.bigInt({ min: 0n, max: 999_999n });
		const sign = fc.constantFrom("+", "-", "*");
		fc.assert(
			fc.property(number, sign, number, (a, by, b) => {
				const value = by === "+" ? a + b : by === "-" ? a - b : a * b;
				expect(checkArithmetic(`What is ${a} ${by} ${b}?`, String(value))).toBe(true);
				expect(checkArithmetic(`What is ${a} ${by} ${b}?`, String(value + 1n))).toBe(false);
			}),
		);
	});

	it("of any text is found or left alone, in linear time", () => {
		const noise = fc.string({ unit: fc.constantFrom("1", "9", "(", ")", "+", "-", "*", "/", "^", ".", ",", " ", "x") });
		fc.assert(fc.property(noise, (text) => void checkArithmetic(text, "1")));
		for (const part of ["(", "1+", "9^", "-", "1 "]) checkArithmetic(part.repeat(200_000), "1");
	});
});

describe("an answer whose value was checked", () => {
	const sum = task({ kind: "number", prompt: "What is 17 * 23?" });

	it.each(STRATEGIES)(
		"of %s has almost all confidence where it is right, and almost none where it is wrong",
		async (name) => {
			const rated = async (value: string) => {
				const engine = fakeEngine(({ json }) => (json ? "no JSON" : `Final answer: ${value}`));
				const result = await runStrategy(STRATEGY[name], sum, toPanel(["a", "b", "c"]), engine);
				return result.ok ? result.value : null;
			};
			expect(await rated("391")).toMatchObject({ confidence: 0.99, confidenceBasis: "verified" });
			expect(await rated("401")).toMatchObject({ confidence: 0.01, confidenceBasis: "verified" });
		},
	);
});
