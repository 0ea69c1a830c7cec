// The messages of a call as providers want them: each tool call followed by its one result, and system messages in
// their place. The wires render what comes out. Pure.
import type {
	ContentPart,
	Message,
	ShownPart,
	TextPart,
	ToolCallPart,
	ToolResultPart,
	UserPart,
} from "./model-call.ts";
import { partsOfType } from "./model-call.ts";

type AssistantMessage = Extract<Message, { role: "assistant" }>;
type UserMessage = Extract<Message, { role: "user" }>;

/** Stands for the output that a client left out. Providers refuse a call without one. */
const MISSING_OUTPUT = "No output of this call was given.";

interface ToolPairs {
	/** The result of each call that has one. */
	results: Map<ToolCallPart, ToolResultPart>;
	claimed: Set<ToolResultPart>;
	/** An id for each call, the only one of the conversation. */
	ids: Map<ToolCallPart, string>;
}

/** Pairs each result with the last call before it that has its id. Some providers begin their ids anew in every answer. */
function findToolPairs(messages: readonly Message[]): ToolPairs {
	const pairs: ToolPairs = { results: new Map(), claimed: new Set(), ids: new Map() };
	const open = new Map<string, ToolCallPart>();
	const uses = new Map<string, number>();
	for (const { content } of messages) {
		for (const part of content as readonly ContentPart[]) {
			if (part.type === "tool_call") {
				const use = (uses.get(part.id) ?? 0) + 1;
				uses.set(part.id, use);
				pairs.ids.set(part, use === 1 ? part.id : `${part.id}_${use}`);
				open.set(part.id, part);
			} else if (part.type === "tool_result") {
				const call = open.get(part.callId);
				if (!call) continue;
				open.delete(part.callId);
				pairs.results.set(call, part);
				pairs.claimed.add(part);
			}
		}
	}
	return pairs;
}

function withId(call: ToolCallPart, id: string): ToolCallPart {
	return call.id === id ? call : { ...call, id };
}

/** An assistant message, followed by the results of its calls in the order of the calls. */
function withResults(message: AssistantMessage, { results, ids }: ToolPairs): Message[] {
	const calls = partsOfType(message.content, "tool_call");
	if (calls.length === 0) return [message];
	const content = message.content.map((part) =>
		part.type === "tool_call" ? withId(part, ids.get(part) ?? part.id) : part,
	);
	const answered = calls.map((call): ToolResultPart => {
		const callId = ids.get(call) ?? call.id;
		const result = results.get(call);
		return result
			? { ...result, callId }
			: { type: "tool_result", callId, content: [{ type: "text", text: MISSING_OUTPUT }] };
	});
	return [
		{ ...message, content },
		{ role: "user", content: answered },
	];
}

/** An output without a call, as a text of the user's. Providers refuse a result that answers no call. */
function toLoneOutput({ callId, content, isError }: ToolResultPart): ShownPart[] {
	return [{ type: "text", text: `${isError ? "Error" : "Output"} of tool call ${callId}:` }, ...content];
}

/** A user message without the results that stand with their calls. */
function withoutResults(message: UserMessage, { claimed }: ToolPairs): Message[] {
	if (!message.content.some(({ type }) => type === "tool_result")) return [message];
	const content = message.content.flatMap((part): UserPart[] => {
		if (part.type !== "tool_result") return [part];
		return claimed.has(part) ? [] : toLoneOutput(part);
	});
	return content.length > 0 ? [{ ...message, content }] : [];
}

/** Whether a message only adds calls to those of the one before it: parallel calls that a client sent one by one. */
function addsCalls(message: Message, previous: Message | undefined): boolean {
	if (message.role !== "assistant" || previous?.role !== "assistant") return false;
	if (!previous.content.some(({ type }) => type === "tool_call")) return false;
	const hasCall = message.content.some(({ type }) => type === "tool_call");
	return hasCall && !message.content.some(({ type }) => type === "text" || type === "refusal");
}

function joinParallelCalls(messages: readonly Message[]): Message[] {
	const joined: Message[] = [];
	for (const message of messages) {
		const previous = joined.at(-1);
		if (message.role === "assistant" && previous?.role === "assistant" && addsCalls(message, previous))
			joined[joined.length - 1] = { ...previous, content: [...previous.content, ...message.content] };
		else joined.push(message);
	}
	return joined;
}

/**
 * The messages with the result of every tool call right after it, in the order of the calls. A missing result is
 * replaced by a text that says so, and a result without a call becomes the user's text. What is right already stays as it
 * is, so that a conversation begins the same on every turn.
 */
export function pairToolResults(messages: readonly Message[]): readonly Message[] {
	const isToolPart = ({ type }: ContentPart) => type === "tool_call" || type === "tool_result";
	if (!messages.some(({ content }) => content.some(isToolPart))) return messages;
	const joined = joinParallelCalls(messages);
	const pairs = findToolPairs(joined);
	return joined.flatMap((message) => {
		if (message.role === "assistant") return withResults(message, pairs);
		return message.role === "user" ? withoutResults(message, pairs) : [message];
	});
}

/** Precedes a conversation that the assistant began, where a provider wants the user to begin. */
export const OPENING_TEXT = "(The assistant begins the conversation.)";

/** A conversation for a provider that takes system text apart from it. */
export interface PlacedSystem {
	system: TextPart[];
	conversation: Exclude<Message, { role: "system" }>[];
}

/**
 * Takes the system messages before the first answer out of the conversation. Later ones become the user's, in a frame,
 * because system text that grows would change the beginning of the prompt, and no cache would hold it.
 */
export function placeSystem(messages: readonly Message[]): PlacedSystem {
	const system: TextPart[] = [];
	const conversation: PlacedSystem["conversation"] = [];
	let hasAnswer = false;
	for (const message of messages) {
		if (message.role !== "system") {
			hasAnswer ||= message.role === "assistant";
			conversation.push(message);
		} else if (hasAnswer) {
			const framed = message.content
				.filter(({ text }) => text.trim() !== "")
				.map((part): TextPart => ({ ...part, text: `<system>\n${part.text}\n</system>` }));
			conversation.push({ role: "user", content: framed });
		} else system.push(...message.content);
	}
	return { system, conversation };
}
