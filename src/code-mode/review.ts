// The review of a draft: the findings of the static checks and the critics' verdicts in one. Pure.
import type { Rating } from "../inference/confidence-basis.ts";
import type { CodeVerdict } from "./verdict.ts";

/** Code passes only with at least this score, even if the critic passes it. */
const PASSING_SCORE = 0.7;

/** The review of a draft. */
export interface Review {
	passed: boolean;
	/** 0 to 1. */
	score: number;
	/** Empty when it passed. */
	issues: string[];
	/** Catalog id of the critic whose verdict counts; null where there is none. */
	reviewer: string | null;
	/** Critics were asked, and none gave a verdict that can be read. */
	lacksVerdict: boolean;
}

/** A verdict and the model that gave it. */
export interface GivenVerdict {
	verdict: CodeVerdict;
	critic: string;
}

/** A review by the static checks alone. */
export function staticReview(faults: readonly string[]): Review {
	const passed = faults.length === 0;
	return { passed, score: passed ? 1 : 0, issues: [...faults], reviewer: null, lacksVerdict: false };
}

/** A review for which no critic gave a verdict that can be read: it has the static checks' score, and does not pass. */
export function missedReview(faults: readonly string[]): Review {
	const review = staticReview(faults);
	const issues = [...faults, "no reviewer gave a verdict that can be read, so the code is unreviewed"];
	return { ...review, passed: false, issues, lacksVerdict: true };
}

/**
 * What a verdict holds against the code, empty where it passes. A verdict that contradicts itself is taken at its more cautious word:
 * with an issue nothing passes, and where it does not pass without an issue, its reason is the issue.
 */
function verdictIssues({ passed, score, issues, reason }: CodeVerdict): string[] {
	if (issues.length > 0) return issues;
	if (passed !== false && score >= PASSING_SCORE) return [];
	if (reason !== "") return [reason];
	return passed === false
		? ["the reviewer did not pass it and named no issue"]
		: [`the reviewer's score of ${score} is below ${PASSING_SCORE}`];
}

/** Whether a verdict can be used: one that fails the code without a word names nothing that could be mended. */
export function isUsable({ passed, issues, reason }: CodeVerdict): boolean {
	return passed !== false || issues.length > 0 || reason !== "";
}

/** A review by the static checks and a critic. */
export function criticReview(faults: readonly string[], { verdict, critic }: GivenVerdict): Review {
	const issues = [...faults, ...verdictIssues(verdict)];
	return { passed: issues.length === 0, score: verdict.score, issues, reviewer: critic, lacksVerdict: false };
}

/** Of two verdicts the one that counts: the one that does not pass, else the one with the lower score. */
export function moreCautiousVerdict(first: GivenVerdict, second: GivenVerdict): GivenVerdict {
	const passes = ({ verdict }: GivenVerdict) => verdictIssues(verdict).length === 0;
	if (passes(first) !== passes(second)) return passes(first) ? second : first;
	return second.verdict.score < first.verdict.score ? second : first;
}

/** The share of the score that counts when only the static checks reviewed the code. */
const UNREVIEWED_SHARE = 0.5;
/** The share of a critic's score that counts when the code did not pass. */
const NOT_PASSED_SHARE = 0.5;

/**
 * Confidence in code, 0 to 1 (docs/reference/code.md, "Code"): the critic's score, half of it where the code did not pass; without a
 * verdict one half where the static checks pass, else 0. Nothing is run, so it is never verified that code works.
 */
export function rateCode({ passed, score, reviewer }: Review): Rating {
	if (reviewer !== null) return { confidence: passed ? score : score * NOT_PASSED_SHARE, confidenceBasis: "judge" };
	// That static checks find nothing proves little: what they find is a fault.
	return { confidence: score * UNREVIEWED_SHARE, confidenceBasis: score === 0 ? "verified" : "prior" };
}
