import { describe, expect, it } from "vitest";
import { runSchema, runSummarySchema, shownRun, summaryOf, trajectoryOf } from "../../../src/agents/response.ts";
import { endOf } from "../../../src/agents/run/run.ts";
import { runWith, specOf } from "../../support/run-spec.ts";

const running = { spec: specOf({ goal: "😀".repeat(300) }), ...runWith(["a", "b"], { done: 2 }), end: null };
const over = { ...running, end: endOf(running.spec, running.state, running.steps, running.charges) };

describe("a run as it is shown", () => {
	it("is in its schema, running and over, and its amounts add up to the cap", () => {
		for (const run of [running, over]) {
			const shown = runSchema.parse(shownRun(run));
			expect(Math.round((shown.cost_consumed_usd + shown.remaining_usd) * 1e9)).toBe(1_000_000);
			expect(trajectoryOf(shown, true).verification).toMatchObject({ valid: true, n_steps: 2 });
		}
		expect(shownRun(running)).not.toHaveProperty("final_message");
		expect(shownRun(over).final_message).toMatch(/limit of 50 steps/);
	});

	it("in a list has the first 200 characters of its goal, whole ones, and no steps", () => {
		const summary = runSummarySchema.parse(summaryOf(shownRun(over), running.spec.goal));
		expect(summary.goal).toBe("😀".repeat(200));
		expect(summary).not.toHaveProperty("steps");
	});
});

describe("a trajectory", () => {
	it("is cut to twelve digits a hash, unless it is wanted whole", () => {
		const cut = trajectoryOf(shownRun(over), false);
		const whole = trajectoryOf(shownRun(over), true);
		expect(cut).not.toHaveProperty("verify_request");
		expect(cut.steps[0]?.step_proof).toBe(whole.steps[0]?.step_proof.slice(0, 19));
		expect(whole.verify_request?.step_proofs).toEqual(whole.steps.map(({ step_proof }) => step_proof));
	});

	it("of a run whose step was changed does not verify, and names the step", () => {
		const shown = shownRun(over);
		const steps = shown.steps.map((step, at) => (at === 1 ? { ...step, cost_usd: 0 } : step));
		expect(trajectoryOf({ ...shown, steps }, true).verification).toMatchObject({ valid: false, mismatched_steps: [1] });
	});
});
