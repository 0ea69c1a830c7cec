// Chooses a strategy by policy and prompt, says why, and shrinks it until the limits cover it. Pure.
import { ok, type Result } from "../failure.ts";
import { usd } from "../proof/money.ts";
import type { RoutingMode } from "../routing/mode.ts";
import { type PromptTraits, readTraits, type TaskSignals } from "./answer-kind.ts";
import {
	type AttemptBound,
	type AttemptFit,
	countDown,
	fitToLimits,
	type Limits,
	limitName,
	lowestLimit,
} from "./bounds.ts";
import { followingBound } from "./continuation.ts";
import type { WorkflowEfforts } from "./effort-rule.ts";
import { single } from "./single.ts";
import { type SizedStrategy, STRATEGY, type StrategyName } from "./strategies.ts";
import type { EffortPolicy, Panel, Question, Task } from "./strategy.ts";

/** The routing mode of each effort policy. */
export const POLICY_MODE: Readonly<Record<EffortPolicy, RoutingMode>> = {
	efficiency: "agility",
	balanced: "balanced",
	depth: "quality",
};

/** The strategy to run, its size, and one sentence that says why. */
interface StrategyPlan extends SizedStrategy {
	reason: string;
}

const ANSWER_WORDS = { number: "number", choice: "choice", any: "short answer" } as const;

/** A strategy, and why it suits the prompt. */
interface StrategyChoice {
	strategy: StrategyName;
	why: string;
	/** Where the prompt needs less than the policy has. */
	size?: Pick<SizedStrategy, "width" | "rounds">;
}

const SIMPLE: StrategyChoice = { strategy: "single", why: "the prompt is simple, so one model is enough" };
const CLIMB: StrategyChoice = {
	strategy: "cascade",
	why: "a cheap model goes first, and others only where the confidence in its answer is too low",
};
/** Measured: docs/measurements.md, "What the default costs". */
const ALONE: StrategyChoice = {
	strategy: "single",
	why: "for an open answer one model is expected to be as good as cheap models that must agree, at a fraction of the cost",
};

/** What `depth` does for a trivial prompt. */
const SIDE_BY_SIDE: StrategyChoice = {
	strategy: "ensemble_moa",
	why: "the prompt is trivial, so two models side by side are enough",
	size: { width: 2, rounds: 1 },
};

/** `depth` asks several models whatever the prompt is. */
function chooseDeepStrategy({ intent, kind, hasParts, weighs, isTrivial }: PromptTraits): StrategyChoice {
	if (isTrivial) return SIDE_BY_SIDE;
	const isArgued = intent === "math" || (intent === "reasoning" && !weighs && !hasParts);
	if (kind !== "none" || isArgued)
		return { strategy: "debate", why: `a ${intent} prompt gains from models that check each other` };
	if (intent === "code" || intent === "translation")
		return { strategy: "rank_fuse", why: `the best of several answers to a ${intent} prompt are told apart in pairs` };
	return { strategy: "ensemble_moa", why: `a ${intent} prompt gains from several views put together` };
}

/** Chooses by policy and prompt (docs/reference/orchestration.md, "Orchestration"). */
function chooseStrategy(policy: EffortPolicy, prompt: PromptTraits): StrategyChoice {
	if (policy === "depth") return chooseDeepStrategy(prompt);
	if (prompt.isSimple) return SIMPLE;
	if (policy === "efficiency") return CLIMB;
	if (prompt.kind !== "none")
		return {
			strategy: "self_consistency",
			why: `the answer is one ${ANSWER_WORDS[prompt.kind]} that can be compared, so samples vote on it`,
		};
	if (prompt.hasParts)
		return { strategy: "decompose_and_route", why: "the prompt has several parts, which are answered side by side" };
	return ALONE;
}

/** What the client requests of the plan. */
export interface StrategyRequest {
	policy: EffortPolicy;
	/** Null leaves it to policy and prompt. */
	strategy: StrategyName | null;
	/** Null leaves it to the policy. */
	k: number | null;
}

/** The plan that policy and prompt call for, whatever it costs. */
export function planStrategy(
	{ policy, strategy: requested, k }: StrategyRequest,
	prompt: string,
	signals: TaskSignals,
): StrategyPlan {
	const { strategy, why, size }: StrategyChoice = requested
		? { strategy: requested, why: "the request asked for it" }
		: chooseStrategy(policy, readTraits(prompt, signals));
	const { leastWidth, width, takesK, rounds } = STRATEGY[strategy];
	const wanted = k !== null && takesK ? k : (size?.width ?? width[policy]);
	const widened = wanted < leastWidth ? `, with ${leastWidth} members, since ${wanted} makes no ${strategy}` : "";
	const reason = `${strategy} under the ${policy} policy: ${why}${widened}`;
	return {
		strategy,
		width: Math.max(leastWidth, wanted),
		rounds: size?.rounds ?? rounds?.[policy] ?? 1,
		policy,
		reason,
	};
}

/**
 * The models that may take part. `low`: the cheap ones first, as the mode `agility` ranks them. `fitting`: the first by policy
 * whose one call the limits cover. `lowest`: the model whose worst case is the cheapest.
 */
export type PriceRange = "any" | "low" | "fitting" | "lowest";

/** A plan to try when the one before it costs too much. */
export interface StrategyAttempt extends StrategyPlan {
	price: PriceRange;
	/** How its calls reason. */
	efforts: keyof WorkflowEfforts;
	/** What differs from the plan, in words; null for the plan itself. */
	change: string | null;
}

/** The plan and cheaper versions of it, in order: less reasoning, fewer rounds, fewer members, cheaper members, one model, a cheaper model. */
export function shrinkPlan(plan: StrategyPlan): StrategyAttempt[] {
	const { strategy, width, rounds } = plan;
	const { leastWidth, isOneCall } = STRATEGY[strategy];
	const smaller = (change: string, more: Partial<StrategyAttempt>): StrategyAttempt => ({
		...plan,
		price: "any",
		efforts: "least",
		...more,
		change,
	});
	const least = { rounds: 1, width: leastWidth };
	const one = { strategy: single.name, width: single.leastWidth };
	return [
		{ ...plan, price: "any", efforts: "chosen", change: null },
		smaller("without reasoning more than the models must", {}),
		...countDown(rounds, 1).map((left) => smaller(`${left} of ${rounds} rounds`, { rounds: left })),
		...countDown(width, leastWidth).map((left) => smaller(`${left} of ${width} members`, { ...least, width: left })),
		...(isOneCall ? [] : [smaller("cheap members", { ...least, price: "low" }), smaller("one model alone", one)]),
		smaller("a cheaper model alone", { ...one, price: "fitting" }),
		smaller("the cheapest model alone", { ...one, price: "lowest" }),
	];
}

/** A plan with its panel and the most that it can cost, nano-USD. */
export interface BoundedPlan {
	plan: StrategyAttempt;
	panel: Panel;
	boundNanoUsd: number;
	/** What is reserved before the first call. `efficiency` reserves later steps when it comes to them. */
	firstNanoUsd: number;
	/** What the limits cover beyond the bound: the call that continues a cut answer or asks another model, else nothing. */
	continuationNanoUsd: number;
}

function sum(amounts: readonly number[]): number {
	return amounts.reduce((total, amount) => total + amount, 0);
}

/** Bounds of calls in order, or why one of them may not be made. It stops above the limit, since bounding a long prompt is slow. */
function boundCalls(
	questions: readonly Question[],
	limit: number,
	boundFor: (question: Question) => Result<number>,
): Result<number[]> {
	const bounds: number[] = [];
	for (const question of questions) {
		const bound = boundFor(question);
		if (!bound.ok) return bound;
		bounds.push(bound.value);
		if (sum(bounds) > limit) break;
	}
	return ok(bounds);
}

/** The reason of an attempt, with what differs from the plan and why. */
function withChange({ change, reason }: StrategyAttempt, why: string): string {
	return change === null ? reason : `${reason}; ${change}, ${why}`;
}

function explainPlan(
	{ attempt: { plan }, covered, obstacles }: AttemptFit<{ plan: StrategyAttempt }>,
	limits: Limits,
): string {
	if (covered === "none") return withChange(plan, `though it may cost more than ${limitName(limits)}`);
	const onlyModels = obstacles.length > 0 && obstacles.every((obstacle) => obstacle === "models");
	const reason = withChange(plan, `to stay within ${onlyModels ? "what its models can read" : limitName(limits)}`);
	const { partial } = STRATEGY[plan.strategy];
	return covered === "part" && partial ? `${reason}; ${partial.note(usd(lowestLimit(limits)))}` : reason;
}

/** The first attempt that the limits cover, else the last, which is one call, if the hard limit covers that. */
export function choosePlan(
	attempts: readonly StrategyAttempt[],
	task: Task,
	limits: Limits,
	panelFor: (attempt: StrategyAttempt) => Panel,
	boundBy: Readonly<Record<keyof WorkflowEfforts, (question: Question) => Result<number>>>,
): Result<BoundedPlan> {
	const boundAttempt = ({ plan, panel }: { plan: StrategyAttempt; panel: Panel }): Result<AttemptBound> => {
		const { callGraph, partial } = STRATEGY[plan.strategy];
		const bounds = boundCalls(callGraph(task, panel), lowestLimit(limits), boundBy[plan.efforts]);
		if (!bounds.ok) return bounds;
		const leastNanoUsd = partial ? sum(bounds.value.slice(0, partial.leastCalls(panel))) : null;
		return ok({ wholeNanoUsd: sum(bounds.value), leastNanoUsd });
	};
	const withPanels = attempts.map((plan) => ({ plan, panel: panelFor(plan) }));
	const fit = fitToLimits(withPanels, limits, boundAttempt, { output: "answer", work: "request", input: "prompt" });
	if (!fit.ok) return fit;
	const { attempt, boundNanoUsd, leastNanoUsd } = fit.value;
	const { plan, panel } = attempt;
	const continuation = followingBound(task, panel, boundBy[plan.efforts]);
	const isCovered = continuation.ok && boundNanoUsd + continuation.value <= lowestLimit(limits);
	const continuationNanoUsd = isCovered ? continuation.value : 0;
	const isStepwise = plan.policy === "efficiency" && leastNanoUsd !== null;
	const firstNanoUsd = isStepwise ? Math.min(leastNanoUsd, boundNanoUsd) : boundNanoUsd + continuationNanoUsd;
	const explained = { ...plan, reason: explainPlan(fit.value, limits) };
	return ok({ plan: explained, panel, boundNanoUsd, firstNanoUsd, continuationNanoUsd });
}
