// What stands in a conversation in any of the wire formats: what was asked first, the tools that were called, and what came after.
import { isJsonObject } from "../json.ts";

/** Members that hold texts, in the four formats. */
const HOLDERS = ["content", "text", "parts", "toolResult"];

/** Google takes results as objects: a text alone is the one member of its own. */
function responseText(response: unknown): string {
	const [only, ...more] = isJsonObject(response) ? Object.values(response) : [];
	return typeof only === "string" && more.length === 0 ? only : JSON.stringify(response);
}

/** All texts in a part of a request, in order. */
function textsIn(value: unknown): string[] {
	if (typeof value === "string") return [value];
	if (Array.isArray(value)) return value.flatMap(textsIn);
	if (!isJsonObject(value)) return [];
	const { functionResponse } = value;
	if (isJsonObject(functionResponse)) return [responseText(functionResponse["response"])];
	return HOLDERS.flatMap((name) => textsIn(value[name]));
}

/** The names of the tools that a message calls. */
function callsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(callsIn);
	if (!isJsonObject(value)) return [];
	const own = value["type"] === "tool_use" ? value : (value["function"] ?? value["functionCall"] ?? value["toolUse"]);
	const name = isJsonObject(own) ? own["name"] : undefined;
	if (typeof name === "string") return [name];
	return ["content", "parts", "tool_calls"].flatMap((holder) => callsIn(value[holder]));
}

/** A conversation with calls of tools. */
export interface SandboxConversation {
	/** Text of the first user message. */
	asked: string;
	/** Names of the tools that were called, in order. */
	calls: string[];
	/** What tools and users said after the first message. */
	heard: string[];
}

/** Reads the conversation in a request's body. */
export function readConversation(request: unknown): SandboxConversation {
	const body = isJsonObject(request) ? request : {};
	const list = body["messages"] ?? body["contents"];
	const messages = (Array.isArray(list) ? list : []).filter(isJsonObject);
	const first = messages.findIndex(({ role }) => role === "user");
	const later = messages.slice(first + 1);
	const isOwn = ({ role }: Record<string, unknown>) => role === "assistant" || role === "model";
	return {
		asked: textsIn(messages[first]).join("\n"),
		calls: later.filter(isOwn).flatMap(callsIn),
		heard: later.filter((message) => !isOwn(message)).flatMap(textsIn),
	};
}
