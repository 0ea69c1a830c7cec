// Explains a code request in one sentence for people: who writes, who reviews, what was cut for money, why it ended. Pure.
import { sayInstead } from "../orchestration/strategy.ts";
import type { BoundedCodePlan } from "./plan.ts";
import type { CodeOptions } from "./request.ts";
import type { CodeOutcome, LoopStop } from "./run-code.ts";

function joinNames(names: readonly string[]): string {
	return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Explains the plan. */
export function planReason({ plan, cast }: BoundedCodePlan, { policy, review }: CodeOptions): string {
	const coders = joinNames(cast.coders.map(([coder]) => coder));
	const writes = cast.coders.length > 1 ? `${coders} each write a draft and the best is kept` : `${coders} writes`;
	const reviews = cast.critic
		? `, ${cast.critic[0]} reviews, at most ${plan.iterations} ${plan.iterations === 1 ? "cycle" : "cycles"}`
		: review
			? ""
			: ", without a review as asked";
	const changes = [...(plan.shrunk === null ? [] : [plan.shrunk]), ...cast.notes];
	return [`${policy} policy: ${writes}${reviews}`, ...changes].join("; ");
}

const STOP_TEXT: Readonly<Record<LoopStop, string>> = {
	passed: "it passed the review",
	max_iters: "it did not pass the review",
	budget: "the budget ended before it passed",
	no_answer: "a repair was not answered, so what there was is kept",
	refused: "a repair was refused, so what there was is kept",
	no_change: "a repair changed nothing, so what there was is kept",
	no_verdict: "no reviewer gave a verdict that can be read",
};

/** Explains how it ended, and who wrote nothing. It claims no more than a review, since nothing was run. */
export function outcomeReason(outcome: CodeOutcome): string {
	const { instead } = outcome;
	const why = instead ? `${instead.model} wrote none (${sayInstead(instead.kind)}), so another model did; ` : "";
	return why + endReason(outcome);
}

function endReason({ stop, iterations, review, isCut }: CodeOutcome): string {
	const cycles = `after ${iterations} ${iterations === 1 ? "cycle" : "cycles"}`;
	const cut = isCut ? ", and its last answer reached its output limit" : "";
	if (review.lacksVerdict) return `${cycles} ${STOP_TEXT.no_verdict}, so it is unreviewed${cut}`;
	if (review.reviewer === null && stop === "passed") return `${cycles} it passed the static checks${cut}`;
	if (review.reviewer === null && stop === "max_iters") return `${cycles} the static checks did not pass it${cut}`;
	return `${cycles} ${STOP_TEXT[stop]}${cut}`;
}
