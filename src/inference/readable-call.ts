// A call as one model may be sent it: without the reasoning that was sealed for other models. Pure.
import type { AssistantPart, Message, ModelCall, Warning } from "../providers/model-call.ts";

/** A call as one model may be sent it. */
interface ReadableCall {
	call: ModelCall;
	warnings: Warning[];
}

function findReaders({ messages }: ModelCall): Set<string> {
	const readers = new Set<string>();
	for (const { role, content } of messages)
		if (role === "assistant")
			for (const part of content) if ("onlyFor" in part && part.onlyFor) readers.add(part.onlyFor);
	return readers;
}

/** The part as a model may be sent it: nothing of reasoning for another, and a tool call without its signature. */
function toReadable(part: AssistantPart, modelId: string): AssistantPart[] {
	if (!("onlyFor" in part) || part.onlyFor === undefined || part.onlyFor === modelId) return [part];
	if (part.type !== "tool_call") return [];
	const { onlyFor, signature, ...call } = part;
	return [call];
}

function toReadableMessage(message: Message, modelId: string): Message {
	if (message.role !== "assistant") return message;
	return { ...message, content: message.content.flatMap((part) => toReadable(part, modelId)) };
}

/** Gives a call as each model may be sent it, the same one where it may be the same; the call itself where nothing of it is for one model only. */
export function readableCalls(call: ModelCall): (modelId: string) => ReadableCall {
	const readers = findReaders(call);
	const whole: ReadableCall = { call, warnings: [] };
	const calls = new Map<string, ReadableCall>();
	return (modelId) => {
		const others = [...readers].filter((reader) => reader !== modelId);
		if (others.length === 0) return whole;
		const variant = readers.has(modelId) ? modelId : "foreign";
		const known = calls.get(variant);
		if (known) return known;
		const message = `only the model that reasoned can read it again, so the reasoning of ${others.join(", ")} was left out`;
		const readable: ReadableCall = {
			call: { ...call, messages: call.messages.map((sent) => toReadableMessage(sent, modelId)) },
			warnings: [{ code: "input_dropped", param: "messages", message }],
		};
		calls.set(variant, readable);
		return readable;
	};
}
