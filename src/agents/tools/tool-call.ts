// A call of a run's tool as it is stored: its state, what was decided on it, and its pending part. call-states.ts changes it. Pure.
import type { Decision, RiskTier } from "../../audit/event.ts";
import type { Hash } from "../../proof/hash.ts";

/**
 * requested → allowed | denied | approved | rejected → dispatched → done | failed | expired. Each is stored before it is acted on.
 * A call whose arguments cannot be read, or that a limit ends, goes from requested to failed.
 */
export const TOOL_CALL_STATES = [
	"requested",
	"allowed",
	"denied",
	"approved",
	"rejected",
	"dispatched",
	"done",
	"failed",
	"expired",
] as const;
export type ToolCallState = (typeof TOOL_CALL_STATES)[number];

/** The policy that a call was judged by. */
export interface PolicyStand {
	manifestDigest: Hash;
	/** Of the policy engine. */
	version: string;
}

/** What was decided on a call. */
export interface CallJudgement extends PolicyStand {
	/** After containment: confirm and approve wait for a person. */
	decision: Decision;
	riskScore: number;
	riskTier: RiskTier;
	/** For people and for the model: why, and what would pass. */
	reason: string;
	/** The audit event of the decision. */
	eventId: string;
}

/** A person's decision on a call. */
export interface CallApproval {
	keyId: string;
	decision: "approve" | "edit" | "reject";
	/** ISO 8601. */
	at: string;
	/** The action that was decided on; of an edit, the edited one. */
	digest: Hash;
	/** The approver's key began the run, or comes from the key that did (may-resolve.ts). */
	isSelfApproval?: true;
	reason?: string;
}

/** Text that others wrote, and values in a call's arguments that occur only there. */
export interface Taint {
	/** Id of the call whose result it is. */
	callId: string;
	tool: string;
	/** Such as `host`, `email`, `path`, `account`. */
	values: { kind: string; value: string }[];
}

/**
 * A value in the arguments of a tainted run's call that no text holds: a model put it together, decoded it, or knows it. What trusted
 * tools return once the run is tainted does not count as a text: it may repeat what a model asked them.
 */
export interface UnsourcedValue {
	/** As of {@link Taint}. */
	kind: string;
	value: string;
	/** The tool whose untrusted text it may be made of, where only one has tainted the run; else null. */
	tool: string | null;
}

export type CallPendingKind = "client_tool" | "approval" | "input";

/** What a call waits for. Its id is the client's idempotency key, and is never used again. */
export interface CallPending {
	id: string;
	kind: CallPendingKind;
	createdAtMs: number;
	expiresAtMs: number;
}

/** How a pending ended. `closed`: its run was ended, or its call was judged anew. */
export type PendingEnd = "resolved" | "expired" | "closed";

/** A pending that is over, so that the same resolution again changes nothing and another one is told so. */
export interface SettledPending {
	id: string;
	kind: CallPendingKind;
	end: PendingEnd;
	/** Salted, of the canonical resolution; null for one that nobody resolved. */
	resolution: Hash | null;
}

export interface ToolCall {
	/** `call_` and a ULID. */
	id: string;
	/** The step, counted over tool steps from 0, the turn in it, and the place in the turn. */
	step: number;
	turn: number;
	place: number;
	/** By which the model knows it. */
	modelId: string;
	tool: string;
	/** Of its tool; null for a tool that the run does not have. */
	definition: Hash | null;
	state: ToolCallState;
	/** Salted, over the canonical arguments; over the text as it is where it is no JSON. */
	argumentsHash: Hash;
	judgement: CallJudgement | null;
	/** Binds an approval to exactly this action; null where nothing was judged. */
	actionDigest: Hash | null;
	approval: CallApproval | null;
	taintedBy: Taint[];
	unsourced: UnsourcedValue[];
	pending: CallPending | null;
	settled: SettledPending[];
	/** Salted, over the result as the next turn reads it, before masking; null without one. */
	resultHash: Hash | null;
	isError: boolean;
	/** The result was longer than what a model is sent. */
	isCut: boolean;
	/** Its result has passed the compliance gate, and the next turn may show it. */
	isRead: boolean;
	/** Its result holds what others wrote. */
	isUntrusted: boolean;
	/**
	 * Its result is the service's own and repeats what a model of a tainted run has written, such as a denied command: so it may repeat
	 * what others wrote, and stands between marks.
	 */
	isRepeating?: true;
	/** When it was handed over or run, and when it ended; each is absent where that has not been, and in calls from before it was noted. */
	dispatchedAtMs?: number;
	endedAtMs?: number;
}

/** The texts of a call, which are sealed in the run's object. */
export interface ToolCallTexts {
	/** JSON text. */
	arguments: string;
	/** As the next turn reads it, before masking; null without one. Until the call is read (`isRead`), as it was given. */
	result: string | null;
	/** The whole result where `result` is cut, at most 1 MiB; else null. */
	whole: string | null;
}
