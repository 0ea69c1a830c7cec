// How the words of a turn are taken: as the step's answer, as the beginning of one that was cut, or as none. Nothing is called.
import { isBlank } from "../../answers/blank.ts";
import { judgeAnswer, type NonAnswer } from "../../answers/verdict.ts";
import { toAskedTask, toSaidAnswer } from "../../inference/answer-verdict.ts";
import type { CallResult } from "../../inference/workflow.ts";
import { Comparison } from "../../orchestration/agreement.ts";
import { nonAnswerRating, supportFor } from "../../orchestration/confidence.ts";
import { joinAtSeam } from "../../orchestration/continuation.ts";
import type { StrategyResult } from "../../orchestration/strategy.ts";
import { joinText, type ModelCall } from "../../providers/model-call.ts";
import { toPromptTask } from "../step-pricer.edge.ts";
import { MAX_REJECTED, type OpenToolStep } from "./tool-state.ts";
import { isWrittenCall, WRITTEN_NOTE } from "./written-call.ts";

type WordsReading =
	| { kind: "answer"; value: StrategyResult }
	/** The output limit has cut it, and its model may go on. */
	| { kind: "beginning" }
	/** Another model is asked. The note, where there is one, is said to it before. */
	| { kind: "again"; note: string | null }
	/** Models wrote out calls in words, as often as is asked again. */
	| { kind: "written" }
	| { kind: "nothing"; why: NonAnswer };

export function toWordsTask(prompt: string, maxTokens: number) {
	return toPromptTask([{ role: "user", content: prompt }], { maxTokens, temperature: undefined, nonce: "" });
}

/** What a model says after its calls, such as that something was denied, is an answer. */
function isMeantAfterCalls(kind: NonAnswer, { refusal, isFiltered }: ReturnType<typeof toSaidAnswer>): boolean {
	return kind === "echo" || kind === "other_language" || (kind === "refusal" && refusal === null && !isFiltered);
}

/**
 * Reads the words of a turn of the open step.
 * @param beginning of an answer that was cut, with which the turn goes on; null for any other turn.
 * @param given the texts that came into the run.
 */
export function readTurnWords(
	{ answer, model, quality }: Extract<CallResult, { ok: true }>,
	{ call, question }: { call: ModelCall; question: string },
	{ turns, rejected, maxTokens }: Pick<OpenToolStep, "turns" | "rejected" | "maxTokens">,
	beginning: string | null,
	{ toolNames, given }: { toolNames: readonly string[]; given: readonly string[] },
): WordsReading {
	const own = { ...toSaidAnswer(answer), callsTools: false };
	const isContinued = beginning !== null;
	if (isContinued && (isBlank(own.text) || own.isFiltered || own.refusal !== null))
		return { kind: "nothing", why: "blank" };
	const said = isContinued ? { ...own, text: joinAtSeam(beginning, own.text) } : own;
	const asked = toAskedTask(call, question);
	const { kind, text } = judgeAnswer(said, asked);
	if (!isContinued && isWrittenCall(text, toolNames, given))
		return rejected.length < MAX_REJECTED ? { kind: "again", note: WRITTEN_NOTE } : { kind: "written" };
	const isMeant = kind === null || isContinued || (turns > 0 && isMeantAfterCalls(kind, said));
	if (!isMeant && rejected.length < MAX_REJECTED) return { kind: "again", note: null };
	if (!isMeant && kind !== "refusal" && kind !== "echo" && kind !== "other_language")
		return { kind: "nothing", why: kind };
	const isCut = answer.finishReason === "length";
	if (isCut && isMeant && !isContinued) return { kind: "beginning" };
	const shown = text.trim() === "" ? (joinText(answer.content, "refusal") ?? "") : text;
	const weighted = { text: shown, quality, isCut };
	const rating = isMeant
		? supportFor(weighted, [weighted], new Comparison(toWordsTask(asked.prompt, maxTokens)))
		: nonAnswerRating(kind);
	return {
		kind: "answer",
		value: {
			...{ text: shown, model, ...rating, agreement: 1, escalated: false, isCut },
			...(isMeant ? {} : { instead: kind }),
		},
	};
}
