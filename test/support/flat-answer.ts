// An answer as a chat completion shows it, without its order: what most tests of wires ask about.
import { toBlockFields } from "../../src/chat/provider-blocks.ts";
import { isEmptyAnswer } from "../../src/providers/accumulate.ts";
import { joinText, type ModelAnswer, partsOfType, type ToolCallPart } from "../../src/providers/model-call.ts";

export interface FlatAnswer extends Omit<ModelAnswer, "content" | "bodyFields"> {
	content: string | null;
	refusal: string | null;
	reasoning: string | null;
	toolCalls: Omit<ToolCallPart, "type">[];
	/** Blocks that return on the next turn. */
	opaque: Record<string, unknown>[];
}

/** The flat form; null for no answer. */
export function flat(answer: ModelAnswer): FlatAnswer;
export function flat(answer: ModelAnswer | null): FlatAnswer | null;
export function flat(answer: ModelAnswer | null): FlatAnswer | null {
	if (!answer) return null;
	const { content, extra, bodyFields: _, ...rest } = answer;
	const { thinking_blocks: opaque = [], ...shown } = toBlockFields(answer);
	return {
		...rest,
		content: joinText(content, "text"),
		refusal: joinText(content, "refusal"),
		reasoning: joinText(content, "reasoning"),
		toolCalls: partsOfType(content, "tool_call").map(({ type: _, ...call }) => call),
		opaque,
		extra: { ...extra, ...shown },
	};
}

/** The flat form of an answer that is of use; null for any other. */
export function usable(answer: ModelAnswer | null): FlatAnswer | null {
	return answer && isEmptyAnswer(answer, []) ? null : flat(answer);
}
