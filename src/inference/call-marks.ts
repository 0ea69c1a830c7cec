// Tells users and their prompts apart in what an isolate remembers of the providers, without keeping either. Pure.
import { hashText } from "../proof/hash.ts";
import type { ModelCall } from "../providers/model-call.ts";

/** 64 bits. */
const MARK_HEX = 16;
/** Prompts that are alike so far count as one. */
const MAX_PROMPT_CHARS = 100_000;

/** A short hash of a text. */
function toMark(text: string): string {
	return hashText(text).slice("sha256:".length, "sha256:".length + MARK_HEX);
}

/** A short hash of a user's id. */
export function userMark(userId: string): string {
	return toMark(userId);
}

/** A short hash of what a call says that has no messages. */
export function textMark(text: string): string {
	return toMark(text.slice(0, MAX_PROMPT_CHARS));
}

/** A short hash of a call's last message and of how many stand before it. */
export function promptMark({ messages }: Pick<ModelCall, "messages">): string {
	return toMark(`${messages.length} ${JSON.stringify(messages.at(-1) ?? null).slice(0, MAX_PROMPT_CHARS)}`);
}
