// The strategy of a step, by policy and intensity. step-pricer.edge.ts chooses its models and computes their cost. Pure.
import { countDown } from "../orchestration/bounds.ts";
import type { AnswerKind } from "../orchestration/final-answer.ts";
import { type SizedStrategy, STRATEGY } from "../orchestration/strategies.ts";
import { type RunPolicy, START_INTENSITY } from "./guard.ts";
import type { Intensity } from "./step-decision.ts";

const SINGLE_SIZE: SizedStrategy = { strategy: "single", width: 1, rounds: 1 };

/** Narrower than in an orchestration, because a run has many steps (docs/reference/agents.md, "Agents"). */
const SIZE_BY_POLICY: Readonly<Record<RunPolicy, Readonly<Record<Intensity, SizedStrategy>>>> = {
	efficiency: { Laser: SINGLE_SIZE, Halo: SINGLE_SIZE, Foton: SINGLE_SIZE },
	balanced: {
		Laser: { strategy: "cascade", width: 3, rounds: 1 },
		Halo: { strategy: "cascade", width: 3, rounds: 1 },
		Foton: SINGLE_SIZE,
	},
	depth: {
		Laser: { strategy: "ensemble_moa", width: 3, rounds: STRATEGY.ensemble_moa.rounds?.depth ?? 1 },
		Halo: { strategy: "self_consistency", width: 3, rounds: 1 },
		Foton: SINGLE_SIZE,
	},
};

/**
 * The strategies to try for a subtask, in order: the policy's own, then, in case money is short, with fewer rounds, with fewer
 * members, and one model alone.
 */
export function stepSizesFor(policy: RunPolicy, intensity: Intensity): readonly SizedStrategy[] {
	const own = SIZE_BY_POLICY[policy][intensity];
	if (own === SINGLE_SIZE) return [SINGLE_SIZE];
	const shorter = countDown(own.rounds, 1).map((rounds) => ({ ...own, rounds }));
	const narrower = countDown(own.width, STRATEGY[own.strategy].leastWidth).map((width) => ({
		...own,
		width,
		rounds: 1,
	}));
	return [own, ...shorter, ...narrower, SINGLE_SIZE];
}

/**
 * The strategies for a step whose answers are of a kind. Where no answer can be compared by its value, nobody votes, and one model
 * is expected to be as good as a cascade at a fraction of its cost (docs/measurements.md, "What the default costs").
 */
export function suitKind(sizes: readonly SizedStrategy[], kind: AnswerKind): readonly SizedStrategy[] {
	if (kind !== "none") return sizes;
	return sizes
		.filter(({ strategy }) => strategy !== "cascade")
		.map((size) => (size.strategy === "self_consistency" ? { ...size, strategy: "ensemble_moa" } : size));
}

/** One model alone, for plans, final steps and shortened answers. */
export const SINGLE_ONLY: readonly SizedStrategy[] = [SINGLE_SIZE];

/** The strategy that a run of the policy starts with. Its trajectory names it. */
export function primaryStrategy(policy: RunPolicy): string {
	return SIZE_BY_POLICY[policy][START_INTENSITY[policy]].strategy;
}
