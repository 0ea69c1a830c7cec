// How a call of a tool changes: judged, decided on by a person, dispatched, finished. Each function is one transition and returns the
// changed call; one that is not allowed throws, because it would be a fault of ours. Who may decide what, and storing, is left to
// others. Pure.
import type { Hash } from "../../proof/hash.ts";
import type {
	CallApproval,
	CallJudgement,
	CallPending,
	PendingEnd,
	Taint,
	ToolCall,
	ToolCallState,
	UnsourcedValue,
} from "./tool-call.ts";

/** A result as a call keeps it. Its text is stored apart. */
export interface CallResultMark {
	/** Salted, over the result as the next turn reads it, before masking. */
	resultHash: Hash;
	isError: boolean;
	isCut: boolean;
}

/** What a policy decided on a call, and what an approval of it is bound to. */
export interface JudgedAction {
	judgement: CallJudgement;
	actionDigest: Hash;
	taintedBy: Taint[];
	unsourced: UnsourcedValue[];
}

/** States that a call leaves no more. Each has a result. */
const FINAL_STATES: ReadonlySet<ToolCallState> = new Set(["denied", "rejected", "done", "failed", "expired"]);

/** Whether a call has its result. */
export function isOver({ state }: Pick<ToolCall, "state">): boolean {
	return FINAL_STATES.has(state);
}

/** Whether a person is to decide on what the policy decided. */
export function needsPerson({ decision }: Pick<CallJudgement, "decision">): boolean {
	return decision === "confirm" || decision === "approve";
}

function demand(isAllowed: boolean, { id, state, pending }: ToolCall, change: string): void {
	if (isAllowed) return;
	throw new Error(`call ${id} is ${state}${pending ? `, waits as ${pending.kind}` : ""}, and cannot be ${change}`);
}

/** The call without its pending, which is over. */
function settlePending(call: ToolCall, end: PendingEnd, resolution: Hash | null): ToolCall {
	const { pending, settled } = call;
	if (!pending) return call;
	return { ...call, pending: null, settled: [...settled, { id: pending.id, kind: pending.kind, end, resolution }] };
}

/** What a call has of a judgement before there is one. */
const unjudged = () => ({ judgement: null, actionDigest: null, approval: null, taintedBy: [], unsourced: [] });

/** A call as a model has made it. */
export function requestCall(
	made: Pick<ToolCall, "id" | "step" | "turn" | "place" | "modelId" | "tool" | "definition" | "argumentsHash">,
): ToolCall {
	return {
		...made,
		...unjudged(),
		...{ state: "requested", pending: null, settled: [] },
		...{ resultHash: null, isError: false, isCut: false, isRead: false, isUntrusted: false },
	};
}

function isJudgedAlready({ judgement }: ToolCall): boolean {
	return judgement !== null;
}

/** A call that the policy allows: it may be dispatched. */
export function allowCall(call: ToolCall, action: JudgedAction): ToolCall {
	demand(call.state === "requested" && !isJudgedAlready(call), call, "allowed");
	demand(action.judgement.decision === "allow", call, "allowed against the policy");
	return { ...call, ...action, state: "allowed" };
}

/** A call that the policy denies. @param result the error result: what was refused, why, and what would pass. */
export function denyCall(call: ToolCall, action: JudgedAction, result: CallResultMark): ToolCall {
	demand(call.state === "requested" && !isJudgedAlready(call), call, "denied");
	demand(action.judgement.decision === "deny", call, "denied against the policy");
	return { ...call, ...action, ...result, state: "denied" };
}

/** A call that waits for a person's decision. @param pending of kind `approval`. */
export function awaitApproval(call: ToolCall, action: JudgedAction, pending: CallPending): ToolCall {
	demand(call.state === "requested" && !isJudgedAlready(call), call, "put up for approval");
	demand(needsPerson(action.judgement) && pending.kind === "approval", call, "put up for approval");
	return { ...call, ...action, pending };
}

function waitsForApproval({ state, pending }: ToolCall): boolean {
	return state === "requested" && pending?.kind === "approval";
}

/** A call whose action a person approved. @param resolution hash of the resolution. */
export function approveCall(call: ToolCall, approval: CallApproval, resolution: Hash): ToolCall {
	demand(waitsForApproval(call) && approval.decision === "approve", call, "approved");
	demand(approval.digest === call.actionDigest, call, "approved as another action");
	return { ...settlePending(call, "resolved", resolution), state: "approved", approval };
}

/** An action in whose place a person put another one, which the policy does not deny: the edit is its approval. */
export interface EditedAction extends JudgedAction {
	argumentsHash: Hash;
}

/** A call whose action a person edited, and so approved. */
export function editCall(call: ToolCall, edited: EditedAction, approval: CallApproval, resolution: Hash): ToolCall {
	demand(waitsForApproval(call) && approval.decision === "edit", call, "edited");
	demand(edited.judgement.decision !== "deny", call, "edited to what the policy denies");
	demand(approval.digest === edited.actionDigest, call, "edited to another action than was approved");
	return { ...settlePending(call, "resolved", resolution), ...edited, state: "approved", approval };
}

/** A call whose action a person rejected. @param result the error result, with the person's reason. */
export function rejectCall(call: ToolCall, approval: CallApproval, resolution: Hash, result: CallResultMark): ToolCall {
	demand(waitsForApproval(call) && approval.decision === "reject", call, "rejected");
	return { ...settlePending(call, "resolved", resolution), ...result, state: "rejected", approval };
}

/**
 * An approved or allowed call that is judged anew, because what it was judged by has changed before its dispatch. What was decided
 * on it counts no more.
 */
export function reopenCall(call: ToolCall): ToolCall {
	demand(call.state === "approved" || call.state === "allowed", call, "judged anew");
	return { ...call, ...unjudged(), state: "requested" };
}

/** A call that runs. @param pending what is waited for: of kind `client_tool` or `input`; null for what the service runs itself. */
export function dispatchCall(call: ToolCall, pending: CallPending | null, nowMs: number): ToolCall {
	demand(call.state === "approved" || call.state === "allowed", call, "dispatched");
	demand(pending?.kind !== "approval", call, "dispatched as an approval");
	return { ...call, state: "dispatched", pending, dispatchedAtMs: nowMs };
}

/** A call with its result. @param resolution hash of the resolution that brought it; null for what the service ran itself. */
export function finishCall(call: ToolCall, result: CallResultMark, resolution: Hash | null, nowMs: number): ToolCall {
	demand(call.state === "dispatched" && (call.pending === null) === (resolution === null), call, "finished");
	const state = result.isError ? "failed" : "done";
	return { ...settlePending(call, "resolved", resolution), ...result, state, endedAtMs: nowMs };
}

/** A call whose pending nobody resolved in time: an approval is rejected, anything else has expired. @param result an error result. */
export function expireCall(call: ToolCall, result: CallResultMark, nowMs: number): ToolCall {
	demand(call.pending !== null && result.isError, call, "expired");
	const state = call.pending?.kind === "approval" ? "rejected" : "expired";
	return { ...settlePending(call, "expired", null), ...result, state, endedAtMs: nowMs };
}

/**
 * A call that ends without having run to its end: its arguments cannot be read, a limit ends its step, or its run ends.
 * @param result an error result.
 */
export function failCall(call: ToolCall, result: CallResultMark): ToolCall {
	demand(!isOver(call) && result.isError, call, "ended");
	return { ...settlePending(call, "closed", null), ...result, state: "failed" };
}
