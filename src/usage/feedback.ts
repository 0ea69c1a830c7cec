// Feedback on an answered request: what it may say, and how long it can be changed. No free text. Pure.

/** Why an answer was rated as it was. */
export const FEEDBACK_REASONS = ["wrong", "incomplete", "style", "slow", "other"] as const;

export const MIN_SCORE = -1;
export const MAX_SCORE = 1;

/** Counted from the first feedback on a request, so that a change does not extend it. */
const CHANGEABLE_MS = 86_400_000;

/** A row of the table `feedback`. */
export interface Feedback {
	requestId: string;
	userId: string;
	score: number;
	reason: string | null;
	/** Of the first feedback on the request. */
	createdAt: string;
	/** When the content last changed. */
	updatedAt: string;
}

/** Feedback that was first given at this time, or before it, can no longer be changed. */
export function latestClosedAt(nowMs: number): string {
	return new Date(nowMs - CHANGEABLE_MS).toISOString();
}

/** Until when feedback can be changed. */
export function changeableUntil({ createdAt }: Pick<Feedback, "createdAt">): string {
	return new Date(Date.parse(createdAt) + CHANGEABLE_MS).toISOString();
}

/** Whether two have the same content. */
export function saysTheSame(a: Pick<Feedback, "score" | "reason">, b: Pick<Feedback, "score" | "reason">): boolean {
	return a.score === b.score && a.reason === b.reason;
}
