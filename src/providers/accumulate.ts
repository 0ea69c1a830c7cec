// Puts a stream's parts together into the answer they make: content in the order it was said. Pure.
import type { AssistantPart, FinishReason, ModelAnswer, ToolCallPart } from "./model-call.ts";
import type { StreamPart } from "./wire.ts";

/** Collects stream parts; `answer()` may be asked at any time and is what has been said so far. */
export class AnswerAccumulator {
	#content: AssistantPart[] = [];
	#calls = new Map<number, ToolCallPart>();
	#logprobs: unknown[] = [];
	#extra: Record<string, unknown> = {};
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

	/** Whether the model said why it stopped. */
	get finished(): boolean {
		return this.#finish !== null;
	}

	/** Usage as last reported; null when there was none. */
	get usage(): ModelAnswer["usage"] {
		return this.#usage;
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
		};
	}
}

/** An answer that ended by itself with nothing a client could use: no text, no refusal, no call. */
export function isEmptyAnswer({ content, finishReason }: ModelAnswer): boolean {
	if (finishReason !== "stop") return false;
	return !content.some(
		(part) => part.type === "tool_call" || ((part.type === "text" || part.type === "refusal") && part.text !== ""),
	);
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

/** The whole answer that parts make; null when it is of no use. */
export function answerOf(parts: readonly StreamPart[]): ModelAnswer | null {
	const accumulator = new AnswerAccumulator();
	for (const part of parts) {
		if (part.type === "failure") return null;
		accumulator.add(part);
	}
	const answer = wellFormedAnswer(accumulator.answer());
	return isEmptyAnswer(answer) ? null : answer;
}
