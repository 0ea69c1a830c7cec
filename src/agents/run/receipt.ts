// A run that its meter has settled, because its object was away for too long. The run is then shown as the receipt has it. Pure.
import * as z from "zod";
import type { StoredReceipt } from "../../meter/settlement.ts";
import { nanoUsd } from "../../proof/money.ts";
import type { RunSnapshot } from "../response.ts";
import { toolCallCountsSchema } from "../tools/step-view.ts";
import { appendStep, emptyTrajectory } from "../trajectory.ts";
import type { RunState, RunStep } from "./run.ts";
import type { RunEnd } from "./run-end.ts";
import { bestOutput, isOutputCut } from "./run-output.ts";

const agentReceiptSchema = z.lazy(() =>
	z.object({
		cost_usd: z.number(),
		trajectory_proof: z.string(),
		n_steps: z.int().nonnegative(),
		tool_calls: toolCallCountsSchema.optional(),
	}),
);

const SETTLED_BY_METER_MESSAGE =
	"The run was interrupted: the service stopped in the middle of it, and it was settled at what its calls may have cost. The output holds what was reached.";

/** The run as its receipt has it. Steps stored after the reservation's last update are not in the receipt, and are dropped. */
export function runFromReceipt(
	{ state, steps }: Pick<RunSnapshot, "state" | "steps">,
	{ receipt }: Pick<StoredReceipt, "receipt">,
): { end: RunEnd; state: RunState; steps: RunStep[] } {
	const { cost_usd, trajectory_proof, n_steps, tool_calls: counts } = agentReceiptSchema.parse(JSON.parse(receipt));
	const receiptSteps = steps.slice(0, n_steps);
	const trajectory = receiptSteps.reduce(
		(chain, { record }) => appendStep(chain, record),
		emptyTrajectory(state.trajectory),
	);
	return {
		end: {
			status: "interrupted",
			output: bestOutput(state, receiptSteps),
			isCut: isOutputCut(state, receiptSteps),
			finalMessage: SETTLED_BY_METER_MESSAGE,
			costNanoUsd: nanoUsd(cost_usd),
			trajectoryProof: trajectory_proof,
		},
		state: {
			...state,
			trajectory,
			...(state.tools && counts ? { tools: { ...state.tools, open: null, counts } } : {}),
		},
		steps: receiptSteps,
	};
}
