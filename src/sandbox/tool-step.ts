// The sandbox in a tool step of a run: it calls the tools that its subtask speaks of, one after the other and each once, with
// arguments from its words, and then says what came of it.
//
//   [[parallel]]       all calls at once
//   [[loop tool]]      the same call again and again
//   [[unknown tool]]   first a tool that there is not
//   [[bad arguments]]  the first call has none of the arguments that its tool requires
//   [[obey]]           what it reads last of the form `call NAME {…}` it does, whoever wrote it

import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import type { SandboxConversation } from "./conversation.ts";
import type { SandboxCall, SandboxTool } from "./sandbox-tool.ts";
import { oneLine } from "./stage-reply.ts";

const MAX_RESULT_CHARS = 400;
const MAX_TITLE_CHARS = 160;
const MAX_SCHEMA_LEVELS = 6;
/** Words of descriptions that every goal may have. */
const COMMON =
	/^(?:about|after|again|before|every|first|given|other|result|return|returns|should|their|there|these|thing|using|where|which|while|would|write)$/;

/** The subtask of a step's first message, else its goal. */
function taskIn(asked: string): string {
	const goal = /^<<Goal 1 ([0-9a-f]+)>>\n([\s\S]*?)\n<<end of goal 1 \1>>/.exec(asked)?.[2];
	const subtask = /\nSubtask \d+ of \d+:\n([\s\S]*?)\n\nRules:\n/.exec(asked)?.[1];
	return subtask ?? goal ?? asked;
}

const wordsIn = (text: string) => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];

/** Where a text speaks of one of the words, or of another form of it; -1 where it does not. */
function placeOf(words: readonly string[], text: string): number {
	const places = words.map((word) => text.toLowerCase().search(new RegExp(`\\b${word.slice(0, 6)}`, "u")));
	const found = places.filter((place) => place >= 0);
	return found.length > 0 ? Math.min(...found) : -1;
}

const ARITHMETIC = /\d[\d\s.]*[-+*/^%][\d\s.()*/^%+-]*\d/;

/** Where a task speaks of a tool: by its name, or where `byDescription` by the longer words of its description. */
function placeOfTool({ name, description }: SandboxTool, task: string, byDescription: boolean): number {
	if (name === "compute") return task.search(/\b(?:comput|calculat|add up|sum|total|count)/i);
	if (name === "ask_user") return task.search(/\bask\b/i);
	const spaced = name.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
	const words = byDescription
		? wordsIn(description).filter((word) => word.length > 4 && !COMMON.test(word))
		: wordsIn(spaced);
	return placeOf(words, task);
}

/** The tools that a task speaks of, in the order in which it does. */
function fittingTools(tools: readonly SandboxTool[], task: string): SandboxTool[] {
	const placed = (byDescription: boolean) =>
		tools
			.map((tool) => ({ tool, place: placeOfTool(tool, task, byDescription) }))
			.filter(({ place }) => place >= 0)
			.toSorted((a, b) => a.place - b.place)
			.map(({ tool }) => tool);
	const named = placed(false);
	return named.length > 0 ? named : placed(true);
}

/** What a text holds of the kind that a property's name asks for. The first that fits counts. */
const KINDS: readonly [name: RegExp, value: RegExp][] = [
	[/mail|^to$|recipient|^cc$/i, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
	[/url|link|address|host|page/i, /https?:\/\/[^\s"'<>)]+/],
	[/date|day|due|since|until/i, /\d{4}-\d{2}-\d{2}/],
	[/path|file|folder/i, /(?:[\w.-]+\/)+[\w.-]+|\b[\w-]+\.(?:[a-z]{1,5})\b/],
	[/currency/i, /\b[A-Z]{3}\b/],
	[/command|cmd/i, /(?<=`)[^`\n]+(?=`)/],
	[/text|body|message|note|content|comment|reason/i, /(?<=:\s)\S[^\n]*$|(?<=")[^"\n]+(?=")/m],
	[/id$|number|order|invoice|ticket|issue|ref/i, /\b[A-Za-z]+[-_]?\d[\w-]*\b|(?<=#)\d+|(?<![\d.,])\d{2,}\b(?![.,]\d)/],
];

function textArgument(name: string, task: string): string {
	// `order 1042` says what an order_id is.
	const [noun = ""] = name.match(/[a-z]{3,}/i) ?? [];
	const beside = noun === "" ? null : new RegExp(`\\b${noun}\\s+#?([A-Za-z]*[-_]?\\d[\\w-]*)`, "i").exec(task)?.[1];
	if (beside) return beside;
	for (const [kind, value] of KINDS) {
		const found = kind.test(name) ? value.exec(task)?.[0] : undefined;
		if (found !== undefined) return found.replace(/[.,;]$/, "");
	}
	return oneLine(task.replace(/\[\[[^\]]*\]\]/g, ""), MAX_TITLE_CHARS);
}

function numberArgument(name: string, task: string, isWhole: boolean): number {
	const money = /amount|price|sum|total|cost/i.test(name) ? /\d+[.,]\d{2}\b/.exec(task)?.[0] : undefined;
	const found = Number((money ?? /\d+(?:\.\d+)?/.exec(task)?.[0] ?? "1").replace(",", "."));
	return isWhole ? Math.floor(found) : found;
}

const asSchema = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** A value of a property from the words of a task. */
function argumentFor(name: string, schema: JsonObject, task: string, level = 0): unknown {
	const { enum: choices, const: only } = schema;
	if (only !== undefined) return only;
	if (Array.isArray(choices))
		return choices.find((choice) => task.toLowerCase().includes(String(choice).toLowerCase())) ?? choices[0];
	const [alternative] = [schema["anyOf"], schema["oneOf"]].flatMap((list) => (Array.isArray(list) ? list : []));
	if (alternative !== undefined) return argumentFor(name, asSchema(alternative), task, level + 1);
	switch (
		String([schema["type"]].flat()[0] ?? (isJsonObject(schema["properties"]) ? "object" : "string")).toLowerCase()
	) {
		case "number":
			return numberArgument(name, task, false);
		case "integer":
			return numberArgument(name, task, true);
		case "boolean":
			return true;
		case "null":
			return null;
		case "array":
			return level < MAX_SCHEMA_LEVELS ? [argumentFor(name, asSchema(schema["items"]), task, level + 1)] : [];
		case "object":
			return level < MAX_SCHEMA_LEVELS ? objectFor(schema, task, level + 1) : {};
		default:
			return textArgument(name, task);
	}
}

/** A value of a schema from the words of a text. */
export function valueFromWords(schema: JsonObject, text: string): unknown {
	return argumentFor("", schema, text);
}

/** The members that a schema requires, or all where it requires none. */
function objectFor(schema: JsonObject, task: string, level: number): Record<string, unknown> {
	const properties = asSchema(schema["properties"]);
	const { required } = schema;
	const names = Array.isArray(required) && required.length > 0 ? required.map(String) : Object.keys(properties);
	return Object.fromEntries(names.map((name) => [name, argumentFor(name, asSchema(properties[name]), task, level)]));
}

/** What compute is asked: the task's arithmetic, else how many rows the last result has. */
function computation(task: string, calls: readonly string[]): Record<string, unknown> {
	const arithmetic = ARITHMETIC.exec(task)?.[0];
	if (arithmetic !== undefined) return { expression: arithmetic.trim() };
	const last = calls.findLast((name) => name !== "compute" && name !== "ask_user");
	if (last === undefined) return { expression: "1 + 1" };
	return { expression: "count(found)", tables: [{ name: "found", call: last }] };
}

/** What the user is asked: what the task says behind "ask". */
function questionIn(task: string): string {
	const said = oneLine(task.replace(/\[\[[^\]]*\]\]/g, ""), MAX_TITLE_CHARS).replace(/[?.]$/, "");
	const asked = /\bask (?:me|the user|us)?\s*(?:for |about |whether )?(\S.*)$/i.exec(said)?.[1] ?? said;
	return `${asked.charAt(0).toUpperCase()}${asked.slice(1)}?`;
}

function callOf(tool: SandboxTool, task: string, calls: readonly string[]): SandboxCall {
	const { name, parameters, input } = tool;
	if (input === "text") return { name, arguments: { input: task }, custom: true };
	if (name === "compute") return { name, arguments: computation(task, calls) };
	if (name === "ask_user") return { name, arguments: { question: questionIn(task) } };
	return { name, arguments: objectFor(parameters, task, 0) };
}

/** What was read last of the form `call NAME {…}`; null where there is none. */
function toldCall(heard: readonly string[]): SandboxCall | null {
	const [, name, json] = [...heard.join("\n").matchAll(/\bcall (\w{1,64}) (\{[^\n]*\})/gi)].at(-1) ?? [];
	const args = json === undefined ? undefined : parseJson(json);
	return name !== undefined && isJsonObject(args) ? { name, arguments: args } : null;
}

/** The calls of the next turn; none where the step is done. */
export function toolStepCalls(
	tools: readonly SandboxTool[],
	{ asked, calls, heard }: SandboxConversation,
): SandboxCall[] {
	const task = taskIn(asked);
	const says = (word: string) => asked.includes(`[[${word}]]`);
	const fitting = fittingTools(tools, task.replace(/\[\[[^\]]*\]\]/g, ""));
	const [first] = fitting;
	if (says("unknown tool") && calls.length === 0) return [{ name: "no_such_tool", arguments: {} }];
	if (says("bad arguments") && calls.length === 0 && first) return [{ name: first.name, arguments: { unasked: true } }];
	if (says("loop tool") && first) return [callOf(first, task, [])];
	const told = says("obey") ? toldCall(heard) : null;
	if (told && !calls.includes(told.name)) return [told];
	const isRetry = says("bad arguments") && calls.length === 1;
	const next = fitting.filter(({ name }) => isRetry || !calls.includes(name));
	return (says("parallel") ? next : next.slice(0, 1)).map((tool) => callOf(tool, task, calls));
}

/** The words at a step's end. */
export function toolStepText({ asked, calls, heard }: SandboxConversation): string {
	const title = oneLine(taskIn(asked).replace(/\[\[[^\]]*\]\]/g, ""), MAX_TITLE_CHARS);
	const results = heard.map((text) => oneLine(text, MAX_RESULT_CHARS)).filter((text) => text !== "");
	if (calls.length === 0) return `The sandbox has done: ${title}. It called no tool.`;
	const called = [...new Set(calls)].join(", ");
	return `The sandbox has done: ${title}. It called ${called}. What came back: ${results.join(" | ")}`;
}
