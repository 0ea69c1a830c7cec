// How long a prompt is taken to be where it must fit a context window, and how long a model may think in silence.
import { describe, expect, it } from "vitest";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { timeToFirstTokenMs } from "../../../src/routing/effort.ts";
import { detectSignals } from "../../../src/routing/signals.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";

function contextTokens(messages: unknown[], tools?: unknown[]): number {
	const body = chatRequestSchema.parse({ messages, ...(tools ? { tools } : {}) });
	return detectSignals(toModelCall(body, TEST_CATALOG)).contextTokens;
}

const user = (content: string) => ({ role: "user", content });

describe("the tokens that a prompt needs in a context window", () => {
	it.each([
		["Latin", "a", 0.25],
		["Chinese", "汉", 1],
		["Japanese", "あ", 1],
		["Korean", "한", 1],
		["Thai", "ก", 1],
	])("are counted by its script: %s", (_, character, tokens) => {
		expect(contextTokens([user(character.repeat(1_000))])).toBe(1_000 * tokens);
	});

	it("include tools' descriptions, called tools' arguments and their results, in any script", () => {
		const long = "汉".repeat(1_000);
		const call = (args: string) => ({
			role: "assistant",
			content: null,
			tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: args } }],
		});
		const result = (content: string) => ({ role: "tool", tool_call_id: "c", content });
		const before = contextTokens([user("hi"), call(""), result("")]);
		expect(contextTokens([user("hi"), call(long), result("")]) - before).toBe(1_000);
		expect(contextTokens([user("hi"), call(""), result(long)]) - before).toBe(1_000);
		const tool = (description: string) => [{ type: "function", function: { name: "f", description } }];
		expect(contextTokens([user("hi")], tool(long)) - contextTokens([user("hi")], tool(""))).toBe(1_000);
	});
});

describe("the catalog's time to the first token", () => {
	it("is that of the lowest effort at the lowest, and of the highest at any other, since nobody measured those between", () => {
		const ember = modelWhere(TEST_CATALOG, ({ id }) => id === "ember-budget");
		const { low_effort, high_effort } = ember.speed;
		const at = (effort: "minimal" | "low" | "medium" | "high" | "default") => timeToFirstTokenMs(ember, effort) / 1_000;
		expect(at("minimal")).toBe(low_effort.ttft_s);
		for (const effort of ["low", "medium", "high", "default"] as const) expect(at(effort)).toBe(high_effort.ttft_s);
	});
});
