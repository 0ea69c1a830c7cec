// Draws that are the same in every run. Pure.

/** A source of numbers in [0, 1) (mulberry32). */
export function draws(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** One of several, by their weights. */
export function pick<T>(draw: () => number, options: readonly (readonly [option: T, weight: number])[]): T {
	let rest = draw() * options.reduce((sum, [, weight]) => sum + weight, 0);
	for (const [option, weight] of options) {
		rest -= weight;
		if (rest < 0) return option;
	}
	const last = options.at(-1);
	if (!last) throw new Error("there is nothing to pick from");
	return last[0];
}

/** A number whose logarithm is spread evenly around the middle's: most are near it, a few are several times as large. */
export function around(draw: () => number, middle: number, spread = 1): number {
	const bell = draw() + draw() + draw() - 1.5;
	return middle * Math.exp(bell * spread * 1.6);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How busy an hour of a week is, UTC: working days by day, and quiet nights. */
function busyness(atMs: number): number {
	const date = new Date(atMs);
	const isWeekend = [0, 6].includes(date.getUTCDay());
	const hour = date.getUTCHours();
	return (isWeekend ? 0.3 : 1) * (0.12 + Math.max(0, Math.sin(((hour - 5) / 15) * Math.PI)));
}

/** Rising times of `count` things in the days before `endMs`, at the rhythm of working weeks. */
export function workingTimes(draw: () => number, count: number, days: number, endMs: number): number[] {
	const firstMs = endMs - days * DAY_MS;
	const hours = Array.from({ length: days * 24 }, (_, index) => firstMs + index * HOUR_MS);
	// Every month is somewhat busier than the one before.
	const busy = (hour: number) => busyness(hour) * (1 + (0.4 * (hour - firstMs)) / (30 * DAY_MS));
	const whole = hours.reduce((sum, hour) => sum + busy(hour), 0);
	let owed = 0;
	const times = hours.flatMap((hour) => {
		owed += (count * busy(hour)) / whole;
		const now = Math.round(owed);
		owed -= now;
		return Array.from({ length: now }, () => hour + draw() * HOUR_MS);
	});
	return times.map((time) => Math.min(Math.round(time), endMs - 1_000)).sort((a, b) => a - b);
}
