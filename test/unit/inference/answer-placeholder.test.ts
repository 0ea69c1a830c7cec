// Slots: whatever is written into the place of a placeholder, the request's worst case is not above the placeholder's.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../src/catalog/plans.ts";
import {
	fitPlaceholder,
	jsonStringBytes,
	placeholder,
	placeholderBytes,
} from "../../../src/inference/answer-placeholder.ts";
import { type CallPlan, planCall } from "../../../src/inference/plan.ts";
import type { ModelCall } from "../../../src/providers/model-call.ts";
import { parseSettings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(TEST_CATALOG), TEST_CATALOG);

/** Texts of every kind of character: quotes, controls, other scripts, pairs of surrogates. */
const answer = fc.oneof(
	fc.string({ unit: "grapheme", maxLength: 300 }),
	fc.string({ unit: "binary", maxLength: 300 }),
	fc
		.array(fc.constantFrom("\n", '"', "\\", "\u0000", "\u2028", "漢", "é", "🙂", "a"), { maxLength: 300 })
		.map((all) => all.join("")),
);

describe("a text in a slot", () => {
	it("never takes more than the slot, and is itself where it fits", () => {
		fc.assert(
			fc.property(answer, fc.integer({ min: 0, max: 600 }), (text, slotBytes) => {
				const kept = fitPlaceholder(text, slotBytes);
				expect(jsonStringBytes(kept)).toBeLessThanOrEqual(slotBytes);
				expect(kept.isWellFormed()).toBe(text.isWellFormed() || kept.isWellFormed());
				if (jsonStringBytes(text) <= slotBytes) expect(kept).toBe(text);
			}),
		);
	});

	it("keeps its beginning and its end, where the conclusion stands", () => {
		const kept = fitPlaceholder(`First of all. ${"words ".repeat(200)}The answer is 42.`, 200);
		expect(kept).toMatch(/^First of all\./);
		expect(kept).toMatch(/The answer is 42\.$/);
	});

	it("has room for an answer of that many tokens", () => {
		expect(placeholderBytes(1_024)).toBe(4_096);
	});
});

function judging(texts: readonly string[]): ModelCall {
	return {
		messages: [
			{ role: "system", content: [{ type: "text", text: "Compare." }] },
			{
				role: "user",
				content: [{ type: "text", text: texts.map((text, index) => `Answer ${index}:\n${text}`).join("\n\n") }],
			},
		],
		tools: [],
		output: { type: "json_object" },
		maxTokens: 300,
		stop: [],
		sampling: { temperature: 0 },
		unknownFields: {},
	};
}

function plan(call: ModelCall): CallPlan {
	const planned = planCall(
		{ call, options: { model: "auto", mode: "balanced", config: null, gate: null } },
		PLANS.corporate,
		SETTINGS,
		0,
	);
	if (!planned.ok) throw new Error(JSON.stringify(planned.failure));
	return planned.value;
}

describe("a prompt with slots", () => {
	it("bounds every prompt whose answers fit, on all wires of shipped models", () => {
		const wires = new Set<string>();
		fc.assert(
			fc.property(
				fc.array(answer, { minLength: 1, maxLength: 4 }),
				fc.integer({ min: 1, max: 400 }),
				(texts, slotBytes) => {
					const bound = plan(judging(texts.map(() => placeholder(slotBytes))));
					const real = plan(judging(texts.map((text) => fitPlaceholder(text.toWellFormed(), slotBytes))));
					for (const { model, effort } of bound.selection.candidates) {
						const most = bound.attempt(model, effort);
						wires.add(most.access.provider.wire);
						expect(real.attempt(model, effort).worstCase.totalNanoUsd).toBeLessThanOrEqual(most.worstCase.totalNanoUsd);
					}
				},
			),
			{ numRuns: 60 },
		);
		expect([...wires].sort()).toEqual(["anthropic", "google", "openai"]);
	});
});
