// The strategy of a step, by policy and intensity. The models that take part, and what they cost, are step-pricer.edge.ts's. Pure.
import type { SizedStrategy } from "../orchestration/strategies.ts";
import { type RunPolicy, START_INTENSITY } from "./guard.ts";
import type { Intensity } from "./step-decision.ts";

const SINGLE_SIZE: SizedStrategy = { strategy: "single", width: 1, rounds: 1 };

/** They are smaller than in an orchestration, since a run has many steps (docs/reference.md, "Agents"). */
const BY_POLICY: Readonly<Record<RunPolicy, Readonly<Record<Intensity, SizedStrategy>>>> = {
	efficiency: { Laser: SINGLE_SIZE, Halo: SINGLE_SIZE, Foton: SINGLE_SIZE },
	balanced: {
		Laser: { strategy: "cascade", width: 3, rounds: 1 },
		Halo: { strategy: "cascade", width: 3, rounds: 1 },
		Foton: SINGLE_SIZE,
	},
	depth: {
		Laser: { strategy: "ensemble_moa", width: 3, rounds: 1 },
		Halo: { strategy: "self_consistency", width: 3, rounds: 1 },
		Foton: SINGLE_SIZE,
	},
};

/** The strategies to try for a subtask, in order: the policy's own, then one model alone where the money does not cover it. */
export function stepSizesFor(policy: RunPolicy, intensity: Intensity): readonly SizedStrategy[] {
	const own = BY_POLICY[policy][intensity];
	return own === SINGLE_SIZE ? [SINGLE_SIZE] : [own, SINGLE_SIZE];
}

/** One model alone: for plans, final steps, and shortened answers. */
export const SINGLE_ONLY: readonly SizedStrategy[] = [SINGLE_SIZE];

/** The strategy that a run of the policy starts with; its trajectory names it. */
export function primaryStrategy(policy: RunPolicy): string {
	return BY_POLICY[policy][START_INTENSITY[policy]].strategy;
}
