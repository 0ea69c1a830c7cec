// The reasoning of a Response while it is written, with its events and the parts of it that are to be sealed. Pure.
import type { AssistantPart, ProviderPart } from "../providers/model-call.ts";
import { OpenItem } from "./open-item.ts";
import type { AnsweredReasoning } from "./output-schema.ts";

/** Whether reasoning is shown as a summary or as its text. */
type ReasoningForm = "summary" | "content";

export interface ReasoningOptions {
	reasoningForm: ReasoningForm;
	/** Whether reasoning is sealed: for the client, or to be stored. */
	isSealed: boolean;
}

/** Reasoning that is being written. */
export class OpenReasoning extends OpenItem<AnsweredReasoning> {
	readonly #form: ReasoningForm;
	readonly #isSealed: boolean;
	#text: { text: string } | null = null;
	#sealed: AssistantPart[] = [];

	constructor(id: string, index: number, { reasoningForm, isSealed }: ReasoningOptions) {
		super({ type: "reasoning", id, summary: [] }, index);
		this.#form = reasoningForm;
		this.#isSealed = isSealed;
	}

	#place(): Record<string, unknown> {
		const { summary, content = [] } = this.item;
		return this.inItem(
			this.#form === "summary" ? { summary_index: summary.length - 1 } : { content_index: content.length - 1 },
		);
	}

	#begin(): { text: string } {
		if (this.#form === "summary") {
			const part = { type: "summary_text" as const, text: "" };
			this.item.summary.push(part);
			this.emit("reasoning_summary_part.added", { ...this.#place(), part: { ...part } });
			return part;
		}
		const part = { type: "reasoning_text" as const, text: "" };
		this.item.content = [...(this.item.content ?? []), part];
		this.emit("content_part.added", { ...this.#place(), part: { ...part } });
		return part;
	}

	addText(text: string): void {
		this.#text ??= this.#begin();
		this.#text.text += text;
		const last = this.#sealed.at(-1);
		if (last?.type === "reasoning") last.text += text;
		else this.#sealed.push({ type: "reasoning", text });
		const name = this.#form === "summary" ? "reasoning_summary_text" : "reasoning_text";
		this.emit(`${name}.delta`, { ...this.#place(), delta: text });
	}

	/** A block of the provider's own, which ends the text before it: that text belongs to the block. */
	addBlock(block: ProviderPart): void {
		this.#endText();
		this.#sealed.push(block);
	}

	/** The signature of the call that follows. */
	addSignature(callId: string, signature: string): void {
		this.#sealed.push({ type: "tool_call", id: callId, name: "", arguments: "", signature });
	}

	/** The upstream began again: its earlier blocks are void. */
	dropBlocks(): void {
		this.#sealed = this.#sealed.filter(({ type }) => type !== "provider");
	}

	#endText(): void {
		const part = this.#text;
		if (!part) return;
		const isSummary = this.#form === "summary";
		const { text } = part;
		this.emit(isSummary ? "reasoning_summary_text.done" : "reasoning_text.done", { ...this.#place(), text });
		this.emit(isSummary ? "reasoning_summary_part.done" : "content_part.done", { ...this.#place(), part });
		this.#text = null;
	}

	/** The parts to be sealed. Signed blocks of Claude's hold their texts, so those are not sealed twice. */
	#sealedParts(): AssistantPart[] {
		const isSigned = this.#sealed.some((part) => part.type === "provider" && part.wire !== "google");
		return isSigned ? this.#sealed.filter(({ type }) => type !== "reasoning") : this.#sealed;
	}

	protected override finish(): void {
		this.#endText();
		if (this.#isSealed) this.steps.push({ type: "seal", item: this.item, parts: this.#sealedParts() });
	}
}
