// Turns the parts of an answer into Anthropic's content blocks, one after another: a block ends before the next one begins, as
// Anthropic's clients expect it. Whole messages and streams are both made of these steps. Pure.
import { JsonEnd } from "../inference/json-end.ts";
import { markedCallId } from "../inference/tool-call-ids.ts";
import type { AssistantPart, ProviderPart } from "../providers/model-call.ts";
import { RETURNED_BLOCK_WIRES } from "../providers/returned-blocks.ts";
import type { StreamPart } from "../providers/wire.ts";

/** A content block, of a type that this service knows or of the provider's own. */
export interface ContentBlock {
	type: string;
	[member: string]: unknown;
}

/** What is added to the block that is open, by Anthropic's names. */
export type BlockDelta =
	| { type: "text_delta"; text: string }
	| { type: "thinking_delta"; thinking: string }
	| { type: "signature_delta"; signature: string }
	| { type: "input_json_delta"; partial_json: string };

export type BlockStep =
	| { type: "start"; block: ContentBlock }
	| { type: "delta"; delta: BlockDelta }
	| { type: "stop" }
	/** Parts that the client must return and cannot read. They make a block of their own. */
	| { type: "seal"; parts: AssistantPart[] };

/** How the answer of one model is shown. */
export interface BlockForm {
	/** Catalog id. It marks the ids of tool calls. */
	modelId: string;
	/** The model is Anthropic's: its thinking stays as it is, and why it refuses is no text. */
	isNative: boolean;
	/** Another model's reasoning is shown as thinking. */
	showsThinking: boolean;
	/** The provider wants reasoning back. What is not shown of it is sealed. */
	returnsReasoning: boolean;
}

type PartByType<T extends StreamPart["type"]> = Extract<StreamPart, { type: T }>;
type BlockPart = PartByType<"text" | "refusal" | "reasoning" | "tool_call" | "tool_arguments" | "provider" | "restart">;

type ArgumentsPart = PartByType<"tool_arguments">;

/** A part that waits, and the arguments that came for it if it is a call. */
interface WaitingPart {
	part: Exclude<BlockPart, ArgumentsPart>;
	written: ArgumentsPart[];
}

const BLOCK_PARTS: ReadonlySet<StreamPart["type"]> = new Set<BlockPart["type"]>([
	...(["text", "refusal", "reasoning", "tool_call", "tool_arguments", "provider", "restart"] as const),
]);

function isBlockPart(part: StreamPart): part is BlockPart {
	return BLOCK_PARTS.has(part.type);
}

/** The block that has begun and not ended. */
type OpenAnswerBlock =
	| { type: "text" | "refusal" }
	| { type: "reasoning"; text: string }
	| { type: "tool_call"; index: number; written: JsonEnd };

const STOP: BlockStep = { type: "stop" };

function start(block: ContentBlock): BlockStep {
	return { type: "start", block };
}

function delta(added: BlockDelta): BlockStep {
	return { type: "delta", delta: added };
}

const EMPTY_THINKING: ContentBlock = { type: "thinking", thinking: "", signature: "" };

function stringMember(block: Record<string, unknown>, name: string): string {
	const value = block[name];
	return typeof value === "string" ? value : "";
}

/** A whole block that no delta adds to. */
function wholeBlock(block: Record<string, unknown>): BlockStep[] {
	return [start({ ...block, type: stringMember(block, "type") }), STOP];
}

/** Signed thinking of which nothing was shown yet. */
function signedThinking(thinking: string, signature: string): BlockStep[] {
	const shown = thinking === "" ? [] : [delta({ type: "thinking_delta", thinking })];
	return [start(EMPTY_THINKING), ...shown, delta({ type: "signature_delta", signature }), STOP];
}

/** Whether Anthropic's form has no place for a provider's block, so that it is left out. */
export function isUnsayable({ wire, block }: ProviderPart): boolean {
	return wire !== "anthropic" && !RETURNED_BLOCK_WIRES.has(block["type"]);
}

/** The blocks of one answer. */
export class AnswerBlocks {
	readonly #form: BlockForm;
	#open: OpenAnswerBlock | null = null;
	/** Reasoning that is not shown, and not sealed yet. */
	#hidden = "";
	/** What came while a call was open whose arguments were incomplete: some providers write several calls at once. */
	#waiting: WaitingPart[] = [];
	/** The arguments of the calls among them, by the index of the call. */
	readonly #waitingArguments = new Map<number, ArgumentsPart[]>();

	constructor(form: BlockForm) {
		this.#form = form;
	}

	/** The steps that a part makes now; it may make more of them later. */
	pass(part: StreamPart): BlockStep[] {
		if (!isBlockPart(part)) return [];
		if (part.type === "tool_arguments") return this.#addArguments(part);
		if (this.#waiting.length === 0 && !this.#isCallOpen()) return this.#take(part);
		const written: ArgumentsPart[] = [];
		if (part.type === "tool_call") this.#waitingArguments.set(part.index, written);
		this.#waiting.push({ part, written });
		return [];
	}

	/** Ends the open block, and what waited for it. */
	end(): BlockStep[] {
		const steps = this.#close();
		while (this.#waiting.length > 0) steps.push(...this.#resume(), ...this.#close());
		return steps;
	}

	/** Whether a call is open that is not complete. */
	#isCallOpen(): boolean {
		return this.#open?.type === "tool_call" && !this.#open.written.hasEnded;
	}

	#addArguments(part: ArgumentsPart): BlockStep[] {
		const open = this.#open;
		if (open?.type !== "tool_call" || open.index !== part.index) {
			// A call that does not wait either was complete without them.
			this.#waitingArguments.get(part.index)?.push(part);
			return [];
		}
		open.written.add(part.text);
		const steps = part.text === "" ? [] : [delta({ type: "input_json_delta", partial_json: part.text })];
		return this.#waiting.length > 0 && open.written.hasEnded ? [...steps, ...this.#resume()] : steps;
	}

	/** Ends the open block and takes what waited for it, up to a call that is not complete. */
	#resume(): BlockStep[] {
		const parts = this.#waiting;
		this.#waiting = [];
		const steps = this.#close();
		let taken = 0;
		for (const { part, written } of parts) {
			if (this.#isCallOpen()) break;
			steps.push(...this.#take(part));
			if (part.type === "tool_call") this.#waitingArguments.delete(part.index);
			for (const more of written) steps.push(...this.#addArguments(more));
			taken++;
		}
		this.#waiting = parts.slice(taken);
		return steps;
	}

	#take(part: WaitingPart["part"]): BlockStep[] {
		switch (part.type) {
			case "text":
				return this.#addText("text", part.text);
			case "refusal":
				return this.#form.isNative ? [] : this.#addText("refusal", part.text);
			case "reasoning":
				return this.#addReasoning(part.text);
			case "tool_call":
				return this.#startCall(part);
			case "provider":
				return this.#addProviderBlock(part);
			case "restart":
				// The signature that was to come is void. What was delivered stands.
				return this.#open?.type === "reasoning" ? this.#close() : [];
		}
	}

	#addText(type: "text" | "refusal", text: string): BlockStep[] {
		if (text === "") return [];
		const added = delta({ type: "text_delta", text });
		if (this.#open?.type === type) return [added];
		const steps = this.#close();
		this.#open = { type };
		return [...steps, start({ type: "text", text: "" }), added];
	}

	#addReasoning(text: string): BlockStep[] {
		if (text === "") return [];
		const { isNative, showsThinking, returnsReasoning } = this.#form;
		if (!isNative && !showsThinking) {
			if (returnsReasoning) this.#hidden += text;
			return [];
		}
		const added = delta({ type: "thinking_delta", thinking: text });
		if (this.#open?.type === "reasoning") {
			this.#open.text += text;
			return [added];
		}
		const steps = this.#close();
		this.#open = { type: "reasoning", text };
		return [...steps, start(EMPTY_THINKING), added];
	}

	#startCall({ index, id, name, signature }: PartByType<"tool_call">): BlockStep[] {
		const steps = this.#close();
		if (signature !== undefined)
			steps.push({ type: "seal", parts: [{ type: "tool_call", id, name, arguments: "", signature }] });
		this.#open = { type: "tool_call", index, written: new JsonEnd() };
		const clientId = markedCallId(id, this.#form.modelId);
		steps.push(start({ type: "tool_use", id: clientId, name, input: {}, caller: { type: "direct" } }));
		return steps;
	}

	#addProviderBlock(part: ProviderPart): BlockStep[] {
		if (isUnsayable(part)) return [];
		const { wire, block } = part;
		if (wire !== "anthropic") return [...this.#close(), { type: "seal", parts: [part] }];
		if (block["type"] !== "thinking") return [...this.#close(), ...wholeBlock(block)];
		const [thinking, signature] = [stringMember(block, "thinking"), stringMember(block, "signature")];
		const open = this.#open;
		if (open?.type !== "reasoning") return [...this.#close(), ...signedThinking(thinking, signature)];
		if (open.text === thinking) {
			this.#open = null;
			return [delta({ type: "signature_delta", signature }), STOP];
		}
		// What was shown is not what is signed: values stand in place of the placeholders that the model wrote.
		return [...this.#close(), { type: "seal", parts: [part] }];
	}

	/** Ends the open block, and seals the reasoning that was hidden. */
	#close(): BlockStep[] {
		const steps: BlockStep[] = this.#open ? [STOP] : [];
		this.#open = null;
		if (this.#hidden !== "") {
			steps.push({ type: "seal", parts: [{ type: "reasoning", text: this.#hidden }] });
			this.#hidden = "";
		}
		return steps;
	}
}
