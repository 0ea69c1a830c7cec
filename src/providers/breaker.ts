// Skips a provider for a while after failures of its own. One user's calls do not skip it for others: what one user meets may be
// caused by what that user sends. Users and prompts are short hashes. Pure; the clock is an argument.

const FAILURES_TO_OPEN = 5;
const FAILURE_WINDOW_MS = 30_000;
const OPEN_MS = 30_000;
/** A probe that takes longer will not return: its isolate has lost the request. */
const PROBE_MS = 120_000;
/** A user who has not called a provider for so long does not call it. */
const CALLER_MS = 600_000;

/** A failure of a provider's, as the user met it. */
export interface MetFailure {
	/** The key is wrong, the account is empty, or the address is: no further call can succeed, so one failure opens the breaker. */
	operatorsFault: boolean;
	/** Tells the user's prompts apart. */
	prompt: string;
}

/** Permission for one call, and the callbacks that report its outcome. Only the first report counts. */
export interface Permit {
	/** The provider answered. */
	succeeded(): void;
	/** The provider failed. True when that opened the breaker. */
	failed(failure: MetFailure, nowMs: number): boolean;
	/** The call ended without saying anything about the provider. */
	inconclusive(): void;
}

interface NotedFailure {
	atMs: number;
	user: string;
	prompt: string;
}

/** Whether a time lies within the last so many ms. A time to come is of a clock that went back since: it does not. */
function isWithin(atMs: number, spanMs: number, nowMs: number): boolean {
	return atMs <= nowMs && nowMs - atMs < spanMs;
}

export class Breaker {
	/** The last failures in the window, so many as open it. Successes in between do not clear them. */
	#failures: NotedFailure[] = [];
	/** The last two users who called, the latest first. */
	#callers: { user: string; atMs: number }[] = [];
	/** Null while the breaker is closed. */
	openedAtMs: number | null = null;
	/** The one call that decides whether an open breaker may close. */
	#probe: { sinceMs: number; user: string } | null = null;
	/** Whose probe failed last. */
	#failedProber: string | null = null;

	/** Whether another user has called lately. */
	#hasOtherCaller(user: string, nowMs: number): boolean {
		return this.#callers.some((caller) => caller.user !== user && isWithin(caller.atMs, CALLER_MS, nowMs));
	}

	/** Where others call too, nobody probes twice in a row: one user's calls would keep the breaker open for all. */
	admits(user: string, nowMs: number): boolean {
		if (this.openedAtMs === null) return true;
		if (isWithin(this.openedAtMs, OPEN_MS, nowMs)) return false;
		if (this.#probe && isWithin(this.#probe.sinceMs, PROBE_MS, nowMs)) return false;
		return this.#failedProber !== user || !this.#hasOtherCaller(user, nowMs);
	}

	#close(): void {
		this.openedAtMs = null;
		this.#probe = null;
		this.#failedProber = null;
		this.#failures = [];
	}

	#open(nowMs: number): void {
		this.openedAtMs = nowMs;
		this.#probe = null;
	}

	/** A call through an open breaker is its probe. A call that began while the breaker was closed cannot close it. */
	permit(user: string, nowMs: number): Permit {
		const probe = this.openedAtMs === null ? null : { sinceMs: nowMs, user };
		if (probe) this.#probe = probe;
		this.#callers = [{ user, atMs: nowMs }, ...this.#callers.filter((caller) => caller.user !== user)].slice(0, 2);
		let isReported = false;
		const once = <T>(report: () => T): T | null => {
			if (isReported) return null;
			isReported = true;
			return report();
		};
		return {
			succeeded: () =>
				void once(() => {
					if (probe) this.#close();
				}),
			failed: ({ operatorsFault, prompt }, atMs) =>
				once(() => this.#noteFailure({ atMs, user, prompt }, operatorsFault, probe !== null)) ?? false,
			inconclusive: () =>
				void once(() => {
					if (probe && this.#probe === probe) this.#probe = null;
				}),
		};
	}

	/** Whether the failures in the window are more than what one user's prompts may be the cause of. */
	#isProvidersFault(nowMs: number): boolean {
		const [latest] = this.#failures;
		if (!latest || this.#failures.length < FAILURES_TO_OPEN) return false;
		if (this.#failures.some(({ user }) => user !== latest.user)) return true;
		if (this.#hasOtherCaller(latest.user, nowMs)) return false;
		return this.#failures.some(({ prompt }) => prompt !== latest.prompt);
	}

	#noteFailure(failure: NotedFailure, operatorsFault: boolean, isProbe: boolean): boolean {
		const { atMs, user } = failure;
		const recent = this.#failures.filter((earlier) => isWithin(earlier.atMs, FAILURE_WINDOW_MS, atMs));
		this.#failures = [...recent, failure].slice(-FAILURES_TO_OPEN);
		if (isProbe) this.#failedProber = user;
		const isNew = this.openedAtMs === null && (operatorsFault || this.#isProvidersFault(atMs));
		if (isProbe || isNew) this.#open(atMs);
		return isNew;
	}
}
