// What this isolate knows about the providers' health. After repeated failures a breaker skips a provider for a while; after a 429 a
// model is throttled under its key until its Retry-After passes; a refused key, and a model that its provider does not serve, are left
// out. A model is out only where all of its keys are. Only what a provider did counts, never what a prompt or a client can cause.
// Pure; the clock is an argument.
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Model } from "../catalog/schema.ts";
import type { ProviderAccess } from "../settings.ts";
import { Breaker, type Permit } from "./breaker.ts";
import { KeyStates } from "./key-states.ts";
import { callId, hasSeveralKeys, keyId, modelKeys } from "./model-keys.ts";
import { RecentCalls } from "./recent-calls.ts";
import { type UnservedModel, UnservedModels } from "./unserved-models.ts";

/** Identifies a breaker: a provider under its keys. */
type BreakerKey = string;

const breakerKeys = new WeakMap<ProviderAccess, BreakerKey>();

/** The breaker key of a provider access. The provider's keys cannot be read from it. */
export function breakerKey(access: ProviderAccess): BreakerKey {
	const known = breakerKeys.get(access);
	if (known) return known;
	const key = `${access.provider.id} ${access.keys.map(({ mark }) => mark).join()}`;
	breakerKeys.set(access, key);
	return key;
}

const NOTHING_KNOWN = { refusedMs: 0, throttledMs: 0, unserved: null };

/** What is known of a model, under one of its keys or under all. */
export interface ModelState {
	/** For how long the key is left alone because it was refused, ms; 0 when it is not. Of all keys: the first to be free. */
	refusedMs: number;
	/** For how long it is still throttled, ms; 0 when it is not. Of all keys that are not refused: the first to be free. */
	throttledMs: number;
	/** Null where a key may be served it. */
	unserved: UnservedModel | null;
}

/** The breakers, states of keys, unserved models and recent calls of one isolate. */
export class ProviderHealth {
	#breakers = new Map<BreakerKey, Breaker>();
	readonly keys = new KeyStates();
	readonly recent = new RecentCalls();
	readonly unserved = new UnservedModels();
	/** Ids of the models that were called. Nothing is known of the many others that a catalog may have. */
	#called = new Set<string>();

	/** Whether nothing was noted yet. */
	get isUneventful(): boolean {
		return this.#breakers.size === 0 && this.keys.isEmpty && this.unserved.isEmpty && this.recent.isEmpty;
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

	/** What is known of a model under a key. */
	keyState(access: ProviderAccess, key: ProviderKey, { id }: Pick<Model, "id">, nowMs: number): ModelState {
		const ofKey = keyId(access, key);
		const call = callId(ofKey, id);
		return {
			refusedMs: Math.max(this.keys.refusedForMs(ofKey, nowMs), this.keys.refusedForMs(call, nowMs)),
			throttledMs: this.keys.throttledForMs(call, nowMs),
			unserved: this.unserved.find(call, nowMs),
		};
	}

	/** What is known of a model under all of its keys. */
	modelState(access: ProviderAccess, model: Pick<Model, "id">, nowMs: number): ModelState {
		if (!hasSeveralKeys(access) && !this.#called.has(model.id)) return NOTHING_KNOWN;
		const states = modelKeys(access, model).map((key) => this.keyState(access, key, model, nowMs));
		const [only = NOTHING_KNOWN, ...others] = states;
		if (others.length === 0) return only;
		const soonest = (waits: readonly number[]) => (waits.length > 0 ? Math.min(...waits) : 0);
		const allowed = states.filter(({ refusedMs }) => refusedMs === 0);
		const served = allowed.filter(({ unserved }) => unserved === null);
		const unserved = states.flatMap((state) => state.unserved ?? []);
		return {
			refusedMs: allowed.length > 0 ? 0 : soonest(states.map(({ refusedMs }) => refusedMs)),
			throttledMs: soonest((served.length > 0 ? served : allowed).map(({ throttledMs }) => throttledMs)),
			unserved:
				served.length > 0 || unserved.length === 0
					? null
					: {
							untilMs: soonest(unserved.map(({ untilMs }) => untilMs)),
							askAgainMs: soonest(unserved.map(({ askAgainMs }) => askAgainMs)),
						},
		};
	}

	/** For how long nothing may be called with a model, for comparison: open breakers, the longest open first, then refused keys. */
	outForMs(access: ProviderAccess, model: Pick<Model, "id">, nowMs: number): number {
		const { refusedMs } = this.modelState(access, model, nowMs);
		return refusedMs > 0 ? refusedMs : this.openSinceMs(breakerKey(access)) - nowMs;
	}

	/** Clears everything. */
	reset(): void {
		this.#breakers.clear();
		this.keys.clear();
		this.unserved.clear();
		this.recent.clear();
		this.#called.clear();
	}
}
