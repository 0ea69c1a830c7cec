// Tells a call that a model writes out in its words from an answer: models do so whose server does not know their notation of calls, and
// models that may call no more. Nothing is run for it, because words may repeat what others wrote. Pure.
import { isJsonObject, parseJson } from "../../json.ts";

/** Notations by how a call begins in them: that of Hermes and Qwen, Claude's older one, Llama's, Mistral's, DeepSeek's, Kimi's and others. */
const BEGINNINGS = [
	"<tool_call>",
	"<tool_calls>",
	"<function_call>",
	"<function_calls>",
	"<tool_use>",
	"<invoke name=",
	"<function=",
	"<|python_tag|>",
	"[TOOL_CALLS]",
	"<｜tool▁calls▁begin｜>",
	"<｜tool▁call▁begin｜>",
	"<|tool_calls_section_begin|>",
	"<|tool_call_begin|>",
	"to=functions.",
	"```tool_code",
] as const;
/** The tool's name stands so near behind the beginning. */
const NAME_WITHIN_CHARS = 200;
const WHOLE_FENCE = /^```(?:json|tool_call)?\s*\n([\s\S]*?)\n?```$/;

/** Whether a place in a text stands in a fence or in inline code: there a call is shown, and not made. */
function isInCode(text: string, at: number): boolean {
	const before = text.slice(0, at);
	const line = before.slice(before.lastIndexOf("\n") + 1);
	return (before.split("```").length - 1) % 2 === 1 || (line.replaceAll("```", "").split("`").length - 1) % 2 === 1;
}

function isWord(text: string, at: number, name: string): boolean {
	const around = `${text[at - 1] ?? ""} ${text[at + name.length] ?? ""}`;
	return !/[\w-]/.test(around);
}

function namesOne(text: string, names: readonly string[]): boolean {
	return names.some((name) => {
		for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) if (isWord(text, at, name)) return true;
		return false;
	});
}

function hasNotation(text: string, names: readonly string[], given: readonly string[]): boolean {
	return BEGINNINGS.some((beginning) => {
		const at = text.indexOf(beginning);
		// Who was given it may only quote it: no text that others wrote shall keep an answer from being one.
		if (at < 0 || isInCode(text, at) || given.some((each) => each.includes(beginning))) return false;
		const start = at + beginning.length;
		return namesOne(text.slice(start, start + NAME_WITHIN_CHARS), names);
	});
}

/** Whether JSON is a call as providers' APIs have it. */
function isCallObject(value: unknown, names: readonly string[]): boolean {
	if (!isJsonObject(value)) return false;
	const call = isJsonObject(value["function"]) ? value["function"] : value;
	const name = [call["name"], call["tool"], call["tool_name"], call["function"]].find(
		(each) => typeof each === "string",
	);
	const hasArguments = ["arguments", "parameters", "args", "input", "tool_input"].some((member) => member in call);
	return typeof name === "string" && names.includes(name.replace(/^functions\./, "")) && hasArguments;
}

function isCallJson(text: string, names: readonly string[]): boolean {
	const body = (WHOLE_FENCE.exec(text)?.[1] ?? text).trim();
	if (!/^[{[]/.test(body)) return false;
	const value = parseJson(body);
	const calls = isJsonObject(value) && Array.isArray(value["tool_calls"]) ? value["tool_calls"] : value;
	const all = Array.isArray(calls) ? calls : [calls];
	return all.length > 0 && all.every((each) => isCallObject(each, names));
}

/**
 * Whether a text is a call of one of the tools that is written out, and no answer: the whole text is its JSON, or it has one in a
 * notation of models outside of code.
 * @param names of the run's tools.
 * @param given the texts that the model was given.
 */
export function isWrittenCall(text: string, names: readonly string[], given: readonly string[] = []): boolean {
	const trimmed = text.trim();
	return hasNotation(trimmed, names, given) || isCallJson(trimmed, names);
}

/** What is said before a turn after one whose words were a call. */
export const WRITTEN_NOTE =
	"A call that is written out in words is not run. Make the calls that you need as tool calls, or answer in words.";
