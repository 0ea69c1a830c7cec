// What all items of a Response have in common while they are written: their events, and how they end. Pure.
import type { AssistantPart } from "../providers/model-call.ts";
import type { AnsweredItem, AnsweredReasoning } from "./output-schema.ts";

/** An event about an item, without its sequence number. */
export type ItemEvent = { type: `response.${string}`; output_index: number } & Record<string, unknown>;

/** Asks for the reasoning of an item to be sealed. The next event has the whole item, sealed reasoning included. */
export interface SealStep {
	type: "seal";
	item: AnsweredReasoning;
	/** Reasoning and blocks that must come back to the provider. A `tool_call` has the id that the client gets. */
	parts: AssistantPart[];
}

export type OutputStep = ItemEvent | SealStep;

/** An item of the output: how it goes on and ends. Its events are read off its `steps`. */
export abstract class OpenItem<Item extends AnsweredItem = AnsweredItem> {
	readonly item: Item;
	readonly index: number;
	/** Events that have not been read off yet. */
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
