// What a run's webhook says, and the alert of one that was not delivered. webhooks/ signs and sends. Pure.
import { usd } from "../../proof/money.ts";
import { MAX_WEBHOOK_TRIES } from "../../webhooks/webhook.ts";
import type { BudgetAlert } from "../guard.ts";
import type { RunResponse } from "../response.ts";
import { countSteps, type RunSpec, type RunState, type StepCharge, sumChargesNanoUsd } from "./run.ts";

/** The body of a run's webhook. Never holds what the user or a model wrote. */
interface RunWebhookBody extends Pick<RunResponse, "run_id" | "status" | "cost_consumed_usd" | "trajectory_proof"> {
	/** `ended`: the run is over and signed; `interrupted`: it can be resumed. */
	type: "agent.run.ended" | "agent.run.interrupted";
}

/** What a webhook says of a run that has ended or is interrupted. */
export function toRunWebhook({
	run_id,
	status,
	sealed,
	cost_consumed_usd,
	trajectory_proof,
}: Pick<RunResponse, "run_id" | "status" | "sealed" | "cost_consumed_usd" | "trajectory_proof">): RunWebhookBody {
	const type = sealed ? "agent.run.ended" : "agent.run.interrupted";
	return { type, run_id, status, cost_consumed_usd, trajectory_proof };
}

/** The alert that a run's webhook was given up. */
export function webhookAlert(
	{ capNanoUsd }: Pick<RunSpec, "capNanoUsd">,
	state: RunState,
	charges: readonly StepCharge[],
): BudgetAlert {
	const spentNanoUsd = sumChargesNanoUsd(charges);
	return {
		level: "WARNING",
		code: "webhook_failed",
		threshold: null,
		consumed_share: Math.floor((spentNanoUsd * 1e4) / capNanoUsd) / 1e4,
		consumed_usd: usd(spentNanoUsd),
		max_cost_usd: usd(capNanoUsd),
		step_index: Math.max(0, countSteps(state) - 1),
		intensity: state.guard.intensity,
		message: `the webhook was tried ${MAX_WEBHOOK_TRIES} times within an hour, and its receiver accepted none`,
	};
}
