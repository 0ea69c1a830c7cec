// Splitting into calls and joining their answers: nothing is lost, doubled or moved.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinCallAnswers } from "../../../src/encoders/answer-parts.ts";
import { MAX_CALL_NUMBERS, toBatches } from "../../../src/encoders/encoder-batches.ts";
import { mostTokens } from "../../../src/encoders/token-bounds.ts";
import type { EncoderAnswer, EncoderCall } from "../../../src/providers/encoders/encoder-call.ts";

const input = fc.oneof(fc.string({ minLength: 1, maxLength: 30 }), fc.array(fc.nat(), { minLength: 1, maxLength: 30 }));
const limits = fc.record({
	context_window: fc.constant(8_192),
	max_inputs: fc.integer({ min: 1, max: 20 }),
	max_batch_tokens: fc.option(fc.integer({ min: 1, max: 200 })),
});

describe("calls of one request", () => {
	it("have all inputs in their order, within the limits of a call", () => {
		fc.assert(
			fc.property(fc.array(input, { minLength: 1, maxLength: 60 }), limits, (inputs, of) => {
				const calls = toBatches({ kind: "embedding", inputs, dimensions: 8 }, { limits: of });
				const parts = calls.map((call) => (call.kind === "embedding" ? call.inputs : []));
				expect(parts.flat()).toEqual(inputs);
				for (const part of parts) {
					expect(part.length).toBeLessThanOrEqual(of.max_inputs);
					const tokens = part.reduce((sum, each) => sum + mostTokens(each), 0);
					expect(part.length === 1 || tokens <= (of.max_batch_tokens ?? Number.POSITIVE_INFINITY)).toBe(true);
				}
			}),
		);
	});

	it("ask for no more numbers than an isolate can hold six times", () => {
		const inputs = Array.from({ length: 2_048 }, () => "a");
		const of = { context_window: 1, max_inputs: 2_048, max_batch_tokens: null };
		const calls = toBatches({ kind: "embedding", inputs, dimensions: 3_072 }, { limits: of });
		for (const call of calls)
			expect(call.kind === "embedding" ? call.inputs.length * 3_072 : 0).toBeLessThanOrEqual(MAX_CALL_NUMBERS);
		// Of some models of the operator's no length is known.
		const unknown = toBatches({ kind: "embedding", inputs, dimensions: null }, { limits: of });
		for (const call of unknown) expect(call.kind === "embedding" && call.inputs.length).toBeLessThanOrEqual(32);
	});

	it("answer together what one call would have answered", () => {
		const answerTo = (call: EncoderCall): EncoderAnswer => {
			if (call.kind !== "embedding") throw new Error("an embedding");
			return {
				kind: "embedding",
				vectors: call.inputs.map((each) => Float32Array.from([mostTokens(each), each.length])),
				usage: { inputTokens: call.inputs.reduce((sum, each) => sum + each.length, 0), searches: null },
			};
		};
		fc.assert(
			fc.property(fc.array(input, { minLength: 1, maxLength: 60 }), limits, (inputs, of) => {
				const whole: EncoderCall = { kind: "embedding", inputs, dimensions: 2 };
				const joined = joinCallAnswers(toBatches(whole, { limits: of }).map(answerTo));
				const { vectors, usage } = joined.kind === "embedding" ? joined : { vectors: [], usage: null };
				const alone = answerTo(whole);
				expect(vectors).toEqual(alone.kind === "embedding" && alone.vectors);
				expect(usage?.inputTokens).toBe(alone.usage.inputTokens);
			}),
		);
	});

	it("stay one for a rerank, because its scores are compared", () => {
		const call: EncoderCall = { kind: "rerank", query: "q", documents: ["a", "b", "c"], topN: null };
		expect(toBatches(call, { limits: { context_window: 1, max_inputs: 1, max_batch_tokens: 1 } })).toEqual([call]);
	});
});
