// Which model a conversation is with, as far as this isolate remembers: a switch would lose the provider's prompt cache.
import { BoundedMap } from "../bounded-map.ts";
import { hashObject } from "../proof/hash.ts";
import type { ModelCall } from "../providers/model-call.ts";

/** Remembered at the most; the longest unused is forgotten first. */
const MAX_CONVERSATIONS = 10_000;

/** A conversation is what begins with the same messages, up to the user's first, of the same user. Null for its first request. */
export function conversationKey(userId: string, { messages }: ModelCall): string | null {
	if (!messages.some(({ role }) => role === "assistant")) return null;
	return openingKey(userId, { messages });
}

/** The key under which a request's answer is remembered. */
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
