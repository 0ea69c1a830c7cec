// Exact rolling limits of one user: a minute by timestamps, 24 hours by minute buckets. Pure; the clock is an argument.
export const MINUTE_MS = 60_000;
/** Buckets of the daily window. */
export const DAY_MINUTES = 1_440;

/** The minute number of a time, counted from the epoch. */
export function toMinute(atMs: number): number {
	return Math.floor(atMs / MINUTE_MS);
}

/** Admissions of the last minute, each with its time. */
export class MinuteWindow {
	#times: number[];
	#head = 0;

	/** @param times rising, ms. */
	constructor(times: number[] = []) {
		this.#times = times;
	}

	/** A clock that went back brings what it had recorded as later to now: that leaves a minute from now, not hours. */
	#rewind(nowMs: number): void {
		for (let at = this.#times.length - 1; at >= this.#head && (this.#times[at] ?? 0) > nowMs; at--)
			this.#times[at] = nowMs;
	}

	#drop(nowMs: number): void {
		this.#rewind(nowMs);
		while (this.#head < this.#times.length && (this.#times[this.#head] ?? 0) <= nowMs - MINUTE_MS) this.#head++;
		if (this.#head > 1_024 && this.#head * 2 > this.#times.length) {
			this.#times = this.#times.slice(this.#head);
			this.#head = 0;
		}
	}

	/** Admissions in (now − 60 s, now]. */
	count(nowMs: number): number {
		this.#drop(nowMs);
		return this.#times.length - this.#head;
	}

	/** The admissions in (now − 60 s, now], rising. */
	times(nowMs: number): number[] {
		this.#drop(nowMs);
		return this.#times.slice(this.#head);
	}

	/** The latest admission, ms since the epoch; 0 before the first. */
	get latestMs(): number {
		return this.#times.at(-1) ?? 0;
	}

	/** Adds an admission. A clock that steps back does not change the order. */
	add(atMs: number): void {
		this.#times.push(Math.max(atMs, this.#times.at(-1) ?? 0));
	}

	/** Milliseconds until the oldest admission leaves the window; 0 when it is empty. */
	msUntilSlot(nowMs: number): number {
		if (this.count(nowMs) === 0) return 0;
		return Math.max(1, (this.#times[this.#head] ?? nowMs) + MINUTE_MS - nowMs);
	}

	/** Milliseconds until the window is empty; 0 when it is. */
	msUntilEmpty(nowMs: number): number {
		if (this.count(nowMs) === 0) return 0;
		return Math.max(1, (this.#times.at(-1) ?? nowMs) + MINUTE_MS - nowMs);
	}
}

/** Buckets, rising, with those of later minutes brought to this one. The same ones when there are none. */
export function rewindMinutes(buckets: ReadonlyMap<number, number>, minute: number): ReadonlyMap<number, number> {
	const later = [...buckets].filter(([at]) => at > minute);
	if (later.length === 0) return buckets;
	const kept = new Map([...buckets].filter(([at]) => at <= minute));
	kept.set(
		minute,
		later.reduce((sum, [, requests]) => sum + requests, kept.get(minute) ?? 0),
	);
	return kept;
}

/** Requests of the last 24 hours in minute buckets. A bucket leaves as a whole. */
export class DayWindow {
	#buckets: Map<number, number>;
	/** The last bucket. */
	#latest = 0;
	#total = 0;

	/** @param buckets minute number → requests. */
	constructor(buckets: Iterable<[number, number]> = []) {
		this.#buckets = new Map(buckets);
		for (const [minute, requests] of this.#buckets) {
			this.#latest = minute;
			this.#total += requests;
		}
	}

	#drop(nowMs: number): void {
		const current = toMinute(nowMs);
		if (this.#latest > current) {
			this.#buckets = new Map(rewindMinutes(this.#buckets, current));
			this.#latest = current;
		}
		const oldest = toMinute(nowMs) - DAY_MINUTES;
		// Buckets are in rising order, so the first one inside the window ends the loop.
		for (const [minute, requests] of this.#buckets) {
			if (minute > oldest) return;
			this.#buckets.delete(minute);
			this.#total -= requests;
		}
	}

	/** Requests in the last 1,440 minutes, the current one included. */
	count(nowMs: number): number {
		this.#drop(nowMs);
		return this.#total;
	}

	/** Adds requests of one time. */
	add(atMs: number, requests = 1): void {
		this.#drop(atMs);
		const minute = toMinute(atMs);
		this.#latest = minute;
		this.#buckets.set(minute, (this.#buckets.get(minute) ?? 0) + requests);
		this.#total += requests;
	}

	/** The latest minute with a request, ms since the epoch; 0 before the first. */
	get latestMs(): number {
		return this.#latest * MINUTE_MS;
	}

	/** The buckets inside the window, rising. */
	buckets(nowMs: number): [number, number][] {
		this.#drop(nowMs);
		return [...this.#buckets];
	}

	/** Milliseconds until the oldest bucket leaves the window; 0 when there is none. */
	msUntilSlot(nowMs: number): number {
		this.#drop(nowMs);
		const oldest = this.#buckets.keys().next();
		return oldest.done ? 0 : (oldest.value + DAY_MINUTES) * MINUTE_MS - nowMs;
	}
}
