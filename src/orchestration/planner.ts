// Which strategy, by policy and prompt, and why; and what remains of it when money is short. Pure.
import type { RoutingMode } from "../routing/mode.ts";
import type { Signals } from "../routing/signals.ts";
import { detectAnswerKind } from "./final-answer.ts";
import type { PanelSize } from "./panel.ts";
import type { EffortPolicy, StrategyName } from "./strategy.ts";

/** What a policy counts as among routing modes. */
export const POLICY_MODE: Readonly<Record<EffortPolicy, RoutingMode>> = {
	efficiency: "agility",
	balanced: "balanced",
	depth: "quality",
};

/** Members where the client sets no `k`. */
const WIDTH: Readonly<Record<StrategyName, Readonly<Record<EffortPolicy, number>>>> = {
	single: { efficiency: 1, balanced: 1, depth: 1 },
	// Two of three cheap models that agree call the strong one half as often as two of two, which are right a little more often
	// (npm run eval:orchestration).
	cascade: { efficiency: 4, balanced: 3, depth: 3 },
	ensemble_moa: { efficiency: 2, balanced: 3, depth: 4 },
	rank_fuse: { efficiency: 2, balanced: 3, depth: 4 },
	decompose_and_route: { efficiency: 2, balanced: 3, depth: 3 },
	self_consistency: { efficiency: 3, balanced: 5, depth: 5 },
	debate: { efficiency: 2, balanced: 3, depth: 3 },
};
const DEBATE_ROUNDS: Readonly<Record<EffortPolicy, number>> = { efficiency: 2, balanced: 2, depth: 3 };

/** Strategies whose width the client sets with `k`. */
const TAKES_K: ReadonlySet<StrategyName> = new Set(["ensemble_moa", "rank_fuse", "self_consistency"]);
/** Fewer members than this do not make the strategy. */
const LEAST_WIDTH: Readonly<Record<StrategyName, number>> = {
	single: 1,
	cascade: 3,
	ensemble_moa: 2,
	rank_fuse: 2,
	decompose_and_route: 1,
	self_consistency: 2,
	debate: 2,
};

/** Two or more parts: items of a list, or several questions. */
const ITEM = /^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+\S/gm;
const QUESTION = /\?(?:\s|$)/g;

function hasParts(prompt: string): boolean {
	return (prompt.match(ITEM)?.length ?? 0) >= 2 || (prompt.match(QUESTION)?.length ?? 0) >= 2;
}

/** What is to be run, and one sentence that says why. */
export interface OrchestrationPlan extends PanelSize {
	reason: string;
}

/** Strategy by policy and prompt (docs/reference.md, "Orchestration"). */
function choose(
	policy: EffortPolicy,
	prompt: string,
	{ intents, difficulty }: Signals,
): { strategy: StrategyName; why: string } {
	const kinds = intents.join(", ");
	if (difficulty === "trivial") return { strategy: "single", why: "the prompt is simple, so one model is enough" };
	const kind = detectAnswerKind(prompt);
	const checkable = kind !== "any" ? `the answer is one ${kind} that can be compared` : null;
	if (policy === "efficiency") {
		if (difficulty === "normal" && !checkable && !intents.includes("reasoning") && !intents.includes("code"))
			return { strategy: "single", why: `nothing in the prompt (${kinds}) calls for more, so one model is enough` };
		return { strategy: "cascade", why: "cheap models go first, and a stronger one only where they do not agree" };
	}
	if (policy === "balanced") {
		if (kind === "choice" || (checkable && !hasParts(prompt)))
			return { strategy: "self_consistency", why: `${checkable}, so samples vote on it` };
		if (hasParts(prompt))
			return { strategy: "decompose_and_route", why: "the prompt has several parts, which are answered side by side" };
		return { strategy: "cascade", why: "cheap models go first, and a stronger one only where they do not agree" };
	}
	if (intents.includes("math") || intents.includes("reasoning") || checkable)
		return { strategy: "debate", why: `a prompt about ${kinds} gains from models that check each other` };
	if (intents.includes("code"))
		return { strategy: "rank_fuse", why: "of several pieces of code the best are told apart by comparing them" };
	return { strategy: "ensemble_moa", why: `a prompt about ${kinds} gains from several views put together` };
}

/** What the client asked of the plan. */
export interface StrategyRequest {
	policy: EffortPolicy;
	/** Null leaves it to policy and prompt. */
	strategy: StrategyName | null;
	/** Null leaves it to the policy. */
	k: number | null;
}

/** The plan that policy and prompt call for, whatever it costs. */
export function planStrategy(
	{ policy, strategy: asked, k }: StrategyRequest,
	prompt: string,
	signals: Signals,
): OrchestrationPlan {
	const chosen = asked ? { strategy: asked, why: "the request asked for it" } : choose(policy, prompt, signals);
	const { strategy, why } = chosen;
	const least = LEAST_WIDTH[strategy];
	const wished = k !== null && TAKES_K.has(strategy) ? k : WIDTH[strategy][policy];
	const widened = wished < least ? `, with ${least} members, since ${wished} makes no ${strategy}` : "";
	const reason = `${strategy} under the ${policy} policy: ${why}${widened}`;
	return { strategy, width: Math.max(least, wished), rounds: DEBATE_ROUNDS[policy], reason };
}

/**
 * Who may take part: `low` has the cheap ones first, as the mode `agility` ranks them; `fitting` is the first by policy whose one
 * call the limits cover; `lowest` is the one that costs least at most.
 */
export type PriceRange = "any" | "low" | "fitting" | "lowest";

/** A plan to try when the one before it costs too much. */
export interface StrategyAttempt extends OrchestrationPlan {
	price: PriceRange;
	/** What was changed of the plan, in words; null of the plan itself. */
	change: string | null;
}

/** A plan and what can be made of it with less money: fewer rounds, fewer members, cheaper ones, at last one model. In that order. */
export function shrinkPlan(plan: OrchestrationPlan): StrategyAttempt[] {
	const { strategy, width, rounds } = plan;
	const smaller = (change: string, more: Partial<StrategyAttempt>): StrategyAttempt => ({
		...plan,
		price: "any",
		...more,
		change,
	});
	const fewerRounds = strategy === "debate" ? Array.from({ length: rounds - 1 }, (_, at) => rounds - 1 - at) : [];
	const fewerMembers = Array.from({ length: Math.max(0, width - LEAST_WIDTH[strategy]) }, (_, at) => width - 1 - at);
	const least = { rounds: fewerRounds.at(-1) ?? rounds, width: fewerMembers.at(-1) ?? width };
	const alone = { strategy: "single", width: 1 } as const;
	return [
		{ ...plan, price: "any", change: null },
		...fewerRounds.map((left) => smaller(`${left} of ${rounds} rounds`, { rounds: left })),
		...fewerMembers.map((left) => smaller(`${left} of ${width} members`, { width: left, rounds: least.rounds })),
		...(strategy === "single"
			? []
			: [smaller("cheap members", { ...least, price: "low" }), smaller("one model alone", alone)]),
		smaller("a cheaper model alone", { ...alone, price: "fitting" }),
		smaller("the cheapest model alone", { ...alone, price: "lowest" }),
	];
}
