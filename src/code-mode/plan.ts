// How a code run is carried out, what it may cost before any of it is called, and what is left of it when money is short. Pure.
import { ok, type Result } from "../failure.ts";
import { type AttemptBound, type AttemptFit, fitToLimits, type Limits, limitName } from "../orchestration/bounds.ts";
import { longestRepair as jsonRepairBound } from "../orchestration/json-reply.ts";
import type { PriceRange } from "../orchestration/planner.ts";
import type { Question } from "../orchestration/strategy.ts";
import type { CodeCast } from "./cast.ts";
import { draftQuestion, longestCodeRepair, longestReview } from "./prompts.ts";
import type { CodeOptions, CodeTask } from "./request.ts";

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
export function plansOf({ policy, review, iterations }: CodeOptions): CodePlan[] {
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
	const review = longestReview(task, critic, reviewStage(iteration));
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

/** Bounds of a plan's first cycle and of all its cycles, nano-USD, or why one of its questions may not be asked. */
function boundsOf(
	{ iterations }: CodePlan,
	task: CodeTask,
	cast: CodeCast,
	boundOf: (question: Question) => Result<number>,
): Result<AttemptBound> {
	const first = sumOf(firstCycle(task, cast), boundOf);
	if (!first.ok) return first;
	if (iterations === 1) return ok({ wholeNanoUsd: first.value, leastNanoUsd: first.value });
	// Of several coders the most expensive may be the one that repairs.
	const repairs: number[] = [];
	for (const cycle of repairCycles(task, cast)) {
		const bound = sumOf(cycle, boundOf);
		if (!bound.ok) return bound;
		repairs.push(bound.value);
	}
	const wholeNanoUsd = first.value + (iterations - 1) * Math.max(...repairs);
	return ok({ wholeNanoUsd, leastNanoUsd: first.value });
}

/** What was cut off, and why. */
function explainCut(plan: CodePlan, { covered, obstacles }: AttemptFit<unknown>, limits: Limits): string | null {
	if (covered === "none") return `${plan.shrunk}, though it may cost more than ${limitName(limits)}`;
	const why =
		obstacles.at(-1) === "models" ? "since no model takes the prompts of more" : `to stay within ${limitName(limits)}`;
	const cut = plan.shrunk && `${plan.shrunk}, ${why}`;
	if (covered === "whole") return cut;
	const reach = `repairs as far as ${limitName(limits)} reaches`;
	return cut ? `${cut}, and ${reach}` : reach;
}

/** The first plan whose first cycle the limits cover, with repairs as far as they reach; else the last, if the hard limit covers it. */
export function affordablePlan(
	asked: CodeOptions,
	task: CodeTask,
	limits: Limits,
	castOf: (plan: CodePlan) => CodeCast,
	boundOf: (question: Question) => Result<number>,
): Result<AffordablePlan> {
	const attempts = plansOf(asked).map((plan) => ({ plan, cast: castOf(plan) }));
	const boundFor = ({ plan, cast }: (typeof attempts)[number]) => boundsOf(plan, task, cast, boundOf);
	const fit = fitToLimits(attempts, limits, boundFor, { output: "draft", work: "task", input: "task" });
	if (!fit.ok) return fit;
	const { attempt, boundNanoUsd } = fit.value;
	const { plan, cast } = attempt;
	return ok({ plan: { ...plan, shrunk: explainCut(plan, fit.value, limits) }, cast, boundNanoUsd });
}
