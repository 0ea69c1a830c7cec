// A run's trajectory with one more step. Pure.
import type { ConfidenceBasis } from "../../inference/confidence-basis.ts";
import type { Hash } from "../../proof/hash.ts";
import { usd } from "../../proof/money.ts";
import type { TextHash } from "../../proof/salted.ts";
import { appendStep, type Trajectory } from "../trajectory.ts";
import { type StepCharge, sumChargesNanoUsd, sumTokens } from "./charges.ts";
import type { RunStep, StepDraft, StepRecord } from "./run.ts";

/** A trajectory with one more step, and that step with its index and proof. */
interface ChainedStep {
	trajectory: Trajectory;
	record: StepRecord;
}

/** Adds a step to a trajectory. */
export function chainStep(trajectory: Trajectory, step: Omit<StepRecord, "index" | "step_proof">): ChainedStep {
	const indexed = { index: trajectory.range.size, ...step };
	const next = appendStep(trajectory, indexed);
	return { trajectory: next, record: { ...indexed, step_proof: next.last } };
}

/** How a step ended. */
interface StepEnd {
	/** Whose text is kept. */
	model: string;
	confidence: number;
	confidenceBasis: ConfidenceBasis | null;
	outputHash: Hash;
	charge: StepCharge;
	atMs: number;
}

/** The trajectory with a step that has ended. */
export function chainEndedStep(
	trajectory: Trajectory,
	{ role, intensity, strategy, input_hash }: StepDraft,
	{ model, confidence, confidenceBasis, outputHash, charge, atMs }: StepEnd,
): ChainedStep {
	return chainStep(trajectory, {
		role,
		model,
		intensity,
		strategy,
		cost_usd: usd(sumChargesNanoUsd([charge])),
		confidence,
		confidence_basis: confidenceBasis,
		input_hash,
		output_hash: outputHash,
		timestamp: new Date(atMs).toISOString(),
		...sumTokens(charge),
	});
}

/** The trajectory with a step that was charged without an answer, and that step. Its model is the one called last. */
export function chainFailedStep(
	trajectory: Trajectory,
	draft: StepDraft,
	charge: StepCharge,
	atMs: number,
	hashText: TextHash,
): { trajectory: Trajectory; step: RunStep } {
	const model = charge.calls.at(-1)?.model;
	if (model === undefined) throw new Error("a step is charged for its calls");
	const end = { model, confidence: 0, confidenceBasis: null, outputHash: hashText(""), charge, atMs };
	const { trajectory: next, record } = chainEndedStep(trajectory, draft, end);
	return { trajectory: next, step: { record, subtask: draft.subtask, hasResult: false, output: "" } };
}
