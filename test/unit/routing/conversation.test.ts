// When a conversation changes its model, and when it may not.
import { describe, expect, it } from "vitest";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { conversationTokens } from "../../../src/routing/conversation.ts";
import { selectModels } from "../../../src/routing/select.ts";
import type { SelectionRequest } from "../../../src/routing/selection.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { selectionRequest, signalsFor } from "../../support/selection.ts";

/** A conversation of 20,000 tokens whose last turn has 100. */
const long = signalsFor("factual", 2, { promptTokens: 20_000 });

function selected(more: Partial<SelectionRequest>, signals = long) {
	const chosen = selectModels(selectionRequest(TEST_CATALOG, signals, { routingMode: "balanced", ...more }));
	if (!chosen.ok) throw new Error(chosen.failure.reason);
	return chosen.value;
}

const ranked = selected({}).candidates.map(({ model }) => model.id);
const costOf = (id: string, more: Partial<SelectionRequest>) =>
	selected(more).candidates.find(({ model }) => model.id === id)?.expectation.cost.totalNanoUsd ?? 0;

describe("a conversation", () => {
	it("has all but its last turn in its model's cache", () => {
		expect(conversationTokens(long)).toBe(19_900);
		expect(conversationTokens(signalsFor("chat", 1, { promptTokens: 10 }))).toBe(0);
	});

	it("is cheaper with its own model than it would be with a new one", () => {
		const own = "summit-premium";
		expect(costOf(own, { observations: { conversation_model: own } })).toBeLessThan(costOf(own, {}) / 4);
	});

	it("stays where a switch gains less than the cache is worth, and says so", () => {
		const stays = ranked.filter(
			(id) => selected({ observations: { conversation_model: id } }).candidates[0].model.id === id,
		);
		expect(stays.length).toBeGreaterThan(1);
		const reasons = stays.map((id) => selected({ observations: { conversation_model: id } }).reason);
		expect(reasons.join("\n")).toMatch(/goes on with its conversation: a switch to .+ would gain 0\.0/);
	});

	it("leaves a model that is far worse, and ignores one that may not serve", () => {
		const hard = signalsFor("reasoning", 3, { promptTokens: 20_000 });
		const weak = { observations: { conversation_model: "pebble-budget" } };
		expect(selected(weak, hard).candidates[0].model.id).not.toBe("pebble-budget");
		const unknown = { observations: { conversation_model: "no-such-model" } };
		expect(selected(unknown).candidates[0].model.id).toBe(ranked[0]);
	});

	it("never leaves its model between a tool call and its result, whoever is better", () => {
		const messages = [
			{ role: "user", content: "hi" },
			{
				role: "assistant",
				content: null,
				tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
			},
			{ role: "tool", tool_call_id: "call_1", content: "1" },
		];
		const call = toModelCall(chatRequestSchema.parse({ messages }), TEST_CATALOG);
		const hard = signalsFor("reasoning", 3, { promptTokens: 20_000 });
		const { candidates, reason } = selected(
			{ call, routingMode: "quality", observations: { conversation_model: "pebble-budget" } },
			hard,
		);
		expect(candidates[0].model.id).toBe("pebble-budget");
		expect(reason).toContain("goes on with the tool calls of its conversation");
	});
});
