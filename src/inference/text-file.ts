// Files that clients send in base64, as the texts that models are sent: none is fetched, none but text is read. Pure.
import { fromBase64 } from "../proof/signing.ts";

/** A file as a client sends it. */
interface SentFile {
	/** Base64, alone or as a `data:` address. */
	content: string;
	/** Null where the client names none. */
	name: string | null;
	/** Null: the address or the name says it. */
	mediaType: string | null;
}

const TEXT_MEDIA_TYPE =
	/^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|sql|javascript|ecmascript|typescript|graphql|jsonl|ndjson)|application\/x-(?:ndjson|yaml|sh|httpd-php|python|ruby|perl|tex|javascript|typescript|toml))$/;
const TEXT_EXTENSION =
	/\.(?:txt|text|md|markdown|mdx|rst|csv|tsv|json|jsonl|ndjson|json5|ya?ml|toml|xml|svg|html?|css|scss|less|m?js|cjs|jsx|m?ts|cts|tsx|vue|svelte|py|ipynb|rb|go|rs|java|kts?|scala|swift|c|h|cc|cpp|cxx|hpp|cs|fs|php|pl|lua|r|jl|ex|exs|erl|hs|clj|dart|sh|bash|zsh|fish|ps1|bat|sql|graphql|proto|tex|bib|log|ini|cfg|conf|properties|diff|patch|gradle|tf)$/i;
/** What clients write for a type that they do not know. */
const UNKNOWN_MEDIA_TYPES: readonly string[] = ["", "application/octet-stream"];
const DATA_ADDRESS = /^data:([^;,]*)((?:;[^;,]*)*),/;

/** The type that a file is known by: what the client says, else the address, else the name's ending. */
function findFileKind({ content, name, mediaType }: SentFile): { kind: string; isText: boolean } {
	const inAddress = DATA_ADDRESS.exec(content.slice(0, 200))?.[1] ?? "";
	const type = (mediaType ?? inAddress).trim().toLowerCase();
	if (!UNKNOWN_MEDIA_TYPES.includes(type)) return { kind: type, isText: TEXT_MEDIA_TYPE.test(type) };
	return { kind: name ?? "a file without a name and a type", isText: TEXT_EXTENSION.test(name ?? "") };
}

/** The bytes of a file; null for what is not base64. */
function decodeContent(content: string): Uint8Array | null {
	const [head, , parameters = ""] = DATA_ADDRESS.exec(content.slice(0, 200)) ?? [];
	if (head !== undefined && !/;base64$/i.test(parameters)) return null;
	return fromBase64(head === undefined ? content : content.slice(head.length));
}

/** The text of a file under its name, or why there is none. */
export function readTextFile(file: SentFile): { ok: true; text: string } | { ok: false; message: string } {
	const { kind, isText } = findFileKind(file);
	if (!isText) return { ok: false, message: `only files of text can be sent to models, and ${kind} is none` };
	const bytes = decodeContent(file.content);
	if (!bytes) return { ok: false, message: "must be base64, alone or as a data:…;base64 address" };
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
		return { ok: true, text: file.name === null ? text : `File: ${file.name}\n\n${text}` };
	} catch {
		return { ok: false, message: "must be text in UTF-8" };
	}
}
