// The record of a person's decision on an action: an audit event and a handoff of the run's workspace, under ids that are fixed with the
// decision, so that both may be delivered twice. The run's outbox delivers them. Pure.
import { type AuditEventRow, toActor } from "../../audit/event.ts";
import { agentLimitNanoUsd, PLANS } from "../../catalog/plans.ts";
import type { HandoffContent, HandoffItem } from "../../ledger/entry.ts";
import { contentBytes, handoffBytes, toHandoffDraft } from "../../ledger/handoff.ts";
import type { AppendRequest } from "../../ledger/workspace-ledger.object.ts";
import { eventBytes } from "../../meter/stored-bytes.ts";
import type { Hash } from "../../proof/hash.ts";
import { usd } from "../../proof/money.ts";
import type { RunSpec, RunState } from "../run/run.ts";
import type { CallApproval } from "./tool-call.ts";

/** What was decided on, and how. */
export interface DecidedAction {
	pendingId: string;
	/** Its call; null for the run's plan. */
	call: { id: string; tool: string; policyEventId: string | null } | null;
	/** The action as it was put up. An edit decides on another one, whose digest is the approval's. */
	proposedDigest: Hash;
	approval: CallApproval;
}

/** Both are kept with the run until they have arrived. */
export interface DecisionRecord {
	event: AuditEventRow;
	handoff: AppendRequest;
}

/** What is stored with the answers to a run: the records of decisions, and the events of edits that were judged. */
export interface ResolvedRecords {
	records: readonly DecisionRecord[];
	events: readonly AuditEventRow[];
}

/** The part of a run that its records name. */
type DecidedRun = Pick<RunSpec, "runId" | "userId" | "workspaceId" | "planId">;

const VERBS: Readonly<Record<CallApproval["decision"], string>> = {
	approve: "Approved",
	edit: "Approved with changes",
	reject: "Rejected",
};

function toObjective({ call, approval }: DecidedAction, runId: string): string {
	const action = call ? `a call of ${call.tool}` : "the plan";
	return `${VERBS[approval.decision]}: ${action} of run ${runId}`;
}

/** The decision as the ledger has it: from the run to who decided. It holds no arguments and no reason, only what identifies them. */
function toReview({ runId }: DecidedRun, action: DecidedAction): HandoffContent {
	const { keyId, decision, digest, isSelfApproval } = action.approval;
	const risks: HandoffItem[] = isSelfApproval
		? [{ id: "self_approval", description: "who decided began the run, or comes from the key that did" }]
		: [];
	return {
		objective: toObjective(action, runId),
		from_tool: runId,
		to_tool: keyId,
		files_touched: [],
		constraints: [],
		risks,
		validation: [
			{ id: "action_digest", description: digest },
			{ id: "decision", description: decision },
		],
		recommended_next_action: null,
		action_kind: "review",
		est_cost: null,
	};
}

/** The event's payload. `proposed_digest` differs from `action_digest` where the person changed the action. */
function toPayload({ runId }: DecidedRun, action: DecidedAction, handoffId: string) {
	const { pendingId, call, proposedDigest, approval } = action;
	return {
		run_id: runId,
		kind: call ? "approval" : "plan",
		pending_id: pendingId,
		call_id: call?.id ?? null,
		tool: call?.tool ?? null,
		decision: approval.decision,
		action_digest: approval.digest,
		proposed_digest: proposedDigest,
		policy_event_id: call?.policyEventId ?? null,
		self_approval: approval.isSelfApproval ?? false,
		reason: approval.reason ?? null,
		handoff_id: handoffId,
	};
}

/**
 * The record of a decision. To be made once, with the decision, and stored with it.
 * @param newId makes a ULID.
 */
export function toDecisionRecord(run: DecidedRun, action: DecidedAction, newId: () => string): DecisionRecord {
	const { userId, workspaceId } = run;
	if (workspaceId === null) throw new Error("a run whose actions are decided on has a workspace");
	const { keyId, decision, at } = action.approval;
	const actor = toActor({ keyId });
	const handoff: AppendRequest = {
		id: `ho_${newId()}`,
		eventId: `ae_${newId()}`,
		userId,
		workspaceId,
		actor,
		draft: toHandoffDraft(toReview(run, action), usd(agentLimitNanoUsd(PLANS[run.planId]))),
		isRepeatable: true,
	};
	const event: AuditEventRow = {
		id: `ae_${newId()}`,
		user_id: userId,
		workspace_id: workspaceId,
		event_type: decision === "reject" ? "tool_rejected" : "tool_approved",
		actor,
		decision: null,
		risk_score: null,
		risk_tier: null,
		payload: JSON.stringify(toPayload(run, action, handoff.id)),
		created_at: at,
	};
	return { event, handoff };
}

/** Denied edits of a run that have an event each. */
const MOST_DENIED_EDITS = 20;

/**
 * Whether the n-th edit of a run that the policy denies has an event, n from 1: the first ones do, and then each power of two, so that
 * who tries for ever does not fill the log. The event says how many there were.
 */
export function isDeniedEditRecorded(n: number): boolean {
	return n <= MOST_DENIED_EDITS || Number.isInteger(Math.log2(n));
}

/** The event of a denied edit, with the count of those so far. */
export function toDeniedEdit(event: AuditEventRow, n: number): AuditEventRow {
	return { ...event, payload: JSON.stringify({ ...(JSON.parse(event.payload) as object), denied_edits: n }) };
}

/**
 * A run's state after records were added to its outbox, and other events beside them. They are counted as the run's own events are, when
 * it is settled: so a full quota stops no decision and loses no record of one.
 */
export function withRecorded(
	state: RunState,
	records: readonly DecisionRecord[],
	events: readonly AuditEventRow[] = [],
): RunState {
	const all = [...events, ...records.map(({ event }) => event)];
	const recordedBytes =
		all.reduce((sum, { payload }) => sum + eventBytes(payload), state.recordedBytes ?? 0) +
		records.reduce((sum, { handoff }) => sum + handoffBytes(contentBytes(handoff.draft)), 0);
	return { ...state, recordedBytes };
}
