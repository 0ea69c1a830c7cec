// Explains a code request in one sentence for people: who writes, who reviews, what was cut for money, why it ended. Pure.
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
	passed: "it passed",
	max_iters: "it did not pass within them",
	budget: "the budget ended before it passed",
	no_answer: "a repair was not answered, so what there was is kept",
};

/** Explains how it ended. */
export function outcomeReason({ stop, iterations, review }: CodeOutcome): string {
	const cycles = `after ${iterations} ${iterations === 1 ? "cycle" : "cycles"}`;
	if (review.reviewer === null && stop === "max_iters") return `${cycles} the static checks did not pass it`;
	return `${cycles} ${STOP_TEXT[stop]}`;
}
