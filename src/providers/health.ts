// What this isolate knows of the providers' health: breakers shut off who has just failed, and who answered 429 is scarce for
// a while. Only what a provider did counts, never what a prompt or a client can cause. Pure; the clock is an argument.
import { hashText } from "../proof/hash.ts";
import type { ProviderAccess } from "../settings.ts";

const FAILURES_TO_OPEN = 5;
const FAILURE_WINDOW_MS = 30_000;
const OPEN_MS = 30_000;
const SCARCE_DEFAULT_MS = 5_000;
const SCARCE_MOST_MS = 30_000;

/** Whose breaker: a provider under one key of the operator's. */
export type BreakerKey = string;

const keys = new WeakMap<ProviderAccess, BreakerKey>();

/** The breaker of an access. It does not show the key. */
export function breakerKeyOf(access: ProviderAccess): BreakerKey {
	const known = keys.get(access);
	if (known) return known;
	const key = `${access.provider.id} ${hashText(access.apiKey)}`;
	keys.set(access, key);
	return key;
}

interface Breaker {
	/** Times of the failures in the window, successes between them or not. */
	failures: number[];
	/** When it opened; null while closed. */
	openedAtMs: number | null;
	/** When the one probe of a half-open breaker was let through; null when none is under way. */
	probedAtMs: number | null;
}

/** An isolate keeps its own; there are as many entries as providers and models, so nothing grows. */
export class ProviderHealth {
	#breakers = new Map<BreakerKey, Breaker>();
	/** Until when a model under a key is scarce. */
	#scarceUntilMs = new Map<string, number>();

	#breaker(key: BreakerKey): Breaker {
		const known = this.#breakers.get(key);
		if (known) return known;
		const fresh: Breaker = { failures: [], openedAtMs: null, probedAtMs: null };
		this.#breakers.set(key, fresh);
		return fresh;
	}

	/** Whether a provider may be called now. */
	admits(key: BreakerKey, nowMs: number): boolean {
		const breaker = this.#breakers.get(key);
		if (!breaker || breaker.openedAtMs === null) return true;
		if (nowMs - breaker.openedAtMs < OPEN_MS) return false;
		// A probe whose result never came back does not keep the breaker shut for ever.
		return breaker.probedAtMs === null || nowMs - breaker.probedAtMs >= OPEN_MS;
	}

	/** Takes the right to call a provider: of a half-open breaker's callers one gets it, the probe. */
	acquire(key: BreakerKey, nowMs: number): boolean {
		if (!this.admits(key, nowMs)) return false;
		this.probe(key, nowMs);
		return true;
	}

	/** Calls a provider although its breaker is open, because every other is as well. */
	probe(key: BreakerKey, nowMs: number): void {
		const breaker = this.#breakers.get(key);
		if (breaker && breaker.openedAtMs !== null) breaker.probedAtMs = nowMs;
	}

	/** The provider answered: a half-open breaker closes. Failures within the window still count. */
	succeeded(key: BreakerKey): void {
		const breaker = this.#breakers.get(key);
		if (!breaker || breaker.openedAtMs === null) return;
		this.#breakers.delete(key);
	}

	/** The call came to an end that says nothing of the provider: a probe under way proves nothing either way. */
	inconclusive(key: BreakerKey): void {
		const breaker = this.#breakers.get(key);
		if (breaker) breaker.probedAtMs = null;
	}

	/** @param operatorsFault a wrong key or an empty account: no further call can succeed, so one is enough. */
	failed(key: BreakerKey, operatorsFault: boolean, nowMs: number): void {
		const breaker = this.#breaker(key);
		breaker.failures = [...breaker.failures.filter((atMs) => nowMs - atMs < FAILURE_WINDOW_MS), nowMs];
		const halfOpen = breaker.openedAtMs !== null;
		breaker.probedAtMs = null;
		if (operatorsFault || halfOpen || breaker.failures.length >= FAILURES_TO_OPEN) breaker.openedAtMs = nowMs;
	}

	/** Since when a provider's breaker is open; Infinity when it is closed. */
	openSinceMs(key: BreakerKey): number {
		return this.#breakers.get(key)?.openedAtMs ?? Number.POSITIVE_INFINITY;
	}

	/** A provider refused a model for want of capacity. @param waitMs as it said; null when it said nothing. */
	throttled(key: BreakerKey, modelId: string, waitMs: number | null, nowMs: number): void {
		const untilMs = nowMs + Math.min(waitMs ?? SCARCE_DEFAULT_MS, SCARCE_MOST_MS);
		this.#scarceUntilMs.set(`${key} ${modelId}`, untilMs);
	}

	/** For how long a model is scarce; 0 when it is not. */
	scarceForMs(key: BreakerKey, modelId: string, nowMs: number): number {
		return Math.max(0, (this.#scarceUntilMs.get(`${key} ${modelId}`) ?? 0) - nowMs);
	}

	/** Forgets everything. */
	reset(): void {
		this.#breakers.clear();
		this.#scarceUntilMs.clear();
	}
}
