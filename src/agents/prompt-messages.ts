// A step's prompt as messages of a model call. Pure.
import { systemMessage, userMessage } from "../orchestration/strategy.ts";
import type { Message, TextPart } from "../providers/model-call.ts";
import type { PromptMessage } from "./prompt.ts";

/** A shorter beginning is cached by no provider that wants a mark for it. */
const MIN_CACHED_CHARS = 4_096;

/** A message with a cache mark after what other prompts begin with, too. */
export function toModelMessage({ role, content, sharedChars = 0 }: PromptMessage): Message {
	if (role === "assistant") return { role, content: [{ type: "text", text: content }] };
	if (role === "system") return systemMessage(content);
	if (sharedChars < MIN_CACHED_CHARS) return userMessage(content);
	const shared: TextPart = { type: "text", text: content.slice(0, sharedChars), cache: {} };
	return { role, content: [shared, { type: "text", text: content.slice(sharedChars), continues: true }] };
}
