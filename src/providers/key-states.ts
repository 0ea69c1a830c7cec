// What this isolate knows of the operator's keys: which are throttled for a model, and which were refused. A wait is noted with its
// beginning, so that a clock which went back prolongs none. Pure; the clock is an argument.
import { BoundedMap } from "../bounded-map.ts";

/** The wait after a 429 that names none: doubled with each that follows, up to the longest. */
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 30_000;
/** More than the keys and models of a deployment. */
const MAX_STATES = 10_000;

interface Wait {
	notedAtMs: number;
	/** Infinity as long as the isolate lives. */
	waitMs: number;
}

/** The wait after one or more 429s. */
interface Throttle extends Wait {
	/** 429s in a row, those of calls side by side counted once. */
	strikes: number;
}

/** The rest of a wait, ms. One that begins in time to come is of a clock that went back: it is over. */
function leftMs(wait: Wait | undefined, nowMs: number): number {
	if (!wait) return 0;
	if (wait.waitMs === Number.POSITIVE_INFINITY) return wait.waitMs;
	return wait.notedAtMs > nowMs ? 0 : Math.max(0, wait.notedAtMs + wait.waitMs - nowMs);
}

/** By provider key (keyId of model-keys.ts), and by model under it (callId). */
export class KeyStates {
	readonly #throttles = new BoundedMap<string, Throttle>(MAX_STATES);
	readonly #refusals = new BoundedMap<string, Wait>(MAX_STATES);

	/**
	 * Notes a 429.
	 * @param call the model under its key.
	 * @param waitMs the wait that it named; null when it named none.
	 * @param sentAtMs when the call was sent: one that was under way when the last 429 came is no other strike.
	 */
	noteThrottle(call: string, waitMs: number | null, sentAtMs: number, nowMs: number): void {
		const known = this.#throttles.get(call);
		const isSame = known !== undefined && sentAtMs <= known.notedAtMs && known.notedAtMs <= nowMs;
		const strikes = isSame ? Math.max(1, known.strikes) : (known?.strikes ?? 0) + 1;
		const wantedMs = waitMs ?? Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (strikes - 1));
		if (isSame && known.notedAtMs + known.waitMs >= nowMs + wantedMs) return;
		this.#throttles.set(call, { notedAtMs: nowMs, waitMs: wantedMs, strikes });
	}

	/** For how long a model is still throttled under a key, ms; 0 when it is not. */
	throttledForMs(call: string, nowMs: number): number {
		return leftMs(this.#throttles.get(call), nowMs);
	}

	/**
	 * Notes that a key was refused. True when that was not known.
	 * @param id the key, or the model under it where it was refused for that one.
	 */
	noteRefusal(id: string, waitMs: number, nowMs: number): boolean {
		const isNew = this.refusedForMs(id, nowMs) === 0;
		this.#refusals.set(id, { notedAtMs: nowMs, waitMs });
		return isNew;
	}

	/** For how long a key, or a model under it, is still left alone because it was refused, ms; 0 when it is not. */
	refusedForMs(id: string, nowMs: number): number {
		return leftMs(this.#refusals.get(id), nowMs);
	}

	/** Notes that a call was answered. Waits of 429s end by themselves. */
	noteServed(key: string, call: string): void {
		this.#refusals.delete(key);
		this.#refusals.delete(call);
		const throttle = this.#throttles.get(call);
		if (throttle) throttle.strikes = 0;
	}

	get isEmpty(): boolean {
		return this.#throttles.size === 0 && this.#refusals.size === 0;
	}

	clear(): void {
		this.#throttles.clear();
		this.#refusals.clear();
	}
}
