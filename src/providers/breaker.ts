// Circuit breakers of the providers: who has just failed is left alone for a while, then tried once. Pure; the clock is an argument.
const FAILURES_TO_OPEN = 5;
const FAILURE_WINDOW_MS = 30_000;
const OPEN_MS = 30_000;

interface State {
	/** Times of the latest failures. */
	failures: number[];
	/** When it opened; null while closed. */
	openedAtMs: number | null;
	/** When the one probe of a half-open breaker was let through; null when none is under way. */
	probedAtMs: number | null;
}

/** One breaker per provider. An isolate keeps its own; there are as many as providers, so nothing grows. */
export class Breakers {
	#states = new Map<string, State>();

	#state(provider: string): State {
		const known = this.#states.get(provider);
		if (known) return known;
		const fresh: State = { failures: [], openedAtMs: null, probedAtMs: null };
		this.#states.set(provider, fresh);
		return fresh;
	}

	/** Whether a provider may be called now. */
	admits(provider: string, nowMs: number): boolean {
		const state = this.#states.get(provider);
		if (!state || state.openedAtMs === null) return true;
		if (nowMs - state.openedAtMs < OPEN_MS) return false;
		// A probe whose result never came back does not keep the breaker shut for ever.
		return state.probedAtMs === null || nowMs - state.probedAtMs >= OPEN_MS;
	}

	/** Says that a provider is being called, which for a half-open breaker is its one probe. */
	called(provider: string, nowMs: number): void {
		const state = this.#states.get(provider);
		if (state && state.openedAtMs !== null) state.probedAtMs = nowMs;
	}

	succeeded(provider: string): void {
		this.#states.delete(provider);
	}

	/** @param operatorsFault a wrong key or an empty account: no further call can succeed, so one is enough. */
	failed(provider: string, operatorsFault: boolean, nowMs: number): void {
		const state = this.#state(provider);
		state.failures = [...state.failures.filter((atMs) => nowMs - atMs < FAILURE_WINDOW_MS), nowMs];
		const halfOpen = state.openedAtMs !== null;
		state.probedAtMs = null;
		if (operatorsFault || halfOpen || state.failures.length >= FAILURES_TO_OPEN) state.openedAtMs = nowMs;
	}

	/** Since when a provider's breaker is open; Infinity when it is closed. */
	openSinceMs(provider: string): number {
		return this.#states.get(provider)?.openedAtMs ?? Number.POSITIVE_INFINITY;
	}

	/** Forgets everything. */
	reset(): void {
		this.#states.clear();
	}
}
