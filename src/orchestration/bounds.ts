// What a plan may cost before any of it is called, and the largest plan that the money covers. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { usd } from "../proof/money.ts";
import { firstStepOf } from "./cascade.ts";
import type { StrategyAttempt } from "./planner.ts";
import { STRATEGY } from "./strategies.ts";
import type { Panel, Question, Task } from "./strategy.ts";

/** Limits in nano-USD; null is none. */
export interface Limits {
	/** The client's `max_cost_usd`: the cheapest call runs all the same. */
	soft: number | null;
	/** The plan's, or the routing config's: nothing runs above it. */
	hard: { scope: "plan_envelope" | "max_cost"; nanoUsd: number } | null;
}

/** A plan with who takes part and what it costs at most. */
export interface Affordable {
	plan: StrategyAttempt;
	cast: Panel;
	boundNanoUsd: number;
}

/** The lower of both limits. */
export function limitOf({ soft, hard }: Limits): number {
	return Math.min(soft ?? Number.POSITIVE_INFINITY, hard?.nanoUsd ?? Number.POSITIVE_INFINITY);
}

/** What there is too little of, in words. */
function limitName({ soft, hard }: Limits): string {
	if (soft !== null && (hard === null || soft <= hard.nanoUsd)) return "max_cost_usd";
	return hard?.scope === "max_cost" ? "max_cost" : "the plan's limit";
}

function sum(amounts: readonly number[]): number {
	return amounts.reduce((total, amount) => total + amount, 0);
}

/**
 * Bounds of the calls that a plan may make, in their order, or why one of them may not be made at all. Where they pass the
 * limit, the rest is not weighed: of a long prompt each is work.
 */
function boundsOf(
	questions: readonly Question[],
	limit: number,
	boundOf: (question: Question) => Result<number>,
): Result<number[]> {
	const bounds: number[] = [];
	for (const question of questions) {
		const bound = boundOf(question);
		if (!bound.ok) return bound;
		bounds.push(bound.value);
		if (sum(bounds) > limit) break;
	}
	return ok(bounds);
}

/** A cascade climbs as far as the money goes, if that is for more than its first step; others run whole or not at all. */
function climbing({ plan, cast }: Affordable, bounds: readonly number[], limit: number): Affordable | null {
	if (plan.strategy !== "cascade" || sum(bounds.slice(0, firstStepOf(cast))) > limit) return null;
	const reason = `${plan.reason}; it climbs only as far as $${usd(limit)} reach`;
	return { plan: { ...plan, reason }, cast, boundNanoUsd: limit };
}

/** An attempt that says what was changed of the plan, and why. */
function explained(plan: StrategyAttempt, why: string): StrategyAttempt {
	return plan.change === null ? plan : { ...plan, reason: `${plan.reason}; ${plan.change}, ${why}` };
}

/** The first attempt that the limits cover, else the last, which is one call, if the hard one alone does. */
export function choosePlan(
	attempts: readonly StrategyAttempt[],
	task: Task,
	limits: Limits,
	castOf: (attempt: StrategyAttempt) => Panel,
	boundOf: (question: Question) => Result<number>,
): Result<Affordable> {
	const limit = limitOf(limits);
	let refusal: Failure | null = null;
	let last: Affordable | null = null;
	for (const attempt of attempts) {
		const cast = castOf(attempt);
		const bounds = boundsOf(STRATEGY[attempt.strategy].callGraph(task, cast), limit, boundOf);
		if (!bounds.ok) {
			refusal ??= bounds.failure;
			continue;
		}
		const within = last === null && refusal ? "what its models can read" : limitName(limits);
		last = { plan: attempt, cast, boundNanoUsd: sum(bounds.value) };
		const told = { ...last, plan: explained(attempt, `to stay within ${within}`) };
		const fitting = last.boundNanoUsd <= limit ? told : climbing(told, bounds.value, limit);
		if (fitting) return ok(fitting);
	}
	if (!last) return fail(refusal ?? { reason: "no_provider_available", message: "no model may serve this request" });
	const { hard } = limits;
	if (hard && last.boundNanoUsd > hard.nanoUsd) return fail(tooDear(last, hard));
	return ok({ ...last, plan: explained(last.plan, `though it may cost more than ${limitName(limits)}`) });
}

function tooDear({ boundNanoUsd }: Affordable, { scope, nanoUsd }: NonNullable<Limits["hard"]>): Failure {
	const limit = scope === "max_cost" ? "max_cost" : "the plan's limit per request";
	const message = `one answer by the cheapest eligible model could cost $${usd(boundNanoUsd)}, ${limit} is $${usd(nanoUsd)}; lower max_tokens or shorten the prompt`;
	return {
		reason: "cost_limit_exceeded",
		message,
		scope,
		limitUsd: usd(nanoUsd),
		worstCaseUsd: usd(boundNanoUsd),
		wouldFit: null,
	};
}
