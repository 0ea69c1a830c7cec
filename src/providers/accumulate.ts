// Puts a stream's parts together into the answer they make: content in the order it was said. Pure.
import type { AssistantPart, FinishReason, ModelAnswer, ToolCallPart } from "./model-call.ts";
import type { StreamPart } from "./wire.ts";

/** Collects stream parts; `answer()` may be asked at any time and is what has been said so far. */
export class AnswerAccumulator {
	#content: AssistantPart[] = [];
	#calls = new Map<number, ToolCallPart>();
	#logprobs: unknown[] = [];
	#extra: Record<string, unknown> = {};
	#bodyFields: Record<string, unknown> = {};
	#usage: ModelAnswer["usage"] = null;
	#finish: { reason: FinishReason; native: string | null } | null = null;

	add(part: StreamPart): void {
		switch (part.type) {
			case "text":
			case "reasoning":
			case "refusal":
				this.#addText(part.type, part.text);
				return;
			case "tool_call": {
				const { id, name, signature } = part;
				const call: ToolCallPart = { type: "tool_call", id, name, arguments: "" };
				if (signature !== undefined) call.signature = signature;
				this.#calls.set(part.index, call);
				this.#content.push(call);
				return;
			}
			case "tool_arguments": {
				const call = this.#calls.get(part.index);
				if (call) call.arguments += part.text;
				return;
			}
			case "provider":
				this.#content.push(part);
				return;
			case "restart":
				this.#content = this.#content.filter(({ type }) => type !== "provider");
				return;
			case "logprobs":
				this.#logprobs.push(...part.content);
				return;
			case "extra":
				Object.assign(this.#extra, part.fields);
				return;
			case "body_fields":
				Object.assign(this.#bodyFields, part.fields);
				return;
			case "finish":
				this.#finish = { reason: part.reason, native: part.native };
				return;
			case "usage":
				this.#usage = part.usage;
				return;
			case "failure":
				return;
		}
	}

	#addText(type: "text" | "reasoning" | "refusal", text: string): void {
		const last = this.#content.at(-1);
		if (last?.type === type) last.text += text;
		else this.#content.push({ type, text });
	}

	answer(): ModelAnswer {
		return {
			content: this.#content.map((part) =>
				part.type === "tool_call" ? { ...part, arguments: part.arguments || "{}" } : { ...part },
			),
			finishReason: this.#finish?.reason ?? "stop",
			nativeFinishReason: this.#finish?.native ?? null,
			logprobs: this.#logprobs.length > 0 ? { content: this.#logprobs } : null,
			usage: this.#usage,
			extra: { ...this.#extra },
			bodyFields: { ...this.#bodyFields },
		};
	}
}

/** Whether a part is something a model said: from the first one on, no other model can take over unseen. */
export function isDelta({ type }: StreamPart): boolean {
	return type === "text" || type === "reasoning" || type === "refusal" || type === "tool_call";
}

/**
 * Whether an answer ended by itself and holds nothing at all, neither text nor any block.
 * @param stop sequences of the call: one that matched at once leaves nothing either, and is no fault.
 */
export function isEmptyAnswer(
	{ content, finishReason, nativeFinishReason }: ModelAnswer,
	stop: readonly string[],
): boolean {
	if (finishReason !== "stop" || content.some(isNonEmptyPart)) return false;
	// Of three formats one says whether a stop sequence matched, or that none did.
	if (nativeFinishReason === "stop_sequence") return false;
	return stop.length === 0 || nativeFinishReason === "end_turn";
}

function isNonEmptyPart(part: AssistantPart): boolean {
	return part.type === "tool_call" || part.type === "provider" || part.text !== "";
}

/** The answer with every text valid Unicode, which is done before anything is delivered, stored or hashed. */
export function wellFormedAnswer(answer: ModelAnswer): ModelAnswer {
	const content = answer.content.map((part): AssistantPart => {
		if (part.type === "provider") return part;
		if (part.type !== "tool_call") return { ...part, text: part.text.toWellFormed() };
		return { ...part, name: part.name.toWellFormed(), arguments: part.arguments.toWellFormed() };
	});
	return { ...answer, content };
}

/** The whole answer that parts make; null when the upstream says that it is none. */
export function toModelAnswer(parts: readonly StreamPart[]): ModelAnswer | null {
	const accumulator = new AnswerAccumulator();
	for (const part of parts) {
		if (part.type === "failure") return null;
		accumulator.add(part);
	}
	return wellFormedAnswer(accumulator.answer());
}

/** The parts that make a whole answer. */
export function toStreamParts(answer: ModelAnswer): StreamPart[] {
	let calls = 0;
	const parts = answer.content.flatMap((part): StreamPart[] => {
		if (part.type !== "tool_call") return [part];
		const { type, id, name, arguments: text, signature } = part;
		const index = calls++;
		return [
			{ type, index, id, name, ...(signature === undefined ? {} : { signature }) },
			{ type: "tool_arguments", index, text },
		];
	});
	const { logprobs, extra, bodyFields, finishReason, nativeFinishReason, usage } = answer;
	const logprobsContent = (logprobs as { content?: unknown[] | null } | null)?.content;
	if (Array.isArray(logprobsContent)) parts.push({ type: "logprobs", content: logprobsContent });
	if (Object.keys(extra).length > 0) parts.push({ type: "extra", fields: extra });
	if (Object.keys(bodyFields).length > 0) parts.push({ type: "body_fields", fields: bodyFields });
	parts.push({ type: "finish", reason: finishReason, native: nativeFinishReason });
	if (usage) parts.push({ type: "usage", usage });
	return parts;
}
