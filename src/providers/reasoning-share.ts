// What share of an output limit reasoning may take: where a provider takes a budget for it, and where a plan leaves room. Pure.
import type { Effort } from "../catalog/vocabulary.ts";

/** By effort; the rest is for what the client sees. */
export const REASONING_SHARE: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 0.1,
	low: 0.25,
	medium: 0.5,
	high: 0.75,
	xhigh: 0.75,
	max: 0.75,
};
