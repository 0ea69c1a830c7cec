// The windows of limits as the meter's fold keeps them. Pure; the clock is an argument.
import { DayWindow, MinuteWindow } from "./rolling-window.ts";

/** The admissions that a limit counts. */
export interface LimitWindows {
	minute: MinuteWindow;
	day: DayWindow;
}

/** Numbers that follow each other, as the first one and steps. */
type Steps = number[];

export interface PackedWindows {
	/** Times of the last minute. */
	times: Steps;
	/** Requests of consecutive minutes from `from` on. A day's minutes as pairs would take several times the space. */
	from: number;
	requests: number[];
}

function toSteps(rising: readonly number[]): Steps {
	return rising.map((value, index) => value - (rising[index - 1] ?? 0));
}

function fromSteps(steps: Steps): number[] {
	let value = 0;
	return steps.map((step) => (value += step));
}

export function emptyWindows(): LimitWindows {
	return { minute: new MinuteWindow(), day: new DayWindow() };
}

export function packWindows({ minute, day }: LimitWindows, nowMs: number): PackedWindows {
	const buckets = day.buckets(nowMs);
	const from = buckets[0]?.[0] ?? 0;
	const requests = new Array<number>(buckets.length === 0 ? 0 : (buckets.at(-1)?.[0] ?? from) - from + 1).fill(0);
	for (const [at, count] of buckets) requests[at - from] = count;
	return { times: toSteps(minute.times(nowMs)), from, requests };
}

export function unpackWindows({ times, from, requests }: PackedWindows): LimitWindows {
	const buckets = requests.flatMap((count, offset): [number, number][] =>
		count === 0 ? [] : [[from + offset, count]],
	);
	return { minute: new MinuteWindow(fromSteps(times)), day: new DayWindow(buckets) };
}

/** Adds admissions of one time. */
export function countAdmissions(
	{ minute, day }: LimitWindows,
	atMs: number,
	{ requests, ofDay }: { requests: number; ofDay: number },
): void {
	for (let added = 0; added < requests; added++) minute.add(atMs);
	if (ofDay > 0) day.add(atMs, ofDay);
}
