// Final answers, agreement and confidence: what counts as the same, and how sure that makes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreementOf, medoidOf, shingleSimilarity, similarity } from "../../../src/orchestration/agreement.ts";
import { judged, overParts, supportFor } from "../../../src/orchestration/confidence.ts";
import { type AnswerKind, answerKindOf, finalAnswer, normalized } from "../../../src/orchestration/final-answer.ts";
import { jsonIn } from "../../../src/orchestration/json-reply.ts";

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
	])("%j, asked for %s, is %j", (text, kind, expected) => {
		expect(finalAnswer(text, kind)).toBe(expected);
	});

	it("is the same however it is written", () => {
		for (const written of ["42", "42.0", "$42", "42 apples", " **42** ", "+42", "42."])
			expect(normalized(written)).toBe("42");
		for (const written of ["The Eiffel Tower", "eiffel tower.", "**Eiffel Tower**"])
			expect(normalized(written)).toBe("eiffel tower");
		for (const written of ["B", "b", "(B)", "B.", "B) Flash memory"]) expect(normalized(written)).toBe("B");
	});

	it("never throws, and of a number loses nothing", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: "grapheme" }),
				fc.constantFrom<AnswerKind>("any", "number", "choice"),
				(text, kind) => void finalAnswer(text, kind),
			),
		);
		fc.assert(
			fc.property(fc.integer(), (value) => {
				expect(normalized(`$${value}.00`)).toBe(String(value));
			}),
		);
	});

	it("is found in a flood of white space as well", () => {
		expect(finalAnswer(`${"\n".repeat(500_000)}Final answer:${" ".repeat(3_000)}4`, "any")).toBe("4");
		expect(answerKindOf("\n".repeat(500_000))).toBe("any");
		expect(answerKindOf("0 ".repeat(500_000))).toBe("any");
	});

	it.each<[string, AnswerKind]>([
		["How many apples are left?", "number"],
		["Which one?\nA. red\nB. green\nC. blue", "choice"],
		["Write about rivers.", "any"],
		["What is 17 + 25?", "number"],
	])("%j asks for %s", (prompt, kind) => {
		expect(answerKindOf(prompt)).toBe(kind);
	});
});

describe("agreement", () => {
	it("is equality of final answers, else the overlap of words", () => {
		expect(similarity("Final answer: 4", "so\nFinal answer: 4.0", "any")).toBe(1);
		expect(similarity("Final answer: 4", "Final answer: 5", "any")).toBe(0);
		const [a, b] = ["one two three four ".repeat(6), "one two five six ".repeat(6)];
		expect(similarity(a, b, "any")).toBeCloseTo(2 / 6);
	});

	it("is symmetric, and whole for equal texts", () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (a, b) => {
				expect(shingleSimilarity(a, b)).toBe(shingleSimilarity(b, a));
				expect(shingleSimilarity(a, a)).toBe(1);
			}),
		);
	});

	it("of several is the mean of all pairs; one alone agrees with itself", () => {
		expect(agreementOf(["Final answer: 1", "Final answer: 1", "Final answer: 2"], "any")).toBeCloseTo(1 / 3);
		expect([agreementOf(["x"], "any"), agreementOf([], "any")]).toEqual([1, 0]);
	});

	it("finds the answer that the others are most like", () => {
		const texts = ["a b c d", "a b c e", "a b c d e", "z"].map((text) => ({
			text: `${text} ${"and so on ".repeat(9)}`,
		}));
		expect(medoidOf([texts[3] as { text: string }, ...texts.slice(0, 3)], "any")).toBe(texts[2]);
	});
});

describe("confidence", () => {
	const voice = (answer: string, quality: number) => ({ text: `Final answer: ${answer}`, quality });

	it("in a lone answer is what is expected of its model", () => {
		expect(supportFor("Final answer: 4", [voice("4", 0.7)], "any")).toBe(0.7);
	});

	it("grows with every supporter and falls with every dissenter", () => {
		const at = (...voices: ReturnType<typeof voice>[]) => supportFor("Final answer: 4", voices, "any");
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
				fc.array(fc.record({ text: fc.string(), quality: share })),
				fc.string(),
				share,
				(voices, accepted, verdict) => {
					for (const value of [
						supportFor(accepted, voices, "any"),
						judged(supportFor(accepted, voices, "any"), verdict),
						overParts(voices.map(({ quality }) => quality)),
					]) {
						expect(value).toBeGreaterThanOrEqual(0);
						expect(value).toBeLessThanOrEqual(1);
					}
				},
			),
		);
	});
});

describe("the JSON object in a reply", () => {
	it.each([
		['{"a":1}', { a: 1 }],
		['Sure!\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
		["{", undefined],
		["nothing", undefined],
		["} {", undefined],
	])("%j is %j", (text, value) => {
		expect(jsonIn(text)).toEqual(value);
	});
});
