// What is reserved for a repair: no answer and no fault makes it dearer, and no request comes to more than its bound.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../src/catalog/plans.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { toCallSet } from "../../../src/inference/failover.ts";
import { MAX_ATTEMPTS, toRepairSet, withRepair } from "../../../src/inference/form-repair.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import type { ModelAnswer, OutputFormat } from "../../../src/providers/model-call.ts";
import { parseSettings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { NONCE } from "../../support/nonce.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(TEST_CATALOG), TEST_CATALOG);
const NOON = Date.parse("2026-11-21T12:00:00Z");

const FORM: OutputFormat = { type: "json_schema", name: "form", schema: { type: "object" } };

function setFor(output: OutputFormat, more: { maxTokens?: number; mustStream?: boolean; prompt?: string } = {}) {
	const { maxTokens = 1_000, mustStream = false, prompt = "Who?" } = more;
	const body = chatRequestSchema.parse({ messages: [{ role: "user", content: prompt }], max_tokens: maxTokens });
	const { call, options } = toInferenceRequest(body, TEST_CATALOG, null);
	const plan = planCall(
		{ call: { ...call, output }, options: { ...options, mustStream } },
		PLANS.corporate,
		SETTINGS,
		NOON,
	);
	if (!plan.ok) throw new Error(plan.failure.reason);
	return toCallSet(plan.value, new ProviderHealth(), { user: "u", hasPriority: true }, NOON);
}

function answerOf(text: string): ModelAnswer {
	return {
		content: [{ type: "text", text }],
		finishReason: "stop",
		nativeFinishReason: "stop",
		logprobs: null,
		usage: null,
		extra: {},
		bodyFields: {},
	};
}

const worst = (set: ReturnType<typeof setFor>, count: number) =>
	set.calls.slice(0, count).reduce((sum, { attempt }) => sum + attempt.worstCase.totalNanoUsd, 0);

describe("the bound of a request whose answer may be repaired", () => {
	it("is the old one for text, and for a stream", () => {
		for (const set of [setFor({ type: "text" }), setFor(FORM, { mustStream: true })]) expect(withRepair(set)).toBe(set);
	});

	it("covers every way to three attempts, whatever was answered and whatever is wrong", () => {
		const text = fc.oneof(
			fc.string({ unit: "grapheme", maxLength: 9_000 }),
			fc.constantFrom('"'.repeat(9_000), "\u0000".repeat(3_000), "漢".repeat(20_000), "x"),
		);
		fc.assert(
			fc.property(
				text,
				fc.string({ unit: "grapheme", maxLength: 700 }),
				fc.integer({ min: 1, max: 9_000 }),
				(said, fault, maxTokens) => {
					const set = setFor(FORM, { maxTokens });
					const { boundNanoUsd } = withRepair(set);
					expect(boundNanoUsd).toBeGreaterThanOrEqual(set.boundNanoUsd);
					for (const [at, call] of set.calls.slice(0, MAX_ATTEMPTS - 1).entries()) {
						const repair = toRepairSet(call, answerOf(said), { isMet: false, fault }, NONCE);
						expect(repair.calls).toHaveLength(1);
						expect(worst(set, at + 1) + repair.boundNanoUsd).toBeLessThanOrEqual(boundNanoUsd);
					}
				},
			),
			{ numRuns: 60 },
		);
	});

	it("asks the model that answered, with its answer and what is wrong", () => {
		const set = setFor(FORM);
		const [first] = set.calls;
		const [repair] = toRepairSet(first, answerOf("Certainly!"), { isMet: false, fault: "#: not JSON" }, NONCE).calls;
		expect(repair.candidate.model).toBe(first.candidate.model);
		const body = JSON.stringify(repair.attempt.request.body);
		for (const part of ["Who?", "Certainly!", "#: not JSON", NONCE]) expect(body).toContain(part);
	});
});
