// What the next step of a run may be under the money that is left: at which intensity, with how long an answer, or not at all;
// and why. What was spent, and what that means for the steps to come, is guard.ts's. Pure.
import { usdText } from "../proof/money.ts";

/** From the dearest down; which tiers they stand for says the catalog (INTENSITIES). */
export const INTENSITY_LADDER = ["Laser", "Halo", "Foton"] as const;
export type Intensity = (typeof INTENSITY_LADDER)[number];

/** The lower of two. */
export function lowerIntensity(one: Intensity, other: Intensity): Intensity {
	return INTENSITY_LADDER.indexOf(one) > INTENSITY_LADDER.indexOf(other) ? one : other;
}

/** An answer is not cut shorter than this. */
export const MIN_VISIBLE_TOKENS = 64;

/** A step that somebody wants to make. */
export interface StepRequest {
	/**
	 * The most that all calls of the step can cost together, integer nano-USD; null where no model of the intensity can make them.
	 * @param maxTokens visible tokens per call.
	 */
	worstCaseNanoUsd(intensity: Intensity, maxTokens: number): number | null;
	/** Visible tokens per call, as asked for. */
	maxTokens: number;
	/** What must be left when the step is over, whatever it costs: for the final step. Default: nothing. */
	reserveNanoUsd?: number;
	/** Left out rather than made at a lower intensity than models are there for: what a run can do without lowers nothing. */
	isOptional?: boolean;
}

/** What a step has to do with. */
export interface StepRoom {
	/** The highest that it may run at. */
	intensity: Intensity;
	/** Left of the run's cap, and held by nobody. */
	freeNanoUsd: number;
	stepCapNanoUsd: number;
}

/** What kept a step from being made: the run's cap, the cap per step, what the final step needs, or that no model can make it. */
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

/** The most that a step may cost, what says so, and that in words. */
interface Spendable {
	nanoUsd: number;
	limit: Exclude<StepLimit, "no_model">;
	text: string;
}

function toSpendable({ freeNanoUsd, stepCapNanoUsd }: StepRoom, reserveNanoUsd: number): Spendable {
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

/** The longest answer at an intensity that fits, and its worst case; null when not even the shortest does. By halving. */
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

/** What kept the intensities from above down from being used, in words; empty when nothing did. */
function refusalText(worstCases: readonly { intensity: Intensity; worstCase: number | null }[]): string {
	return worstCases
		.map(({ intensity, worstCase }) =>
			worstCase === null ? `${intensity} has no model for it` : `${intensity} could cost ${usdText(worstCase)}`,
		)
		.join(", ");
}

/** At which intensities a step may be made, from the highest down. */
function intensitiesFor(
	{ worstCaseNanoUsd: worstCaseOf, maxTokens, isOptional = false }: StepRequest,
	{ intensity }: StepRoom,
): Intensity[] {
	const below = INTENSITY_LADDER.slice(INTENSITY_LADDER.indexOf(intensity));
	if (!isOptional) return below;
	const highest = below.find((one) => worstCaseOf(one, maxTokens) !== null);
	return highest ? [highest] : [];
}

/**
 * Decides on a step: the highest intensity whose worst case fits; else the longest answer that fits, from the lowest intensity
 * up; else none (docs/reference.md, "Agents"). What it answers with always fits, also where a longer answer costs less.
 */
export function decideStep(request: StepRequest, room: StepRoom): StepCall | StepStop {
	const { maxTokens, reserveNanoUsd = 0 } = request;
	const spendable = toSpendable(room, reserveNanoUsd);
	const intensities = intensitiesFor(request, room);
	const refused: { intensity: Intensity; worstCase: number | null }[] = [];
	for (const intensity of intensities) {
		const worstCase = request.worstCaseNanoUsd(intensity, maxTokens);
		if (fits(worstCase, spendable.nanoUsd)) {
			const because = refused.length === 0 ? "" : `${refusalText(refused)}; `;
			const reason = `${because}${intensity} costs at most ${usdText(worstCase)} of ${spendable.text}`;
			return { kind: "call", intensity, maxTokens, worstCaseNanoUsd: worstCase, reason };
		}
		refused.push({ intensity, worstCase });
	}
	const tooDear = `${refusalText(refused)} with ${maxTokens} tokens, against ${spendable.text}`;
	for (const intensity of intensities.toReversed()) {
		const longest = longestFit(request, intensity, spendable.nanoUsd);
		if (!longest) continue;
		const cost = usdText(longest.worstCaseNanoUsd);
		const reason = `${tooDear}; ${intensity} with ${longest.maxTokens} tokens costs at most ${cost}`;
		return { kind: "call", intensity, ...longest, reason };
	}
	if (refused.every(({ worstCase }) => worstCase === null))
		return { kind: "stop", limit: "no_model", reason: "no model can make this step" };
	const least = Math.min(maxTokens, MIN_VISIBLE_TOKENS);
	return { kind: "stop", limit: spendable.limit, reason: `${tooDear}; not even ${least} tokens fit` };
}
