// The models that their providers lately said they do not serve: retired, unknown, or not for this account. Pure; the clock is an
// argument.

/** For so long a model is passed by. */
export const UNSERVED_MS = 600_000;
/** So often a request that names it asks all the same. */
const ASK_AGAIN_MS = 60_000;

/** A model that is passed by. */
export interface UnservedModel {
	/** ms since the epoch. */
	untilMs: number;
	/** For how long a request that names it is not sent to it either, ms; 0 when it may ask. */
	askAgainMs: number;
}

/** By model and provider key (callId of model-keys.ts), of which a deployment has a fixed number. */
export class UnservedModels {
	#refusals = new Map<string, { refusedAtMs: number; askedAtMs: number }>();

	/** Notes that a provider does not serve a model. True when that was not known. */
	note(key: string, nowMs: number): boolean {
		const isNew = this.find(key, nowMs) === null;
		this.#refusals.set(key, { refusedAtMs: nowMs, askedAtMs: nowMs });
		return isNew;
	}

	/** Notes that a model is asked although it is passed by. */
	noteAsked(key: string, nowMs: number): void {
		const known = this.#refusals.get(key);
		if (known) known.askedAtMs = nowMs;
	}

	/** Notes that a provider serves a model after all. */
	noteServed(key: string): void {
		this.#refusals.delete(key);
	}

	/** What is known of a model that is passed by; null for one that is not. A time to come is of a clock that went back: it is over. */
	find(key: string, nowMs: number): UnservedModel | null {
		const known = this.#refusals.get(key);
		if (!known) return null;
		const sinceMs = nowMs - known.refusedAtMs;
		if (sinceMs < 0 || sinceMs >= UNSERVED_MS) return null;
		const askedForMs = nowMs - known.askedAtMs;
		const askAgainMs = askedForMs < 0 ? 0 : Math.max(0, ASK_AGAIN_MS - askedForMs);
		return { untilMs: known.refusedAtMs + UNSERVED_MS, askAgainMs };
	}

	get isEmpty(): boolean {
		return this.#refusals.size === 0;
	}

	clear(): void {
		this.#refusals.clear();
	}
}
