// Opens the reasoning that this service sealed into redacted thinking for a client to send back.
import { isSealedReasoning, type OpenedReasoning, openReasoning } from "../inference/sealed-reasoning.edge.ts";
import type { Settings } from "../settings.ts";
import type { MessagesRequest } from "./request.ts";

/** The `data` of all redacted thinking in a conversation, each once. */
function listRedactedData({ messages }: MessagesRequest): string[] {
	const blocks = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
	return [...new Set(blocks.flatMap((block) => (block.type === "redacted_thinking" ? [block.data] : [])))];
}

/**
 * What this service sealed in a conversation, by the `data` that holds it; null for what cannot be opened. Redacted thinking of
 * Anthropic's own is not in it.
 */
export async function openThinking(
	body: MessagesRequest,
	userId: string,
	settings: Pick<Settings, "keyPepper">,
): Promise<Map<string, OpenedReasoning | null>> {
	const sealed = listRedactedData(body).filter(isSealedReasoning);
	const opened = await Promise.all(sealed.map((data) => openReasoning(data, { userId }, settings)));
	return new Map(sealed.map((data, index) => [data, opened[index] ?? null]));
}
