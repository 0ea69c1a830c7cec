// Chooses the next turn of a tool step within its money: one that may call tools beside the last turn that may have to follow it, or the
// last turn itself. Nothing is called.
import type { Failure } from "../../failure.ts";
import { maskCall, maskMessages } from "../../inference/masked-call.ts";
import { toQuestionCall } from "../../orchestration/request.ts";
import type { Message, ToolDefinition } from "../../providers/model-call.ts";
import { sumChargesNanoUsd } from "../run/charges.ts";
import { triedInVain } from "../run/retry.ts";
import { MIN_VISIBLE_TOKENS } from "../step-decision.ts";
import type { LoopContext } from "./loop-context.ts";
import { MAX_READ_BYTES } from "./results.ts";
import type { UnreadMessage } from "./steering.ts";
import { toTurnHistory } from "./step-history.ts";
import { toToolDefinition } from "./tool-definition.ts";
import type { OpenToolStep, ToolStepEnding } from "./tool-state.ts";
import { type PricedTurn, priceLastAfter, priceTurn, type TurnRequest, withoutFallbacks } from "./tool-turn.edge.ts";
import { type BeforeTurn, toTurnMessages } from "./turn-messages.ts";

/** How much of each newest result a last turn is sent, by what its money covers. */
const LAST_RESULTS_BYTES = [MAX_READ_BYTES, MAX_READ_BYTES / 4, MAX_READ_BYTES / 16, 256];

const ENDING_NOTES: Readonly<Record<ToolStepEnding, string>> = {
	money: "What is left of the money of this step covers this answer alone.",
	max_tool_calls: "All tool calls that this step may make are made.",
	loop: "The same call was made again and again, which leads nowhere.",
};

/** What is said before a step's last turn. */
function lastNote(ending: ToolStepEnding): string {
	return `${ENDING_NOTES[ending]} No further call is made. Answer now in words, from what you have, in the form that was asked for. Say in one sentence what is missing, if anything is.`;
}

/** What is said before a turn, and which messages that reads. */
export interface TurnPrelude extends BeforeTurn {
	unread: readonly UnreadMessage[];
}

/** A turn that can be made. */
export interface ChosenTurn {
	priced: PricedTurn;
	/** Not null for the last turn. */
	ending: ToolStepEnding | null;
	before: TurnPrelude;
	/** The most of each newest result that it is sent. */
	newestBytes: number;
	/** What the last turn after it may cost, and is held; 0 for that turn itself. */
	lastNanoUsd: number;
}

/** No turn can be made. */
export interface NoTurn {
	limit: "no_model" | "step_cap";
	/** The refusal by compliance, where it keeps the turn from every model. */
	refusal: Failure | null;
}

/** A run's tools as its models are sent them. */
export function maskedTools({ run, mask }: Pick<LoopContext, "run" | "mask">): ToolDefinition[] {
	const tools = (run.spec.tools ?? []).map(toToolDefinition);
	const call = toQuestionCall({ messages: [], maxTokens: 1, temperature: undefined, json: false });
	return maskCall({ ...call, tools }, mask).tools;
}

/** What the money of a step leaves, nano-USD. */
export function leftOfStep({ guard }: Pick<LoopContext, "guard">, { limitNanoUsd, charge }: OpenToolStep): number {
	const spentNanoUsd = sumChargesNanoUsd([charge]);
	return Math.max(0, Math.min(limitNanoUsd - spentNanoUsd, guard.remainingNanoUsd, guard.stepCapNanoUsd));
}

export function isPriced(turn: PricedTurn | { refusal: Failure | null }): turn is PricedTurn {
	return "boundNanoUsd" in turn;
}

/** A turn that the money covers, if need be without fallbacks. */
function findAffordable(turn: PricedTurn, leftNanoUsd: number): PricedTurn | null {
	if (turn.boundNanoUsd <= leftNanoUsd) return turn;
	const alone = turn.models.length > 1 ? withoutFallbacks(turn) : null;
	return alone && alone.boundNanoUsd <= leftNanoUsd ? alone : null;
}

/** What the turns of an open step are priced by. */
interface TurnTerms {
	loop: LoopContext;
	open: OpenToolStep;
	before: TurnPrelude;
	leftNanoUsd: number;
	toMessages(said: BeforeTurn, newestBytes: number): Message[];
	toRequest(messages: readonly Message[], isLast: boolean, maxTokens: number): TurnRequest;
}

function toTerms(loop: LoopContext, open: OpenToolStep, question: string, before: TurnPrelude): TurnTerms {
	const { run, mask } = loop;
	const { retry } = run.state;
	const tools = maskedTools(loop);
	return {
		...{ loop, open, before, leftNanoUsd: leftOfStep(loop, open) },
		toMessages(said, newestBytes) {
			const messages = toTurnMessages(toTurnHistory(run.toolCalls, open.step, said, newestBytes), run.spec.nonce);
			return mask ? maskMessages(messages, mask) : messages;
		},
		toRequest: (messages, isLast, maxTokens) => ({
			...{ messages, tools, question, intensity: open.intensity, maxTokens, models: open.by, sticky: open.models },
			askLast: retry?.askLast ?? [],
			avoid: [...open.rejected, ...triedInVain(retry)],
			...{ isLast, asksFor: isLast ? "last_turn" : "turn" },
		}),
	};
}

/** The next turn of the open step. @param question masked. @param before what is said before it. */
export function chooseTurn(
	loop: LoopContext,
	open: OpenToolStep,
	question: string,
	before: TurnPrelude,
): ChosenTurn | NoTurn {
	const terms = toTerms(loop, open, question, before);
	if (open.cut) return chooseContinuation(terms);
	return (open.ending === null ? chooseCallingTurn(terms) : null) ?? chooseLastTurn(terms, open.ending ?? "money");
}

/** A turn that may call tools, with the last turn held beside it; null where the money does not cover both. */
function chooseCallingTurn({ loop, open, before, leftNanoUsd, toMessages, toRequest }: TurnTerms) {
	const context = loop.planContext();
	const request = toRequest(toMessages(before, MAX_READ_BYTES), false, open.maxTokens);
	const priced = priceTurn(context, loop.rules, request);
	if (!isPriced(priced)) return { limit: "no_model" as const, refusal: priced.refusal };
	const last = priceLastAfter(context, loop.rules, request);
	const lastNanoUsd = isPriced(last) ? (withoutFallbacks(last) ?? last).boundNanoUsd : 0;
	const fitting = findAffordable(priced, leftNanoUsd - lastNanoUsd);
	return fitting && { priced: fitting, ending: null, before, newestBytes: MAX_READ_BYTES, lastNanoUsd };
}

/** The step's last turn, with results and an answer as long as the money covers. */
function chooseLastTurn(
	{ loop, open, before, leftNanoUsd, toMessages, toRequest }: TurnTerms,
	ending: ToolStepEnding,
): ChosenTurn | NoTurn {
	const said = { ...before, note: [before.note, lastNote(ending)].filter((note) => note !== null).join("\n\n") };
	let refusal: Failure | null = null;
	let isServed = false;
	for (const newestBytes of LAST_RESULTS_BYTES) {
		const messages = toMessages(said, newestBytes);
		for (const maxTokens of lastLengths(open.maxTokens)) {
			const priced = priceTurn(loop.planContext(), loop.rules, toRequest(messages, true, maxTokens));
			if (!isPriced(priced)) {
				refusal ??= priced.refusal;
				continue;
			}
			isServed = true;
			const fitting = findAffordable(priced, leftNanoUsd);
			if (fitting) return { priced: fitting, ending, before: said, newestBytes, lastNanoUsd: 0 };
		}
	}
	return { limit: isServed ? "step_cap" : "no_model", refusal };
}

/** The turn in which a model goes on with its answer that was cut, at the length that the money covers. */
function chooseContinuation({
	loop,
	open,
	before,
	leftNanoUsd,
	toMessages,
	toRequest,
}: TurnTerms): ChosenTurn | NoTurn {
	const messages = toMessages(before, MAX_READ_BYTES);
	for (const maxTokens of lastLengths(open.maxTokens)) {
		const priced = priceTurn(loop.planContext(), loop.rules, toRequest(messages, true, maxTokens));
		if (!isPriced(priced)) return { limit: "no_model", refusal: null };
		// It goes on in its own words: no other model does.
		const alone = withoutFallbacks(priced);
		if (alone && alone.models[0] === open.models[0] && alone.boundNanoUsd <= leftNanoUsd)
			return { priced: alone, ending: open.ending, before, newestBytes: MAX_READ_BYTES, lastNanoUsd: 0 };
	}
	return { limit: "step_cap", refusal: null };
}

/** The lengths that a last answer may have, by what its money covers. */
function lastLengths(maxTokens: number): number[] {
	const least = Math.min(maxTokens, MIN_VISIBLE_TOKENS);
	return [...new Set([maxTokens, Math.max(least, Math.floor(maxTokens / 2)), least])];
}
