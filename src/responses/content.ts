// The content of Responses messages and tool outputs as parts of a call. Pure.
import type { Issue } from "../failure.ts";
import { FILE_ID_MESSAGE, FILE_URL_MESSAGE, readSentAudio, readSentFile } from "../inference/sent-file.ts";
import { optionalMember } from "../json.ts";
import type {
	AssistantPart,
	AudioPart,
	FilePart,
	ImagePart,
	ShownPart,
	TextPart,
	Warning,
} from "../providers/model-call.ts";
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
	const isImage = part.type === "input_image";
	if (part.file_id != null)
		notes.refuse(
			`${path}.file_id`,
			isImage ? "files are not stored here; send the image as image_url" : FILE_ID_MESSAGE,
		);
	if (!isImage && part.file_url != null) notes.refuse(`${path}.file_url`, FILE_URL_MESSAGE);
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

function toFileParts(
	part: Extract<ContentItem, { type: "input_file" }>,
	path: string,
	notes: ItemNotes,
): (TextPart | FilePart)[] {
	refuseFetch(part, path, notes);
	if (part.file_data == null) {
		if (part.file_id == null && part.file_url == null) notes.refuse(`${path}.file_data`, "is missing");
		return [];
	}
	const file = readSentFile({ content: part.file_data, name: part.filename ?? null, mediaType: null });
	if (file.ok) return [file.part];
	notes.refuse(`${path}.file_data`, file.message);
	return [];
}

function toAudioParts(
	{ input_audio: { data, format } }: Extract<ContentItem, { type: "input_audio" }>,
	path: string,
	notes: ItemNotes,
): AudioPart[] {
	const audio = readSentAudio(data, format);
	if (audio.ok) return [audio.part];
	notes.refuse(`${path}.input_audio`, audio.message);
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

/** What the user says: texts, images, files, recordings. */
export function toSentParts(content: ItemContent, path: string, notes: ItemNotes): (ShownPart | AudioPart)[] {
	return readEntries<ShownPart | AudioPart>(content, path, (entry, at) => {
		switch (entry.type) {
			case "input_audio":
				return toAudioParts(entry, at, notes);
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

/** What a tool shows: all but recordings. */
export function toShownParts(content: ItemContent, path: string, notes: ItemNotes): ShownPart[] {
	return toSentParts(content, path, notes).flatMap((part) => {
		if (part.type !== "audio") return [part];
		notes.refuse(path, "the output of a tool holds texts, images and files, no recordings");
		return [];
	});
}

/** What a system or developer message says. */
export function toInstructionParts(content: ItemContent, path: string, notes: ItemNotes): TextPart[] {
	return readEntries<TextPart>(content, path, (entry, at) => {
		switch (entry.type) {
			case "input_file":
				return toFileParts(entry, at, notes).flatMap((part) => {
					if (part.type === "text") return [part];
					notes.refuse(at, "a system or developer message holds text only; send the PDF in a user message");
					return [];
				});
			case "input_image":
			case "input_audio":
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
			case "input_audio":
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
