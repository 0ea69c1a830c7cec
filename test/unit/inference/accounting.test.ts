// The bill of one call: what a provider reports counts where it can be true, and costs nothing only where nothing has a price.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../src/catalog/plans.ts";
import type { TokenUsage } from "../../../src/catalog/price.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { billCall, billInterruptedCall, type PlannedCall } from "../../../src/inference/accounting.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { parseOpenAiAnswer } from "../../../src/providers/openai-answer.ts";
import { parseSettings } from "../../../src/settings.ts";
import { variablesFor } from "../../support/variables.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");

/** A call of a model at these prices. */
function callAt(prices: Record<string, number | null>): PlannedCall {
	const document = {
		providers: [{ id: "box", base_url: "https://box.example.com/v1", auth: "none" }],
		models: [
			{ id: "own", provider: "box", tier: "mid", prices, limits: { context_window: 8_192, max_output_tokens: 2_048 } },
		],
	};
	const { catalog, faults } = extendCatalog(CATALOG, document, { isLocal: false, hosts: new Set() });
	expect(faults).toEqual([]);
	const settings = parseSettings(variablesFor(catalog), catalog);
	const body = chatRequestSchema.parse({ model: "own", max_tokens: 300, messages: [{ role: "user", content: "hi" }] });
	const plan = planCall(toInferenceRequest(body, catalog, null), PLANS.pro, settings, NOON);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	const [candidate] = plan.value.selection.failover;
	const attempt = plan.value.attempt(candidate.model, candidate.effort);
	return { plan: plan.value, candidate, attempt, intendedWasAsked: true };
}

function answered(content: string) {
	return parseOpenAiAnswer({ choices: [{ message: { content }, finish_reason: "stop" }] });
}

function usage(uncachedInput: number, outputText: number, more: Partial<TokenUsage> = {}): TokenUsage {
	return { uncachedInput, cacheRead: 0, cacheWrite: 0, outputText, reasoning: 0, ...more };
}

describe("a bill", () => {
	const call = callAt({ input: 2, output: 8 });

	it("is by the usage that is reported", () => {
		const { cost, estimated } = billCall(call, usage(10, 5), answered("four words of it"), NOON);
		expect([cost.totalNanoUsd, estimated]).toEqual([10 * 2_000 + 5 * 8_000, false]);
	});

	it("is the bound, and an estimate, where usage is missing or its zeros cannot be true", () => {
		const { worstCase } = call.attempt;
		for (const reported of [null, usage(0, 0), usage(0, 5), usage(10, 0)]) {
			const bill = billCall(call, reported, answered("four words of it"), NOON);
			expect([bill.cost, bill.estimated]).toEqual([worstCase, true]);
			expect(bill.completionTokens).toBeGreaterThan(0);
		}
		// Nothing was written, so that nothing was counted is true.
		expect(billCall(call, usage(10, 0), answered(""), NOON)).toMatchObject({ estimated: false });
		expect(billCall(call, usage(0, 5, { cacheRead: 10 }), answered("a"), NOON)).toMatchObject({ estimated: false });
	});

	it("of a call that broke off counts what was sent where the running count says nothing of it", () => {
		const answer = answered("four words of it");
		const uncounted = billInterruptedCall(call, { answer, reported: null }, NOON);
		const zeros = { counts: usage(0, 0), isFinal: false };
		expect(billInterruptedCall(call, { answer, reported: zeros }, NOON)).toEqual(uncounted);
		expect(uncounted.cost.inputNanoUsd).toBeGreaterThan(0);
		expect(billInterruptedCall(call, { answer, reported: { ...zeros, isFinal: true } }, NOON)).toMatchObject({
			cost: call.attempt.worstCase,
			estimated: true,
		});
	});

	it("is nothing at a price of nothing, and a safe number within its bound at any other", () => {
		const rate = fc.oneof(fc.constantFrom(0, 100_000), fc.double({ min: 0, max: 100, noNaN: true }));
		const tokens = fc.nat(2_000);
		fc.assert(
			fc.property(
				fc.record({ input: rate, output: rate, cached_input: fc.option(rate), cache_write: fc.option(rate) }),
				fc.record({
					uncachedInput: tokens,
					cacheRead: tokens,
					cacheWrite: tokens,
					outputText: tokens,
					reasoning: tokens,
				}),
				fc.option(fc.constantFrom("", "some text")),
				(prices, reported, text) => {
					const priced = callAt(prices);
					const answer = text === null ? null : answered(text);
					for (const bill of [
						billCall(priced, reported, answer, NOON),
						billInterruptedCall(priced, { answer, reported: { counts: reported, isFinal: false } }, NOON),
					]) {
						expect(Number.isSafeInteger(bill.cost.totalNanoUsd)).toBe(true);
						expect(bill.cost.totalNanoUsd).toBeLessThanOrEqual(priced.attempt.worstCase.totalNanoUsd);
						if (Object.values(prices).every((price) => !price)) expect(bill.cost.totalNanoUsd).toBe(0);
					}
				},
			),
			{ numRuns: 100 },
		);
	});
});
