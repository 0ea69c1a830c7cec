// Puts the parts of a stream together into an answer, in the order they came, and takes an answer apart again. Pure.
import { optionalMember } from "../json.ts";
import type { AssistantPart, ModelAnswer, ToolCallPart } from "./model-call.ts";
import type { Finish, StreamPart } from "./wire.ts";

/** Collects stream parts. `answer()` may be called at any time and returns the answer so far. */
export class AnswerAccumulator {
	#content: AssistantPart[] = [];
	#calls = new Map<number, ToolCallPart>();
	#logprobs: unknown[] = [];
	#extra: Record<string, unknown> = {};
	#bodyFields: Record<string, unknown> = {};
	#usage: ModelAnswer["usage"] = null;
	#finish: Finish | null = null;

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
				this.#finish = part;
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
			...optionalMember("stopSequence", this.#finish?.stopSequence),
			logprobs: this.#logprobs.length > 0 ? { content: this.#logprobs } : null,
			usage: this.#usage,
			extra: { ...this.#extra },
			bodyFields: { ...this.#bodyFields },
		};
	}
}

/** Whether a part is model output. Once one has been delivered, no other model can take over unnoticed. */
export function isOutputPart({ type }: StreamPart): boolean {
	return type === "text" || type === "reasoning" || type === "refusal" || type === "tool_call";
}

/**
 * Whether an answer ended normally and is empty: no text and no block.
 * @param stop the call's stop sequences. One that matches at once also leaves an empty answer, which is not a fault.
 */
export function isEmptyAnswer(
	{ content, finishReason, nativeFinishReason }: ModelAnswer,
	stop: readonly string[],
): boolean {
	if (finishReason !== "stop" || content.some(isNonEmptyPart)) return false;
	// Two of the four formats say whether a stop sequence matched, both in these words.
	if (nativeFinishReason === "stop_sequence") return false;
	return stop.length === 0 || nativeFinishReason === "end_turn";
}

function isNonEmptyPart(part: AssistantPart): boolean {
	return part.type === "tool_call" || part.type === "provider" || part.text !== "";
}

/** The answer with every text as valid Unicode. This is done before anything is delivered, stored or hashed. */
export function toWellFormedAnswer(answer: ModelAnswer): ModelAnswer {
	const content = answer.content.map((part): AssistantPart => {
		if (part.type === "provider") return part;
		if (part.type !== "tool_call") return { ...part, text: part.text.toWellFormed() };
		return { ...part, name: part.name.toWellFormed(), arguments: part.arguments.toWellFormed() };
	});
	return { ...answer, content };
}

/** The whole answer that the parts make; null when one of them is a failure. */
export function toModelAnswer(parts: readonly StreamPart[]): ModelAnswer | null {
	const accumulator = new AnswerAccumulator();
	for (const part of parts) {
		if (part.type === "failure") return null;
		accumulator.add(part);
	}
	return toWellFormedAnswer(accumulator.answer());
}

/** The stream parts of a whole answer: the inverse of `toModelAnswer`. */
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
	const { logprobs, extra, bodyFields, finishReason, nativeFinishReason, stopSequence, usage } = answer;
	const logprobsContent = (logprobs as { content?: unknown[] | null } | null)?.content;
	if (Array.isArray(logprobsContent)) parts.push({ type: "logprobs", content: logprobsContent });
	if (Object.keys(extra).length > 0) parts.push({ type: "extra", fields: extra });
	if (Object.keys(bodyFields).length > 0) parts.push({ type: "body_fields", fields: bodyFields });
	parts.push({
		type: "finish",
		reason: finishReason,
		native: nativeFinishReason,
		...optionalMember("stopSequence", stopSequence),
	});
	if (usage) parts.push({ type: "usage", usage });
	return parts;
}
