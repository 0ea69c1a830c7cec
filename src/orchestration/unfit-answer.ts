// The one repair of an answer to an orchestration that has not the form of response_format: its model is told what is wrong, once.
// Pure.
import { fitPlaceholder, placeholder } from "../inference/answer-placeholder.ts";
import { repairedAnswerBytes, repairMessages } from "../inference/form-repair.ts";
import { parseJson } from "../json.ts";
import { Comparison } from "./agreement.ts";
import { nonAnswerRating, supportFor } from "./confidence.ts";
import { nonceFor } from "./prompt.ts";
import {
	type Engine,
	type Member,
	type Question,
	type SaidInstead,
	type StrategyResult,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

const REPAIR_STAGE = "repair";
/** Room for what is wrong, bytes of JSON. */
const FAULT_BYTES = 1_500;

function repairFormQuestion(task: Task, member: Member, written: string, fault: string): Question {
	const question = toTaskQuestion(task, { stage: REPAIR_STAGE, role: "answerer", member, asksFor: "form" });
	const nonce = nonceFor(task, "form repair");
	return { ...question, mayBeLeft: true, messages: repairMessages(question.messages, { written, fault, nonce }) };
}

/** The longest question that repairs an answer's form; none where no form is checked. */
export function longestFormRepair(task: Task, member: Member): Question[] {
	if (!task.checksForm) return [];
	return [repairFormQuestion(task, member, placeholder(repairedAnswerBytes(task)), placeholder(FAULT_BYTES))];
}

/** An answer that is delivered without its form. It counts nothing. */
function toUnfitResult({ text, model }: SaidInstead): StrategyResult {
	return {
		text,
		model,
		...nonAnswerRating("other_form"),
		agreement: 0,
		escalated: false,
		isCut: false,
		instead: "other_form",
	};
}

/** The result of an answer without its form: its repair, or where that has not the form either, the repair if it is JSON, else the answer. */
export async function repairUnfit(unfit: SaidInstead, task: Task, engine: Engine): Promise<StrategyResult> {
	const written = fitPlaceholder(unfit.text, repairedAnswerBytes(task));
	const fault = fitPlaceholder(unfit.fault ?? "", FAULT_BYTES);
	const [reply] = await engine.ask([repairFormQuestion(task, [unfit.model], written, fault)]);
	const note = (how: string) => engine.describe(REPAIR_STAGE, { how });
	if (reply?.ok && !reply.isCut) {
		note("repaired");
		const { text, model, isCut } = reply;
		const rating = supportFor(reply, [reply], new Comparison(task));
		reply.rate(rating);
		return { text, model, ...rating, agreement: 1, escalated: false, isCut };
	}
	note("delivered without its form");
	const again = reply?.ok ? undefined : reply?.said;
	const isJson = again?.kind === "other_form" && parseJson(again.text) !== undefined;
	return toUnfitResult(isJson ? again : unfit);
}
