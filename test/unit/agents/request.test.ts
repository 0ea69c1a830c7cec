import { describe, expect, it } from "vitest";
import { agentRunRequestSchema, bodyHash, parseGoal } from "../../../src/agents/request.ts";

describe("the goal of a body", () => {
	it("is goal, and prompt where goal says nothing", () => {
		expect(parseGoal({ goal: "a", prompt: "b" })).toEqual({ ok: true, value: "a" });
		expect(parseGoal({ goal: " \n", prompt: "b" })).toEqual({ ok: true, value: "b" });
		expect(parseGoal({ prompt: "b" })).toEqual({ ok: true, value: "b" });
	});

	it("is missing where both are blank", () => {
		expect(parseGoal({ goal: " ", prompt: null })).toMatchObject({ failure: { reason: "no_goal" } });
	});
});

describe("two bodies under one key", () => {
	it("are the same whatever the order of their members and the form of the answer", () => {
		expect(bodyHash({ goal: "a", max_steps: 2 })).toBe(bodyHash({ max_steps: 2, goal: "a", stream: true }));
		expect(bodyHash({ goal: "a" })).toBe(bodyHash({ goal: "a", background: true }));
		expect(bodyHash({ goal: "a" })).not.toBe(bodyHash({ goal: "a", webhook: "https://hooks.example.com/" }));
		expect(bodyHash({ goal: "a" })).not.toBe(bodyHash({ goal: "b" }));
		expect(bodyHash({ goal: "a" })).not.toBe(bodyHash({ prompt: "a" }));
	});
});

it.each([1_001, 1e20, Number.MAX_VALUE])("max_steps of %d is clamped, not refused", (max_steps) => {
	expect(agentRunRequestSchema.safeParse({ goal: "a", max_steps }).success).toBe(true);
	expect(agentRunRequestSchema.safeParse({ goal: "a", max_steps: -max_steps }).success).toBe(false);
	expect(agentRunRequestSchema.safeParse({ goal: "a", max_steps: max_steps / 1e300 }).success).toBe(false);
});

it("a null counts as absent, and unknown members fail nothing", () => {
	expect(agentRunRequestSchema.safeParse({ goal: null, max_steps: null, policy: null, unknown: 1 }).success).toBe(true);
});
