// The audit events of a run: its plan and its end. Pure.
import { type AuditEventRow, toActor } from "../../audit/event.ts";
import { usd } from "../../proof/money.ts";
import type { RunSpec, RunState } from "./run.ts";
import type { EndedRun, RunEnd } from "./run-end.ts";

const MAX_EVENT_GOAL_CHARS = 500;
/** Shared evenly by the subtasks of a plan. One may be a whole goal of two megabytes, and an event must fit into a row. */
const MAX_EVENT_PLAN_CHARS = 100_000;

function toAgentEvent(
	{ userId: user_id, workspaceId: workspace_id, keyId }: RunSpec,
	event_type: "agent_plan" | "agent_record" | "agent_run_deleted",
	id: string,
	payload: Record<string, unknown>,
	atMs: number,
): AuditEventRow {
	return {
		id,
		user_id,
		workspace_id,
		event_type,
		actor: toActor({ keyId }),
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: JSON.stringify(payload),
		created_at: new Date(atMs).toISOString(),
	};
}

/** The event of a run's plan. @param id `ae_` and a ULID. */
export function planEvent(spec: RunSpec, { plan, trajectory }: RunState, id: string, atMs: number): AuditEventRow {
	const { runId: run_id, goal, policy, maxSteps: max_steps, capNanoUsd } = spec;
	const request = { goal: goal.slice(0, MAX_EVENT_GOAL_CHARS).toWellFormed(), policy, strategy: trajectory.strategy };
	const subtaskChars = Math.floor(MAX_EVENT_PLAN_CHARS / plan.length);
	const subtasks = plan.map((subtask) => subtask.slice(0, subtaskChars).toWellFormed());
	const payload = { run_id, ...request, plan: subtasks, max_steps, max_cost_usd: usd(capNanoUsd) };
	return toAgentEvent(spec, "agent_plan", id, payload, atMs);
}

/** The event of a run's end. @param id `ae_` and a ULID. */
export function agentRecordEvent(
	spec: RunSpec,
	{ trajectory }: RunState,
	end: RunEnd,
	id: string,
	atMs: number,
): AuditEventRow {
	const { status, costNanoUsd, trajectoryProof: trajectory_proof } = end;
	const payload = {
		run_id: spec.runId,
		status,
		steps_taken: trajectory.range.size,
		cost_consumed_usd: usd(costNanoUsd),
		max_cost_usd: usd(spec.capNanoUsd),
		trajectory_proof,
	};
	return toAgentEvent(spec, "agent_record", id, payload, atMs);
}

/** The event of a run that was deleted. @param actor who deleted it. @param id `ae_` and a ULID. */
export function runDeletedEvent(
	spec: RunSpec,
	{ status }: RunEnd,
	actor: string,
	id: string,
	atMs: number,
): AuditEventRow {
	return { ...toAgentEvent(spec, "agent_run_deleted", id, { run_id: spec.runId, status }, atMs), actor };
}

/** The events that a run's end writes: its plan's, where no step has, and its own. @param newId makes `ae_` and a ULID. */
export function endEvents({ spec, state, end }: EndedRun, newId: () => string, atMs: number): AuditEventRow[] {
	const planned = state.owesPlanEvent ? [planEvent(spec, state, newId(), atMs)] : [];
	return [...planned, agentRecordEvent(spec, state, end, newId(), atMs)];
}
