// How a subtask's answer is come to, by policy and intensity. Which models take part, and what it costs, is step.edge.ts's. Pure.
import type { SizedStrategy } from "../orchestration/strategies.ts";
import { type RunPolicy, START_INTENSITY } from "./guard.ts";
import type { Intensity } from "./step-decision.ts";

const SINGLE: SizedStrategy = { strategy: "single", width: 1, rounds: 1 };

/** Narrower than an orchestration of its own would be: a run has many steps (docs/reference.md, "Agents"). */
const BY_POLICY: Readonly<Record<RunPolicy, Readonly<Record<Intensity, SizedStrategy>>>> = {
	efficiency: { Laser: SINGLE, Halo: SINGLE, Foton: SINGLE },
	balanced: {
		Laser: { strategy: "cascade", width: 3, rounds: 1 },
		Halo: { strategy: "cascade", width: 3, rounds: 1 },
		Foton: SINGLE,
	},
	depth: {
		Laser: { strategy: "ensemble_moa", width: 3, rounds: 1 },
		Halo: { strategy: "self_consistency", width: 3, rounds: 1 },
		Foton: SINGLE,
	},
};

/** What subtasks are tried by, in order: the policy's own where the money covers it, else one model alone. */
export function castSizesFor(policy: RunPolicy, intensity: Intensity): readonly SizedStrategy[] {
	const own = BY_POLICY[policy][intensity];
	return own === SINGLE ? [SINGLE] : [own, SINGLE];
}

/** One model alone: plans, final steps, and answers that had to be cut short. */
export const ALONE: readonly SizedStrategy[] = [SINGLE];

/** The strategy that a run of the policy starts with; its trajectory names it. */
export function primaryStrategy(policy: RunPolicy): string {
	return BY_POLICY[policy][START_INTENSITY[policy]].strategy;
}
