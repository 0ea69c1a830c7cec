// Tools whose argument is one text: as functions where a wire knows no others, and their calls' arguments as JSON. Pure.
import type { Model } from "../catalog/schema.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import type { ToolDefinition, Warning } from "./model-call.ts";
import { HIGH_SURROGATE_AT_END } from "./well-formed.ts";

/** The arguments of a text tool that is sent as a function. */
const TEXT_INPUT_SCHEMA: JsonObject = {
	type: "object",
	properties: { input: { type: "string" } },
	required: ["input"],
	additionalProperties: false,
};

/** The JSON Schema of a tool's arguments; undefined for a function without one. */
export function toParameters({ input, parameters }: ToolDefinition): JsonObject | undefined {
	return input === "text" ? TEXT_INPUT_SCHEMA : parameters;
}

/** The arguments of a call of a text tool. */
export function toTextArguments(text: string): string {
	return JSON.stringify({ input: text.toWellFormed() });
}

/** The text in the arguments of a text tool's call; null where they hold none, as a model may have written. */
export function readTextArguments(json: string): string | null {
	const parsed = parseJson(json);
	return isJsonObject(parsed) && typeof parsed["input"] === "string" ? parsed["input"] : null;
}

/** Writes the arguments of a text tool's call while its text arrives. The pieces together are what `toTextArguments` makes. */
export class TextArgumentsWriter {
	#hasBegun = false;
	/** The first half of a character that was cut in two. */
	#half = "";

	/** The JSON of the next piece of text. */
	add(piece: string): string {
		const text = this.#half + piece;
		this.#half = HIGH_SURROGATE_AT_END.exec(text)?.[0] ?? "";
		const whole = this.#half === "" ? text : text.slice(0, -1);
		const opening = this.#hasBegun ? "" : '{"input":"';
		this.#hasBegun = true;
		return opening + JSON.stringify(whole.toWellFormed()).slice(1, -1);
	}

	end(): string {
		const rest = this.#half === "" ? "" : "\ufffd";
		return `${this.#hasBegun ? "" : this.add("")}${rest}"}`;
	}
}

/** Warns that a model's provider does not enforce the grammars of tools. */
export function grammarWarnings(model: Model, tools: readonly ToolDefinition[]): Warning[] {
	const names = tools.filter(({ grammar }) => grammar).map(({ name }) => name);
	if (names.length === 0) return [];
	const message = `${model.id} enforces no grammar of a tool's input; left out for ${names.join(", ")}`;
	return [{ code: "parameter_changed", param: "tools", message }];
}
