// The models of conversations, as far as this isolate remembers: another model would lose the provider's prompt cache.
import { BoundedMap } from "../bounded-map.ts";
import { hashObject } from "../proof/hash.ts";
import type { ModelCall } from "../providers/model-call.ts";

/** The least recently used are forgotten first. */
const MAX_CONVERSATIONS = 10_000;

/** A user's call, as far as it tells the conversation. */
export interface ConversationCall {
	userId: string;
	messages: ModelCall["messages"];
	/** The client's own name of the conversation. It comes before what the messages tell. */
	conversation?: string | undefined;
}

/** The key of the conversation that a call continues; null for the first request of one that the client has not named. */
export function findConversationKey(call: ConversationCall): string | null {
	const { messages, conversation } = call;
	const isFirst = conversation === undefined && !messages.some(({ role }) => role === "assistant");
	return isFirst ? null : toConversationKey(call);
}

/** Longer texts are told apart by their length and this much of each end. A prompt of some MiB takes long to hash. */
const KEY_END_CHARS = 1_024;

function shortenForKey(text: string): string {
	if (text.length <= 2 * KEY_END_CHARS) return text;
	return `${text.length} ${text.slice(0, KEY_END_CHARS)} ${text.slice(-KEY_END_CHARS)}`;
}

/**
 * The key under which the model of a conversation is remembered: the user, and the client's name of it or else the messages up to
 * the first user message.
 */
export function toConversationKey({ userId, messages, conversation }: ConversationCall): string {
	if (conversation !== undefined)
		return hashObject({ type: "svc.conversation.named.v1", user_id: userId, name: conversation });
	const opening = messages.slice(0, messages.findIndex(({ role }) => role === "user") + 1);
	const shortened = JSON.stringify(opening, (_, value) => (typeof value === "string" ? shortenForKey(value) : value));
	return hashObject({ type: "svc.conversation.v1", user_id: userId, messages: shortened });
}

/** Conversations and their models, most recently used last. */
export class Conversations {
	readonly #models = new BoundedMap<string, string>(MAX_CONVERSATIONS);

	recall(key: string | null): string | null {
		return key === null ? null : (this.#models.get(key) ?? null);
	}

	remember(key: string, modelId: string): void {
		this.#models.set(key, modelId);
	}
}
