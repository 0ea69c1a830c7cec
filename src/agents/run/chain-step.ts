// A run's trajectory with one more step. Pure.
import { usd } from "../../proof/money.ts";
import type { TextHash } from "../../proof/salted.ts";
import { appendStep, type Trajectory } from "../trajectory.ts";
import { type StepCharge, sumChargesNanoUsd, sumTokens } from "./charges.ts";
import type { RunStep, StepDraft, StepRecord } from "./run.ts";

/** The trajectory with one more step, and that step with its index and proof. */
export function chainStep(
	trajectory: Trajectory,
	step: Omit<StepRecord, "index" | "step_proof">,
): { trajectory: Trajectory; record: StepRecord } {
	const indexed = { index: trajectory.range.size, ...step };
	const next = appendStep(trajectory, indexed);
	return { trajectory: next, record: { ...indexed, step_proof: next.last } };
}

/** The trajectory with a step that was charged without an answer, and that step. Its model is the one called last. */
export function chainFailedStep(
	trajectory: Trajectory,
	{ role, intensity, strategy, input_hash, subtask }: StepDraft,
	charge: StepCharge,
	atMs: number,
	hashText: TextHash,
): { trajectory: Trajectory; step: RunStep } {
	const model = charge.calls.at(-1)?.model;
	if (model === undefined) throw new Error("a step is charged for its calls");
	const chained = chainStep(trajectory, {
		role,
		model,
		intensity,
		strategy,
		cost_usd: usd(sumChargesNanoUsd([charge])),
		confidence: 0,
		confidence_basis: null,
		input_hash,
		output_hash: hashText(""),
		timestamp: new Date(atMs).toISOString(),
		...sumTokens(charge),
	});
	return { trajectory: chained.trajectory, step: { record: chained.record, subtask, hasResult: false, output: "" } };
}
