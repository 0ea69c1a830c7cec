// The one repair of an answer that has not the form that was asked for: its question, and what is reserved for it. Pure.
//
// Three attempts are all that a request may make, the repair included. So a request reserves the dearest of what it may come to: all
// models in turn, the first and its repair, or the first two and the repair of the second.
import type { FormCheck } from "../answers/form-check.ts";
import type { Failure } from "../failure.ts";
import {
	joinText,
	type Message,
	type ModelAnswer,
	type ModelCall,
	type OutputFormat,
} from "../providers/model-call.ts";
import type { PlannedCall } from "./accounting.ts";
import { fitPlaceholder, placeholderBytes } from "./answer-placeholder.ts";
import type { CallSet } from "./failover.ts";
import { materialRule, renderMaterial } from "./material.ts";

/** Attempts of one request, the repair included. */
export const MAX_ATTEMPTS = 3;
/** Room for the answer in the repair's prompt. A longer one is shown by its ends. */
const MAX_ANSWER_BYTES = 16_384;
/** Room for what is wrong, the words around it, and the form of two messages. */
const FRAME_BYTES = 3_000;

/** Room for an answer in the prompt of its repair, bytes of JSON. */
export function repairedAnswerBytes({ maxTokens }: { maxTokens: number }): number {
	return Math.min(placeholderBytes(maxTokens), MAX_ANSWER_BYTES);
}

/** Whether the client wants no answer rather than one without its form. */
export function isStrictForm(output: OutputFormat): boolean {
	return output.type === "json_schema" && output.strict === true;
}

/** The failure of a request under a strict form. @param costUsd of all its calls. */
export function formatNotMet(costUsd: number): Failure {
	const message =
		"neither the answer nor its repair has the form of response_format; without strict it would be delivered";
	return { reason: "format_not_met", message, costUsd };
}

/** Whether an answer in this form may be repaired: a stream is read while it is written. */
export function isRepairable({ plan }: Pick<PlannedCall, "plan">): boolean {
	return plan.call.output.type !== "text" && plan.options.mustStream !== true;
}

/** The most that repairing the answer of a call can cost, nano-USD. A prompt's tokens are bounded by its bytes. */
function repairBound({ plan, attempt }: PlannedCall): number {
	return attempt.worstCaseWith(repairedAnswerBytes(plan.call) + FRAME_BYTES).totalNanoUsd;
}

/** A set of calls with the repair of an answer in its bound, as far as the cost limits let it. */
export function withRepair(set: CallSet): CallSet {
	const [first] = set.calls;
	if (!isRepairable(first)) return set;
	const worst = (calls: readonly PlannedCall[]) =>
		calls.reduce((total, { attempt }) => total + attempt.worstCase.totalNanoUsd, 0);
	const repaired = set.calls
		.slice(0, MAX_ATTEMPTS - 1)
		.map((call, at) => worst(set.calls.slice(0, at + 1)) + repairBound(call));
	const more = Math.max(0, ...repaired.map((sum) => sum - worst(set.calls)));
	const { ceilingNanoUsd } = first.plan.selection;
	const boundNanoUsd = set.boundNanoUsd + more;
	return { ...set, boundNanoUsd: ceilingNanoUsd === null ? boundNanoUsd : Math.min(boundNanoUsd, ceilingNanoUsd) };
}

const REPAIR_PROMPT =
	"Your last message has not the form that was asked for. What is wrong stands between the marks. Write the whole answer again in that " +
	"form, as JSON and nothing else, and change of what it says only what the form requires.";

/** The conversation that repairs an answer: what was asked, the answer, and what is wrong with it. */
export function repairMessages(
	messages: readonly Message[],
	{ written, fault, nonce }: { written: string; fault: string; nonce: string },
): Message[] {
	const text = `${REPAIR_PROMPT} ${materialRule(nonce)}\n\n${renderMaterial(nonce, "Fault", [fault])}`;
	return [
		...messages,
		{ role: "assistant", content: [{ type: "text", text: written }] },
		{ role: "user", content: [{ type: "text", text }] },
	];
}

function toRepairCall(call: ModelCall, answer: ModelAnswer, fault: string, nonce: string): ModelCall {
	const written = fitPlaceholder(joinText(answer.content, "text") ?? "", repairedAnswerBytes(call));
	return { ...call, messages: repairMessages(call.messages, { written, fault, nonce }) };
}

/** The set of one call that repairs an answer. Its model is not tried twice, and no other one is asked. */
export function toRepairSet(
	{ plan, candidate }: PlannedCall,
	answer: ModelAnswer,
	{ fault }: Extract<FormCheck, { isMet: false }>,
	nonce: string,
): CallSet {
	const repair = plan.forCall(toRepairCall(plan.call, answer, fault, nonce));
	// A copy of the candidate is none that the request named.
	const call: PlannedCall = {
		plan: repair,
		candidate: { ...candidate },
		attempt: repair.attempt(candidate.model, candidate.effort, candidate.maxTokens),
		intendedWasAsked: true,
	};
	return { calls: [call], boundNanoUsd: call.attempt.worstCase.totalNanoUsd };
}
