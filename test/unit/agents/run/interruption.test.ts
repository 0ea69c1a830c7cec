import { describe, expect, it } from "vitest";
import { callConfigFor, isResumable, resumedState } from "../../../../src/agents/run/interruption.ts";
import type { ResumeRules } from "../../../../src/agents/run/run.ts";
import type { RoutingConfig } from "../../../../src/routing/routing-config.ts";
import { runSpec, runWith } from "../../../support/run-spec.ts";

const NO_RULES: ResumeRules = { compliance: null, config: null, maxCostNanoUsd: null };

function blocking(...blocked: string[]): RoutingConfig {
	return { model: "auto", routing_mode: null, max_cost: null, blocked, fallback: [] };
}

function interrupted() {
	const retry = { failedTries: 3, deaths: 1, notBeforeMs: 5, askLast: ["a"] };
	return runWith(["a"], { subtasksDone: 1, fault: "no model answered", resumableUntilMs: 1_000, retry });
}

describe("an interrupted run", () => {
	it("can be resumed until its time is over", () => {
		expect(isResumable(interrupted().state, 999)).toBe(true);
		expect(isResumable(interrupted().state, 1_000)).toBe(false);
		expect(isResumable(runWith(["a"]).state, 0)).toBe(false);
	});

	it("begins its step afresh when it is resumed", () => {
		const { state, steps } = interrupted();
		const resumed = resumedState(runSpec(), state, steps, NO_RULES, () => true);
		expect(resumed).toEqual({ ...state, fault: null, retry: null, resumableUntilMs: null, resumeRules: NO_RULES });
	});

	it("says which of its models are gone", () => {
		const { state, steps } = interrupted();
		const { guard } = resumedState(runSpec(), state, steps, NO_RULES, (model) => model === "first");
		expect(guard.alerts).toMatchObject([{ level: "WARNING", code: "model_replaced", threshold: null, step_index: 1 }]);
		expect(guard.alerts[0]?.message).toContain("no longer has a;");
	});

	it("spends no more than the server allows today, and keeps what was spent", () => {
		const { state, steps } = interrupted();
		const spent = { ...state, guard: { ...state.guard, spentNanoUsd: 400 } };
		const capAt = (maxCostNanoUsd: number) =>
			resumedState(runSpec(), spent, steps, { ...NO_RULES, maxCostNanoUsd }, () => true).guard;
		expect(capAt(1_000)).toMatchObject({ capNanoUsd: 1_000, stepCapNanoUsd: 1_000, spentNanoUsd: 400 });
		expect(capAt(100)).toMatchObject({ capNanoUsd: 400, stepCapNanoUsd: 400 });
		expect(capAt(9_000_000)).toMatchObject({ capNanoUsd: 1_000_000 });
	});

	it("asks no model that its config or the server's of today blocks", () => {
		const { state } = interrupted();
		const today = { ...state, resumeRules: { ...NO_RULES, config: blocking("b", "c") } };
		expect(callConfigFor(runSpec({ config: blocking("a", "b") }), today)?.blocked).toEqual(["a", "b", "c"]);
		expect(callConfigFor(runSpec(), today)?.blocked).toEqual(["b", "c"]);
		expect(callConfigFor(runSpec({ config: blocking("a") }), state)?.blocked).toEqual(["a"]);
	});

	it("keeps to the models of the key that began it, and of the key that resumes it", () => {
		const { state } = interrupted();
		const listing = (...list: string[]) => ({ ...blocking(), allowlists: [list] });
		const today = { ...state, resumeRules: { ...NO_RULES, config: listing("mid") } };
		expect(callConfigFor(runSpec({ config: listing("gpt-*") }), today)?.allowlists).toEqual([["gpt-*"], ["mid"]]);
		expect(callConfigFor(runSpec({ config: listing("gpt-*") }), state)?.allowlists).toEqual([["gpt-*"]]);
		expect(callConfigFor(runSpec({ config: blocking("a") }), today)?.allowlists).toEqual([["mid"]]);
	});
});
