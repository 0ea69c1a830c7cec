// Scores how ready a workspace is for agents, by the checks of readiness-checks.ts on its manifest and its ledger.
import type { WorkspaceManifest } from "../policy/manifest.ts";
import { READINESS_CHECKS } from "./readiness-checks.ts";
import { ORDINARY_PATHS, READING_COMMANDS } from "./readiness-probes.ts";
import {
	examinePatterns,
	type HandoffChainState,
	type PatternMatchers,
	type ReadinessSubject,
} from "./readiness-subject.ts";

const READINESS_VERSION = "repo-readiness-v0.1";

export const RATINGS = ["excellent", "good", "fair", "poor", "critical"] as const;
type Rating = (typeof RATINGS)[number];

/** The lowest score of each rating. Below the last, the rating is critical. */
const RATING_THRESHOLDS: readonly (readonly [rating: Rating, score: number])[] = [
	["excellent", 90],
	["good", 75],
	["fair", 50],
	["poor", 25],
];

/** As many as someone acts on in one go. All failing checks are in `checks`. */
const MAX_RECOMMENDATIONS = 5;

interface CheckRow {
	id: string;
	label: string;
	weight: number;
}

/** docs/reference/workspaces.md, "Workspaces". */
export interface Readiness {
	object: "repo.readiness";
	version: string;
	/** round(100 · earned / total). */
	score: number;
	rating: Rating;
	earned_weight: number;
	total_weight: number;
	checks: (CheckRow & { passed: boolean })[];
	recommendations: (CheckRow & { rec: string })[];
}

/** The rating of a score from 0 to 100. */
export function toRating(score: number): Rating {
	return RATING_THRESHOLDS.find(([, from]) => score >= from)?.[0] ?? "critical";
}

function sumWeights(rows: readonly { weight: number }[]): number {
	return rows.reduce((sum, { weight }) => sum + weight, 0);
}

/** No command begins like this: an option without its command, or a rule written as a sentence. */
const NOT_A_COMMAND = /^-|^(?:never|always|no|do not|don['’]t|avoid|please|only)\s/i;

/**
 * Scores a manifest and the state of its workspace's ledger. Equal arguments give equal results.
 * @param matchers How the policy matches patterns. A path counts as covered only if a policy check would stop it.
 */
export function scoreReadiness(
	manifest: WorkspaceManifest,
	ledger: HandoffChainState,
	matchers: PatternMatchers,
): Readiness {
	const subject: ReadinessSubject = {
		manifest,
		ledger,
		paths: examinePatterns(manifest.protected_paths, matchers.protects, (catches) => ORDINARY_PATHS.every(catches)),
		commands: examinePatterns(
			manifest.forbidden_commands,
			matchers.forbids,
			(catches) => READING_COMMANDS.some(catches),
			(entry) => NOT_A_COMMAND.test(entry),
		),
	};
	const results = READINESS_CHECKS.map((check) => ({ check, passed: check.passed(subject) }));
	const earnedWeight = sumWeights(results.filter(({ passed }) => passed).map(({ check }) => check));
	const totalWeight = sumWeights(READINESS_CHECKS);
	const score = Math.round((100 * earnedWeight) / totalWeight);
	return {
		object: "repo.readiness",
		version: READINESS_VERSION,
		score,
		rating: toRating(score),
		earned_weight: earnedWeight,
		total_weight: totalWeight,
		checks: results.map(({ check: { id, label, weight }, passed }) => ({ id, label, weight, passed })),
		recommendations: results
			.filter(({ passed }) => !passed)
			.map(({ check: { id, label, weight, rec } }) => ({ id, label, weight, rec: rec(subject) }))
			// The sort is stable: equal weights keep the order of the table.
			.sort((a, b) => b.weight - a.weight)
			.slice(0, MAX_RECOMMENDATIONS),
	};
}
