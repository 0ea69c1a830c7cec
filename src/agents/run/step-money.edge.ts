// The money of a run's next subtask: its share, and what is kept for the steps after it.
import { placeholder, placeholderBytes } from "../../inference/answer-placeholder.ts";
import { excerptResults, type SubtaskResult } from "../excerpt.ts";
import { MIN_VISIBLE_TOKENS } from "../step-decision.ts";
import { StepPricer, type StepSpec } from "../step-pricer.edge.ts";
import { FINAL_RESULTS_BYTES, finalMessages, frameMessages } from "../step-prompts.ts";
import { SINGLE_ONLY } from "../step-strategy.ts";
import { type NextSubtask, type PlannedStep, subtaskPrompt } from "./planned-step.ts";
import { countSteps, type RunState } from "./run.ts";
import type { StepContext } from "./step-context.ts";
import { nextHead } from "./step-head.edge.ts";

/** The reserve for later steps covers an answer of this length for each. */
const RESERVED_TOKENS = 256;

/** What a step may use, and what must be left after it. */
type StepMoney = Pick<PlannedStep, "shareNanoUsd" | "reserveNanoUsd">;

/** Stands for the result of a later step where money is reserved. */
function expectedResult({ run }: StepContext, subtask: string): SubtaskResult {
	const tokens = Math.min(run.spec.maxTokens, RESERVED_TOKENS);
	return { index: countSteps(run.state), subtask, output: placeholder(placeholderBytes(tokens)) };
}

/** The most that a short answer by the cheapest model can cost. */
function leastCostNanoUsd({ run, planContext, rules }: StepContext, messagesFor: StepSpec["messagesFor"]): number {
	const tokens = Math.max(MIN_VISIBLE_TOKENS, Math.min(run.spec.maxTokens, RESERVED_TOKENS));
	const step: StepSpec = { messagesFor, sizesFor: () => SINGLE_ONLY, shareNanoUsd: 0, ceilingNanoUsd: 0 };
	const pricer = new StepPricer(planContext(), rules, step, tokens);
	return pricer.priceAt("Foton", tokens, "cheapest")?.boundNanoUsd ?? 0;
}

/** The least that the final step can cost, with these results. */
function finalReserveNanoUsd(context: StepContext, expected: readonly SubtaskResult[]): number {
	const results = excerptResults(expected, FINAL_RESULTS_BYTES);
	const prompt = { ...nextHead(context), results, missing: [] };
	const leastCosts = [finalMessages, frameMessages].map((toMessages) =>
		leastCostNanoUsd(context, (tokens) => toMessages({ ...prompt, maxTokens: tokens })),
	);
	return Math.max(...leastCosts);
}

/**
 * The money of the next subtask, in the order that it is tried. The first reserve covers the final step and one short answer of the
 * cheapest model for each later subtask. The second covers the final step only. Before the first result the reserve may be nothing: one
 * result without a final step beats none.
 * @param state masked, as `next` is.
 */
export function subtaskMoney(context: StepContext, state: RunState, next: NextSubtask): StepMoney[] {
	const { spec } = context.run;
	const { earlier, subtask } = next;
	const left = Math.max(1, state.plan.length - state.subtasksDone);
	const expected = expectedResult(context, subtask);
	// A later step's prompt holds the results of the steps before it, this one's included.
	const later = [...earlier, ...Array.from({ length: left - 1 }, () => expected)];
	const hasFinalStep = state.plan.length > 1 || (spec.outputSchema !== undefined && spec.tools !== undefined);
	const finalNanoUsd = hasFinalStep ? finalReserveNanoUsd(context, [...earlier, expected]) : 0;
	const laterNanoUsd = (left - 1) * leastCostNanoUsd(context, subtaskPrompt(state, next, later));
	const reserves = [finalNanoUsd + laterNanoUsd, finalNanoUsd, ...(earlier.length === 0 ? [0] : [])];
	return reserves.map((reserveNanoUsd) => ({
		shareNanoUsd: Math.floor(Math.max(0, context.guard.remainingNanoUsd - reserveNanoUsd) / left),
		reserveNanoUsd,
	}));
}
