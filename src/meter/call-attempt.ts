// One upstream call that was made for a request, as its row has it: which of them are kept, and how they are stored. Pure.

/** Why a call did not serve: the closed list. */
export const ATTEMPT_ERRORS = [
	"status",
	"no_token",
	"unreachable",
	"no_head",
	"head_timeout",
	"timeout",
	"out_of_time",
	"cut",
	"reported",
	"empty",
	"unusable",
	"too_large",
	"mismatched",
	"client_closed",
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** One upstream call that was made for a request, served or not. */
export interface CallAttempt {
	provider: string;
	model: string;
	/** HTTP status of the upstream; null where none came: a time-out, a lost connection. */
	status: number | null;
	/** Why it did not serve; null for one that did. */
	error: AttemptError | null;
	/** From the request's arrival to its start, ms. */
	startedMs: number;
	/** From its start to its first token or body, ms; null where none came. */
	firstTokenMs: number | null;
	/** From its start to its end, ms. */
	ms: number;
	/** The id of its span, which the provider was sent; never stored. Absent while no address for traces is set. */
	spanId?: string;
}

/** Attempts that are kept of a request: the first and the last ones. */
export const MAX_KEPT_ATTEMPTS = 32;

/** The attempts of a request that are kept. */
export function keepAttempts(attempts: readonly CallAttempt[]): CallAttempt[] {
	if (attempts.length <= MAX_KEPT_ATTEMPTS) return [...attempts];
	const half = MAX_KEPT_ATTEMPTS / 2;
	return [...attempts.slice(0, half), ...attempts.slice(-half)];
}

type StoredAttempt = [string, string, number | null, AttemptError | null, number, number | null, number];

/** Attempts as a row stores them. */
export function toStoredAttempts(attempts: readonly CallAttempt[]): string {
	const stored = attempts.map(
		({ provider, model, status, error, startedMs, firstTokenMs, ms }): StoredAttempt => [
			provider,
			model,
			status,
			error,
			startedMs,
			firstTokenMs,
			ms,
		],
	);
	return JSON.stringify(stored);
}

/** Attempts as they were before they were stored. */
export function fromStoredAttempts(text: string): CallAttempt[] {
	return (JSON.parse(text) as StoredAttempt[]).map(([provider, model, status, error, startedMs, firstTokenMs, ms]) => ({
		provider,
		model,
		status,
		error,
		startedMs,
		firstTokenMs,
		ms,
	}));
}
