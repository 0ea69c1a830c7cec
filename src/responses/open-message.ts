// The message of a Response while it is written, with its events. Pure.
import { OpenItem } from "./open-item.ts";
import type { OutputContent, OutputLogprob, OutputMessage } from "./output-schema.ts";

/** A message that is being written: parts of text, and of refusals. */
export class OpenMessage extends OpenItem<OutputMessage> {
	readonly #hasLogprobs: boolean;
	#part: OutputContent | null = null;
	/** Text that waits for its log probabilities, which follow it. */
	#waitingText = "";

	constructor(id: string, index: number, hasLogprobs: boolean) {
		super({ type: "message", id, status: "in_progress", role: "assistant", content: [] }, index);
		this.#hasLogprobs = hasLogprobs;
	}

	#place(): Record<string, unknown> {
		return this.inItem({ content_index: this.item.content.length - 1 });
	}

	#begin<Part extends OutputContent>(part: Part): Part {
		this.#endPart();
		this.#part = part;
		this.item.content.push(part);
		this.emit("content_part.added", { ...this.#place(), part: structuredClone(part) });
		return part;
	}

	addText(text: string): void {
		const part =
			this.#part?.type === "output_text"
				? this.#part
				: this.#begin({ type: "output_text", text: "", annotations: [], logprobs: [] });
		part.text += text;
		this.#waitingText += text;
		if (!this.#hasLogprobs) this.#emitText([]);
	}

	#emitText(logprobs: OutputLogprob[]): void {
		if (this.#waitingText === "" && logprobs.length === 0) return;
		this.emit("output_text.delta", { ...this.#place(), delta: this.#waitingText, logprobs });
		this.#waitingText = "";
	}

	addRefusal(text: string): void {
		const part = this.#part?.type === "refusal" ? this.#part : this.#begin({ type: "refusal", refusal: "" });
		part.refusal += text;
		this.emit("refusal.delta", { ...this.#place(), delta: text });
	}

	addLogprobs(logprobs: OutputLogprob[]): void {
		const text = this.item.content.findLast((part) => part.type === "output_text");
		text?.logprobs.push(...logprobs);
		if (this.#part?.type === "output_text") this.#emitText(logprobs);
	}

	#endPart(): void {
		const part = this.#part;
		if (!part) return;
		if (part.type === "output_text") {
			this.#emitText([]);
			this.emit("output_text.done", { ...this.#place(), text: part.text, logprobs: part.logprobs });
		} else this.emit("refusal.done", { ...this.#place(), refusal: part.refusal });
		this.emit("content_part.done", { ...this.#place(), part });
		this.#part = null;
	}

	protected override finish(status: "completed" | "incomplete"): void {
		this.#endPart();
		this.item.status = status;
	}
}
