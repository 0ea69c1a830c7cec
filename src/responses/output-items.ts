// Makes the items of a Response's output from the parts of a model's answer, with their events. A whole answer goes the same way as
// a stream, so that both have the same items. The open-*.ts files write the items, response-form.ts seals reasoning, events.ts renders
// the events.
//
// Events come item by item. While a tool call is not complete, the events of later items wait: providers may send the arguments of
// several calls in turns. Pure.

import { markedCallId } from "../inference/tool-call-ids.ts";
import { optionalMember } from "../json.ts";
import type { ProviderPart, Warning } from "../providers/model-call.ts";
import { RETURNED_BLOCK_WIRES } from "../providers/returned-blocks.ts";
import type { StreamPart } from "../providers/wire.ts";
import { toOutputLogprobs } from "./logprobs.ts";
import { OpenCustomCall, OpenFunctionCall } from "./open-calls.ts";
import type { OpenItem, OutputStep } from "./open-item.ts";
import { OpenMessage } from "./open-message.ts";
import { OpenReasoning, type ReasoningOptions } from "./open-reasoning.ts";
import type { AnsweredItem } from "./output-schema.ts";
import type { ToolNames } from "./tool-table.ts";

export interface OutputOptions extends ReasoningOptions {
	/** Ids of items hold the request's ULID, by which stored ones are found. */
	ulid: string;
	modelId: string;
	/** The client's tools by the names that the model was sent. */
	tools: ToolNames;
	hasLogprobs: boolean;
}

type OpenCall = OpenFunctionCall | OpenCustomCall;

/** The output of one answer. */
export class OutputItems {
	readonly #options: OutputOptions;
	readonly #items: OpenItem[] = [];
	/** Items whose events have all been read off. */
	#finished = 0;
	readonly #calls = new Map<number, OpenCall>();
	readonly #unsayable = new Set<string>();

	constructor(options: OutputOptions) {
		this.#options = options;
	}

	/** The items so far. */
	get items(): AnsweredItem[] {
		return this.#items.map(({ item }) => item);
	}

	/** Says what of the answer has no form here. */
	get warnings(): Warning[] {
		if (this.#unsayable.size === 0) return [];
		const types = [...this.#unsayable].join(", ");
		const message = `blocks of the provider's own have no form here and were left out: ${types}`;
		return [{ code: "parameter_dropped", param: null, message }];
	}

	/** Takes the next part. Returns the steps that it makes possible. */
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
		return this.#takeSteps();
	}

	/** Ends all items. @param status of the last one. Those before it are complete. */
	end(status: "completed" | "incomplete"): OutputStep[] {
		for (const open of this.#items) open.close(open === this.#items.at(-1) ? status : "completed");
		return this.#takeSteps();
	}

	/** Ends all items of an answer that broke off. Their events are not needed. */
	breakOff(): void {
		for (const open of this.#items) if (!open.isClosed) open.close("incomplete");
	}

	#takeSteps(): OutputStep[] {
		const steps: OutputStep[] = [];
		for (let open = this.#items[this.#finished]; open; open = this.#items[this.#finished]) {
			if (this.#finished < this.#items.length - 1 && open.isComplete) open.close("completed");
			steps.push(...open.steps.splice(0));
			if (!open.isClosed) break;
			this.#finished++;
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
		if (!RETURNED_BLOCK_WIRES.has(type)) this.#unsayable.add(typeof type === "string" ? type : part.wire);
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
