// The sandbox's vectors, moderations and ranks follow from the words of texts.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sandboxModeration, sandboxRanks, sandboxVector } from "../../../src/sandbox/encoder-answer.ts";

function cosine(a: readonly number[], b: readonly number[]): number {
	return a.reduce((sum, number, at) => sum + number * (b[at] ?? 0), 0);
}

const WORDS = ["bread", "dough", "oven", "train", "vienna", "rates", "interest", "banks", "garden", "violin"];

describe("vectors of the sandbox", () => {
	it("are unit vectors, and the same each time", () => {
		const input = fc.oneof(fc.string({ minLength: 1 }), fc.array(fc.nat(), { minLength: 1, maxLength: 40 }));
		fc.assert(
			fc.property(input, fc.integer({ min: 1, max: 3_072 }), (each, dimensions) => {
				const vector = sandboxVector(each, dimensions);
				expect(vector).toHaveLength(dimensions);
				expect(Math.hypot(...vector)).toBeCloseTo(1, 9);
				expect(sandboxVector(each, dimensions)).toEqual(vector);
			}),
		);
	});

	it("are nearer for texts with more words in common", () => {
		const words = fc.shuffledSubarray(WORDS, { minLength: 6, maxLength: 6 });
		fc.assert(
			fc.property(words, ([a, b, c, d, e, f]) => {
				const text = sandboxVector(`${a} ${b} ${c}`, 1_536);
				const two = cosine(text, sandboxVector(`${a} ${b} ${d}`, 1_536));
				const one = cosine(text, sandboxVector(`${a} ${e} ${f}`, 1_536));
				expect(two).toBeGreaterThan(one);
				expect(one).toBeGreaterThan(0.1);
			}),
		);
	});

	it("care for words that mean something, in any number and any writing", () => {
		const question = sandboxVector("What is the best way to water the garden?", 1_536);
		const grammar = sandboxVector("What is the time of the train to the city?", 1_536);
		expect(cosine(question, sandboxVector("Gardens need water.", 1_536))).toBeGreaterThan(cosine(question, grammar));
		const chinese = sandboxVector("如何烤面包", 1_536);
		expect(cosine(chinese, sandboxVector("烤面包的方法", 1_536))).toBeGreaterThan(
			cosine(chinese, sandboxVector("火车几点出发", 1_536)),
		);
	});
});

it("moderations of the sandbox find whole words", () => {
	const cues = { violence: ["kill"] };
	expect(sandboxModeration("I'll KILL you!", cues).categories).toEqual({ violence: true });
	expect(sandboxModeration("a skillet", cues).categories).toEqual({ violence: false });
});

it("ranks of the sandbox have each document once, from the best on, and put that first which has all words", () => {
	const words = fc.shuffledSubarray(WORDS, { minLength: 4, maxLength: 8 });
	fc.assert(
		fc.property(
			words,
			fc.array(fc.shuffledSubarray(WORDS, { minLength: 1, maxLength: 2 }), { maxLength: 6 }),
			(asked, others) => {
				const documents = [...others.map((list) => list.join(" ")), asked.join(" ")];
				const ranks = sandboxRanks(asked.join(" "), documents);
				expect(ranks[0]?.index).toBe(documents.length - 1);
				expect(ranks.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(documents.map((_, index) => index));
				expect(ranks.map(({ score }) => score)).toEqual(ranks.map(({ score }) => score).toSorted((a, b) => b - a));
			},
		),
	);
});
