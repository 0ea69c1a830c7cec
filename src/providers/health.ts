// What this isolate knows about the providers' health. After repeated failures a breaker skips a provider for a while;
// after a 429 a model is throttled until its Retry-After passes. Only what a provider did counts, never what a prompt
// or a client can cause. Pure; the clock is an argument.
import { hashText } from "../proof/hash.ts";
import type { ProviderAccess } from "../settings.ts";
import { RecentCalls } from "./recent-calls.ts";

const FAILURES_TO_OPEN = 5;
const FAILURE_WINDOW_MS = 30_000;
const OPEN_MS = 30_000;
/** A probe that takes longer will not return: its isolate has lost the request. */
const PROBE_MS = 120_000;
const DEFAULT_THROTTLE_MS = 5_000;
const MAX_THROTTLE_MS = 30_000;

/** Identifies a breaker: a provider under one provider key. */
type BreakerKey = string;

const breakerKeys = new WeakMap<ProviderAccess, BreakerKey>();

/** The breaker key of a provider access. The provider key cannot be read from it. */
export function breakerKey(access: ProviderAccess): BreakerKey {
	const known = breakerKeys.get(access);
	if (known) return known;
	const key = `${access.provider.id} ${hashText(access.apiKey)}`;
	breakerKeys.set(access, key);
	return key;
}

/** Identifies a model under one provider key. */
export function callKey(key: BreakerKey, modelId: string): string {
	return `${key} ${modelId}`;
}

/** Permission for one call, and the callbacks that report its outcome. Only the first report counts. */
export interface Permit {
	/** The provider answered. */
	succeeded(): void;
	/**
	 * @param operatorsFault the key is wrong or the account is empty. No further call can succeed, so one failure opens
	 * the breaker.
	 */
	failed(operatorsFault: boolean, nowMs: number): void;
	/** The call ended without saying anything about the provider. */
	inconclusive(): void;
}

class Breaker {
	/** Times of the failures in the window. Successes in between do not clear them. */
	#failures: number[] = [];
	/** Null while the breaker is closed. */
	openedAtMs: number | null = null;
	/** The one call that decides whether an open breaker may close. */
	#probe: { sinceMs: number } | null = null;

	admits(nowMs: number): boolean {
		if (this.openedAtMs === null) return true;
		if (nowMs - this.openedAtMs < OPEN_MS) return false;
		return this.#probe === null || nowMs - this.#probe.sinceMs >= PROBE_MS;
	}

	#close(): void {
		this.openedAtMs = null;
		this.#probe = null;
		this.#failures = [];
	}

	#open(nowMs: number): void {
		this.openedAtMs = nowMs;
		this.#probe = null;
	}

	/** A call through an open breaker is its probe. A call that began while the breaker was closed cannot close it. */
	permit(nowMs: number): Permit {
		const probe = this.openedAtMs === null ? null : { sinceMs: nowMs };
		if (probe) this.#probe = probe;
		let isReported = false;
		const once = (report: () => void) => {
			if (!isReported) report();
			isReported = true;
		};
		return {
			succeeded: () =>
				once(() => {
					if (probe) this.#close();
				}),
			failed: (operatorsFault, atMs) => once(() => this.#noteFailure(probe !== null, operatorsFault, atMs)),
			inconclusive: () =>
				once(() => {
					if (probe && this.#probe === probe) this.#probe = null;
				}),
		};
	}

	#noteFailure(isProbe: boolean, operatorsFault: boolean, nowMs: number): void {
		this.#failures = [...this.#failures.filter((atMs) => nowMs - atMs < FAILURE_WINDOW_MS), nowMs];
		const isNew = this.openedAtMs === null && (operatorsFault || this.#failures.length >= FAILURES_TO_OPEN);
		if (isProbe || isNew) this.#open(nowMs);
	}
}

/**
 * The breakers, throttles and recent calls of one isolate. It has as many entries as there are providers and models, so it does not
 * grow.
 */
export class ProviderHealth {
	#breakers = new Map<BreakerKey, Breaker>();
	/** When a model under a provider key may be called again, ms since the epoch. */
	#throttledUntilMs = new Map<string, number>();
	readonly recent = new RecentCalls();

	/** Whether nothing was noted yet. */
	get isUneventful(): boolean {
		return this.#breakers.size === 0 && this.#throttledUntilMs.size === 0 && this.recent.isEmpty;
	}

	#breaker(key: BreakerKey): Breaker {
		const known = this.#breakers.get(key);
		if (known) return known;
		const fresh = new Breaker();
		this.#breakers.set(key, fresh);
		return fresh;
	}

	/** Whether the breaker lets a call through now. */
	isOpenTo(key: BreakerKey, nowMs: number): boolean {
		return this.#breakers.get(key)?.admits(nowMs) ?? true;
	}

	/**
	 * Permission to call a provider; null while its breaker is open. While it is half open, one caller gets permission:
	 * the probe.
	 */
	acquire(key: BreakerKey, nowMs: number): Permit | null {
		return this.isOpenTo(key, nowMs) ? this.force(key, nowMs) : null;
	}

	/** Permission to call a provider although its breaker may be open, because all others are open, too. */
	force(key: BreakerKey, nowMs: number): Permit {
		return this.#breaker(key).permit(nowMs);
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
		return Math.max(0, (this.#throttledUntilMs.get(callKey(key, modelId)) ?? 0) - nowMs);
	}

	/** Clears everything. */
	reset(): void {
		this.#breakers.clear();
		this.#throttledUntilMs.clear();
		this.recent.clear();
	}
}
