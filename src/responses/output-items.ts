// Makes the items of a Response's output from the parts of a model's answer, with the events that tell of them in a stream. A whole
// answer goes the same way, so that both have the same items. response-form.ts seals reasoning, events.ts writes the events.
//
// Items are told one after the other. While a tool call is not complete, what comes after it waits: providers may send the
// arguments of several calls in turns. Pure.

import { JsonEnd } from "../inference/json-end.ts";
import { markedCallId } from "../inference/tool-call-ids.ts";
import { optionalMember } from "../json.ts";
import { THOUGHT_SIGNATURE } from "../providers/google-request.ts";
import type { AssistantPart, ProviderPart, Warning } from "../providers/model-call.ts";
import type { StreamPart } from "../providers/wire.ts";
import { CustomInputDecoder } from "./custom-input.ts";
import { toOutputLogprobs } from "./logprobs.ts";
import type {
	AnsweredCustomCall,
	AnsweredFunctionCall,
	AnsweredItem,
	AnsweredReasoning,
	OutputContent,
	OutputLogprob,
	OutputMessage,
} from "./output-schema.ts";

/** An event about an item, without its sequence number. */
export type ItemEvent = { type: `response.${string}`; output_index: number } & Record<string, unknown>;

/** Seals the reasoning of an item. The item's last event follows, and must have it. */
export interface SealStep {
	type: "seal";
	item: AnsweredReasoning;
	/** Reasoning and blocks that must come back to the provider. A `tool_call` has the id that the client gets. */
	parts: AssistantPart[];
}

export type OutputStep = ItemEvent | SealStep;

/** A tool as the client names it. */
interface CalledTool {
	kind: "function" | "custom";
	name: string;
	namespace?: string;
}

export interface OutputOptions {
	/** Ids of items hold the request's ULID, by which stored ones are found. */
	ulid: string;
	modelId: string;
	/** The client's tools by the names that the model was sent. */
	tools: ReadonlyMap<string, CalledTool>;
	/** Whether reasoning is shown as a summary or as its text. */
	reasoningForm: "summary" | "content";
	/** Whether reasoning is sealed: for the client, or to be stored. */
	isSealed: boolean;
	hasLogprobs: boolean;
}

/** Blocks that must come back to their provider on the next turn. */
const RETURNED_BLOCKS: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking", THOUGHT_SIGNATURE]);

/** How one item goes on and ends. */
abstract class OpenItem<Item extends AnsweredItem = AnsweredItem> {
	readonly item: Item;
	readonly index: number;
	/** What is not told yet. */
	steps: OutputStep[] = [];
	isClosed = false;

	constructor(item: Item, index: number) {
		this.item = item;
		this.index = index;
		this.emit("output_item.added", { item: structuredClone(item) });
	}

	/** Whether nothing more can come. Only a call waits for its own end. */
	get isComplete(): boolean {
		return true;
	}

	emit(name: string, members: Record<string, unknown>): void {
		this.steps.push({ type: `response.${name}`, output_index: this.index, ...members });
	}

	/** The members of events about a part of the item. */
	inItem(members: Record<string, unknown>): Record<string, unknown> {
		return { item_id: this.item.id, ...members };
	}

	close(status: "completed" | "incomplete"): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.finish(status);
		this.emit("output_item.done", { item: this.item });
	}

	protected abstract finish(status: "completed" | "incomplete"): void;
}

class OpenMessage extends OpenItem<OutputMessage> {
	readonly #hasLogprobs: boolean;
	#part: OutputContent | null = null;
	/** Text whose log probabilities follow it. */
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
		if (!this.#hasLogprobs) this.#tellText([]);
	}

	#tellText(logprobs: OutputLogprob[]): void {
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
		if (this.#part?.type === "output_text") this.#tellText(logprobs);
	}

	#endPart(): void {
		const part = this.#part;
		if (!part) return;
		if (part.type === "output_text") {
			this.#tellText([]);
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

class OpenReasoning extends OpenItem<AnsweredReasoning> {
	readonly #form: OutputOptions["reasoningForm"];
	readonly #isSealed: boolean;
	#text: { text: string } | null = null;
	#sealed: AssistantPart[] = [];

	constructor(id: string, index: number, { reasoningForm, isSealed }: OutputOptions) {
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

	/** What is sealed. Anthropic's signed blocks hold their texts. */
	#sealedParts(): AssistantPart[] {
		const isSigned = this.#sealed.some((part) => part.type === "provider" && part.wire === "anthropic");
		return isSigned ? this.#sealed.filter(({ type }) => type !== "reasoning") : this.#sealed;
	}

	protected override finish(): void {
		this.#endText();
		if (this.#isSealed) this.steps.push({ type: "seal", item: this.item, parts: this.#sealedParts() });
	}
}

class OpenFunctionCall extends OpenItem<AnsweredFunctionCall> {
	readonly #end = new JsonEnd();

	override get isComplete(): boolean {
		return this.#end.hasEnded;
	}

	addArguments(text: string): void {
		if (this.isClosed) return;
		this.item.arguments += text;
		this.#end.add(text);
		this.emit("function_call_arguments.delta", this.inItem({ delta: text }));
	}

	protected override finish(status: "completed" | "incomplete"): void {
		if (this.item.arguments === "" && status === "completed") {
			this.item.arguments = "{}";
			this.emit("function_call_arguments.delta", this.inItem({ delta: "{}" }));
		}
		const { name, arguments: text } = this.item;
		this.emit("function_call_arguments.done", this.inItem({ name, arguments: text }));
		this.item.status = status;
	}
}

class OpenCustomCall extends OpenItem<AnsweredCustomCall> {
	readonly #end = new JsonEnd();
	readonly #decoder = new CustomInputDecoder();

	override get isComplete(): boolean {
		return this.#end.hasEnded;
	}

	addArguments(text: string): void {
		if (this.isClosed) return;
		this.#end.add(text);
		this.#addInput(this.#decoder.add(text));
	}

	#addInput(text: string): void {
		if (text === "") return;
		this.item.input += text;
		this.emit("custom_tool_call_input.delta", this.inItem({ delta: text }));
	}

	protected override finish(status: "completed" | "incomplete"): void {
		this.#addInput(this.#decoder.end());
		this.emit("custom_tool_call_input.done", this.inItem({ input: this.item.input }));
		this.item.status = status;
	}
}

type OpenCall = OpenFunctionCall | OpenCustomCall;

/** The output of one answer. */
export class OutputItems {
	readonly #options: OutputOptions;
	readonly #items: OpenItem[] = [];
	/** Position of the first item that is not told to its end. */
	#told = 0;
	readonly #calls = new Map<number, OpenCall>();
	readonly #unsaid = new Set<string>();

	constructor(options: OutputOptions) {
		this.#options = options;
	}

	/** The items so far. */
	get items(): AnsweredItem[] {
		return this.#items.map(({ item }) => item);
	}

	/** Says what of the answer has no form here. */
	get warnings(): Warning[] {
		if (this.#unsaid.size === 0) return [];
		const types = [...this.#unsaid].join(", ");
		const message = `blocks of the provider's own have no form here and were left out: ${types}`;
		return [{ code: "parameter_dropped", param: null, message }];
	}

	/** Takes the next part. Returns what can be told now. */
	add(part: StreamPart): OutputStep[] {
		switch (part.type) {
			case "text":
				if (part.text !== "") this.#message().addText(part.text);
				break;
			case "refusal":
				if (part.text !== "") this.#message().addRefusal(part.text);
				break;
			case "reasoning":
				if (part.text !== "") this.#reasoning().addText(part.text);
				break;
			case "provider":
				this.#addBlock(part);
				break;
			case "tool_call":
				this.#beginCall(part);
				break;
			case "tool_arguments":
				this.#calls.get(part.index)?.addArguments(part.text);
				break;
			case "logprobs":
				if (this.#options.hasLogprobs) this.#addLogprobs(part.content);
				break;
			case "restart":
				for (const open of this.#items) if (open instanceof OpenReasoning) open.dropBlocks();
				break;
			default:
				return [];
		}
		return this.#tell();
	}

	/** Ends all items. @param status of the last one. Those before it are complete. */
	end(status: "completed" | "incomplete"): OutputStep[] {
		for (const open of this.#items) open.close(open === this.#items.at(-1) ? status : "completed");
		return this.#tell();
	}

	/** Ends all items of an answer that broke off. Their events are not told. */
	breakOff(): void {
		for (const open of this.#items) if (!open.isClosed) open.close("incomplete");
	}

	#tell(): OutputStep[] {
		const steps: OutputStep[] = [];
		for (let open = this.#items[this.#told]; open; open = this.#items[this.#told]) {
			if (this.#told < this.#items.length - 1 && open.isComplete) open.close("completed");
			steps.push(...open.steps.splice(0));
			if (!open.isClosed) break;
			this.#told++;
		}
		return steps;
	}

	#itemId(prefix: string): string {
		return `${prefix}_${this.#options.ulid}_${this.#items.length}`;
	}

	#begin<Open extends OpenItem>(open: Open): Open {
		this.#items.push(open);
		return open;
	}

	/** The message that is being written: the last item, or a new one. */
	#message(): OpenMessage {
		const last = this.#items.at(-1);
		if (last instanceof OpenMessage && !last.isClosed) return last;
		return this.#begin(new OpenMessage(this.#itemId("msg"), this.#items.length, this.#options.hasLogprobs));
	}

	#reasoning(): OpenReasoning {
		const last = this.#items.at(-1);
		if (last instanceof OpenReasoning && !last.isClosed) return last;
		return this.#begin(new OpenReasoning(this.#itemId("rs"), this.#items.length, this.#options));
	}

	/** Where nothing is sealed, a block has nothing that the client could be shown. */
	#addBlock(part: ProviderPart): void {
		const { type } = part.block;
		if (!RETURNED_BLOCKS.has(type)) this.#unsaid.add(typeof type === "string" ? type : part.wire);
		else if (this.#options.isSealed) this.#reasoning().addBlock(part);
	}

	#beginCall({ index, id, name, signature }: Extract<StreamPart, { type: "tool_call" }>): void {
		const { modelId, tools, isSealed } = this.#options;
		const callId = markedCallId(id, modelId);
		if (signature !== undefined && isSealed) this.#reasoning().addSignature(callId, signature);
		const tool = tools.get(name) ?? { kind: "function", name };
		const names = { call_id: callId, name: tool.name, ...optionalMember("namespace", tool.namespace) };
		const place = this.#items.length;
		const status = "in_progress";
		this.#calls.set(
			index,
			this.#begin(
				tool.kind === "custom"
					? new OpenCustomCall(
							{ type: "custom_tool_call", id: this.#itemId("ctc"), status, ...names, input: "" },
							place,
						)
					: new OpenFunctionCall(
							{ type: "function_call", id: this.#itemId("fc"), status, ...names, arguments: "" },
							place,
						),
			),
		);
	}

	/** Log probabilities belong to the last text. */
	#addLogprobs(content: readonly unknown[]): void {
		const message = this.#items.findLast((open) => open instanceof OpenMessage);
		message?.addLogprobs(toOutputLogprobs(content));
	}
}
