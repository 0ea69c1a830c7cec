// How a code run is carried out, what it may cost before any of it is called, and what is left of it when money is short. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Limits } from "../orchestration/bounds.ts";
import { longestRepair as jsonRepairBound } from "../orchestration/json-reply.ts";
import type { PriceRange } from "../orchestration/planner.ts";
import type { Question } from "../orchestration/strategy.ts";
import { usd } from "../proof/money.ts";
import type { CodeCast } from "./cast.ts";
import { draftQuestion, longestCodeRepair, reviewBound } from "./prompts.ts";
import type { AskedRun, CodeTask } from "./request.ts";

/** Coders of a first draft. */
const DEPTH_CODERS = 3;

/** What is tried: so many coders, so many cycles. */
export interface CodePlan {
	width: number;
	/** Cycles at most. */
	iterations: number;
	review: boolean;
	price: PriceRange;
	/** What money has cut off, in words; null where nothing. */
	shrunk: string | null;
}

export interface AffordablePlan {
	plan: CodePlan;
	cast: CodeCast;
	boundNanoUsd: number;
}

/** The stage of a cycle's draft, and of its review. */
export function generateStage(iteration: number): string {
	return `generate:${iteration}`;
}
export function reviewStage(iteration: number): string {
	return `review:${iteration}`;
}

/** The plan that the request calls for, and what can be made of it with less; the last is one call of the cheapest. */
export function plansOf({ policy, review, iterations }: AskedRun): CodePlan[] {
	const width = policy === "depth" && review ? DEPTH_CODERS : 1;
	const whole: CodePlan = { width, iterations, review, price: "any", shrunk: null };
	const fewer = Array.from({ length: width - 1 }, (_, at) => width - 1 - at).map((left) => ({
		...whole,
		width: left,
		shrunk: `${left} of ${width} coders`,
	}));
	const cheap: CodePlan = { ...whole, width: 1, price: "low", shrunk: "cheap models" };
	const draft: CodePlan = { ...cheap, iterations: 1, review: false, price: "lowest" };
	return [
		whole,
		...fewer,
		...(review ? [cheap, { ...cheap, iterations: 1, shrunk: "one cycle of cheap models" }] : []),
		{ ...draft, price: "fitting", shrunk: "one draft of a cheaper model, without a review" },
		{ ...draft, shrunk: "one draft of the cheapest model, without a review" },
	];
}

/** A cycle's review of so many drafts at its longest, with a repair of each verdict. */
function reviewsOf(task: CodeTask, { critic }: CodeCast, iteration: number, drafts: number): Question[] {
	if (!critic) return [];
	const review = reviewBound(task, critic, reviewStage(iteration));
	return Array.from({ length: drafts }, () => [review, jsonRepairBound(review)]).flat();
}

/** Every question of a first cycle, each at its longest. */
export function firstCycle(task: CodeTask, cast: CodeCast): Question[] {
	const drafts = cast.coders.map((coder) => draftQuestion(task, coder, generateStage(0)).question);
	return [...drafts, ...reviewsOf(task, cast, 0, drafts.length)];
}

/** The questions of a repair and its review, by coder, each at its longest; in which cycle makes no difference. */
export function repairCycles(task: CodeTask, cast: CodeCast): Question[][] {
	return cast.coders.map((coder) => [longestCodeRepair(task, coder, generateStage(1)), ...reviewsOf(task, cast, 1, 1)]);
}

/** The sum of what questions cost at most, nano-USD, or why one of them may not be asked at all. */
export function sumOf(questions: readonly Question[], boundOf: (question: Question) => Result<number>): Result<number> {
	let sum = 0;
	for (const question of questions) {
		const bound = boundOf(question);
		if (!bound.ok) return bound;
		sum += bound.value;
	}
	return ok(sum);
}

interface Bounds {
	first: number;
	whole: number;
}

/** Why a plan is not tried any more. */
type Obstacle = "money" | "models";

function boundsOf(
	{ iterations }: CodePlan,
	task: CodeTask,
	cast: CodeCast,
	boundOf: (question: Question) => Result<number>,
): Result<Bounds> {
	const first = sumOf(firstCycle(task, cast), boundOf);
	if (!first.ok || iterations === 1) return first.ok ? ok({ first: first.value, whole: first.value }) : first;
	// Of several coders the dearest may be the one that repairs.
	const repairs: number[] = [];
	for (const cycle of repairCycles(task, cast)) {
		const bound = sumOf(cycle, boundOf);
		if (!bound.ok) return bound;
		repairs.push(bound.value);
	}
	return ok({ first: first.value, whole: first.value + (iterations - 1) * Math.max(...repairs) });
}

/** What there is too little of, in words. */
function limitText({ soft, hard }: Limits): string {
	if (soft !== null && (hard === null || soft <= hard.nanoUsd)) return "max_cost_usd";
	return hard?.scope === "max_cost" ? "max_cost" : "the plan's limit";
}

function tooDear(boundNanoUsd: number, { scope, nanoUsd }: NonNullable<Limits["hard"]>): Failure {
	const limit = scope === "max_cost" ? "max_cost" : "the plan's limit per request";
	return {
		reason: "cost_limit_exceeded",
		message: `one draft by the cheapest eligible model could cost $${usd(boundNanoUsd)}, ${limit} is $${usd(nanoUsd)}; lower max_tokens or shorten the task`,
		scope,
		limitUsd: usd(nanoUsd),
		worstCaseUsd: usd(boundNanoUsd),
		wouldFit: null,
	};
}

/** The first plan whose first cycle the limits cover, with repairs as far as they reach; else the last, if the hard limit covers it. */
export function affordablePlan(
	asked: AskedRun,
	task: CodeTask,
	limits: Limits,
	castOf: (plan: CodePlan) => CodeCast,
	boundOf: (question: Question) => Result<number>,
): Result<AffordablePlan> {
	const { soft, hard } = limits;
	const limit = Math.min(soft ?? Number.POSITIVE_INFINITY, hard?.nanoUsd ?? Number.POSITIVE_INFINITY);
	let refusal: Failure | null = null;
	let last: AffordablePlan | null = null;
	let obstacle: Obstacle = "money";
	const why = { money: `to stay within ${limitText(limits)}`, models: "since no model takes the prompts of more" };
	for (const tried of plansOf(asked)) {
		const cast = castOf(tried);
		const bounds = boundsOf(tried, task, cast, boundOf);
		if (!bounds.ok) {
			refusal ??= bounds.failure;
			obstacle = "models";
			continue;
		}
		const { first, whole } = bounds.value;
		const shrunk = tried.shrunk && `${tried.shrunk}, ${why[obstacle]}`;
		obstacle = "money";
		last = { plan: tried, cast, boundNanoUsd: whole };
		if (whole <= limit) return ok({ ...last, plan: { ...tried, shrunk } });
		const reach = `repairs as far as ${limitText(limits)} reaches`;
		if (first <= limit) {
			const within = shrunk ? `${shrunk}, and ${reach}` : reach;
			return ok({ plan: { ...tried, shrunk: within }, cast, boundNanoUsd: limit });
		}
	}
	if (!last) return fail(refusal ?? { reason: "no_provider_available", message: "no model may serve this task" });
	if (hard && last.boundNanoUsd > hard.nanoUsd) return fail(tooDear(last.boundNanoUsd, hard));
	const { plan } = last;
	return ok({
		...last,
		plan: { ...plan, shrunk: `${plan.shrunk}, though it may cost more than ${limitText(limits)}` },
	});
}
