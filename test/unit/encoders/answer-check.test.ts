// Which answers are what was asked: as many vectors or results as inputs, of the length that was asked, each document at most once.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMismatch } from "../../../src/encoders/answer-check.ts";
import {
	type EncoderAnswer,
	type EncoderCall,
	NO_ENCODER_USAGE,
} from "../../../src/providers/encoders/encoder-call.ts";

const usage = NO_ENCODER_USAGE;
const vectors = (...lengths: number[]): EncoderAnswer => ({
	kind: "embedding",
	vectors: lengths.map((length) => new Float32Array(length).fill(0.5)),
	usage,
});
const ask = (inputs: string[], dimensions: number | null = null): EncoderCall => ({
	kind: "embedding",
	inputs,
	dimensions,
});
const ranked = (...results: [index: number, score: number][]): EncoderAnswer => ({
	kind: "rerank",
	results: results.map(([index, score]) => ({ index, score })),
	usage,
});
const rank = (documents: number, topN: number | null): EncoderCall => ({
	kind: "rerank",
	query: "q",
	documents: Array.from({ length: documents }, String),
	topN,
});
const OWN = { dimensions: { default: 4, sizes: null } };

describe("an answer", () => {
	it.each<[string, EncoderAnswer, EncoderCall, object]>([
		["vectors of the model's length", vectors(4, 4), ask(["a", "b"]), OWN],
		["vectors of the asked length", vectors(2, 2), ask(["a", "b"], 2), OWN],
		["vectors of one length where none is known", vectors(7, 7), ask(["a", "b"]), {}],
		["all documents", ranked([1, 0.5], [0, -3]), rank(2, null), {}],
		["the best documents", ranked([2, 0.5]), rank(3, 1), {}],
		["all documents where more were asked for", ranked([0, 1], [1, 0]), rank(2, 9), {}],
	])("is taken: %s", (_, answer, call, model) => {
		expect(findMismatch(answer, call, model)).toBe(false);
	});

	it.each<[string, EncoderAnswer, EncoderCall, object]>([
		["one vector short", vectors(4), ask(["a", "b"]), OWN],
		["one vector more", vectors(4, 4), ask(["a"]), OWN],
		["another length than the model's", vectors(3), ask(["a"]), OWN],
		["the model's length where another was asked", vectors(4), ask(["a"], 2), OWN],
		["two lengths", vectors(7, 8), ask(["a", "b"]), {}],
		["no numbers", vectors(0), ask(["a"]), {}],
		[
			"a number that is none",
			{ kind: "embedding", vectors: [Float32Array.of(1, Number.NaN)], usage },
			ask(["a"], 2),
			{},
		],
		["a number beyond float32", { kind: "embedding", vectors: [Float32Array.of(1e300)], usage }, ask(["a"], 1), {}],
		["a document twice", ranked([1, 1], [1, 1]), rank(2, null), {}],
		["a document that is none", ranked([2, 1]), rank(2, 1), {}],
		["fewer documents than asked", ranked([0, 1]), rank(3, 2), {}],
		["a score that is none", ranked([0, Number.NaN]), rank(1, null), {}],
		["another kind", ranked([0, 1]), ask(["a"]), {}],
		["a result short", { kind: "moderation", results: [], usage }, { kind: "moderation", inputs: ["a"] }, {}],
	])("is a mismatch: %s", (_, answer, call, model) => {
		expect(findMismatch(answer, call, model)).toBe(true);
	});

	it("is taken exactly where counts and lengths are those asked for", () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
				fc.integer({ min: 1, max: 5 }),
				fc.integer({ min: 1, max: 3 }),
				(lengths, inputs, asked) => {
					const isAsAsked = lengths.length === inputs && lengths.every((length) => length === asked);
					const call = ask(Array.from({ length: inputs }, String), asked);
					expect(findMismatch(vectors(...lengths), call, OWN)).toBe(!isAsAsked);
				},
			),
		);
	});
});
