// Members of a body that a workflow's endpoint cannot honour: 422 where without them the answer would have another form, else a
// warning. Chat honours most of them. Pure.
import type { Issue } from "../failure.ts";
import { findDroppedMembers } from "../http/dropped-members.ts";
import { isJsonObject } from "../json.ts";
import type { ClientWarning } from "./client-fields.ts";

/** More than any client sends. */
const MAX_WARNINGS = 50;
const MAX_NAME_CHARS = 100;

const USE_CHAT = "only /v1/chat/completions has it";

function isFilledList(value: unknown): boolean {
	return Array.isArray(value) && value.length > 0;
}

/** Members that shape an answer, the values that do, and why they are refused. */
const SHAPING: readonly { name: string; shapes(value: unknown): boolean; message: string }[] = [
	{ name: "tools", shapes: isFilledList, message: `this endpoint calls no tools; ${USE_CHAT}` },
	{ name: "functions", shapes: isFilledList, message: `this endpoint calls no functions; ${USE_CHAT}` },
	{ name: "n", shapes: (n) => typeof n === "number" && n !== 1, message: "must be 1: one answer is given" },
	{ name: "logprobs", shapes: (value) => value === true, message: `the answer has no logprobs; ${USE_CHAT}` },
	{
		name: "modalities",
		shapes: (value) => Array.isArray(value) && value.some((modality) => modality !== "text"),
		message: "the answer is text",
	},
	{
		name: "response_format",
		shapes: (value) => isJsonObject(value) && value["type"] !== "text",
		message: "this endpoint answers in its own form; state the wanted form in the request's text",
	},
];

const isAuto = (choice: unknown) => choice === "auto" || (isJsonObject(choice) && choice["type"] === "auto");

/** Where tools are called: what a value of a member says of how, and which one says no more than without it. */
const OF_TOOLS = new Map<string, (value: unknown) => boolean>([
	["tool_choice", isAuto],
	["parallel_tool_calls", (value) => value === true],
]);

/** Whether a value asks for no more than an endpoint without that member does. */
function isWithoutEffect(name: string, value: unknown, callsTools: boolean): boolean {
	const isUsual = callsTools ? OF_TOOLS.get(name) : undefined;
	if (isUsual) return isUsual(value);
	if (value === false || (Array.isArray(value) && value.length === 0)) return true;
	if (isJsonObject(value))
		return Object.keys(value).length === 0 || (name === "response_format" && value["type"] === "text");
	return (
		(name === "model" && value === "auto") ||
		(name === "n" && value === 1) ||
		(name === "tool_choice" && value !== "required")
	);
}

/**
 * What keeps a body from being answered in the form that it asks for; empty where nothing does.
 * @param parsed made from `raw` by the endpoint's schema, which has the members that the endpoint honours.
 */
export function findFormIssues(raw: unknown, parsed: object): Issue[] {
	if (!isJsonObject(raw)) return [];
	const refused = SHAPING.filter(({ name, shapes }) => !Object.hasOwn(parsed, name) && shapes(raw[name]));
	return refused.map(({ name, message }) => ({ path: name, message }));
}

/** A warning for each member of a body that its endpoint ignores. */
export function ignoredMemberWarnings(raw: unknown, parsed: object): ClientWarning[] {
	const callsTools = "tools" in parsed && isFilledList(parsed.tools);
	const ignored = findDroppedMembers(raw, parsed).filter(
		(path) => !(isJsonObject(raw) && isWithoutEffect(path, raw[path], callsTools)),
	);
	const warnings = ignored.slice(0, MAX_WARNINGS).map((path) => {
		const param = path.slice(0, MAX_NAME_CHARS);
		return { code: "parameter_dropped", param, message: `${param} is not honoured by this endpoint and was ignored` };
	});
	const others = ignored.length - warnings.length;
	if (others === 0) return warnings;
	return [...warnings, { code: "parameter_dropped", param: null, message: `${others} more members were ignored` }];
}
