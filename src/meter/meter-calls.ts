// What a meter is asked and what it answers.

import type { PlanId } from "../catalog/plans.ts";
import type { PendingPage } from "./meter-books.edge.ts";
import type { OpenHold, RecentUsage, Reservation } from "./settlement.ts";
import type { NamedTotals } from "./usage-totals.ts";

/** A request that asks to be let in. */
export interface AdmitRequest {
	requestId: string;
	keyId: string;
	/** The plan the caller knows; the meter's own wins. */
	plan: PlanId;
	countsTowardsDay: boolean;
	reservation?: Reservation;
}

/** State of the limits after a verdict. */
export interface Quota {
	plan: PlanId;
	rpm: number;
	remaining: number;
	/** Until the minute window is empty again. */
	resetMs: number;
	dailyLimit: number | null;
	usedToday: number;
}

export type AdmitVerdict =
	| { admitted: true; quota: Quota }
	| { admitted: false; reason: "revoked" }
	/** The caller chose a model under another plan than the user has now. */
	| { admitted: false; reason: "plan_changed"; plan: PlanId }
	| { admitted: false; reason: "rate_limit_exceeded" | "daily_limit_exceeded"; quota: Quota; retryAfterMs: number };

/** `late`: the reservation was settled before, at its bound or so long ago that nobody knows how. */
export type SettleVerdict = "settled" | "late";

/** An owner of audit events that may hold what D1 does not have. */
export interface MarkedOwner {
	/** Its key as text, which is the owners' business. */
	owner: string;
	/** Number of its last mark. */
	mark: number;
}

/** `late`: the request is not open any more. */
export type ExtendVerdict = "extended" | "late";

/** Limits now, and usage as far as the meter knows it. */
export interface MeterSnapshot {
	quota: Quota;
	/** Of everything settled. */
	totals: NamedTotals[];
	/** The latest rows that D1 may not have, newest first. */
	recent: RecentUsage[];
	/** Open reservations: a caller that could not reach the meter may have stored their settlement in D1. */
	open: string[];
	/** The same with what they hold, oldest first. */
	holds: OpenHold[];
	/** Counted in the totals, and D1 may have another row of it: the first page. */
	doubtful: PendingPage;
}

/** Totals for a comparison with D1's rows. */
export interface Standing {
	/** Of everything that D1 is known to have. */
	totals: NamedTotals[];
	/** Requests of which D1 may or may not have a row, and which are not in the totals. */
	unsettled: string[];
}
