// Messages and answers of calls as plain text, for whoever reads what was asked and answered. Reasoning is neither. Pure.
import {
	type AudioPart,
	type ContentPart,
	type FilePart,
	joinText,
	type Message,
	type ModelAnswer,
	type ToolResultPart,
} from "../providers/model-call.ts";

/** Images are named by their kind and size: their bytes are no text. */
function renderImage(url: string): string {
	const kind = /^data:([^;,]{1,100})/.exec(url)?.[1];
	return kind === undefined ? `[image at ${url}]` : `[${kind}, ${url.length} characters]`;
}

/** A file or recording by its kind, its size and its pages, where they are known. */
export function renderMedia(part: FilePart | AudioPart): string {
	const size = `${part.base64.length} characters`;
	if (part.type === "audio") return `[audio/${part.format}, ${size}]`;
	const name = part.name === undefined ? "" : `${part.name}, `;
	const pages = part.pages.counted === null ? "" : `${part.pages.counted} pages, `;
	return `[${name}${part.mediaType}, ${pages}${size}]`;
}

function renderToolResult({ content, isError }: ToolResultPart): string {
	const text = renderParts(content);
	return `[result of a tool${isError ? ", which failed" : ""}]\n${text}`;
}

/** A part as text; null for one that is none. */
function renderPart(part: ContentPart): string | null {
	switch (part.type) {
		case "text":
		case "refusal":
			return part.text;
		case "image":
			return renderImage(part.url);
		case "file":
		case "audio":
			return renderMedia(part);
		case "tool_call":
			return `[call of ${part.name}] ${part.arguments}`;
		case "tool_result":
			return renderToolResult(part);
		default:
			return null;
	}
}

function renderParts(parts: readonly ContentPart[]): string {
	return parts.flatMap((part) => renderPart(part) ?? []).join("\n");
}

/** Messages, each under its role. */
export function renderSentMessages(messages: readonly Message[]): string {
	return messages.map(({ role, content }) => `${role}:\n${renderParts(content)}`).join("\n\n");
}

/** What a model wrote: text or refusal, and calls of tools. */
export function renderAnswer({ content }: ModelAnswer): string {
	const calls = content.filter((part) => part.type === "tool_call");
	const text = joinText(content, "text") ?? joinText(content, "refusal");
	return [...(text ? [text] : []), ...calls.flatMap((call) => renderPart(call) ?? [])].join("\n");
}
