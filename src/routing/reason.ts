// The sentence that says why a model ranks first. Pure.
import type { Mode } from "./mode.ts";
import type { Candidate } from "./selection.ts";
import type { Signals } from "./signals.ts";

function joinWithAnd(words: readonly string[]): string {
	return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** The prompt's difficulty, intents and other signals: `a hard code and math prompt`. */
function describePrompt({ intents, difficulty, hasTools, longContext }: Signals): string {
	const kinds = joinWithAnd([...intents, ...(hasTools ? ["tools"] : []), ...(longContext ? ["long context"] : [])]);
	return difficulty === "normal" ? `a ${kinds} prompt` : `a ${difficulty} ${kinds} prompt`;
}

function describeExpectation({ expectation }: Candidate): string {
	const cost = (expectation.cost.totalNanoUsd / 1e9).toPrecision(2);
	return `expected quality ${expectation.quality.toFixed(2)}, about $${Number(cost)} and ${(expectation.latencyMs / 1000).toFixed(1)} s`;
}

/** A smaller gain than this is not worth words. */
const LEAST_GAIN = 0.005;

/** A ratio to two digits. */
function describeTimes(ratio: number): string {
	return String(Number(ratio.toPrecision(2)));
}

/** What the best model would gain, and at what price, where it does not rank first. */
function describeAlternative(first: Candidate, rest: readonly Candidate[]): string {
	const best = rest.reduce((most, next) => (next.expectation.quality > most.expectation.quality ? next : most), first);
	const gain = best.expectation.quality - first.expectation.quality;
	if (gain < LEAST_GAIN) return "";
	if (best.isFailing && !first.isFailing)
		return `; ${best.model.display_name} would gain ${gain.toFixed(2)}, but its calls failed lately`;
	const price = best.expectation.cost.totalNanoUsd / Math.max(1, first.expectation.cost.totalNanoUsd);
	const time = best.expectation.latencyMs / Math.max(1, first.expectation.latencyMs);
	const terms = price > 1 ? `${describeTimes(price)} times the price` : `${describeTimes(time)} times the time`;
	return `; ${best.model.display_name} would gain ${gain.toFixed(2)} at ${terms}`;
}

/**
 * Why a candidate ranks first.
 * @param within the tiers that the choice was limited to, for the client; empty when it was not.
 */
export function describeChoice(
	mode: Mode,
	within: string,
	signals: Signals,
	[first, ...rest]: readonly [Candidate, ...Candidate[]],
): string {
	const count = rest.length + 1;
	const prompt = describePrompt(signals);
	const models = `${count} eligible ${count === 1 ? "model" : "models"}`;
	return `${mode} routing${within} for ${prompt}: ${first.model.display_name} ranks first of ${models} (${describeExpectation(first)})${describeAlternative(first, rest)}`;
}
