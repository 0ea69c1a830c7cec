// Decides what the remaining money allows for the next step: an intensity and an answer length, or no step, with a reason. guard.ts
// does the spending and lowers the intensity of later steps. Pure.
import { usdText } from "../proof/money.ts";

/** The intensities, most expensive first. The catalog maps them to model tiers. */
export const INTENSITIES_DESCENDING = ["Laser", "Halo", "Foton"] as const;
export type Intensity = (typeof INTENSITIES_DESCENDING)[number];

/** The lower of two intensities. */
export function lowerIntensity(one: Intensity, other: Intensity): Intensity {
	return INTENSITIES_DESCENDING.indexOf(one) > INTENSITIES_DESCENDING.indexOf(other) ? one : other;
}

/** The shortest answer that a step may have. */
export const MIN_VISIBLE_TOKENS = 64;
/** Down to this share of the requested length, a shorter answer is preferred to a lower intensity and to a weaker model. */
const KEPT_LENGTH_SHARE = 1 / 2;

/** The models of a step: those that its strategy and the routing choose, or the cheapest of the intensity, alone. */
export type StepModels = "intended" | "cheapest";

/** A step to decide on. */
export interface StepRequest {
	/**
	 * The most that all calls of the step can cost together, an integer; null where no model of the intensity can make them.
	 * @param maxTokens visible tokens per call.
	 */
	worstCaseNanoUsd(intensity: Intensity, maxTokens: number, models: StepModels): number | null;
	/** The most that completing a cut answer can cost beyond the worst case. It is held where there is room for it. Default: 0. */
	completionNanoUsd?(intensity: Intensity, maxTokens: number, models: StepModels): number;
	/** Visible tokens per call, as requested. */
	maxTokens: number;
	/** The shortest answer that is of use. Default: MIN_VISIBLE_TOKENS. */
	leastTokens?: number;
	/** Money that must be left after the step, for the final step. Default: 0. */
	reserveNanoUsd?: number;
	/** The run can go on without the step. It is made at the highest intensity that has models, or left out. */
	isOptional?: boolean;
}

/** What a step may spend. */
export interface StepAllowance {
	/** The highest allowed intensity. */
	intensity: Intensity;
	/** The part of the run's cap that is neither spent nor held. */
	freeNanoUsd: number;
	stepCapNanoUsd: number;
}

/** Why a step is not made. `final_step`: the reserve for the final step. */
export type StepLimit = "run_cap" | "step_cap" | "final_step" | "no_model";

export interface StepCall {
	kind: "call";
	intensity: Intensity;
	maxTokens: number;
	models: StepModels;
	/** Of all calls of the step, with the one that completes a cut answer where there is room for it. */
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

/** The most that a step may cost, the limit that sets it, and its description. */
interface SpendCeiling {
	nanoUsd: number;
	limit: Exclude<StepLimit, "no_model">;
	text: string;
}

/** The most that a step may cost beside a reserve. */
export function toSpendCeiling({ freeNanoUsd, stepCapNanoUsd }: StepAllowance, reserveNanoUsd: number): SpendCeiling {
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

/** Lengths and models among which an answer is looked for. */
interface LengthRange {
	intensity: Intensity;
	models: StepModels;
	leastTokens: number;
}

/** The longest answer of a range that fits, shorter than requested, by binary search; null when not even the shortest fits. */
function longestFit(
	{ worstCaseNanoUsd: worstCaseFor, maxTokens }: StepRequest,
	{ intensity, models, leastTokens }: LengthRange,
	nanoUsd: number,
): Pick<StepCall, "maxTokens" | "worstCaseNanoUsd"> | null {
	if (maxTokens <= leastTokens) return null;
	let tooLong = maxTokens;
	let worstCase = worstCaseFor(intensity, leastTokens, models);
	if (!fits(worstCase, nanoUsd)) return null;
	let longest = { maxTokens: leastTokens, worstCaseNanoUsd: worstCase };
	while (tooLong - longest.maxTokens > 1) {
		const middle = Math.floor((longest.maxTokens + tooLong) / 2);
		worstCase = worstCaseFor(intensity, middle, models);
		if (fits(worstCase, nanoUsd)) longest = { maxTokens: middle, worstCaseNanoUsd: worstCase };
		else tooLong = middle;
	}
	return longest;
}

/** Says why intensities were refused. */
function refusalText(worstCases: readonly { intensity: Intensity; worstCase: number | null }[]): string {
	return worstCases
		.map(({ intensity, worstCase }) =>
			worstCase === null ? `${intensity} has no model for it` : `${intensity} could cost ${usdText(worstCase)}`,
		)
		.join(", ");
}

/** The intensities that a step may have, highest first. */
function intensitiesFor(
	{ worstCaseNanoUsd: worstCaseFor, maxTokens, isOptional = false }: StepRequest,
	{ intensity }: StepAllowance,
): Intensity[] {
	const below = INTENSITIES_DESCENDING.slice(INTENSITIES_DESCENDING.indexOf(intensity));
	if (!isOptional) return below;
	const highest = below.find((each) => worstCaseFor(each, maxTokens, "intended") !== null);
	return highest ? [highest] : [];
}

/** The call with the cost of completing a cut answer, if that fits too. */
function withCompletion(
	call: Omit<StepCall, "kind">,
	{ completionNanoUsd = () => 0 }: StepRequest,
	{ nanoUsd }: SpendCeiling,
): StepCall {
	const { intensity, maxTokens, models, worstCaseNanoUsd, reason } = call;
	const completion = completionNanoUsd(intensity, maxTokens, models);
	if (completion === 0 || !fits(worstCaseNanoUsd + completion, nanoUsd)) return { kind: "call", ...call };
	const note = `${reason}, and ${usdText(completion)} more if its answer is cut`;
	return { kind: "call", ...call, worstCaseNanoUsd: worstCaseNanoUsd + completion, reason: note };
}

/**
 * Decides on a step: the highest intensity at which an answer of the requested length fits, or one of at least half that length. If
 * none fits, the longest answer that does, of the intended models of the highest intensity that has one; then of the cheapest model,
 * lowest intensity first; otherwise no step (docs/reference/agents.md, "Agents"). The
 * decision always fits, even if a longer answer would cost less.
 */
export function decideStep(request: StepRequest, allowance: StepAllowance): StepCall | StepStop {
	const { maxTokens, leastTokens = MIN_VISIBLE_TOKENS, reserveNanoUsd = 0 } = request;
	const ceiling = toSpendCeiling(allowance, reserveNanoUsd);
	const intensities = intensitiesFor(request, allowance);
	const refused: { intensity: Intensity; worstCase: number | null }[] = [];
	const tooExpensive = () => `${refusalText(refused)} with ${maxTokens} tokens, against ${ceiling.text}`;
	const findShorter = (range: LengthRange): StepCall | null => {
		const longest = longestFit(request, range, ceiling.nanoUsd);
		if (!longest) return null;
		const { intensity, models } = range;
		const who = models === "cheapest" ? `the cheapest model of ${intensity}` : intensity;
		const cost = usdText(longest.worstCaseNanoUsd);
		const reason = `${tooExpensive()}; ${who} with ${longest.maxTokens} tokens costs at most ${cost}`;
		return withCompletion({ intensity, models, ...longest, reason }, request, ceiling);
	};
	const leastKept = Math.max(leastTokens, Math.ceil(maxTokens * KEPT_LENGTH_SHARE));
	for (const intensity of intensities) {
		const worstCase = request.worstCaseNanoUsd(intensity, maxTokens, "intended");
		if (fits(worstCase, ceiling.nanoUsd)) {
			const because = refused.length === 0 ? "" : `${refusalText(refused)}; `;
			const reason = `${because}${intensity} costs at most ${usdText(worstCase)} of ${ceiling.text}`;
			const call = { intensity, maxTokens, models: "intended", worstCaseNanoUsd: worstCase, reason } as const;
			return withCompletion(call, request, ceiling);
		}
		refused.push({ intensity, worstCase });
		const shorter = findShorter({ intensity, models: "intended", leastTokens: leastKept });
		if (shorter) return shorter;
	}
	for (const intensity of intensities) {
		const shorter = findShorter({ intensity, models: "intended", leastTokens });
		if (shorter) return shorter;
	}
	for (const intensity of intensities.toReversed()) {
		const shortest = findShorter({ intensity, models: "cheapest", leastTokens });
		if (shortest) return shortest;
	}
	if (refused.every(({ worstCase }) => worstCase === null))
		return { kind: "stop", limit: "no_model", reason: "no model can make this step" };
	const least = Math.min(maxTokens, leastTokens);
	return { kind: "stop", limit: ceiling.limit, reason: `${tooExpensive()}; not even ${least} tokens fit` };
}
