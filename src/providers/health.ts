// What this isolate knows about the providers' health. After repeated failures a breaker skips a provider for a while;
// after a 429 a model is throttled until its Retry-After passes; a model that its provider does not serve is left out. Only what a
// provider did counts, never what a prompt or a client can cause. Every wait has a longest length, so that a clock which went back
// prolongs none. Pure; the clock is an argument.
import type { ProviderAccess } from "../settings.ts";
import { Breaker, type Permit } from "./breaker.ts";
import { RecentCalls } from "./recent-calls.ts";
import { UnservedModels } from "./unserved-models.ts";

const DEFAULT_THROTTLE_MS = 5_000;
const MAX_THROTTLE_MS = 30_000;

/** Identifies a breaker: a provider under one provider key. */
type BreakerKey = string;

const breakerKeys = new WeakMap<ProviderAccess, BreakerKey>();

/** The breaker key of a provider access. The provider key cannot be read from it. */
export function breakerKey(access: ProviderAccess): BreakerKey {
	const known = breakerKeys.get(access);
	if (known) return known;
	const key = `${access.provider.id} ${access.keys[0].mark}`;
	breakerKeys.set(access, key);
	return key;
}

/** Identifies a model under one provider key. */
export function callKey(key: BreakerKey, modelId: string): string {
	return `${key} ${modelId}`;
}

/**
 * The breakers, throttles, unserved models and recent calls of one isolate. The first three have as many entries as there are
 * providers and models; the last is bounded.
 */
export class ProviderHealth {
	#breakers = new Map<BreakerKey, Breaker>();
	/** When a model under a provider key may be called again, ms since the epoch. */
	#throttledUntilMs = new Map<string, number>();
	readonly recent = new RecentCalls();
	readonly unserved = new UnservedModels();
	/** Ids of the models that were called. Nothing is known of the many others that a catalog may have. */
	#called = new Set<string>();

	/** Whether nothing was noted yet. */
	get isUneventful(): boolean {
		return (
			this.#breakers.size === 0 && this.#throttledUntilMs.size === 0 && this.unserved.isEmpty && this.recent.isEmpty
		);
	}

	/** Notes that a model is called, before anything else is noted of it. */
	noteCalled(modelId: string): void {
		this.#called.add(modelId);
	}

	/** Whether anything may be known of a model. */
	wasCalled(modelId: string): boolean {
		return this.#called.has(modelId);
	}

	#breaker(key: BreakerKey): Breaker {
		const known = this.#breakers.get(key);
		if (known) return known;
		const fresh = new Breaker();
		this.#breakers.set(key, fresh);
		return fresh;
	}

	/** Whether the breaker lets a user's call through now. */
	isOpenTo(key: BreakerKey, user: string, nowMs: number): boolean {
		return this.#breakers.get(key)?.admits(user, nowMs) ?? true;
	}

	/**
	 * Permission for a user to call a provider; null while its breaker is open. While it is half open, one caller gets
	 * permission: the probe.
	 */
	acquire(key: BreakerKey, user: string, nowMs: number): Permit | null {
		return this.isOpenTo(key, user, nowMs) ? this.force(key, user, nowMs) : null;
	}

	/** Permission to call a provider although its breaker may be open, because all others are open, too. */
	force(key: BreakerKey, user: string, nowMs: number): Permit {
		return this.#breaker(key).permit(user, nowMs);
	}

	/** Since when a breaker is open, ms since the epoch; Infinity when it is closed. */
	openSinceMs(key: BreakerKey): number {
		return this.#breakers.get(key)?.openedAtMs ?? Number.POSITIVE_INFINITY;
	}

	/**
	 * Notes that a provider refused a model for lack of capacity.
	 * @param waitMs the wait that it named; null when it named none.
	 */
	noteThrottle(key: BreakerKey, modelId: string, waitMs: number | null, nowMs: number): void {
		const untilMs = nowMs + Math.min(waitMs ?? DEFAULT_THROTTLE_MS, MAX_THROTTLE_MS);
		this.#throttledUntilMs.set(callKey(key, modelId), untilMs);
	}

	/** For how long a model is still throttled, ms; 0 when it is not. */
	throttledForMs(key: BreakerKey, modelId: string, nowMs: number): number {
		const leftMs = (this.#throttledUntilMs.get(callKey(key, modelId)) ?? 0) - nowMs;
		return leftMs > MAX_THROTTLE_MS ? 0 : Math.max(0, leftMs);
	}

	/** Clears everything. */
	reset(): void {
		this.#breakers.clear();
		this.#throttledUntilMs.clear();
		this.unserved.clear();
		this.recent.clear();
		this.#called.clear();
	}
}
