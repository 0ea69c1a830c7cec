// The calls of a meter: their arguments and answers. Pure.

import type { PlanId } from "../catalog/plans.ts";
import type { DayCounts, DaySum } from "./day-sums.ts";
import type { BudgetStatus, KeyBudget, MeteredBudget } from "./key-budget.ts";
import type { KeyLimits } from "./key-windows.ts";
import type { ArchivedRequest, StoredFeedback } from "./request-page.ts";
import type { OpenHold, RecentUsage, Reservation } from "./settlement.ts";
import type { StoredTotals, StoredWrite } from "./stored-bytes.ts";
import type { NamedTotals } from "./usage-totals.ts";

/** A request to be admitted. */
export interface AdmitRequest {
	requestId: string;
	keyId: string;
	/** Of the key as the caller knows it. */
	keyVersion: number;
	/** The key's own limits; null when it has none. */
	keyLimits: KeyLimits | null;
	/** The key's budget; null when it has none. */
	keyBudget: MeteredBudget | null;
	/** The key that its cost is booked on: the first of those that have replaced each other. */
	budgetKeyId: string;
	/** The plan that the caller knows. The meter's own plan wins. */
	plan: PlanId;
	countsTowardsDay: boolean;
	reservation?: Reservation;
	/** What the request stores, which is counted with it. */
	stored?: { userId: string; write: StoredWrite };
}

/** The limits after a verdict. */
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
	/** `isReduced`: of what it stores, the reduced form was counted. `salt`: of its receipt; null without a reservation. */
	| { admitted: true; quota: Quota; isReduced: boolean; salt: string | null }
	| { admitted: false; reason: "revoked" }
	/** The caller knows an earlier version of the key. */
	| { admitted: false; reason: "key_changed" }
	/** The caller chose a model under a plan that the user no longer has. */
	| { admitted: false; reason: "plan_changed"; plan: PlanId }
	/** The reservation is more than what is left of the key's budget. */
	| { admitted: false; reason: "key_budget_exceeded"; quota: Quota; budget: BudgetStatus }
	/** What the request stores is more than the plan's quota leaves. */
	| { admitted: false; reason: "storage_quota_exceeded"; quota: Quota; stored: StoredTotals & { quotaBytes: number } }
	| {
			admitted: false;
			reason: "rate_limit_exceeded" | "daily_limit_exceeded";
			/** Whose limit it is: the plan's, which all keys of the user share, or the key's own. */
			limitOf: "plan" | "key";
			quota: Quota;
			retryAfterMs: number;
	  };

/** Records of coding agents' hooks that a user may send in a minute. They count against no plan. */
export const RECORDS_PER_MINUTE = 600;

/** Whether a hook's record is taken. */
export type RecordVerdict =
	| { taken: true }
	| { taken: false; reason: "revoked" | "key_changed" }
	| { taken: false; reason: "rate_limit_exceeded"; retryAfterMs: number };

/** Pages of the console that a user may open in a minute. They count against no plan. */
export const PAGES_PER_MINUTE = 120;

/** Whether a session of the console may open a page. */
export type PageVerdict =
	| { taken: true }
	| { taken: false; reason: "session_ended" }
	| { taken: false; reason: "rate_limit_exceeded"; retryAfterMs: number };

/** Whether a key may still be used. `key_changed`: the caller knows an earlier version of it. */
export type KeyStanding = "good" | "revoked" | "key_changed";

/** What an open request may hold in the budget of its key. */
export interface BudgetRoom {
	/** What it holds now. */
	heldNanoUsd: number;
	/** The most that it may hold. */
	mostNanoUsd: number;
	/** The budget with what all other requests of the key have spent and hold. */
	budget: BudgetStatus;
}

/** A key's budget, to be looked up. */
export interface BudgetQuery {
	budgetKeyId: string;
	budget: KeyBudget;
}

/** The budget of a key that was changed; null when it has none. */
export interface ChangedBudget {
	budgetKeyId: string;
	budget: MeteredBudget | null;
}

/** `late`: the request is not open, and has another settlement or none. */
export type SettleVerdict = "settled" | "late";

/** An owner that may hold audit events which D1 does not have. */
export interface MarkedOwner {
	/** Its key as text, which only owners interpret. */
	owner: string;
	/** Number of its last mark. */
	mark: number;
}

/** `late`: the request is no longer open. `over_budget`: it would hold more than its key's budget leaves. */
export type ExtendVerdict = "extended" | "late" | "over_budget";

/** How many of the latest requests usage shows. */
export const RECENT_ROWS = 20;

/** A user's limits and usage now. */
export interface MeterSnapshot {
	quota: Quota;
	stored: StoredTotals;
	/** Of every settlement. */
	totals: NamedTotals[];
	/** The latest requests, newest first. */
	recent: RecentUsage[];
	/** What open requests hold, oldest first. */
	holds: OpenHold[];
	/** The first day of which requests are kept, `YYYY-MM-DD`; null while none was removed. */
	keptSince: string | null;
}

/** Usage that was summed up under one name. */
export interface NamedCounts extends DayCounts {
	name: string;
}

/** Feedback as it is to be stored. */
export interface GivenFeedback {
	requestId: string;
	score: number;
	reason: string | null;
	/** ISO 8601. */
	at: string;
	/** Feedback first given at this time, or before it, is closed. */
	closedAt: string;
	/** The API keys whose requests the caller reads; null for all. */
	readableKeys: readonly string[] | null;
	/** Those whose requests it may rate; null for all. */
	ratableKeys: readonly string[] | null;
}

/** `stored`: what stands there now, which is something else where the feedback is closed. */
export type FeedbackVerdict =
	| { outcome: "stored"; feedback: StoredFeedback }
	| { outcome: "no_request" | "not_ratable" };

/** The meter's own answer: of a request that it does not have any more, the archives that may have it. */
export type MeterFeedbackVerdict = FeedbackVerdict | ArchivedRequest;

/** The sums of one day, as the meter keeps them and as the day's rows say them. */
export interface CheckedDay {
	day: string;
	sums: DaySum[];
	/** Null where some of them were archived or removed. */
	rows: DaySum[] | null;
}
