// Checks the form of an answer, and has one repaired that has not the form asked for: by its model, once, where attempts and money are
// left. The question and what is reserved for it are form-repair.ts's.
import type { FormCheck } from "../answers/form-check.ts";
import { loadFormCheck } from "../answers/load.ts";
import { parseJson } from "../json.ts";
import { joinText, type ModelAnswer, type ModelCall } from "../providers/model-call.ts";
import { toDeliveredRefusal } from "./answer-verdict.ts";
import type { CallRunner, ServedCall } from "./call-runner.edge.ts";
import { isRepairable, MAX_ATTEMPTS, toRepairSet } from "./form-repair.ts";
import { createNonce } from "./nonce.edge.ts";

/** The form of an answer that ended by itself. Null where there is none to check: a refusal has no form, and a cut answer is cut. */
export async function checkDeliveredForm(
	{ content, finishReason }: ModelAnswer,
	{ output }: ModelCall,
	isRefused: boolean,
): Promise<FormCheck> {
	const text = joinText(content, "text");
	if (output.type === "text" || isRefused || finishReason !== "stop" || text === null) return null;
	const { checkForm } = await loadFormCheck();
	return checkForm(text, output);
}

/**
 * The answer that is delivered: the repair where one was made and is JSON, else what came. The model sees what it wrote, with
 * placeholders for what is masked.
 * @param attemptsMade calls that were sent so far.
 */
export async function repairForm(served: ServedCall, calls: CallRunner, attemptsMade: number): Promise<ServedCall> {
	const { call, answer } = served;
	if (!isRepairable(call) || attemptsMade >= MAX_ATTEMPTS) return served;
	const asked = call.plan.call;
	const check = await checkDeliveredForm(answer, asked, toDeliveredRefusal(answer, asked) !== null);
	if (!check || check.isMet) return served;
	const repaired = await calls.complete(toRepairSet(call, answer, check, createNonce()));
	if (!repaired.ok) return served;
	const isJson = parseJson(joinText(repaired.served.answer.content, "text") ?? "") !== undefined;
	if (!isJson) return served;
	// What the client asked stays the call: the repair's messages are nobody's conversation.
	return { ...repaired.served, call: { ...repaired.served.call, plan: call.plan } };
}
