// The plan of a code request: how many coders and cycles, what they cost at most, and what is cut when money is short. Calls that not
// every cycle needs (a cut draft is continued, a second critic is asked) are in the bound as far as the limits cover them. Pure.
import { ok, type Result } from "../failure.ts";
import {
	type AttemptBound,
	type AttemptFit,
	countDown,
	fitToLimits,
	type Limits,
	limitName,
	lowestLimit,
	sumBounds,
} from "../orchestration/bounds.ts";
import type { WorkflowEfforts } from "../orchestration/effort-rule.ts";
import { longestRepair as jsonRepairBound } from "../orchestration/json-reply.ts";
import type { PriceRange } from "../orchestration/planner.ts";
import type { Member, Question } from "../orchestration/strategy.ts";
import type { CodeCast } from "./cast.ts";
import { secondCritic } from "./critics.ts";
import { draftQuestion, longestCodeContinuation, longestCodeRepair, longestReview } from "./prompts.ts";
import type { CodeOptions, CodeTask } from "./request.ts";

/** Coders of the first draft under the policy `depth`. */
const DEPTH_CODERS = 3;

export interface CodePlan {
	/** Coders of the first draft. */
	width: number;
	/** Cycles at most. */
	iterations: number;
	review: boolean;
	/** A second critic confirms what the first one passes. */
	confirms: boolean;
	price: PriceRange;
	/** How its calls reason. */
	efforts: keyof WorkflowEfforts;
	/** What was cut, in words; null where nothing was. */
	shrunk: string | null;
}

/** A plan with its coders and critic and the most that it can cost, nano-USD. */
export interface BoundedCodePlan {
	plan: CodePlan;
	cast: CodeCast;
	boundNanoUsd: number;
	/** What is reserved before the first call. `efficiency` reserves repairs when it comes to them. */
	firstNanoUsd: number;
}

/** The stage of a cycle's drafts. */
export function generateStage(iteration: number): string {
	return `generate:${iteration}`;
}

/** The stage of calls that continue a cycle's drafts which were cut. */
export function continueStage(iteration: number): string {
	return `continue:${iteration}`;
}

/** The stage of a cycle's reviews. */
export function reviewStage(iteration: number): string {
	return `review:${iteration}`;
}

/** The plan that the request calls for, and cheaper versions of it. The last is one call of the cheapest model. */
function shrinkCodePlan({ policy, review, iterations }: CodeOptions): CodePlan[] {
	const width = policy === "depth" && review ? DEPTH_CODERS : 1;
	const confirms = policy === "depth" && review;
	const whole: CodePlan = { width, iterations, review, confirms, price: "any", efforts: "chosen", shrunk: null };
	const least: CodePlan = { ...whole, efforts: "least", shrunk: "no more reasoning than the models must" };
	const fewer = countDown(width, 1).map((left) => ({
		...least,
		width: left,
		shrunk: `${left} of ${width} coders`,
	}));
	const cheap: CodePlan = { ...least, width: 1, price: "low", shrunk: "cheap models" };
	const draft: CodePlan = { ...cheap, iterations: 1, review: false, confirms: false, price: "lowest" };
	return [
		whole,
		least,
		...fewer,
		...(review ? [cheap, { ...cheap, iterations: 1, shrunk: "one cycle of cheap models" }] : []),
		{ ...draft, price: "fitting", shrunk: "one draft of a cheaper model, without a review" },
		{ ...draft, shrunk: "one draft of the cheapest model, without a review" },
	];
}

/** A cycle's reviews at their longest, with a repair of each verdict's JSON. @param drafts how many are reviewed. */
export function reviewQuestions(
	task: CodeTask,
	{ critic }: Pick<CodeCast, "critic">,
	iteration: number,
	drafts: number,
): Question[] {
	if (!critic) return [];
	const review = longestReview(task, critic, reviewStage(iteration));
	const repair = jsonRepairBound(review);
	return Array.from({ length: drafts }, () => [review, repair]).flat();
}

/** A second critic's reviews, where the first gave no verdict or has to be confirmed. */
function secondReviews(task: CodeTask, { critic }: CodeCast, iteration: number, drafts: number): Question[] {
	return reviewQuestions(task, { critic: critic && secondCritic(critic, null) }, iteration, drafts);
}

/** The calls of a cycle, each at its longest. */
interface CycleGraph {
	/** Calls without which it does not begin. */
	calls: Question[];
	/** Calls made only where they are covered too: they continue drafts that were cut, then ask second critics. */
	room: Question[][];
}

function firstCycle(task: CodeTask, cast: CodeCast): CycleGraph {
	const drafts = cast.coders.map((coder) => draftQuestion(task, coder, generateStage(0)));
	return {
		calls: [...drafts.map(({ question }) => question), ...reviewQuestions(task, cast, 0, drafts.length)],
		room: [
			drafts.map((asked) => longestCodeContinuation(asked, continueStage(0))),
			secondReviews(task, cast, 0, drafts.length),
		],
	};
}

function repairCycle(task: CodeTask, cast: CodeCast, coder: Member): CycleGraph {
	const asked = longestCodeRepair(task, coder, generateStage(1));
	return {
		calls: [asked.question, ...reviewQuestions(task, cast, 1, 1)],
		room: [[longestCodeContinuation(asked, continueStage(1))], secondReviews(task, cast, 1, 1)],
	};
}

/** The questions of a repair and its review at their longest, by coder. They are as long in every cycle. */
export function repairCycles(task: CodeTask, cast: CodeCast): { coder: Member; cycle: Question[] }[] {
	return cast.coders.map((coder) => ({ coder, cycle: repairCycle(task, cast, coder).calls }));
}

/** Bounds of a plan's first cycle and of all its cycles, nano-USD, or why one of its questions may not be asked. */
function boundCycles(
	{ iterations }: CodePlan,
	task: CodeTask,
	cast: CodeCast,
	boundFor: (question: Question) => Result<number>,
): Result<AttemptBound> {
	const first = sumBounds(firstCycle(task, cast).calls, boundFor);
	if (!first.ok) return first;
	if (iterations === 1) return ok({ wholeNanoUsd: first.value, leastNanoUsd: first.value });
	// Of several coders the most expensive may be the one that repairs.
	const repairs: number[] = [];
	for (const { cycle } of repairCycles(task, cast)) {
		const bound = sumBounds(cycle, boundFor);
		if (!bound.ok) return bound;
		repairs.push(bound.value);
	}
	const wholeNanoUsd = first.value + (iterations - 1) * Math.max(...repairs);
	return ok({ wholeNanoUsd, leastNanoUsd: first.value });
}

/**
 * What the limits cover beyond a plan's bound, nano-USD: of the calls that are made where there is room, as many as fit, those of the
 * first cycle first.
 */
function boundRoom(
	{ iterations }: CodePlan,
	task: CodeTask,
	cast: CodeCast,
	leftNanoUsd: number,
	boundFor: (question: Question) => Result<number>,
): number {
	// A call whose prompt no model takes is not made.
	const sums = (room: Question[][]) =>
		room.map((questions) => sumBounds(questions, boundFor)).map((bound) => (bound.ok ? bound.value : 0));
	const repairs = cast.coders.map((coder) => sums(repairCycle(task, cast, coder).room));
	const later = [0, 1].map((kind) => Math.max(...repairs.map((amounts) => amounts[kind] ?? 0)));
	const steps = [...sums(firstCycle(task, cast).room), ...Array.from({ length: iterations - 1 }, () => later).flat()];
	let room = 0;
	for (const step of steps) {
		if (room + step > leftNanoUsd) break;
		room += step;
	}
	return room;
}

/** What was cut, and why. */
function explainCut(plan: CodePlan, { covered, obstacles }: AttemptFit<unknown>, limits: Limits): string | null {
	if (covered === "none") return `${plan.shrunk}, though it may cost more than ${limitName(limits)}`;
	const why =
		obstacles.at(-1) === "models" ? "since no model takes the prompts of more" : `to stay within ${limitName(limits)}`;
	const cut = plan.shrunk && `${plan.shrunk}, ${why}`;
	if (covered === "whole") return cut;
	const reach = `repairs as far as ${limitName(limits)} reaches`;
	return cut ? `${cut}, and ${reach}` : reach;
}

/**
 * The first plan whose first cycle the limits cover, with repairs as far as they reach. Else the last plan, if the hard limit
 * covers it.
 */
export function chooseCodePlan(
	options: CodeOptions,
	task: CodeTask,
	limits: Limits,
	castFor: (plan: CodePlan) => CodeCast,
	boundBy: Readonly<Record<keyof WorkflowEfforts, (question: Question) => Result<number>>>,
): Result<BoundedCodePlan> {
	const attempts = shrinkCodePlan(options).map((plan) => ({ plan, cast: castFor(plan) }));
	const boundAttempt = ({ plan, cast }: (typeof attempts)[number]) =>
		boundCycles(plan, task, cast, boundBy[plan.efforts]);
	const fit = fitToLimits(attempts, limits, boundAttempt, { output: "draft", work: "task", input: "task" });
	if (!fit.ok) return fit;
	const { attempt, boundNanoUsd, leastNanoUsd } = fit.value;
	const { plan, cast } = attempt;
	const left = lowestLimit(limits) - boundNanoUsd;
	const roomNanoUsd = left > 0 ? boundRoom(plan, task, cast, left, boundBy[plan.efforts]) : 0;
	return ok({
		plan: { ...plan, shrunk: explainCut(plan, fit.value, limits) },
		cast,
		boundNanoUsd: boundNanoUsd + roomNanoUsd,
		firstNanoUsd: options.policy === "efficiency" ? (leastNanoUsd ?? boundNanoUsd) : boundNanoUsd + roomNanoUsd,
	});
}
