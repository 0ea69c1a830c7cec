// A call as one model may be sent it under one account: without the reasoning that was sealed for others. Pure.
import type { AssistantPart, Message, ModelCall, Warning } from "../providers/model-call.ts";

/** A call as one model may be sent it. */
interface ReadableCall {
	call: ModelCall;
	warnings: Warning[];
}

/** Who made reasoning: a model, under an account. */
interface Reasoner {
	modelId: string;
	/** Empty where the provider has one key. */
	account: string;
}

function reasonerOf(part: AssistantPart): Reasoner | null {
	if (!("onlyFor" in part) || !part.onlyFor) return null;
	return { modelId: part.onlyFor, account: part.account ?? "" };
}

function findReasoners({ messages }: ModelCall): Reasoner[] {
	const found = messages.flatMap(({ role, content }) =>
		role === "assistant" ? content.flatMap((part) => reasonerOf(part) ?? []) : [],
	);
	return [...new Map(found.map((reasoner) => [JSON.stringify(reasoner), reasoner])).values()];
}

type CanRead = (reasoner: Reasoner) => boolean;

/** The part as a model may be sent it: nothing of reasoning for another, and a tool call without its signature. */
function toReadable(part: AssistantPart, canRead: CanRead): AssistantPart[] {
	const reasoner = reasonerOf(part);
	if (!reasoner || canRead(reasoner)) return [part];
	if (part.type !== "tool_call") return [];
	const { onlyFor, account, signature, ...call } = part;
	return [call];
}

function toReadableMessage(message: Message, canRead: CanRead): Message {
	if (message.role !== "assistant") return message;
	return { ...message, content: message.content.flatMap((part) => toReadable(part, canRead)) };
}

function warningFor(left: readonly Reasoner[], modelId: string): Warning {
	const others = [...new Set(left.map((reasoner) => reasoner.modelId))].filter((id) => id !== modelId);
	const message =
		others.length > 0
			? `only the model that reasoned can read it again, so the reasoning of ${others.join(", ")} was left out`
			: `only the provider's account under which ${modelId} reasoned can read it again, so it was left out`;
	return { code: "input_dropped", param: "messages", message };
}

/**
 * Gives a call as each model may be sent it, the same one where it may be the same; the call itself where nothing of it is for one
 * model only. Without an account it has the reasoning of all accounts: no call is longer.
 */
export function readableCalls(call: ModelCall): (modelId: string, account?: string) => ReadableCall {
	const reasoners = findReasoners(call);
	const whole: ReadableCall = { call, warnings: [] };
	const calls = new Map<string, ReadableCall>();
	return (modelId, account) => {
		const canRead: CanRead = (reasoner) =>
			reasoner.modelId === modelId && (account === undefined || reasoner.account === account);
		const left = reasoners.filter((reasoner) => !canRead(reasoner));
		if (left.length === 0) return whole;
		const read = reasoners.filter(canRead);
		// The words of the warning differ, too.
		const variant = JSON.stringify(
			read.length > 0 || left.some((other) => other.modelId === modelId) ? [modelId, read] : [],
		);
		const known = calls.get(variant);
		if (known) return known;
		const readable: ReadableCall = {
			call: { ...call, messages: call.messages.map((sent) => toReadableMessage(sent, canRead)) },
			warnings: [warningFor(left, modelId)],
		};
		calls.set(variant, readable);
		return readable;
	};
}
