// The windows of keys that have limits of their own, besides their user's. Pure; the clock is an argument.
import { type KeyMinutes, type PackedMinutes, packMinutes, unpackMinutes } from "./folded.ts";
import { DayWindow, MinuteWindow } from "./rolling-window.ts";

/** Limits of one key, below its plan's; null where the plan's holds. */
export interface KeyLimits {
	/** Requests in a rolling minute. */
	rpm: number | null;
	/** Requests in a rolling 24 hours. */
	dailyRequests: number | null;
}

interface KeyWindow {
	minute: MinuteWindow;
	day: DayWindow;
}

/** Counts the requests of keys from the moment that they have limits. Other keys take no space. */
export class KeyWindows {
	#byKey = new Map<string, KeyWindow>();

	constructor(minutes: KeyMinutes = {}) {
		for (const [keyId, packed] of Object.entries(minutes))
			this.#byKey.set(keyId, { minute: new MinuteWindow(), day: new DayWindow(unpackMinutes(packed)) });
	}

	windowsFor(keyId: string): KeyWindow {
		const known = this.#byKey.get(keyId);
		if (known) return known;
		const created = { minute: new MinuteWindow(), day: new DayWindow() };
		this.#byKey.set(keyId, created);
		return created;
	}

	/** The day windows for the folded row. Keys without a request in either window are forgotten. */
	foldedMinutes(nowMs: number): KeyMinutes {
		const folded: [string, PackedMinutes][] = [];
		for (const [keyId, { minute, day }] of this.#byKey) {
			const buckets = day.buckets(nowMs);
			if (buckets.length > 0) folded.push([keyId, packMinutes(buckets)]);
			else if (minute.count(nowMs) === 0) this.#byKey.delete(keyId);
		}
		return Object.fromEntries(folded);
	}
}
