import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeCallsByModel } from "../../../src/meter/flush-batch.ts";
import { type RollupSource, toRollupParts } from "../../../src/meter/rollup.ts";
import type { UsageCall } from "../../../src/meter/settlement.ts";

function callOf(model: string, tokens: number, requests?: number): UsageCall {
	const amounts = { tokens, input_tokens: Math.floor(tokens / 2), cost_nano_usd: 3 * tokens };
	return { model, provider: `of ${model}`, ...amounts, ...(requests === undefined ? {} : { requests }) };
}

function sourceOf(model: string, calls: UsageCall[]): RollupSource {
	return {
		request_id: "svc-1",
		user_id: "usr_1",
		api_key_id: "key_1",
		created_at: "2026-11-21T23:59:59.999Z",
		model,
		calls,
	};
}

describe("the parts of a request", () => {
	it("are one for each model, with its share; the request counts once, in that of its own model", () => {
		const parts = toRollupParts(sourceOf("b", [callOf("a", 4), callOf("b", 6), callOf("a", 10)]));
		const shared = { request_id: "svc-1", user_id: "usr_1", day: "2026-11-21", api_key_id: "key_1", model_requests: 1 };
		expect(parts).toEqual([
			{ ...shared, model: "a", requests: 0, calls: 2, tokens: 14, input_tokens: 7, cost_nano_usd: 42 },
			{ ...shared, model: "b", requests: 1, calls: 1, tokens: 6, input_tokens: 3, cost_nano_usd: 18 },
		]);
	});

	it("count a request without a call, under its model, which it did not call", () => {
		expect(toRollupParts(sourceOf("planned", []))).toMatchObject([
			{ model: "planned", requests: 1, model_requests: 0, calls: 0, tokens: 0, cost_nano_usd: 0 },
		]);
	});

	it("have no key for a settlement from before keys were recorded", () => {
		const { api_key_id: _, ...keyless } = sourceOf("a", []);
		expect(toRollupParts(keyless)).toMatchObject([{ api_key_id: "" }]);
	});

	const calls = fc.array(
		fc
			.tuple(
				fc.constantFrom("a", "b", "c"),
				fc.nat(1_000),
				fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
			)
			.map(([model, tokens, requests]) => callOf(model, tokens, requests)),
		{ maxLength: 12 },
	);

	it("add up to the request, and are the same when its calls are merged", () => {
		fc.assert(
			fc.property(fc.constantFrom("a", "b", "d"), calls, (model, made) => {
				const parts = toRollupParts(sourceOf(model, made));
				const sum = (amount: (part: (typeof parts)[number]) => number) =>
					parts.reduce((total, part) => total + amount(part), 0);
				expect(sum(({ requests }) => requests)).toBe(1);
				expect(sum(({ tokens }) => tokens)).toBe(made.reduce((total, { tokens }) => total + tokens, 0));
				expect(sum(({ cost_nano_usd }) => cost_nano_usd)).toBe(
					made.reduce((total, call) => total + call.cost_nano_usd, 0),
				);
				expect(sum((part) => part.calls)).toBe(made.reduce((total, { requests = 1 }) => total + requests, 0));
				expect(new Set(parts.map((part) => part.model)).size).toBe(parts.length);
				expect(toRollupParts(sourceOf(model, mergeCallsByModel(made)))).toEqual(parts);
			}),
		);
	});
});
