// The review of a draft: the findings of the static checks and the critic's verdict in one. Pure.
import type { JsonReply } from "../orchestration/json-reply.ts";
import type { CodeVerdict } from "./prompts.ts";

/** Code passes only with at least this score, even if the critic passes it. */
const PASSING_SCORE = 0.7;

/** The review of a draft. */
export interface Review {
	passed: boolean;
	/** 0 to 1. */
	score: number;
	/** Empty when it passed without remarks. */
	issues: string[];
	/** Catalog id of the critic; null where none was asked. */
	reviewer: string | null;
	/** The critic was asked, but gave no verdict that can be read. */
	lacksVerdict: boolean;
}

/** A review by the static checks alone. */
export function staticReview(faults: readonly string[]): Review {
	const passed = faults.length === 0;
	return { passed, score: passed ? 1 : 0, issues: [...faults], reviewer: null, lacksVerdict: false };
}

function verdictIssues({ passed, score, issues }: CodeVerdict): string[] {
	if (issues.length > 0) return issues;
	if (!passed) return ["the reviewer did not pass it and named no issue"];
	return score < PASSING_SCORE ? [`the reviewer's score of ${score} is below ${PASSING_SCORE}`] : [];
}

/**
 * A review by the static checks and a critic. Without a readable verdict the code does not pass.
 * @param critic the model that was asked first.
 */
export function criticReview(faults: readonly string[], reading: JsonReply<CodeVerdict>, critic: string): Review {
	const { value, reply } = reading;
	const reviewer = reply.ok ? reply.model : critic;
	if (!value) {
		const why = reply.ok ? "the reviewer's verdict could not be read" : "the reviewer gave no verdict";
		return { passed: false, score: 0, issues: [...faults, why], reviewer, lacksVerdict: true };
	}
	const passed = value.passed && value.score >= PASSING_SCORE && faults.length === 0;
	return { passed, score: value.score, issues: [...faults, ...verdictIssues(value)], reviewer, lacksVerdict: false };
}

/** The share of the score that counts when only the static checks reviewed the code. */
const UNREVIEWED_SHARE = 0.5;
/** The share of a critic's score that counts when the code did not pass. */
const NOT_PASSED_SHARE = 0.5;

/**
 * Confidence in code, 0 to 1 (docs/reference.md, "Code"): the critic's score, half of it where the code did not pass; without a
 * critic one half where the static checks pass, else 0.
 */
export function codeConfidence({ passed, score, reviewer }: Review): number {
	if (reviewer === null) return score * UNREVIEWED_SHARE;
	return passed ? score : score * NOT_PASSED_SHARE;
}
