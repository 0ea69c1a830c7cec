// The models of conversations, as far as this isolate remembers: another model would lose the provider's prompt cache.
import { BoundedMap } from "../bounded-map.ts";
import { hashObject } from "../proof/hash.ts";
import type { ModelCall } from "../providers/model-call.ts";

/** The least recently used are forgotten first. */
const MAX_CONVERSATIONS = 10_000;

/** The key of the conversation that a call continues: the user and the messages up to the first user message. Null for the first request of a conversation. */
export function conversationKey(userId: string, { messages }: ModelCall): string | null {
	if (!messages.some(({ role }) => role === "assistant")) return null;
	return openingKey(userId, { messages });
}

/** The key under which the model of a conversation is remembered. */
export function openingKey(userId: string, { messages }: Pick<ModelCall, "messages">): string {
	const firstUser = messages.findIndex(({ role }) => role === "user");
	return hashObject({ type: "svc.conversation.v1", user_id: userId, messages: messages.slice(0, firstUser + 1) });
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
