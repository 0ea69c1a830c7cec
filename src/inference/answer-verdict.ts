// Asks of a model's answer to a call whether it is one (answers/verdict.ts). Pure.
import { type AskedTask, findRefusal, type RefusalSign, type SaidAnswer } from "../answers/verdict.ts";
import { joinText, type ModelAnswer, type ModelCall } from "../providers/model-call.ts";
import { lastUserText } from "../routing/signals.ts";

/** What a model said. */
export function toSaidAnswer({ content, finishReason }: Pick<ModelAnswer, "content" | "finishReason">): SaidAnswer {
	return {
		text: joinText(content, "text") ?? "",
		refusal: joinText(content, "refusal"),
		isFiltered: finishReason === "content_filter",
		callsTools: content.some(({ type }) => type === "tool_call"),
	};
}

/** What a conversation asks. @param prompt the last message of the user, where a strategy's words are around it. */
export function toAskedTask(
	{ messages, output }: Pick<ModelCall, "messages" | "output">,
	prompt: string = lastUserText({ messages }),
): AskedTask {
	const instructions = messages.flatMap(({ role, content }) =>
		role === "system" ? [joinText(content, "text") ?? ""] : [],
	);
	return { prompt, instructions: instructions.join("\n"), isJson: output.type !== "text" };
}

/** What a client is told of a refusal. */
export interface DeliveredRefusal {
	/**
	 * The words that refuse, which the entrance's form marks by its own sign; null where the provider has marked them, or where
	 * an agent asks: its loop would end by a sign that may be mistaken.
	 */
	text: string | null;
}

/** Whether an answer refuses its call; null where it does not. */
export function toDeliveredRefusal(answer: ModelAnswer, call: ModelCall): DeliveredRefusal | null {
	const sign: RefusalSign | null = findRefusal(toSaidAnswer(answer), toAskedTask(call));
	if (!sign) return null;
	return { text: sign.by === "words" && call.tools.length === 0 ? sign.text : null };
}
