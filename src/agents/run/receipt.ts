// A run that its meter has settled, because its object was away for too long: the receipt says what it came to, and the run is
// shown as the receipt has it. Pure.
import * as z from "zod";
import type { StoredReceipt } from "../../meter/settlement.ts";
import { nanoUsd } from "../../proof/money.ts";
import type { KnownRun } from "../response.ts";
import { appendStep, beginTrajectory } from "../trajectory.ts";
import { outputOf, type RunEnd, type RunState, type RunStep } from "./run.ts";

const receiptSchema = z.lazy(() =>
	z.object({ cost_usd: z.number(), trajectory_proof: z.string(), n_steps: z.int().nonnegative() }),
);

const MESSAGE =
	"The run was interrupted: the service stopped in the middle of it, and it was settled at what its calls may have cost. The output holds what was reached.";

/**
 * The run as its receipt has it. A step that was stored after the meter was told for the last time is not in the receipt, and
 * so not in the run any more.
 */
export function settledElsewhere(
	{ state, steps }: Pick<KnownRun, "state" | "steps">,
	{ receipt }: Pick<StoredReceipt, "receipt">,
): { end: RunEnd; state: RunState; steps: RunStep[] } {
	const { cost_usd, trajectory_proof, n_steps } = receiptSchema.parse(JSON.parse(receipt));
	const kept = steps.slice(0, n_steps);
	const trajectory = kept.reduce((so, { record }) => appendStep(so, record), beginTrajectory(state.trajectory));
	return {
		end: {
			status: "interrupted",
			output: outputOf(kept),
			finalMessage: MESSAGE,
			costNanoUsd: nanoUsd(cost_usd),
			trajectoryProof: trajectory_proof,
		},
		state: { ...state, trajectory },
		steps: kept,
	};
}
