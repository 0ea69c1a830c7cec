// Final answers, agreement and confidence: what counts as the same, and how sure that makes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Relation } from "../../../src/orchestration/agreement.ts";
import { detectAnswerKind } from "../../../src/orchestration/answer-kind.ts";
import { meanConfidence, supportFor, withVerdict } from "../../../src/orchestration/confidence.ts";
import { type AnswerKind, findFinalAnswer, normalizeAnswer } from "../../../src/orchestration/final-answer.ts";
import { toTask } from "../../../src/orchestration/request.ts";
import { comparisonOf } from "../../support/fake-engine.ts";
import { NONCE } from "../../support/nonce.ts";

/** The kind of answer that a conversation of one message asks for. */
function kindFor(prompt: string): AnswerKind {
	return detectAnswerKind(prompt, toTask({ messages: [{ role: "user", content: prompt }] }, NONCE).signals);
}

describe("the final answer of a text", () => {
	it.each<[string, AnswerKind, string | null]>([
		["We add.\nFinal answer: 1,234.50", "any", "1234.5"],
		["**Final Answer:** $42", "number", "42"],
		["so 17 + 25 = 42\n#### 42", "number", "42"],
		["Therefore \\boxed{\\text{Paris}}", "any", "paris"],
		["…\\boxed{\\frac{1}{2}} as claimed", "any", "0.5"],
		["The answer is (C).", "choice", "C"],
		["I think B, but on reflection the answer is D. Because…", "choice", "D"],
		["C", "any", "C"],
		["Paris.", "any", "paris"],
		["Henry walked 20 miles and then 5 more, so he walked 25 miles in all.", "number", "25"],
		["He walked 25 miles in all, which is a long way for one who is not used to it at his age.", "any", null],
		["Final answer: 3/4", "number", "0.75"],
		["Final answer: −7 °C", "any", "-7"],
		["So it is 210.\nA: 210\n", "number", "210"],
		[
			"Q: Why do you stay?\nA: I like the sea.\n\nSo he said, and went on to tell us of the storms of his youth.",
			"any",
			null,
		],
		["", "any", null],
		["I cannot say.\nFinal answer: ", "number", null],
		["The correct option is B. I hope this helps.", "choice", "B"],
		["So we choose (C).\nA good day to you.", "choice", "C"],
		["Final answer: C because A is wrong", "choice", "C"],
		["Final answer: **(D)**, I think", "choice", "D"],
		["正确答案是 B。", "choice", "B"],
		["\\boxed{\\textbf{(C) }}", "choice", "C"],
		["答案是42。", "number", "42"],
		["Final answer: 12 (not 10)", "number", "12"],
		["Final answer: 1,5", "number", "1.5"],
		["Final answer: 5 apples, since 3 + 2 = 5", "number", "5"],
		["#### 17 boys are in the third class", "number", "17"],
		["#### 4, 6", "number", "4 6"],
		["Final answer:\n```\n42\n```", "number", "42"],
		["so the area is 20 cm^2.", "number", "20"],
		["so the total is 1.5e3", "number", "1500"],
		["it costs .75 dollars", "number", "0.75"],
		["light travels at 3.0 × 10^8 m/s", "number", "300000000"],
		["The answer is \\( \\frac{3}{4} \\).", "any", "0.75"],
		["Final answer: ***", "number", null],
		["print(f'Final answer: {fib(10)}')\n# 55", "none", null],
	])("%j, asked for %s, is %j", (text, kind, expected) => {
		expect(findFinalAnswer(text, kind)).toBe(expected);
	});

	it.each([
		["5 million", "5,000,000"],
		["$3.2 million", "3200000"],
		["two thousand", "Two thousand."],
		["2 dozen", "24"],
		["1\\frac{1}{2}", "1½"],
		["1 1/2", "1.5"],
		["½", "\\frac12"],
		["-\\frac{3}{4}", "\\dfrac{-3}{4}"],
		[".5", "0.50"],
		["-.5", "−0.5"],
		["-$5", "-5 dollars"],
		["1{,}000", "1\\,000"],
		["1 000 000", "1.000.000"],
		["1.234,5", "1234.5"],
		["₹1,00,000", "100000"],
		["USD 5", "€5"],
		["3.2 \\times 10^{5}", "3.2e5"],
		["2 × 10⁻³", "0.002"],
		["10^5", "100,000"],
		["20 cm²", "20 cm^2"],
		["9.8 m/s^2", "9.8"],
		["45^\\circ", "45°"],
		["10\\text{ cm}", "10"],
		["50\\%", "50 percent"],
		["٤٢", "４２"],
		["$x=5$", "5"],
		["Option C", "\\textbf{(C)}"],
		["\\sqrt{2}", "√2"],
		["3\\pi", "3π"],
		["2^{10}", "2^10"],
		["GPT-4.1.", "gpt-4.1"],
		["0.545454545454545454545", "6/11"],
	])("%j says what %j does", (one, other) => {
		expect(normalizeAnswer(one)).toBe(normalizeAnswer(other));
	});

	it.each([
		["3 million", "3 billion"],
		["3 million", "3"],
		["5", ".5"],
		["1\\frac{1}{2}", "11/2"],
		["2x", "2y"],
		["2x", "2"],
		["2\\pi", "2"],
		["5k", "5"],
		["1.5", "1,5"],
		["10-5", "10"],
		["version 2.1", "version 21"],
		["12345678901234567890", "12345678901234567891"],
	])("%j does not say what %j does", (one, other) => {
		expect(normalizeAnswer(one)).not.toBe(normalizeAnswer(other));
	});

	it("is the same however it is written", () => {
		for (const written of ["42", "42.0", "$42", "42 apples", " **42** ", "+42", "42."])
			expect(normalizeAnswer(written)).toBe("42");
		for (const written of ["The Eiffel Tower", "eiffel tower.", "**Eiffel Tower**"])
			expect(normalizeAnswer(written)).toBe("eiffel tower");
		for (const written of ["B", "b", "(B)", "B.", "B) Flash memory"]) expect(normalizeAnswer(written)).toBe("B");
	});

	it("never throws, and of a number loses nothing", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: "grapheme" }),
				fc.constantFrom<AnswerKind>("any", "number", "choice"),
				(text, kind) => void findFinalAnswer(text, kind),
			),
		);
		fc.assert(
			fc.property(fc.integer(), (value) => {
				expect(normalizeAnswer(`$${value}.00`)).toBe(String(value));
				expect(normalizeAnswer(`${value / 1_000} thousand`)).toBe(String(value));
			}),
		);
	});

	it("is found in a flood of white space as well", () => {
		for (const piece of ["1,23", "1 ", "(", "A ", "\\frac{", "1e", "10^", "1/", "1.234", "٤", "x=", "\\sqrt("])
			for (const kind of ["any", "number", "choice"] as const)
				expect(findFinalAnswer(piece.repeat(100_000), kind)).not.toBe("");
		expect(findFinalAnswer(`${"\n".repeat(500_000)}Final answer:${" ".repeat(3_000)}4`, "any")).toBe("4");
		expect(kindFor("\n".repeat(500_000))).toBe("none");
		expect(kindFor("0 ".repeat(500_000))).toBe("none");
		for (const piece of [" ", "\n", "a? ", "1. ", "- a\n", ". and ", "(a) ", "¿", "a", "what is the "])
			kindFor(piece.repeat(20_000));
	});

	it.each<[string, AnswerKind]>([
		["How many apples are left?", "number"],
		["Which one?\nA. red\nB. green\nC. blue", "choice"],
		["Wie viele Äpfel sind übrig?", "number"],
		["小明还有多少个苹果？", "number"],
		["Сколько яблок осталось?", "number"],
		["下面哪一个？\nA、红\nB、绿", "choice"],
		["Écris sur les fleuves et leurs villes.", "none"],
		["Write about rivers.", "none"],
		["In which year did the Thirty Years' War end?", "any"],
		["Write a Python function that returns how many vowels a word has.", "none"],
		["Translate into German: how many apples are left?", "none"],
		["Why do apples float? Explain it to a child.", "none"],
		['How many are 3 apples and 4 apples? Answer as JSON: {"sum": number}', "none"],
		["What is 17 + 25?", "number"],
	])("%j asks for %s", (prompt, kind) => {
		expect(kindFor(prompt)).toBe(kind);
	});
});

/** Of sums of floating-point numbers. */
const ROUNDING = 1e-12;

describe("confidence", () => {
	const voice = (answer: string, quality: number) => ({ text: `Final answer: ${answer}`, quality, isCut: false });

	it("in a lone answer is what is expected of its model, and half of it in one that was cut", () => {
		const lone = voice("4", 0.7);
		expect(supportFor(lone, [lone], comparisonOf("any"))).toEqual({ confidence: 0.7, confidenceBasis: "prior" });
		const cut = { ...lone, isCut: true };
		expect(supportFor(cut, [cut], comparisonOf("any")).confidence).toBe(0.35);
	});

	it("counts a compatible answer half, and one that nobody compared like one that contradicts", () => {
		const [first, second] = [voice("one long answer", 0.6), voice("another long answer", 0.6)];
		const unknown = comparisonOf("any");
		const support = (relation: Relation) =>
			supportFor(
				first,
				[first, second],
				unknown.withVerdicts([first, second], () => relation),
			).confidence.toFixed(3);
		expect(supportFor(first, [first, second], unknown).confidence.toFixed(3)).toBe("0.444");
		expect((["contradicting", "unknown", "compatible", "same"] as const).map(support)).toEqual([
			"0.444",
			"0.444",
			"0.689",
			"0.766",
		]);
	});

	it("rises to 0.95 by others that say the same, and no further, unless one model alone deserves more", () => {
		const panel = (quality: number) => Array.from({ length: 6 }, () => ({ text: "4", isCut: false, quality }));
		const confidence = (answers: ReturnType<typeof panel>) => {
			const [first] = answers;
			return first && supportFor(first, answers, comparisonOf("number")).confidence;
		};
		expect(confidence(panel(0.8))).toBe(0.95);
		expect(confidence(panel(0.97))).toBe(0.97);
	});

	it("in two models of quality 0.6 that agree is nearer to the recorded share than to that of models which err independently", () => {
		const [one, other] = [voice("4", 0.6), voice("4", 0.6)];
		const { confidence } = supportFor(one, [one, other], comparisonOf("any"));
		expect(confidence).toBeGreaterThan(0.7);
		expect(confidence).toBeLessThan(0.8);
	});

	it("grows with every supporter and falls with every dissenter", () => {
		const at = (first: ReturnType<typeof voice>, ...voices: ReturnType<typeof voice>[]) =>
			supportFor(first, [first, ...voices], comparisonOf("any")).confidence;
		const lone = at(voice("4", 0.6));
		const two = at(voice("4", 0.6), voice("4", 0.6));
		expect(two).toBeGreaterThan(lone);
		expect(at(voice("4", 0.6), voice("4", 0.6), voice("4", 0.6))).toBeGreaterThan(two);
		expect(at(voice("4", 0.6), voice("4", 0.6), voice("5", 0.6))).toBeLessThan(two);
		expect(at(voice("4", 0.6), voice("4", 0.6), voice("5", 0.9))).toBeLessThan(
			at(voice("4", 0.6), voice("4", 0.6), voice("5", 0.3)),
		);
	});

	it("is a share whatever goes in", () => {
		const share = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(
				fc.array(fc.record({ text: fc.string(), quality: share, isCut: fc.boolean() }), { minLength: 1 }),
				fc.nat(),
				share,
				(voices, at, verdict) => {
					const [first] = voices;
					const accepted = voices[at % voices.length] ?? first;
					if (!accepted) return;
					const known = comparisonOf("any");
					const rating = supportFor(accepted, voices, known);
					const support = rating.confidence;
					const supporter = { ...accepted, quality: verdict };
					if (accepted.text.trim() !== "" && !accepted.isCut)
						expect(supportFor(accepted, [...voices, supporter], known).confidence).toBeGreaterThanOrEqual(
							support - ROUNDING,
						);
					const dissenter = { ...accepted, isCut: true, quality: verdict };
					expect(supportFor(accepted, [...voices, dissenter], known).confidence).toBeLessThanOrEqual(
						support + ROUNDING,
					);
					for (const value of [
						support,
						withVerdict(rating, verdict, known).confidence,
						meanConfidence(voices.map(({ quality }) => quality)).confidence,
					]) {
						expect(value).toBeGreaterThanOrEqual(0);
						expect(value).toBeLessThanOrEqual(1);
					}
				},
			),
		);
	});
});
