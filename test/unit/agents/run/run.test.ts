import { describe, expect, it } from "vitest";
import { nextAction } from "../../../../src/agents/run/next-action.ts";
import { initialRunState, type RunState } from "../../../../src/agents/run/run.ts";
import { endStatus, finalMessage, toRunEnd } from "../../../../src/agents/run/run-end.ts";
import { bestOutput, currentProof, isOutputCut, subtaskResults } from "../../../../src/agents/run/run-output.ts";
import { planFromGoal } from "../../../../src/agents/run/run-plan.ts";
import { verifyTrajectory } from "../../../../src/agents/trajectory.ts";
import { hashText } from "../../../../src/proof/hash.ts";
import { runSpec, runWith } from "../../../support/run-spec.ts";

const RUN_CAP = { limit: "run_cap" as const, reason: "too dear" };

describe("the next move", () => {
	it("of a run that begins is its plan", () => {
		expect(nextAction(runSpec(), initialRunState(runSpec()))).toEqual({ kind: "plan", maxSubtasks: 20 });
	});

	it("is one subtask after the other, then the final step, then none", () => {
		expect(nextAction(runSpec(), runWith([]).state)).toEqual({ kind: "subtask", subtask: "one" });
		expect(nextAction(runSpec(), runWith(["a"], { subtasksDone: 1 }).state)).toEqual({
			kind: "subtask",
			subtask: "two",
		});
		expect(nextAction(runSpec(), runWith(["a", "b", "c"], { subtasksDone: 3 }).state)).toEqual({ kind: "finalize" });
		expect(nextAction(runSpec(), runWith(["a", "b", "c"], { subtasksDone: 3, isFinalized: true }).state)).toEqual({
			kind: "end",
		});
	});

	it("leaves the last step that is allowed to the final one", () => {
		const { state } = runWith(["a"], { subtasksDone: 1 });
		expect(nextAction({ maxSteps: 2 }, state)).toEqual({ kind: "end" });
		const two = runWith(["a", "b"], { subtasksDone: 2 }).state;
		expect(nextAction({ maxSteps: 3 }, two)).toEqual({ kind: "finalize" });
		expect(nextAction({ maxSteps: 2 }, two)).toEqual({ kind: "end" });
	});

	it("is the final one at once when the goal is met, and none where there is a single result", () => {
		expect(nextAction(runSpec(), runWith(["a", "b"], { subtasksDone: 2, isGoalMet: true }).state)).toEqual({
			kind: "finalize",
		});
		expect(nextAction(runSpec(), runWith(["a"], { subtasksDone: 1, isGoalMet: true }).state)).toEqual({ kind: "end" });
		expect(nextAction(runSpec(), runWith(["a"], { subtasksDone: 1, plan: ["one"] }).state)).toEqual({ kind: "end" });
	});

	it("puts several results together when money is short, and leaves a single one as it is", () => {
		expect(nextAction(runSpec(), runWith(["a", "b"], { subtasksDone: 2, stop: RUN_CAP }).state)).toEqual({
			kind: "finalize",
		});
		expect(nextAction(runSpec(), runWith(["a"], { subtasksDone: 1, stop: RUN_CAP }).state)).toEqual({ kind: "end" });
		expect(nextAction(runSpec(), runWith([], { stop: RUN_CAP }).state)).toEqual({ kind: "end" });
	});

	it("is none for a run that was cancelled or cannot go on", () => {
		expect(nextAction(runSpec(), runWith(["a"], { subtasksDone: 1, isCancelled: true }).state)).toEqual({
			kind: "end",
		});
		expect(nextAction(runSpec(), runWith(["a"], { subtasksDone: 1, fault: "x" }).state)).toEqual({ kind: "end" });
	});
});

describe("the end of a run", () => {
	it.each([
		["complete", { subtasksDone: 3 }],
		["complete", { subtasksDone: 1, isGoalMet: true }],
		["max_steps_reached", { subtasksDone: 2 }],
		["budget_exhausted", { subtasksDone: 2, stop: RUN_CAP }],
		["interrupted", { subtasksDone: 2, stop: { limit: "no_model" as const, reason: "" } }],
		["cancelled", { subtasksDone: 2, isCancelled: true }],
		["interrupted", { subtasksDone: 2, isCancelled: true, fault: "it broke" }],
	] as const)("is %s with %j", (status, more) => {
		const { state } = runWith([], more);
		expect(endStatus(state)).toBe(status);
		const message = finalMessage(runSpec(), state, 5_000);
		if (status === "complete") expect(message).toBeNull();
		else expect(message).toMatch(/2 of 3 subtasks done\. 0\.000005 USD of 0\.001 USD spent/);
	});

	it("says that there is no output where there is none", () => {
		expect(finalMessage(runSpec(), runWith([], { stop: RUN_CAP }).state, 0)).toMatch(/There is no output\.$/);
	});

	it("has a root that its steps and its output verify against", () => {
		const { state, steps, charges } = runWith(["a", "b"], { subtasksDone: 2 });
		const end = toRunEnd(runSpec(), state, steps, charges);
		expect(end).toMatchObject({ status: "max_steps_reached", costNanoUsd: 2_000 });
		const bundle = {
			...state.trajectory,
			trajectory_proof: end.trajectoryProof,
			steps: steps.map(({ record }) => record),
			step_proofs: steps.map(({ record }) => record.step_proof),
			output_hash: hashText(end.output),
		};
		expect(verifyTrajectory(bundle)).toMatchObject({ valid: true });
		expect(end.trajectoryProof).toBe(currentProof({}, state, steps));
	});
});

/** The output after some steps. @param final the final step's, if there is one. */
function outputOf(outputs: readonly string[], rules: Partial<RunState> = {}, final?: string): string {
	const { state, steps } = endedWith(outputs, rules, final);
	return bestOutput(state, steps);
}

function endedWith(outputs: readonly string[], rules: Partial<RunState> = {}, final?: string) {
	const all = final === undefined ? outputs : [...outputs, final];
	const run = runWith(all, rules);
	const steps = run.steps.map((step, at) =>
		at < outputs.length ? step : { ...step, record: { ...step.record, role: "finalize" as const } },
	);
	return { ...run, steps };
}

describe("the output so far", () => {
	it("is a single result as it is, several under their titles, and never the plan", () => {
		expect(outputOf([])).toBe("");
		const planned = runWith(["[plan]", "a"], {}, true);
		expect(bestOutput(planned.state, planned.steps)).toBe("a");
		expect(outputOf(["a", "b"])).toBe("### Step 0: subtask 0\na\n\n### Step 1: subtask 1\nb");
		expect(subtaskResults(planned.steps)).toEqual([{ index: 1, subtask: "subtask 1", output: "a" }]);
	});

	it("is not that of a final step that says nothing", () => {
		expect(outputOf(["a", "b"], {}, "c")).toBe("c");
		expect(outputOf(["a", "b"], {}, " \n")).toBe(outputOf(["a", "b"]));
		expect(outputOf(["", ""], {}, "")).toBe("");
	});

	const assembly = { headings: ["Alpha", null, "Gamma"], aboveBytes: 0 };

	it("is made of its sections where results are sections, before and after the final step", () => {
		expect(outputOf(["a"], { assembly })).toBe("a");
		expect(outputOf(["a", "b"], { assembly })).toBe("## Alpha\n\na");
		expect(outputOf(["a", "b", "c"], { assembly })).toBe("## Alpha\n\na\n\n## Gamma\n\nc");
		expect(outputOf(["a", "b", "c"], { assembly }, "Hello.\n[SECTIONS]\nBye.")).toBe(
			"Hello.\n\n## Alpha\n\na\n\n## Gamma\n\nc\n\nBye.",
		);
		expect(outputOf(["a", "b", "c"], { assembly }, " ")).toBe("## Alpha\n\na\n\n## Gamma\n\nc");
	});

	it("keeps forty kilobytes of results that one answer cannot hold, and stays one answer where it can", () => {
		const chapters = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(5_000));
		const open = { headings: chapters.map((_, at) => `H${at}`), aboveBytes: 4_096 };
		const output = outputOf(chapters, { assembly: open }, "All of it, in short.");
		for (const chapter of chapters) expect(output).toContain(chapter);
		expect(outputOf(["a", "b"], { assembly: open }, "All of it, in short.")).toBe("All of it, in short.");
	});

	it("says that it is cut where a text that it holds was", () => {
		const isCut = (cutSteps: number[], rules: Partial<RunState> = {}, final?: string) => {
			const { state, steps } = endedWith(["a", "b", "c"], { ...rules, cutSteps }, final);
			return isOutputCut(state, steps);
		};
		expect(isCut([])).toBe(false);
		expect(isCut([1])).toBe(true);
		expect(isCut([1], {}, "final")).toBe(false);
		expect(isCut([3], {}, "final")).toBe(true);
		expect(isCut([1], { assembly }, "frame")).toBe(false);
		expect(isCut([2], { assembly }, "frame")).toBe(true);
		expect(isCut([3], { assembly }, "frame")).toBe(true);
		expect(outputOf(["a", "b", "c"], { assembly, cutSteps: [0] })).toBe("## Alpha\n\na\n\n[…]\n\n## Gamma\n\nc");
	});

	it("has a root that verifies where it is assembled", () => {
		const { state, steps, charges } = endedWith(["a", "b", "c"], { assembly, subtasksDone: 3 }, "Hello.");
		const end = toRunEnd(runSpec(), state, steps, charges);
		expect(end.isCut).toBe(false);
		expect(end.output).toBe("Hello.\n\n## Alpha\n\na\n\n## Gamma\n\nc");
		const bundle = {
			...state.trajectory,
			trajectory_proof: end.trajectoryProof,
			steps: steps.map(({ record }) => record),
			output: end.output,
		};
		expect(verifyTrajectory(bundle)).toMatchObject({ valid: true });
	});
});

it("a goal without structure is one subtask", () => {
	expect(planFromGoal({ goal: "Why is the sky blue?" })).toEqual([
		{ task: "Why is the sky blue?", title: null, isSection: null },
	]);
});
