// The limits on what a request may cost, and which of several attempts they cover. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { toBudgetFailure } from "../meter/budget-failure.ts";
import type { BudgetStatus } from "../meter/key-budget.ts";
import { usd } from "../proof/money.ts";
import type { Question } from "./strategy.ts";

type HardLimit = { nanoUsd: number } & (
	| { scope: "plan_envelope" | "max_cost" }
	| { scope: "key_budget"; keyBudget: BudgetStatus }
);

/** Limits in nano-USD; null is none. */
export interface Limits {
	/** The client's `max_cost_usd`: one cheapest call may exceed it. */
	soft: number | null;
	/** The pricing plan's, the routing config's, or what is left of the key's budget: nothing may exceed it. */
	hard: HardLimit | null;
}

/** The lower of both limits, nano-USD. */
export function lowestLimit({ soft, hard }: Limits): number {
	return Math.min(soft ?? Number.POSITIVE_INFINITY, hard?.nanoUsd ?? Number.POSITIVE_INFINITY);
}

/** The lower limit's name in a reason. */
export function limitName({ soft, hard }: Limits): string {
	if (soft !== null && (hard === null || soft <= hard.nanoUsd)) return "max_cost_usd";
	return hard?.scope === "max_cost"
		? "max_cost"
		: hard?.scope === "key_budget"
			? "the key's budget"
			: "the plan's limit";
}

/** The most that an attempt can cost, nano-USD. */
export interface AttemptBound {
	/** All its calls. */
	wholeNanoUsd: number;
	/** The calls that must be covered for it to begin; null if it runs whole or not at all. */
	leastNanoUsd: number | null;
}

/** Why an attempt was passed over: a model cannot take one of its prompts, or it costs too much. */
type Obstacle = "models" | "money";

/** The attempt that is made. */
export interface AttemptFit<Attempt> {
	attempt: Attempt;
	/** The most that it may spend. */
	boundNanoUsd: number;
	/** The calls that must be covered for it to begin; null if it runs whole or not at all. */
	leastNanoUsd: number | null;
	/**
	 * How much of it the lower limit covers. `whole`: every call. `part`: the calls it begins with, and its bound is the limit.
	 * `none`: it is the last attempt, and only the hard limit covers it.
	 */
	covered: "whole" | "part" | "none";
	/** Why each attempt before it was passed over. */
	obstacles: readonly Obstacle[];
}

/** The words of a refusal: what one call writes, what is asked for, and what the client may shorten. */
interface RefusalWords {
	output: string;
	work: string;
	input: string;
}

/** The sizes to try instead of `most`: one less each, down to `least`. */
export function countDown(most: number, least: number): number[] {
	return Array.from({ length: Math.max(0, most - least) }, (_, at) => most - 1 - at);
}

/** Bounds of attempts, in order, until the lower limit covers one. */
function firstCovered<Attempt>(
	attempts: readonly Attempt[],
	limitNanoUsd: number,
	boundFor: (attempt: Attempt) => Result<AttemptBound>,
): { covered: AttemptFit<Attempt> | null; last: AttemptFit<Attempt> | null; refusal: Failure | null } {
	const obstacles: Obstacle[] = [];
	let last: AttemptFit<Attempt> | null = null;
	let refusal: Failure | null = null;
	for (const attempt of attempts) {
		const bound = boundFor(attempt);
		if (!bound.ok) {
			refusal ??= bound.failure;
			obstacles.push("models");
			continue;
		}
		const { wholeNanoUsd, leastNanoUsd } = bound.value;
		last = { attempt, boundNanoUsd: wholeNanoUsd, leastNanoUsd, covered: "none", obstacles: [...obstacles] };
		if (wholeNanoUsd <= limitNanoUsd) return { covered: { ...last, covered: "whole" }, last, refusal };
		if (leastNanoUsd !== null && leastNanoUsd <= limitNanoUsd)
			return { covered: { ...last, boundNanoUsd: limitNanoUsd, covered: "part" }, last, refusal };
		obstacles.push("money");
	}
	return { covered: null, last, refusal };
}

function tooExpensive(boundNanoUsd: number, hard: HardLimit, { output, input }: RefusalWords): Failure {
	if (hard.scope === "key_budget") return toBudgetFailure(hard.keyBudget, null);
	const { scope, nanoUsd } = hard;
	const limit = scope === "max_cost" ? "max_cost" : "the plan's limit per request";
	const message = `one ${output} by the cheapest eligible model could cost $${usd(boundNanoUsd)}, ${limit} is $${usd(nanoUsd)}; lower max_tokens or shorten the ${input}`;
	return {
		reason: "cost_limit_exceeded",
		message,
		scope,
		limitUsd: usd(nanoUsd),
		worstCaseUsd: usd(boundNanoUsd),
		wouldFit: null,
	};
}

/**
 * The first attempt that the limits cover, else the last one if the hard limit covers it.
 * @param attempts from the one that is wanted to the smallest.
 * @param boundFor a failure where a model cannot take one of its prompts.
 */
export function fitToLimits<Attempt>(
	attempts: readonly Attempt[],
	limits: Limits,
	boundFor: (attempt: Attempt) => Result<AttemptBound>,
	words: RefusalWords,
): Result<AttemptFit<Attempt>> {
	const { covered, last, refusal } = firstCovered(attempts, lowestLimit(limits), boundFor);
	if (covered) return ok(covered);
	if (!last)
		return fail(refusal ?? { reason: "no_provider_available", message: `no model may serve this ${words.work}` });
	const { hard } = limits;
	if (hard && last.boundNanoUsd > hard.nanoUsd) return fail(tooExpensive(last.boundNanoUsd, hard, words));
	return ok(last);
}

/** The most that questions cost together, nano-USD, or why one of them may not be asked. */
export function sumBounds(
	questions: readonly Question[],
	boundFor: (question: Question) => Result<number>,
): Result<number> {
	let sum = 0;
	for (const question of questions) {
		const bound = boundFor(question);
		if (!bound.ok) return bound;
		sum += bound.value;
	}
	return ok(sum);
}
