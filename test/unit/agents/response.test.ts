import { describe, expect, it } from "vitest";
import {
	runSchema,
	runSummarySchema,
	toRunResponse,
	toRunSummary,
	toTrajectoryResponse,
} from "../../../src/agents/response.ts";
import { toRunEnd } from "../../../src/agents/run/run-end.ts";
import { runSpec, runWith } from "../../support/run-spec.ts";

const running = { spec: runSpec({ goal: "😀".repeat(300) }), ...runWith(["a", "b"], { subtasksDone: 2 }), end: null };
const over = { ...running, end: toRunEnd(running.spec, running.state, running.steps, running.charges) };

describe("a run as it is shown", () => {
	it("is in its schema, running and over, and its amounts add up to the cap", () => {
		for (const run of [running, over]) {
			const shown = runSchema.parse(toRunResponse(run));
			expect(Math.round((shown.cost_consumed_usd + shown.remaining_usd) * 1e9)).toBe(1_000_000);
			expect(toTrajectoryResponse(shown, true).verification).toMatchObject({ valid: true, n_steps: 2 });
		}
		expect(toRunResponse(running)).not.toHaveProperty("final_message");
		expect(toRunResponse(over).final_message).toMatch(/limit of 50 steps/);
	});

	it("in a list has the first 200 characters of its goal, whole ones, and no steps", () => {
		const summary = runSummarySchema.parse(toRunSummary(toRunResponse(over), running.spec.goal));
		expect(summary.goal).toBe("😀".repeat(200));
		expect(summary).not.toHaveProperty("steps");
	});
});

describe("a trajectory", () => {
	it("is cut to twelve digits a hash, unless it is wanted whole", () => {
		const cut = toTrajectoryResponse(toRunResponse(over), false);
		const whole = toTrajectoryResponse(toRunResponse(over), true);
		expect(cut).not.toHaveProperty("verify_request");
		expect(cut.steps[0]?.step_proof).toBe(whole.steps[0]?.step_proof.slice(0, 19));
		expect(whole.verify_request?.step_proofs).toEqual(whole.steps.map(({ step_proof }) => step_proof));
	});

	it("of a run whose step was changed does not verify, and names the step", () => {
		const shown = toRunResponse(over);
		const steps = shown.steps.map((step, at) => (at === 1 ? { ...step, cost_usd: 0 } : step));
		expect(toTrajectoryResponse({ ...shown, steps }, true).verification).toMatchObject({
			valid: false,
			mismatched_steps: [1],
		});
	});
});
