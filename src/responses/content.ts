// The content of Responses messages and tool outputs as parts of a call. Pure.
import type { Issue } from "../failure.ts";
import { readTextFile } from "../inference/text-file.ts";
import { optionalMember } from "../json.ts";
import type { AssistantPart, ImagePart, TextPart, Warning } from "../providers/model-call.ts";
import type { ContentItem } from "./items.ts";

/** A content as items have it. */
type ItemContent = string | readonly ContentItem[];

/** What is wrong with items, and what is done to them unasked. */
export class ItemNotes {
	readonly issues: Issue[] = [];
	readonly warnings: Warning[] = [];

	/** @param path such as `input[3].content`. */
	refuse(path: string, message: string): void {
		// The members of an issue's path are parted by dots.
		this.issues.push({ path: path.replace(/\[(\d+)\]/g, ".$1"), message });
	}

	leaveOut(param: string, message: string): void {
		this.warnings.push({ code: "input_dropped", param, message });
	}

	change(param: string, message: string): void {
		this.warnings.push({ code: "parameter_changed", param, message });
	}
}

/** What this service would have to fetch from where a client has put it. */
function refuseFetch(
	part: Extract<ContentItem, { type: "input_image" | "input_file" }>,
	path: string,
	notes: ItemNotes,
) {
	if (part.file_id != null) notes.refuse(`${path}.file_id`, "files are not stored here; send the content itself");
	if ("file_url" in part && part.file_url != null)
		notes.refuse(`${path}.file_url`, "files are not fetched; send the content as file_data");
}

function toImageParts(
	part: Extract<ContentItem, { type: "input_image" }>,
	path: string,
	notes: ItemNotes,
): ImagePart[] {
	refuseFetch(part, path, notes);
	if (part.image_url == null) {
		if (part.file_id == null) notes.refuse(`${path}.image_url`, "is missing");
		return [];
	}
	if (part.detail === "original")
		notes.change(`${path}.detail`, "original is sent as high, the most that models here take");
	const detail = part.detail === "original" ? "high" : part.detail;
	return [{ type: "image", url: part.image_url, ...optionalMember("detail", detail) }];
}

function toFileParts(part: Extract<ContentItem, { type: "input_file" }>, path: string, notes: ItemNotes): TextPart[] {
	refuseFetch(part, path, notes);
	if (part.file_data == null) {
		if (part.file_id == null && part.file_url == null) notes.refuse(`${path}.file_data`, "is missing");
		return [];
	}
	const file = readTextFile({ content: part.file_data, name: part.filename ?? null, mediaType: null });
	if (file.ok) return [{ type: "text", text: file.text }];
	notes.refuse(`${path}.file_data`, file.message);
	return [];
}

/** The parts of a content with a function for each entry. A string is one text. */
function readEntries<Part>(
	content: ItemContent,
	path: string,
	read: (entry: ContentItem, path: string) => Part[],
): (Part | TextPart)[] {
	if (typeof content === "string") return [{ type: "text", text: content }];
	return content.flatMap((entry, index) => read(entry, `${path}[${index}]`));
}

/** What the user or a tool says: texts, images, files of text. */
export function toSentParts(content: ItemContent, path: string, notes: ItemNotes): (TextPart | ImagePart)[] {
	return readEntries<TextPart | ImagePart>(content, path, (entry, at) => {
		switch (entry.type) {
			case "input_image":
				return toImageParts(entry, at, notes);
			case "input_file":
				return toFileParts(entry, at, notes);
			case "refusal":
				notes.refuse(at, "only an assistant's message can hold a refusal");
				return [];
			default:
				return [{ type: "text", text: entry.text }];
		}
	});
}

/** What a system or developer message says. */
export function toInstructionParts(content: ItemContent, path: string, notes: ItemNotes): TextPart[] {
	return readEntries<TextPart>(content, path, (entry, at) => {
		switch (entry.type) {
			case "input_file":
				return toFileParts(entry, at, notes);
			case "input_image":
			case "refusal":
				notes.refuse(at, "a system or developer message holds text only");
				return [];
			default:
				return [{ type: "text", text: entry.text }];
		}
	});
}

/** What an assistant has said. */
export function toAnswerParts(content: ItemContent, path: string, notes: ItemNotes): AssistantPart[] {
	const parts = readEntries<AssistantPart>(content, path, (entry, at) => {
		switch (entry.type) {
			case "refusal":
				return entry.refusal === "" ? [] : [{ type: "refusal", text: entry.refusal }];
			case "input_image":
			case "input_file":
				notes.refuse(at, "an assistant's message holds text and refusals only");
				return [];
			default:
				return [{ type: "text", text: entry.text }];
		}
	});
	// A refusal in words is answered as text and as refusal; the model said it once.
	const said = new Set(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
	return parts.filter((part) => part.type !== "refusal" || !said.has(part.text));
}
