// What a run says of its goal where models refuse: the outcome, an alert for each refused step, and what the others reached.
import { describe, expect, it } from "vitest";
import { runAgent } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";

const { key } = useService("pro");
const REFUSAL = "can't assist";
const LIST = "Do this:\n1. Write about tea\n2. Write about milk\n3. Write about sugar";

function refusedSteps({ alerts }: Awaited<ReturnType<typeof runAgent>>) {
	return alerts.filter(({ code }) => code === "step_refused");
}

describe("the outcome of a run's goal", () => {
	it("is done where every step answered", async () => {
		const run = await runAgent(key, { goal: LIST, policy: "efficiency" });
		expect(run).toMatchObject({ status: "complete", goal_outcome: "done" });
		expect(refusedSteps(run)).toEqual([]);
	});

	it("is partial where a subtask refused: an alert names it, and the output is what the others reached", async () => {
		const run = await runAgent(key, { goal: `${LIST} [[unwilling subtask 2]]`, policy: "efficiency" });
		expect(run).toMatchObject({ status: "complete", goal_outcome: "partial" });
		const [alert, ...more] = refusedSteps(run);
		expect(more).toEqual([]);
		expect(alert).toMatchObject({ level: "WARNING", threshold: null, message: expect.stringContaining("milk") });
		expect(run.steps[alert?.step_index ?? -1]?.confidence).toBe(0);
		expect(run.output).not.toContain(REFUSAL);
		expect(run.output).not.toBe("");
	});

	it("is partial where the final step refused, and its refusal hides nothing", async () => {
		const run = await runAgent(key, { goal: `${LIST} [[unwilling final]] [[unwilling frame]]`, policy: "efficiency" });
		expect(run.goal_outcome).toBe("partial");
		expect(refusedSteps(run)).toHaveLength(1);
		expect(run.output).not.toContain(REFUSAL);
		for (const part of ["tea", "milk", "sugar"]) expect(run.output).toContain(part);
	});

	it.each([
		["unwilling", "refused"],
		["filtered", "refused"],
		["toolless", "needs_tools"],
	])("of models that are %s is %s", async (word, outcome) => {
		const run = await runAgent(key, { goal: `${LIST} [[${word}]]`, policy: "efficiency" });
		expect(run.goal_outcome).toBe(outcome);
		expect(refusedSteps(run).length).toBeGreaterThanOrEqual(3);
	});

	it("of a goal with one step is its own", async () => {
		const run = await runAgent(key, { goal: "Explain why tea is green [[unwilling]]", policy: "efficiency" });
		expect(run.goal_outcome).toBe("refused");
		expect(run.output).toContain(REFUSAL);
	});

	it("is partial where money ended it", async () => {
		const run = await runAgent(key, { goal: LIST, max_cost_usd: 0.000001 });
		expect(run).toMatchObject({ status: "budget_exhausted", goal_outcome: "partial" });
	});
});
