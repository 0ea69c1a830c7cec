// Decides what the remaining money allows for the next step: an intensity and an answer length, or no step, and why. Spending and
// its consequences for later steps are guard.ts's. Pure.
import { usdText } from "../proof/money.ts";

/** From the most expensive down. The catalog says which tiers they stand for (INTENSITIES). */
export const INTENSITIES_DESCENDING = ["Laser", "Halo", "Foton"] as const;
export type Intensity = (typeof INTENSITIES_DESCENDING)[number];

/** The lower of two intensities. */
export function lowerIntensity(one: Intensity, other: Intensity): Intensity {
	return INTENSITIES_DESCENDING.indexOf(one) > INTENSITIES_DESCENDING.indexOf(other) ? one : other;
}

/** The shortest answer that a step may have. */
export const MIN_VISIBLE_TOKENS = 64;

/** A step to decide on. */
export interface StepRequest {
	/**
	 * The most that all calls of the step can cost together, an integer; null where no model of the intensity can make them.
	 * @param maxTokens visible tokens per call.
	 */
	worstCaseNanoUsd(intensity: Intensity, maxTokens: number): number | null;
	/** Visible tokens per call, as requested. */
	maxTokens: number;
	/** What must be left after the step, for the final step. Default: nothing. */
	reserveNanoUsd?: number;
	/** The run can do without the step: it is made at the highest intensity that has models, or left out. */
	isOptional?: boolean;
}

/** What a step may use. */
export interface StepAllowance {
	/** The highest allowed. */
	intensity: Intensity;
	/** Of the run's cap, neither spent nor held. */
	freeNanoUsd: number;
	stepCapNanoUsd: number;
}

/** Why a step is not made: the run's cap, the cap per step, the final step's reserve, or no model that can make it. */
export type StepLimit = "run_cap" | "step_cap" | "final_step" | "no_model";

export interface StepCall {
	kind: "call";
	intensity: Intensity;
	maxTokens: number;
	worstCaseNanoUsd: number;
	/** For people. */
	reason: string;
}

export interface StepStop {
	kind: "stop";
	limit: StepLimit;
	/** For people. */
	reason: string;
}

/** The most that a step may cost, which limit sets it, and a text that says so. */
interface SpendCeiling {
	nanoUsd: number;
	limit: Exclude<StepLimit, "no_model">;
	text: string;
}

function toSpendCeiling({ freeNanoUsd, stepCapNanoUsd }: StepAllowance, reserveNanoUsd: number): SpendCeiling {
	const leftNanoUsd = Math.max(0, freeNanoUsd - reserveNanoUsd);
	if (stepCapNanoUsd < leftNanoUsd)
		return { nanoUsd: stepCapNanoUsd, limit: "step_cap", text: `the ${usdText(stepCapNanoUsd)} that a step may cost` };
	const left = `the ${usdText(leftNanoUsd)} left of the run's cap`;
	if (reserveNanoUsd === 0) return { nanoUsd: leftNanoUsd, limit: "run_cap", text: left };
	return { nanoUsd: leftNanoUsd, limit: "final_step", text: `${left} beside what the final step needs` };
}

function fits(worstCaseNanoUsd: number | null, nanoUsd: number): worstCaseNanoUsd is number {
	return worstCaseNanoUsd !== null && worstCaseNanoUsd >= 0 && worstCaseNanoUsd <= nanoUsd;
}

/** The longest answer at an intensity that fits, with its worst case, by halving; null when not even the shortest fits. */
function longestFit(
	{ worstCaseNanoUsd: worstCaseOf, maxTokens }: StepRequest,
	intensity: Intensity,
	nanoUsd: number,
): Pick<StepCall, "maxTokens" | "worstCaseNanoUsd"> | null {
	if (maxTokens <= MIN_VISIBLE_TOKENS) return null;
	let tooLong = maxTokens;
	let worstCase = worstCaseOf(intensity, MIN_VISIBLE_TOKENS);
	if (!fits(worstCase, nanoUsd)) return null;
	let longest = { maxTokens: MIN_VISIBLE_TOKENS, worstCaseNanoUsd: worstCase };
	while (tooLong - longest.maxTokens > 1) {
		const middle = Math.floor((longest.maxTokens + tooLong) / 2);
		worstCase = worstCaseOf(intensity, middle);
		if (fits(worstCase, nanoUsd)) longest = { maxTokens: middle, worstCaseNanoUsd: worstCase };
		else tooLong = middle;
	}
	return longest;
}

/** Why higher intensities were not used, in words. */
function refusalText(worstCases: readonly { intensity: Intensity; worstCase: number | null }[]): string {
	return worstCases
		.map(({ intensity, worstCase }) =>
			worstCase === null ? `${intensity} has no model for it` : `${intensity} could cost ${usdText(worstCase)}`,
		)
		.join(", ");
}

/** The intensities at which a step may be made, from the highest down. */
function intensitiesFor(
	{ worstCaseNanoUsd: worstCaseOf, maxTokens, isOptional = false }: StepRequest,
	{ intensity }: StepAllowance,
): Intensity[] {
	const below = INTENSITIES_DESCENDING.slice(INTENSITIES_DESCENDING.indexOf(intensity));
	if (!isOptional) return below;
	const highest = below.find((each) => worstCaseOf(each, maxTokens) !== null);
	return highest ? [highest] : [];
}

/**
 * Decides on a step: the highest intensity whose worst case fits; else the longest answer that fits, from the lowest intensity
 * up; else no step (docs/reference.md, "Agents"). The decision always fits, even where a longer answer would cost less.
 */
export function decideStep(request: StepRequest, allowance: StepAllowance): StepCall | StepStop {
	const { maxTokens, reserveNanoUsd = 0 } = request;
	const ceiling = toSpendCeiling(allowance, reserveNanoUsd);
	const intensities = intensitiesFor(request, allowance);
	const refused: { intensity: Intensity; worstCase: number | null }[] = [];
	for (const intensity of intensities) {
		const worstCase = request.worstCaseNanoUsd(intensity, maxTokens);
		if (fits(worstCase, ceiling.nanoUsd)) {
			const because = refused.length === 0 ? "" : `${refusalText(refused)}; `;
			const reason = `${because}${intensity} costs at most ${usdText(worstCase)} of ${ceiling.text}`;
			return { kind: "call", intensity, maxTokens, worstCaseNanoUsd: worstCase, reason };
		}
		refused.push({ intensity, worstCase });
	}
	const tooExpensive = `${refusalText(refused)} with ${maxTokens} tokens, against ${ceiling.text}`;
	for (const intensity of intensities.toReversed()) {
		const longest = longestFit(request, intensity, ceiling.nanoUsd);
		if (!longest) continue;
		const cost = usdText(longest.worstCaseNanoUsd);
		const reason = `${tooExpensive}; ${intensity} with ${longest.maxTokens} tokens costs at most ${cost}`;
		return { kind: "call", intensity, ...longest, reason };
	}
	if (refused.every(({ worstCase }) => worstCase === null))
		return { kind: "stop", limit: "no_model", reason: "no model can make this step" };
	const least = Math.min(maxTokens, MIN_VISIBLE_TOKENS);
	return { kind: "stop", limit: ceiling.limit, reason: `${tooExpensive}; not even ${least} tokens fit` };
}
