// Files and recordings that clients send in base64, as parts of a call: text as text, PDF and audio as they are. None is fetched. Pure.
import { AUDIO_FORMATS, type AudioFormat } from "../catalog/vocabulary.ts";
import { clip } from "../clip.ts";
import { fromBase64 } from "../proof/signing.ts";
import type { AudioPart, FilePart, TextPart } from "../providers/model-call.ts";
import { readPdf } from "./pdf.ts";
import { readRecording } from "./recording.ts";

/** A file as a client sends it. */
interface SentFile {
	/** Base64, alone or as a `data:` address. */
	content: string;
	/** Null where the client names none. */
	name: string | null;
	/** Null: the address or the name says it. */
	mediaType: string | null;
}

const PDF_MEDIA_TYPE = "application/pdf";
const TEXT_MEDIA_TYPE =
	/^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|sql|javascript|ecmascript|typescript|graphql|jsonl|ndjson)|application\/x-(?:ndjson|yaml|sh|httpd-php|python|ruby|perl|tex|javascript|typescript|toml))$/;
const TEXT_EXTENSION =
	/\.(?:txt|text|md|markdown|mdx|rst|csv|tsv|json|jsonl|ndjson|json5|ya?ml|toml|xml|svg|html?|css|scss|less|m?js|cjs|jsx|m?ts|cts|tsx|vue|svelte|py|ipynb|rb|go|rs|java|kts?|scala|swift|c|h|cc|cpp|cxx|hpp|cs|fs|php|pl|lua|r|jl|ex|exs|erl|hs|clj|dart|sh|bash|zsh|fish|ps1|bat|sql|graphql|proto|tex|bib|log|ini|cfg|conf|properties|diff|patch|gradle|tf)$/i;
/** Of a name or a type, a refusal says no more. */
const MAX_NAMED_CHARS = 100;
/** What clients write for a type that they do not know. */
const UNKNOWN_MEDIA_TYPES: readonly string[] = ["", "application/octet-stream"];
const DATA_ADDRESS = /^data:([^;,]*)((?:;[^;,]*)*),/;

type Reading<Part> = { ok: true; part: Part } | { ok: false; message: string };

/** The type that a file is known by: what the client says, else the address, else the name's ending. */
function findFileKind({ content, name, mediaType }: SentFile): { kind: string; form: "text" | "pdf" | null } {
	const inAddress = DATA_ADDRESS.exec(content.slice(0, 200))?.[1] ?? "";
	const type = (mediaType ?? inAddress).trim().toLowerCase();
	if (type === PDF_MEDIA_TYPE) return { kind: type, form: "pdf" };
	if (!UNKNOWN_MEDIA_TYPES.includes(type)) return { kind: type, form: TEXT_MEDIA_TYPE.test(type) ? "text" : null };
	const ending = name ?? "";
	const form = /\.pdf$/i.test(ending) ? "pdf" : TEXT_EXTENSION.test(ending) ? "text" : null;
	return { kind: name ?? "a file without a name and a type", form };
}

/** The base64 text of a content, without the address around it; null for an address in another form. */
function takeBase64(content: string): string | null {
	const [head, , parameters = ""] = DATA_ADDRESS.exec(content.slice(0, 200)) ?? [];
	if (head !== undefined && !/;base64$/i.test(parameters)) return null;
	const sent = head === undefined ? content : content.slice(head.length);
	// Some encoders break lines.
	return /\s/.test(sent) ? sent.replace(/\s+/g, "") : sent;
}

/** What base64 stands for, each character a byte: much faster than bytes for what is mostly skipped. Null for what is not base64. */
function toBinaryText(base64: string): string | null {
	try {
		return base64.length % 4 === 0 ? atob(base64) : null;
	} catch {
		return null;
	}
}

const NOT_BASE64 = { ok: false, message: "must be base64, alone or as a data:…;base64 address" } as const;

function toTextPart(base64: string, name: string | null): Reading<TextPart> {
	const bytes = fromBase64(base64);
	if (!bytes) return NOT_BASE64;
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
		return { ok: true, part: { type: "text", text: name === null ? text : `File: ${name}\n\n${text}` } };
	} catch {
		return { ok: false, message: "must be text in UTF-8" };
	}
}

function toPdfPart(base64: string, name: string | null): Reading<FilePart> {
	const text = toBinaryText(base64);
	if (text === null) return NOT_BASE64;
	const read = readPdf(text);
	if (!read.ok) return read;
	const { pages } = read;
	return { ok: true, part: { type: "file", mediaType: PDF_MEDIA_TYPE, base64, ...(name ? { name } : {}), pages } };
}

/** The part of a file, or why it has none. */
export function readSentFile(file: SentFile): Reading<TextPart | FilePart> {
	if (/^https?:/i.test(file.content)) return { ok: false, message: FILE_URL_MESSAGE };
	const { kind, form } = findFileKind(file);
	if (form === null) {
		const named = clip(kind, MAX_NAMED_CHARS).replace(/\p{Cc}+/gu, " ");
		return { ok: false, message: `only PDF and files of text can be sent to models, and ${named} is neither` };
	}
	const base64 = takeBase64(file.content);
	if (base64 === null) return NOT_BASE64;
	return form === "pdf" ? toPdfPart(base64, file.name) : toTextPart(base64, file.name);
}

/** A format that models are sent. */
function isAudioFormat(format: string): format is AudioFormat {
	return (AUDIO_FORMATS as readonly string[]).includes(format);
}

/** The part of a recording, or why it has none. @param content base64, alone or as a `data:` address. */
export function readSentAudio(content: string, format: string): Reading<AudioPart> {
	if (!isAudioFormat(format)) return { ok: false, message: `format must be one of ${AUDIO_FORMATS.join(", ")}` };
	const base64 = takeBase64(content);
	const bytes = base64 === null ? null : fromBase64(base64);
	if (base64 === null || !bytes) return NOT_BASE64;
	const read = readRecording(bytes, format);
	return read.ok ? { ok: true, part: { type: "audio", format, base64, maxSeconds: read.maxSeconds } } : read;
}

/** Says what to send instead of what this service would have to keep or to fetch. */
export const FILE_ID_MESSAGE = "files are not stored here; send the content itself as file_data";
export const FILE_URL_MESSAGE = "files are not fetched; send the content as file_data";
