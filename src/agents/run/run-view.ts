// A run as its object hands it out: to the Worker, and as the row that mirrors it in D1. Pure.
import { utf8Length } from "../../providers/wire.ts";
import { type RunResponse, type RunSnapshot, toRunResponse, toRunSummary } from "../response.ts";
import type { AgentRunRow } from "./runs.store.ts";

/** Larger runs are mirrored to D1 without their steps: the row, its JSON nested in JSON, must stay below 2 MB. */
const MAX_MIRRORED_BYTES = 500_000;

/** A run as the Worker gets it. */
export interface RunView {
	run: RunResponse;
	/** At least one answer came from the sandbox upstream. */
	isSandbox: boolean;
}

/** What a request that waits for a run gets. `unsettled`: settling failed so far. `abandoned`: the run did not start and never will. */
export type RunOutcome = RunView | "unsettled" | "abandoned";

export function toRunView(run: RunSnapshot): RunView {
	return { run: toRunResponse(run), isSandbox: run.state.isSandbox };
}

export function toAgentRunRow(run: RunSnapshot): Omit<AgentRunRow, "revision"> {
	const view = toRunView(run);
	const whole = run.end ? JSON.stringify(view) : null;
	return {
		id: run.spec.runId,
		user_id: run.spec.userId,
		created_at: view.run.created_at,
		status: view.run.status,
		summary: JSON.stringify(toRunSummary(view.run, run.spec.goal)),
		api_key_id: run.spec.keyId,
		run: whole !== null && utf8Length(whole) <= MAX_MIRRORED_BYTES ? whole : null,
	};
}
