// What this isolate knows of the providers' health: breakers shut off who has just failed, and who answered 429 is scarce for
// a while. Only what a provider did counts, never what a prompt or a client can cause. Pure; the clock is an argument.
import { hashText } from "../proof/hash.ts";
import type { ProviderAccess } from "../settings.ts";

const FAILURES_TO_OPEN = 5;
const FAILURE_WINDOW_MS = 30_000;
const OPEN_MS = 30_000;
/** A probe that has not come back by then never will: its isolate lost the request. */
const PROBE_MS = 120_000;
const DEFAULT_THROTTLE_MS = 5_000;
const MAX_THROTTLE_MS = 30_000;

/** Whose breaker: a provider under one key of the operator's. */
export type BreakerKey = string;

const breakerKeys = new WeakMap<ProviderAccess, BreakerKey>();

/** The breaker of an access. It does not show the key. */
export function breakerKey(access: ProviderAccess): BreakerKey {
	const known = breakerKeys.get(access);
	if (known) return known;
	const key = `${access.provider.id} ${hashText(access.apiKey)}`;
	breakerKeys.set(access, key);
	return key;
}

/** The right to make one call, and the way to say what came of it; the first word counts. */
export interface Permit {
	/** The provider answered. */
	succeeded(): void;
	/** @param operatorsFault a wrong key or an empty account: no further call can succeed, so one is enough. */
	failed(operatorsFault: boolean, nowMs: number): void;
	/** The call came to an end that says nothing of the provider. */
	inconclusive(): void;
}

class Breaker {
	/** Times of the failures in the window, successes between them or not. */
	#failures: number[] = [];
	/** Null while closed. */
	openedAtMs: number | null = null;
	/** The one call that is to find out whether an open breaker may close. */
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

	/** A call through an open breaker is its probe; one that began while it was closed decides nothing about it any more. */
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

/** An isolate keeps its own; there are as many entries as providers and models, so nothing grows. */
export class ProviderHealth {
	#breakers = new Map<BreakerKey, Breaker>();
	/** Until when a model under a key is scarce. */
	#throttledUntilMs = new Map<string, number>();

	#breaker(key: BreakerKey): Breaker {
		const known = this.#breakers.get(key);
		if (known) return known;
		const fresh = new Breaker();
		this.#breakers.set(key, fresh);
		return fresh;
	}

	/** Whether a provider may be called now. */
	admits(key: BreakerKey, nowMs: number): boolean {
		return this.#breakers.get(key)?.admits(nowMs) ?? true;
	}

	/** Takes the right to call a provider, null while it is shut off; of a half-open breaker's callers one gets it, the probe. */
	acquire(key: BreakerKey, nowMs: number): Permit | null {
		return this.admits(key, nowMs) ? this.force(key, nowMs) : null;
	}

	/** Takes the right to call a provider although it may be shut off, because every other is as well. */
	force(key: BreakerKey, nowMs: number): Permit {
		return this.#breaker(key).permit(nowMs);
	}

	/** Since when a provider's breaker is open; Infinity when it is closed. */
	openSinceMs(key: BreakerKey): number {
		return this.#breakers.get(key)?.openedAtMs ?? Number.POSITIVE_INFINITY;
	}

	/** A provider refused a model for want of capacity. @param waitMs as it said; null when it said nothing. */
	throttled(key: BreakerKey, modelId: string, waitMs: number | null, nowMs: number): void {
		const untilMs = nowMs + Math.min(waitMs ?? DEFAULT_THROTTLE_MS, MAX_THROTTLE_MS);
		this.#throttledUntilMs.set(`${key} ${modelId}`, untilMs);
	}

	/** For how long a model is scarce; 0 when it is not. */
	scarceForMs(key: BreakerKey, modelId: string, nowMs: number): number {
		return Math.max(0, (this.#throttledUntilMs.get(`${key} ${modelId}`) ?? 0) - nowMs);
	}

	/** Forgets everything. */
	reset(): void {
		this.#breakers.clear();
		this.#throttledUntilMs.clear();
	}
}
