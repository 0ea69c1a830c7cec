// What the state of a run keeps of its waiting for somebody. waiting.ts reads it. Pure.
import type { BudgetStatus } from "../../meter/key-budget.ts";
import type { Hash } from "../../proof/hash.ts";
import type { CallApproval, PendingEnd } from "./tool-call.ts";

/** The plan of a run, which waits or waited for approval. */
export interface PlanWait {
	id: string;
	createdAtMs: number;
	expiresAtMs: number;
	/** Binds an approval to exactly this plan. */
	digest: Hash;
	/** Null while it waits. */
	end: PendingEnd | null;
	resolution: Hash | null;
	approval: CallApproval | null;
}

/** A message that steers the run. Its text is stored apart, sealed. */
export interface SteeringPlace {
	id: string;
	/** Salted, of its text. */
	hash: Hash;
	isRead: boolean;
}

/** Absent in a run that never waited. */
export interface RunWait {
	/** Since when it waits; null while it goes on. */
	sinceMs: number | null;
	/** Until when its reservation lasts meanwhile, and whether it holds one more turn; null where that is still to be written. */
	kept: { untilMs: number; holdsTurn: boolean } | null;
	/** Pendings that its webhook has told of. */
	told: readonly string[];
	plan: PlanWait | null;
	/** Everything is resolved, and the key's budget did not leave one turn: the budget at that moment. */
	stalled: BudgetStatus | null;
	/** The key that began it has been revoked, and an owner has let it go on since. */
	isVouchedFor?: true;
	messages: readonly SteeringPlace[];
}

export const NO_WAIT: RunWait = { sinceMs: null, kept: null, told: [], plan: null, stalled: null, messages: [] };
