// Scores how ready a workspace is for agents: the table of readiness-checks.ts over a manifest and its live ledger.
import type { WorkspaceManifest } from "../policy/manifest.ts";
import { READINESS_CHECKS } from "./readiness-checks.ts";
import { ORDINARY_PATHS, READING_COMMANDS } from "./readiness-probes.ts";
import { type LedgerStanding, type PatternReading, readPatterns, type Subject } from "./readiness-subject.ts";

export type { LedgerStanding, PatternReading };

export const READINESS_VERSION = "repo-readiness-v0.1";

export const RATINGS = ["excellent", "good", "fair", "poor", "critical"] as const;
export type Rating = (typeof RATINGS)[number];

/** The lowest score of each rating; below the last it is critical. */
const RATING_FROM: readonly (readonly [rating: Rating, score: number])[] = [
	["excellent", 90],
	["good", 75],
	["fair", 50],
	["poor", 25],
];

/** As many as someone acts on in one go; the failing checks are all in `checks`. */
const MAX_RECOMMENDATIONS = 5;

interface Row {
	id: string;
	label: string;
	weight: number;
}

/** docs/reference.md, "Workspaces". */
export interface Readiness {
	object: "repo.readiness";
	version: string;
	/** round(100 · earned / total). */
	score: number;
	rating: Rating;
	earned_weight: number;
	total_weight: number;
	checks: (Row & { passed: boolean })[];
	recommendations: (Row & { rec: string })[];
}

/** The rating of a score from 0 to 100. */
export function ratingOf(score: number): Rating {
	return RATING_FROM.find(([, from]) => score >= from)?.[0] ?? "critical";
}

function weightOf(rows: readonly { weight: number }[]): number {
	return rows.reduce((sum, { weight }) => sum + weight, 0);
}

/** What no command begins with: an option without its command, or a rule written as a sentence. */
const NOT_A_COMMAND = /^-|^(?:never|always|no|do not|don['’]t|avoid|please|only)\s/i;

/**
 * Scores a manifest and the state of its workspace's ledger. The same arguments give the same result.
 * @param reading how the policy reads patterns, so that a path counts as covered only if a check would stop it.
 */
export function readiness(manifest: WorkspaceManifest, ledger: LedgerStanding, reading: PatternReading): Readiness {
	const subject: Subject = {
		manifest,
		ledger,
		paths: readPatterns(manifest.protected_paths, reading.protects, (catches) => ORDINARY_PATHS.every(catches)),
		commands: readPatterns(
			manifest.forbidden_commands,
			reading.forbids,
			(catches) => READING_COMMANDS.some(catches),
			(entry) => NOT_A_COMMAND.test(entry),
		),
	};
	const judged = READINESS_CHECKS.map((check) => ({ check, passed: check.passed(subject) }));
	const earned = weightOf(judged.filter(({ passed }) => passed).map(({ check }) => check));
	const total = weightOf(READINESS_CHECKS);
	const score = Math.round((100 * earned) / total);
	return {
		object: "repo.readiness",
		version: READINESS_VERSION,
		score,
		rating: ratingOf(score),
		earned_weight: earned,
		total_weight: total,
		checks: judged.map(({ check: { id, label, weight }, passed }) => ({ id, label, weight, passed })),
		recommendations: judged
			.filter(({ passed }) => !passed)
			.map(({ check: { id, label, weight, rec } }) => ({ id, label, weight, rec: rec(subject) }))
			// The sort is stable: among equals, the order of the table.
			.sort((a, b) => b.weight - a.weight)
			.slice(0, MAX_RECOMMENDATIONS),
	};
}
