// The windows of keys that have limits of their own, besides their user's. Pure; the clock is an argument.
import { emptyWindows, type LimitWindows, type PackedWindows, packWindows, unpackWindows } from "./packed-windows.ts";

/** Limits of one key, below its plan's; null where the plan's holds. */
export interface KeyLimits {
	/** Requests in a rolling minute. */
	rpm: number | null;
	/** Requests in a rolling 24 hours. */
	dailyRequests: number | null;
}

/** Counts the requests of keys from the moment that they have limits. Other keys take no space. */
export class KeyWindows {
	#byKey: Map<string, LimitWindows>;
	#changed = new Set<string>();

	constructor(packed: Iterable<readonly [string, PackedWindows]> = []) {
		this.#byKey = new Map([...packed].map(([keyId, windows]) => [keyId, unpackWindows(windows)]));
	}

	/** The windows of a key, to be read. */
	windowsFor(keyId: string): LimitWindows {
		const known = this.#byKey.get(keyId);
		if (known) return known;
		const created = emptyWindows();
		this.#byKey.set(keyId, created);
		return created;
	}

	/** The windows of a key, to be counted in. */
	changedWindowsFor(keyId: string): LimitWindows {
		this.#changed.add(keyId);
		return this.windowsFor(keyId);
	}

	/** What a fold stores: the windows of keys that have changed since the last one; null for those that are empty. */
	packChanged(nowMs: number): [string, PackedWindows | null][] {
		return [...this.#changed].map((keyId) => {
			const windows = this.windowsFor(keyId);
			const isEmpty = windows.day.count(nowMs) === 0 && windows.minute.count(nowMs) === 0;
			return [keyId, isEmpty ? null : packWindows(windows, nowMs)];
		});
	}

	/** Records that a fold was written. Keys without a request in either window are forgotten. */
	folded(nowMs: number): void {
		this.#changed.clear();
		for (const [keyId, { minute, day }] of this.#byKey) {
			// Its row says the same until the next request of the key.
			if (day.count(nowMs) === 0 && minute.count(nowMs) === 0) this.#byKey.delete(keyId);
		}
	}
}
