// Feedback on an answered request: what it may say, and how long it can be changed. No free text. Pure.
import type { StoredFeedback } from "../meter/request-page.ts";

/** Why an answer was rated as it was. */
export const FEEDBACK_REASONS = ["wrong", "incomplete", "style", "slow", "other"] as const;

export const MIN_SCORE = -1;
export const MAX_SCORE = 1;

/** Counted from the first feedback on a request, so that a change does not extend it. */
const CHANGEABLE_MS = 86_400_000;

/** Feedback that was first given at this time, or before it, can no longer be changed. */
export function latestClosedAt(nowMs: number): string {
	return new Date(nowMs - CHANGEABLE_MS).toISOString();
}

/** Until when feedback can be changed. */
export function changeableUntil({ created_at }: Pick<StoredFeedback, "created_at">): string {
	return new Date(Date.parse(created_at) + CHANGEABLE_MS).toISOString();
}

type FeedbackContent = Pick<StoredFeedback, "score" | "reason">;

/** Whether two have the same content. */
export function saysTheSame(a: FeedbackContent, b: FeedbackContent): boolean {
	return a.score === b.score && a.reason === b.reason;
}
