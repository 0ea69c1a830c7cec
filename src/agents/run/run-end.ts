// How a run ends: its status, what people are told, and what is kept of it. run-ending.edge.ts ends it. Pure.
import { usdText } from "../../proof/money.ts";
import { textHash } from "../../proof/salted.ts";
import { utf8Length } from "../../text/utf8.ts";
import type { StepLimit } from "../step-decision.ts";
import { unreadMessages } from "../tools/steering.ts";
import { type StepCharge, sumChargesNanoUsd } from "./charges.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";
import { bestOutput, currentProof, isOutputCut } from "./run-output.ts";

/** How runs end. `interrupted`: the run failed, or its object died. */
export const END_STATUSES = ["complete", "budget_exhausted", "max_steps_reached", "cancelled", "interrupted"] as const;
export type EndStatus = (typeof END_STATUSES)[number];

/** How a run ended. */
export interface RunEnd {
	status: EndStatus;
	output: string;
	/** The output limit ended a text that the output holds; left out in runs that ended before this was known. */
	isCut?: boolean;
	/** For people; null for a complete run of which nothing is to be said. */
	finalMessage: string | null;
	/** The settled cost. */
	costNanoUsd: number;
	trajectoryProof: string;
}

/** The end status of a run without a further action. */
export function endStatus(state: RunState): EndStatus {
	const { plan, subtasksDone, isGoalMet, isFinalized, stop, isCancelled, fault } = state;
	if (fault !== null) return "interrupted";
	// A cancellation after the final step changes nothing.
	if (isCancelled && !isFinalized) return "cancelled";
	if (stop) return stop.limit === "no_model" ? "interrupted" : "budget_exhausted";
	return subtasksDone < plan.length && !isGoalMet ? "max_steps_reached" : "complete";
}

const STEP_LIMIT_TEXT: Readonly<Record<StepLimit, string>> = {
	run_cap: "the next step could have cost more than was left; raise max_cost_usd",
	final_step: "the next step and the final one could have cost more than was left; raise max_cost_usd",
	step_cap: "the next step could have cost more than max_cost_per_step allows; raise it",
	no_model: "no model that may work on this run can make the next step",
};

/** Why a run was cancelled. */
function planEnd({ wait }: RunState): string {
	const plan = wait?.plan;
	if (plan?.end === "expired") return "The run was cancelled: nobody approved its plan in time.";
	if (plan?.approval?.decision !== "reject") return "The run was cancelled.";
	const { reason } = plan.approval;
	return `The run was cancelled: its plan was rejected${reason === undefined ? "" : ` (${reason})`}.`;
}

/** Says which messages of its owner a run has not read. One that is interrupted may still read them, and who cancels needs none. */
function unreadTexts(state: RunState, status: EndStatus): string[] {
	const unread = unreadMessages(state);
	if (unread.length === 0 || status === "interrupted" || status === "cancelled") return [];
	const ids = unread.map(({ id }) => id).join(", ");
	return [
		`No turn has read the ${unread.length === 1 ? "message" : "messages"} ${ids}: no further one fitted or followed.`,
	];
}

/** Why a run stopped and what there is of it, for people; null for a complete run. */
export function finalMessage(
	spec: Pick<RunSpec, "capNanoUsd" | "maxSteps">,
	state: RunState,
	costNanoUsd: number,
): string | null {
	const status = endStatus(state);
	const { plan, subtasksDone, stop, fault, form } = state;
	const unfit = form?.fault == null ? [] : [`The output has not the form of output_schema: ${form.fault}`];
	const notes = [...unfit, ...unreadTexts(state, status)];
	const why: Readonly<Record<EndStatus, string>> = {
		complete: "",
		budget_exhausted: `The run stopped within its budget: ${STEP_LIMIT_TEXT[stop?.limit ?? "run_cap"]} (${stop?.reason ?? ""}).`,
		max_steps_reached: `The run stopped at its limit of ${spec.maxSteps} ${spec.maxSteps === 1 ? "step" : "steps"}; raise max_steps to have all subtasks done.`,
		cancelled: planEnd(state),
		interrupted: `The run was interrupted: ${fault ?? STEP_LIMIT_TEXT[stop?.limit ?? "no_model"]}.`,
	};
	if (status === "complete") return notes.length === 0 ? null : notes.join(" ");
	const subtasks = plan.length === 1 ? "subtask" : "subtasks";
	const progress = plan.length === 0 ? "No plan was made." : `${subtasksDone} of ${plan.length} ${subtasks} done.`;
	const output = subtasksDone === 0 ? "There is no output." : "The output holds what was reached.";
	return `${why[status]} ${progress} ${usdText(costNanoUsd)} of ${usdText(spec.capNanoUsd)} spent. ${[output, ...notes].join(" ")}`;
}

/** A run at its end. */
export interface EndedRun {
	spec: RunSpec;
	state: RunState;
	steps: readonly RunStep[];
	charges: readonly StepCharge[];
	end: RunEnd;
}

/**
 * A run as it is kept after its end. Of one whose cap paid for no call the texts are not kept, because it has cost nothing: its goal
 * is a digest.
 */
export function toEndedRun(
	{ spec, charges }: Pick<EndedRun, "spec" | "charges">,
	{ state, steps, end }: Pick<EndedRun, "state" | "steps" | "end">,
): EndedRun {
	const { owesPlanEvent: _, ...others } = state;
	const paidForNothing = end.status === "budget_exhausted" && steps.length === 0 && charges.length === 0;
	if (!paidForNothing) return { spec, state, steps, charges, end };
	const goalDigest = { hash: textHash(spec.salt)(spec.goal), bytes: utf8Length(spec.goal) };
	return { spec: { ...spec, goal: "", goalDigest }, state: { ...others, plan: [] }, steps, charges, end };
}

/** The end of a run whose charges are all known. */
export function toRunEnd(
	spec: RunSpec,
	state: RunState,
	steps: readonly RunStep[],
	charges: readonly StepCharge[],
): RunEnd {
	const costNanoUsd = sumChargesNanoUsd(charges);
	return {
		status: endStatus(state),
		output: bestOutput(state, steps),
		isCut: isOutputCut(state, steps),
		finalMessage: finalMessage(spec, state, costNanoUsd),
		costNanoUsd,
		trajectoryProof: currentProof(spec, state, steps),
	};
}
