// Texts of a request as attributes: JSON in the GenAI conventions' form, bounded. Pure.
import { clip } from "../clip.ts";
import type { TracedMessage, TracedPart } from "./request-telemetry.ts";

/** The most characters of one attribute. What is beyond is cut from the middle of a conversation: its first and its last messages stay. */
export const MAX_CONTENT_CHARS = 65_536;
/** The most characters of one text, so that several fit. */
const MAX_TEXT_CHARS = 16_384;

/** An attribute's text, and whether something was left out. */
export interface ClippedContent {
	text: string;
	isClipped: boolean;
}

function clipText(text: string): string {
	return text.length <= MAX_TEXT_CHARS ? text : `${clip(text, MAX_TEXT_CHARS)}…`;
}

/** JSON that is too long becomes a text, cut like others. */
function clipJson(value: unknown): unknown {
	const text = JSON.stringify(value) ?? "null";
	return text.length <= MAX_TEXT_CHARS ? value : clipText(text);
}

function clipPart(part: TracedPart): TracedPart {
	switch (part.type) {
		case "text":
		case "reasoning":
			return { ...part, content: clipText(part.content) };
		case "tool_call":
			return { ...part, arguments: clipJson(part.arguments) };
		case "tool_call_response":
			return { ...part, response: clipJson(part.response) };
		case "uri":
			// A picture in a data URI is no address.
			return part.uri.startsWith("data:") ? { ...part, uri: clip(part.uri, part.uri.indexOf(",") + 1) } : part;
	}
}

/** The entries from both ends that fit, those of the end first. */
function fitEntries<T>(entries: readonly T[], lengthOf: (entry: T) => number): readonly T[] {
	let left = MAX_CONTENT_CHARS;
	const lengths = entries.map(lengthOf);
	const fits = (i: number): boolean => {
		left -= (lengths[i] ?? 0) + 1;
		return left >= 0;
	};
	if (lengths.reduce((sum, length) => sum + length + 1, 1) <= MAX_CONTENT_CHARS) return entries;
	const first = fits(0) ? 1 : 0;
	let last = entries.length;
	while (last > first && fits(last - 1)) last--;
	return [...entries.slice(0, first), ...entries.slice(last)];
}

function render<T>(entries: readonly T[], clipped: readonly T[]): ClippedContent {
	const kept = fitEntries(clipped, (entry) => JSON.stringify(entry).length);
	const text = JSON.stringify(kept);
	return { text, isClipped: text !== JSON.stringify(entries) };
}

/** `gen_ai.input.messages` and `gen_ai.output.messages`. */
export function renderMessages(messages: readonly TracedMessage[]): ClippedContent {
	return render(
		messages,
		messages.map((message) => ({ ...message, parts: message.parts.map(clipPart) })),
	);
}

/** `gen_ai.system_instructions`. */
export function renderParts(parts: readonly TracedPart[]): ClippedContent {
	return render(parts, parts.map(clipPart));
}

/** Arguments and results of tools. */
export function renderToolText(text: string): ClippedContent {
	return { text: clipText(text), isClipped: text.length > MAX_TEXT_CHARS };
}
