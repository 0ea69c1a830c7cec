import { describe, expect, it } from "vitest";
import {
	endOf,
	endStatusOf,
	finalMessageOf,
	nextMove,
	openRun,
	outputOf,
	ownPlan,
	proofSoFar,
	resultsOf,
} from "../../../../src/agents/run/run.ts";
import { verifyTrajectory } from "../../../../src/agents/trajectory.ts";
import { hashText } from "../../../../src/proof/hash.ts";
import { runWith, specOf } from "../../../support/run-spec.ts";

const RUN_CAP = { limit: "run_cap" as const, reason: "too dear" };

describe("the next move", () => {
	it("of a run that begins is its plan", () => {
		expect(nextMove(specOf(), openRun(specOf()))).toEqual({ kind: "plan", maxSubtasks: 20 });
	});

	it("is one subtask after the other, then the final step, then none", () => {
		expect(nextMove(specOf(), runWith([]).state)).toEqual({ kind: "subtask", subtask: "one" });
		expect(nextMove(specOf(), runWith(["a"], { done: 1 }).state)).toEqual({ kind: "subtask", subtask: "two" });
		expect(nextMove(specOf(), runWith(["a", "b", "c"], { done: 3 }).state)).toEqual({ kind: "finalize" });
		expect(nextMove(specOf(), runWith(["a", "b", "c"], { done: 3, isFinal: true }).state)).toEqual({ kind: "end" });
	});

	it("leaves the last step that is allowed to the final one", () => {
		const { state } = runWith(["a"], { done: 1 });
		expect(nextMove({ maxSteps: 2 }, state)).toEqual({ kind: "end" });
		const two = runWith(["a", "b"], { done: 2 }).state;
		expect(nextMove({ maxSteps: 3 }, two)).toEqual({ kind: "finalize" });
		expect(nextMove({ maxSteps: 2 }, two)).toEqual({ kind: "end" });
	});

	it("is the final one at once when the goal is met", () => {
		expect(nextMove(specOf(), runWith(["a"], { done: 1, isMet: true }).state)).toEqual({ kind: "finalize" });
	});

	it("puts several results together when money is short, and leaves a single one as it is", () => {
		expect(nextMove(specOf(), runWith(["a", "b"], { done: 2, stop: RUN_CAP }).state)).toEqual({ kind: "finalize" });
		expect(nextMove(specOf(), runWith(["a"], { done: 1, stop: RUN_CAP }).state)).toEqual({ kind: "end" });
		expect(nextMove(specOf(), runWith([], { stop: RUN_CAP }).state)).toEqual({ kind: "end" });
	});

	it("is none for a run that was cancelled or cannot go on", () => {
		expect(nextMove(specOf(), runWith(["a"], { done: 1, isCancelled: true }).state)).toEqual({ kind: "end" });
		expect(nextMove(specOf(), runWith(["a"], { done: 1, fault: "x" }).state)).toEqual({ kind: "end" });
	});
});

describe("the end of a run", () => {
	it.each([
		["complete", { done: 3 }],
		["complete", { done: 1, isMet: true }],
		["max_steps_reached", { done: 2 }],
		["budget_exhausted", { done: 2, stop: RUN_CAP }],
		["interrupted", { done: 2, stop: { limit: "no_model" as const, reason: "" } }],
		["cancelled", { done: 2, isCancelled: true }],
		["interrupted", { done: 2, isCancelled: true, fault: "it broke" }],
	] as const)("is %s with %j", (status, more) => {
		const { state } = runWith([], more);
		expect(endStatusOf(state)).toBe(status);
		const message = finalMessageOf(specOf(), state, 5_000);
		if (status === "complete") expect(message).toBeNull();
		else expect(message).toMatch(/2 of 3 subtasks done\. 0\.000005 USD of 0\.001 USD spent/);
	});

	it("says that there is no output where there is none", () => {
		expect(finalMessageOf(specOf(), runWith([], { stop: RUN_CAP }).state, 0)).toMatch(/There is no output\.$/);
	});

	it("has a root that its steps and its output verify against", () => {
		const { state, steps, charges } = runWith(["a", "b"], { done: 2 });
		const end = endOf(specOf(), state, steps, charges);
		expect(end).toMatchObject({ status: "max_steps_reached", costNanoUsd: 2_000 });
		const bundle = {
			...state.trajectory,
			trajectory_proof: end.trajectoryProof,
			steps: steps.map(({ record }) => record),
			step_proofs: steps.map(({ record }) => record.step_proof),
			output_hash: hashText(end.output),
		};
		expect(verifyTrajectory(bundle)).toMatchObject({ valid: true });
		expect(end.trajectoryProof).toBe(proofSoFar(state, steps));
	});
});

describe("the output so far", () => {
	it("is a lone result as it is, several under their titles, and never the plan", () => {
		expect(outputOf(runWith([]).steps)).toBe("");
		expect(outputOf(runWith(["[plan]", "a"], {}, true).steps)).toBe("a");
		expect(outputOf(runWith(["a", "b"]).steps)).toBe("### Step 0: subtask 0\na\n\n### Step 1: subtask 1\nb");
		expect(resultsOf(runWith(["[plan]", "a"], {}, true).steps)).toEqual([
			{ index: 1, subtask: "subtask 1", output: "a" },
		]);
	});

	it("is not that of a final step that says nothing", () => {
		const ended = (output: string) =>
			runWith(["a", "b", output]).steps.map((step, at) =>
				at < 2 ? step : { ...step, record: { ...step.record, role: "finalize" as const } },
			);
		expect(outputOf(ended("c"))).toBe("c");
		expect(outputOf(ended(" \n"))).toBe(outputOf(runWith(["a", "b"]).steps));
		const blank = ended("").map((step) => ({ ...step, output: "" }));
		expect(outputOf(blank)).toBe("");
	});
});

it("a goal without structure is one subtask", () => {
	expect(ownPlan({ goal: "Why is the sky blue?" })).toEqual(["Why is the sky blue?"]);
});
