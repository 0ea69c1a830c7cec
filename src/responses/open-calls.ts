// The tool calls of a Response while they are written, with their events. Pure.
import { JsonEnd } from "../inference/json-end.ts";
import { CustomInputDecoder } from "./custom-input.ts";
import { OpenItem } from "./open-item.ts";
import type { AnsweredCustomCall, AnsweredFunctionCall } from "./output-schema.ts";

/** A call of a function that is being written. */
export class OpenFunctionCall extends OpenItem<AnsweredFunctionCall> {
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

/** A call of a custom tool that is being written: its client gets the text alone. */
export class OpenCustomCall extends OpenItem<AnsweredCustomCall> {
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
