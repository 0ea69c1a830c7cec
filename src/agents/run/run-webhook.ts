// What a run's webhook says, and the alert of one that was not delivered. webhooks/ signs and sends. Pure.
import { usd } from "../../proof/money.ts";
import { MAX_WEBHOOK_TRIES } from "../../webhooks/webhook.ts";
import type { BudgetAlert } from "../guard.ts";
import type { RunResponse } from "../response.ts";
import type { PendingEntry } from "../tools/pending.ts";
import { toPendingEntry } from "../tools/waiting.ts";
import { listCharges, type StepCharge, sumChargesNanoUsd } from "./charges.ts";
import { countSteps, type RunSpec, type RunState } from "./run.ts";

/** The body of a run's webhook. Never holds what the user or a model wrote. */
interface RunWebhookBody extends Pick<RunResponse, "run_id" | "status" | "cost_consumed_usd" | "trajectory_proof"> {
	/** `ended`: the run is over and signed; `interrupted`: it can be resumed; `requires_action`: it waits for somebody. */
	type: "agent.run.ended" | "agent.run.interrupted" | "agent.run.requires_action";
	/** What it waits for. */
	pending?: PendingEntry[];
}

/** What a webhook says of a run that has ended, is interrupted, or waits for somebody. */
export function toRunWebhook({
	run_id,
	status,
	sealed,
	cost_consumed_usd,
	trajectory_proof,
	pending,
}: Pick<
	RunResponse,
	"run_id" | "status" | "sealed" | "cost_consumed_usd" | "trajectory_proof" | "pending"
>): RunWebhookBody {
	const said = { run_id, status, cost_consumed_usd, trajectory_proof };
	if (pending) return { type: "agent.run.requires_action", ...said, pending: pending.map(toPendingEntry) };
	return { type: sealed ? "agent.run.ended" : "agent.run.interrupted", ...said };
}

/** The alert that a run's webhook was given up. */
export function webhookAlert(
	{ capNanoUsd }: Pick<RunSpec, "capNanoUsd">,
	state: RunState,
	charges: readonly StepCharge[],
): BudgetAlert {
	const spentNanoUsd = sumChargesNanoUsd(listCharges({ charges, state }));
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
