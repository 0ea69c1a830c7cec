// A run as its object hands it out: to the Worker, and as the row that mirrors it in D1. Pure.
import type { BudgetStatus } from "../../meter/key-budget.ts";
import { STORED_ROW_BYTES } from "../../meter/stored-bytes.ts";
import { utf8Length } from "../../text/utf8.ts";
import { type RunResponse, type RunSnapshot, toRunResponse, toRunSummary } from "../response.ts";
import type { AgentRunRow } from "./runs.store.ts";

/** Larger runs are mirrored to D1 without their steps: the row, its JSON nested in JSON, must stay below 2 MB. */
const MAX_MIRRORED_BYTES = 500_000;

/** A run as the Worker gets it. */
export interface RunView {
	run: RunResponse;
	/** At least one answer came from the sandbox upstream. */
	isSandbox: boolean;
	/** Everything is resolved, and the budget of its key did not leave one turn: the budget at that moment. */
	stalled?: BudgetStatus;
}

/** What a request that waits for a run gets. `unsettled`: settling failed so far. `abandoned`: the run did not start and never will. */
export type RunOutcome = RunView | "unsettled" | "abandoned";

export function toRunView(run: RunSnapshot): RunView {
	const { isSandbox, wait } = run.state;
	const stalled = run.end === null && wait?.stalled ? { stalled: wait.stalled } : {};
	return { run: toRunResponse(run), isSandbox, ...stalled };
}

/** What a run counts as while it goes on: its goal. At its end, all that is kept of it takes the place of that. */
export function startedRunBytes({ goal }: Pick<RunSnapshot["spec"], "goal">): number {
	return utf8Length(goal) + STORED_ROW_BYTES;
}

export function toAgentRunRow(run: RunSnapshot): Omit<AgentRunRow, "revision"> {
	const view = toRunView(run);
	const whole = run.end ? JSON.stringify(view) : null;
	const wholeBytes = whole === null ? 0 : utf8Length(whole);
	const summary = JSON.stringify(toRunSummary(view.run, run.spec.goal));
	return {
		id: run.spec.runId,
		user_id: run.spec.userId,
		created_at: view.run.created_at,
		status: view.run.status,
		summary,
		run: whole !== null && wholeBytes <= MAX_MIRRORED_BYTES ? whole : null,
		stored_bytes: run.end ? wholeBytes + utf8Length(summary) + STORED_ROW_BYTES : startedRunBytes(run.spec),
		api_key_id: run.spec.keyId,
	};
}
