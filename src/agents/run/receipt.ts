// A run that its meter has settled, because its object was away for too long: the receipt says what it came to, and the run is
// shown as the receipt has it. Pure.
import * as z from "zod";
import type { StoredReceipt } from "../../meter/settlement.ts";
import { nanoUsd } from "../../proof/money.ts";
import type { RunSnapshot } from "../response.ts";
import { appendStep, emptyTrajectory } from "../trajectory.ts";
import { bestOutput, type RunEnd, type RunState, type RunStep } from "./run.ts";

const agentReceiptSchema = z.lazy(() =>
	z.object({ cost_usd: z.number(), trajectory_proof: z.string(), n_steps: z.int().nonnegative() }),
);

const SETTLED_BY_METER_MESSAGE =
	"The run was interrupted: the service stopped in the middle of it, and it was settled at what its calls may have cost. The output holds what was reached.";

/**
 * The run as its receipt has it. A step that was stored after the meter was told for the last time is not in the receipt, and
 * so not in the run any more.
 */
export function runFromReceipt(
	{ state, steps }: Pick<RunSnapshot, "state" | "steps">,
	{ receipt }: Pick<StoredReceipt, "receipt">,
): { end: RunEnd; state: RunState; steps: RunStep[] } {
	const { cost_usd, trajectory_proof, n_steps } = agentReceiptSchema.parse(JSON.parse(receipt));
	const receiptSteps = steps.slice(0, n_steps);
	const trajectory = receiptSteps.reduce((so, { record }) => appendStep(so, record), emptyTrajectory(state.trajectory));
	return {
		end: {
			status: "interrupted",
			output: bestOutput(receiptSteps),
			finalMessage: SETTLED_BY_METER_MESSAGE,
			costNanoUsd: nanoUsd(cost_usd),
			trajectoryProof: trajectory_proof,
		},
		state: { ...state, trajectory },
		steps: receiptSteps,
	};
}
