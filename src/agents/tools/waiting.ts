// A run that waits for somebody: what it waits for, and when each part of it is due. waiting.edge.ts does what is due. Pure.
import type { DecidedBy } from "../../failure.ts";
import { usd } from "../../proof/money.ts";
import type { RunSpec, RunState } from "../run/run.ts";
import type { PendingEntry, PendingKind, PendingView } from "./pending.ts";
import type { KnownPending } from "./resolution.ts";
import type { CallApproval, CallPending, ToolCall } from "./tool-call.ts";
import type { PlanWait, RunWait } from "./wait-state.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a person's decision or answer is waited for. */
const PERSON_TIMEOUT_MS = DAY_MS;
/** A run lasts so long at most. */
const MAX_RUN_MS = 30 * DAY_MS;
/** A waiting run's reservation ends an hour after the last of its pendings; the money's own margin is a minute of that. */
const RESERVATION_AFTER_MS = HOUR_MS - 60_000;
/** So long a run that waits holds one turn beside what it has spent. */
const TURN_HELD_MS = 15 * 60 * 1_000;

/** The part of a run that says what it waits for. */
export interface WaitingRun {
	spec: Pick<RunSpec, "capNanoUsd" | "maxSteps" | "startedAtMs" | "planApproval">;
	state: RunState;
	calls: readonly ToolCall[];
}

/** The moment after which a run does not wait any more. */
export function lastMs({ startedAtMs }: Pick<RunSpec, "startedAtMs">): number {
	return startedAtMs + MAX_RUN_MS;
}

/** A new pending. @param id `pnd_` and a ULID. @param timeoutMs of the tool; by default a person's. */
export function createPending(
	spec: Pick<RunSpec, "startedAtMs">,
	{ id, kind, timeoutMs = PERSON_TIMEOUT_MS }: Pick<CallPending, "id" | "kind"> & { timeoutMs?: number },
	nowMs: number,
): CallPending {
	return { id, kind, createdAtMs: nowMs, expiresAtMs: Math.min(nowMs + timeoutMs, lastMs(spec)) };
}

/** Whether a plan is to be put up for approval: once, as soon as there is one. */
export function needsPlanApproval({ spec, state }: Pick<WaitingRun, "spec" | "state">): boolean {
	return spec.planApproval === true && state.hasPlan && !state.wait?.plan;
}

/** The plan that waits for approval; null when none does. */
export function openPlan({ wait }: Pick<RunState, "wait">): PlanWait | null {
	return wait?.plan && wait.plan.end === null ? wait.plan : null;
}

/** Whether nothing is left for the service to do before somebody has answered. */
export function needsSomebody({ state, calls }: Pick<WaitingRun, "state" | "calls">): boolean {
	if (openPlan(state)) return true;
	return state.tools?.open?.phase === "wait" && calls.some(({ pending }) => pending !== null);
}

/** Whether a run waits for somebody, or has not gone on since. */
export function isPaused({ state: { wait } }: Pick<WaitingRun, "state">): boolean {
	return wait != null && wait.sinceMs !== null;
}

/** Whether a run that waits is for somebody to act on: between the last answer and its next action it is not. */
export function requiresAction(run: Pick<WaitingRun, "state" | "calls">): boolean {
	const { isCancelled, fault, wait } = run.state;
	if (!isPaused(run) || isCancelled || fault !== null) return false;
	return wait?.stalled != null || listPendings(run).length > 0;
}

/** Whether a run's waiting is to be looked after before its next action. */
export function isToWait(run: Pick<WaitingRun, "spec" | "state" | "calls">): boolean {
	return isPaused(run) || needsPlanApproval(run) || needsSomebody(run);
}

/** Whether a run that waits stands still: until somebody answers, or its key's budget leaves more. */
export function isAtRest(run: Pick<WaitingRun, "state" | "calls">): boolean {
	const { wait, isCancelled, fault } = run.state;
	if (isCancelled || fault !== null || wait == null || wait.sinceMs === null || wait.kept === null) return false;
	return wait.stalled !== null || needsSomebody(run);
}

/** What the plan that waits for approval shows, and what its digest is over. */
export function planArguments({ spec, state }: Pick<WaitingRun, "spec" | "state">): Record<string, unknown> {
	const { capNanoUsd, spentNanoUsd } = state.guard;
	return { plan: state.plan, bound_usd: usd(capNanoUsd - spentNanoUsd), max_steps: spec.maxSteps };
}

const toTime = (ms: number) => new Date(ms).toISOString();

/** What a run waits for, without its texts: `arguments` are null. */
export function listPendings({ state, calls }: Pick<WaitingRun, "state" | "calls">): PendingView[] {
	const plan = openPlan(state);
	const views: PendingView[] = plan
		? [
				{
					id: plan.id,
					kind: "plan",
					tool: null,
					arguments: null,
					action_digest: plan.digest,
					policy: null,
					tainted_by: [],
					unsourced: [],
					expires_at: toTime(plan.expiresAtMs),
				},
			]
		: [];
	for (const { pending, tool, actionDigest, judgement, taintedBy, unsourced } of calls) {
		if (!pending) continue;
		views.push({
			id: pending.id,
			kind: pending.kind,
			tool,
			arguments: null,
			action_digest: actionDigest,
			policy: judgement && {
				decision: judgement.decision,
				risk_score: judgement.riskScore,
				reason: judgement.reason,
				event_id: judgement.eventId,
			},
			tainted_by: taintedBy.map(({ callId, tool: by, values }) => ({ call_id: callId, tool: by, values })),
			unsourced,
			expires_at: toTime(pending.expiresAtMs),
		});
	}
	return views;
}

/** A pending as lists, webhooks and refusals name it. */
export function toPendingEntry({ id, kind, tool, action_digest, expires_at }: PendingView): PendingEntry {
	return { id, kind, tool, action_digest, expires_at };
}

const PLAN_STATES = { approve: "approved", edit: "approved", reject: "rejected" } as const;

function planState({ end, approval }: PlanWait): string {
	if (approval) return PLAN_STATES[approval.decision];
	return end ?? "requested";
}

function toDecidedBy(approval: CallApproval | null): DecidedBy | null {
	return approval && { decision: approval.decision, keyId: approval.keyId, at: approval.at };
}

/** The pendings that a call has or had. */
function pendingsOfCall({ id: callId, state, pending, settled, approval }: ToolCall): KnownPending[] {
	// A call that was judged anew may have had several approvals; the decision that counts is of the last.
	const decidedId = settled.findLast(({ kind, end }) => kind === "approval" && end === "resolved")?.id;
	const over = settled.map(({ id, kind, end, resolution }): KnownPending => {
		const decided = id === decidedId ? toDecidedBy(approval) : null;
		return { id, kind, callId, standing: end, state, decided, expiresAtMs: null, resolution };
	});
	if (!pending) return over;
	const { id, kind, expiresAtMs } = pending;
	return [...over, { id, kind, callId, standing: "open", state, decided: null, expiresAtMs, resolution: null }];
}

/** All pendings that a run has or had, by id. */
export function knownPendings({ state, calls }: Pick<WaitingRun, "state" | "calls">): Map<string, KnownPending> {
	const known: KnownPending[] = [];
	const plan = state.wait?.plan;
	if (plan) {
		const { id, end, resolution, approval } = plan;
		const expiresAtMs = end === null ? plan.expiresAtMs : null;
		known.push({
			id,
			kind: "plan",
			callId: null,
			standing: end ?? "open",
			state: planState(plan),
			decided: toDecidedBy(approval),
			expiresAtMs,
			resolution,
		});
	}
	known.push(...calls.flatMap(pendingsOfCall));
	return new Map(known.map((pending) => [pending.id, pending]));
}

/** When the open pendings expire; none where there are none. */
function expiries({ state, calls }: Pick<WaitingRun, "state" | "calls">): number[] {
	const plan = openPlan(state);
	return [...(plan ? [plan.expiresAtMs] : []), ...calls.flatMap(({ pending }) => pending?.expiresAtMs ?? [])];
}

/** Whether a pending's time is over. */
export function hasExpiry(run: Pick<WaitingRun, "state" | "calls">, nowMs: number): boolean {
	return expiries(run).some((atMs) => atMs <= nowMs);
}

/** What the reservation of a waiting run is to be: its end, and whether it holds one turn beside what was spent. */
export function toKept(run: WaitingRun, nowMs: number): NonNullable<RunWait["kept"]> {
	const sinceMs = run.state.wait?.sinceMs ?? nowMs;
	// A stalled run waits for its key's budget, as long as a run may last.
	const untilMs = Math.max(lastExpiryMs(run), nowMs) + RESERVATION_AFTER_MS;
	return { untilMs, holdsTurn: nowMs < sinceMs + TURN_HELD_MS };
}

function lastExpiryMs(run: WaitingRun): number {
	const all = expiries(run);
	return all.length > 0 ? Math.max(...all) : lastMs(run.spec);
}

/** When a waiting run is to be looked after next: a pending expires, a hold is due to be lowered, or it has lasted too long. */
export function nextDueMs(run: WaitingRun): number {
	const { wait } = run.state;
	const lowersAtMs = wait?.kept?.holdsTurn && wait.sinceMs !== null ? [wait.sinceMs + TURN_HELD_MS] : [];
	return Math.min(...expiries(run), ...lowersAtMs, lastMs(run.spec));
}

/** What a request needs that answers what a run waits for. */
export interface RunStanding {
	starter: { keyId: string; workspaceId: string | null; isSelfApprovalAsked: boolean };
	capNanoUsd: number;
	/** Of all pendings that it has or had, by id. */
	kinds: Record<string, PendingKind>;
}

export function toRunStanding(
	run: Pick<WaitingRun, "state" | "calls"> & {
		spec: Pick<RunSpec, "keyId" | "workspaceId" | "selfApproval" | "capNanoUsd">;
	},
): RunStanding {
	const { keyId, workspaceId, capNanoUsd, selfApproval } = run.spec;
	const kinds = Object.fromEntries([...knownPendings(run).values()].map(({ id, kind }) => [id, kind]));
	return { starter: { keyId, workspaceId, isSelfApprovalAsked: selfApproval === true }, capNanoUsd, kinds };
}
