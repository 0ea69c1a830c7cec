// How much of the gap between a weak and a strong model a router recovers, by the share of prompts that it sends to the strong
// one (RouteLLM, arXiv:2406.18665, section 3): APGR, CPT(50 %), CPT(80 %).

/** A prompt, and how much a router wants the strong model for it. */
export interface RoutedPrompt {
	/** The fold that it was tried in: the routers of different folds are not compared with each other. */
	fold: number;
	/** Higher goes to the strong model first. */
	preference: number;
	weakRight: number;
	strongRight: number;
}

export interface TradeOff {
	/** Average performance gap recovered: 0.5 for a random router. */
	apgr: number;
	/** The least share of strong calls that recovers half of the gap. */
	cpt50: number;
	/** The same for four fifths. */
	cpt80: number;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Prompts by the place, 0 to 1, that they have in the order of their own fold. Equal preferences are in random order. */
function sortWithinFolds(prompts: readonly RoutedPrompt[], random: () => number): RoutedPrompt[] {
	const folds = Map.groupBy(prompts, ({ fold }) => fold);
	const placed = [...folds.values()].flatMap((fold) =>
		fold
			.map((prompt) => ({ prompt, tie: random() }))
			.sort((a, b) => b.prompt.preference - a.prompt.preference || a.tie - b.tie)
			.map(({ prompt }, rank) => ({ prompt, place: (rank + random()) / fold.length })),
	);
	return placed.sort((a, b) => a.place - b.place).map(({ prompt }) => prompt);
}

/** Measures a router. */
export function measureTradeOff(prompts: readonly RoutedPrompt[], random: () => number): TradeOff {
	const gap = prompts.reduce((sum, { strongRight, weakRight }) => sum + strongRight - weakRight, 0);
	let gained = 0;
	let area = 0;
	let [cpt50, cpt80] = [1, 1];
	for (const [rank, { strongRight, weakRight }] of sortWithinFolds(prompts, random).entries()) {
		const before = gained / gap;
		gained += strongRight - weakRight;
		const after = gained / gap;
		area += (before + after) / 2;
		const share = (rank + 1) / prompts.length;
		if (after >= 0.5) cpt50 = Math.min(cpt50, share);
		if (after >= 0.8) cpt80 = Math.min(cpt80, share);
	}
	return { apgr: area / prompts.length, cpt50, cpt80 };
}

/** How many steps a traced curve has. */
const TRACE_STEPS = 50;

/** The share of right answers by the share of strong calls, from none to all. */
export function traceTradeOff(
	prompts: readonly RoutedPrompt[],
	random: () => number,
): { share: number; quality: number }[] {
	let right = prompts.reduce((sum, { weakRight }) => sum + weakRight, 0);
	const points = [{ share: 0, quality: right / prompts.length }];
	for (const [rank, { strongRight, weakRight }] of sortWithinFolds(prompts, random).entries()) {
		right += strongRight - weakRight;
		const isStep =
			Math.floor(((rank + 1) * TRACE_STEPS) / prompts.length) > Math.floor((rank * TRACE_STEPS) / prompts.length);
		if (isStep) points.push({ share: (rank + 1) / prompts.length, quality: right / prompts.length });
	}
	return points;
}

const RESAMPLES = 1_000;

/** A figure with its 95 % interval. */
export interface Interval {
	value: number;
	low: number;
	high: number;
}

function toInterval(value: number, resampled: readonly number[]): Interval {
	const sorted = resampled.toSorted((a, b) => a - b);
	const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? value;
	return { value, low: at(0.025), high: at(0.975) };
}

/** The measures of a router with 95 % intervals: the prompts are drawn anew, with replacement, within their folds. */
export function bootstrapTradeOff(prompts: readonly RoutedPrompt[], seed: number): Record<keyof TradeOff, Interval> {
	const random = seededRandom(seed);
	const measured = measureTradeOff(prompts, random);
	const folds = [...Map.groupBy(prompts, ({ fold }) => fold).values()];
	const draws = Array.from({ length: RESAMPLES }, () =>
		measureTradeOff(
			folds.flatMap((fold) => fold.map((prompt) => fold[Math.floor(random() * fold.length)] ?? prompt)),
			random,
		),
	);
	const interval = (name: keyof TradeOff) =>
		toInterval(
			measured[name],
			draws.map((draw) => draw[name]),
		);
	return { apgr: interval("apgr"), cpt50: interval("cpt50"), cpt80: interval("cpt80") };
}
