// Puts a stream's parts together into the answer that the unstreamed call would have given. Pure.
import type { ChatAnswer, FinishReason } from "./model-call.ts";
import type { StreamPart } from "./wire.ts";

/** Collects stream parts; `answer()` may be asked at any time and is what has been said so far. */
export class StreamAccumulator {
	#text: string | null = null;
	#reasoning: string | null = null;
	#refusal: string | null = null;
	#calls = new Map<number, { id: string; name: string; arguments: string; signature?: string }>();
	#logprobs: unknown[] = [];
	#opaque: ChatAnswer["opaque"] = [];
	#extra: Record<string, unknown> = {};
	#usage: ChatAnswer["usage"] = null;
	#finish: { reason: FinishReason; native: string | null } | null = null;

	add(part: StreamPart): void {
		switch (part.type) {
			case "text":
				this.#text = (this.#text ?? "") + part.text;
				return;
			case "reasoning":
				this.#reasoning = (this.#reasoning ?? "") + part.text;
				return;
			case "refusal":
				this.#refusal = (this.#refusal ?? "") + part.text;
				return;
			case "tool_call": {
				const { id, name, signature } = part;
				this.#calls.set(part.index, { id, name, arguments: "", ...(signature === undefined ? {} : { signature }) });
				return;
			}
			case "tool_arguments": {
				const call = this.#calls.get(part.index);
				if (call) call.arguments += part.text;
				return;
			}
			case "opaque":
				this.#opaque = part.blocks;
				return;
			case "logprobs":
				this.#logprobs.push(...part.content);
				return;
			case "extra":
				this.#extra = { ...this.#extra, ...part.fields };
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

	/** Whether the model said why it stopped. */
	get finished(): boolean {
		return this.#finish !== null;
	}

	answer(): ChatAnswer {
		const toolCalls = [...this.#calls.values()].map((call) => ({ ...call, arguments: call.arguments || "{}" }));
		return {
			content: this.#text,
			refusal: this.#refusal,
			reasoning: this.#reasoning,
			toolCalls,
			opaque: this.#opaque,
			finishReason: this.#finish?.reason ?? "stop",
			nativeFinishReason: this.#finish?.native ?? null,
			logprobs: this.#logprobs.length > 0 ? { content: this.#logprobs } : null,
			usage: this.#usage,
			extra: this.#extra,
		};
	}
}
