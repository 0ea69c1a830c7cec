// Reads of a PDF what a call must know before it is sent: that it is one, that no password locks it, and how many pages a reader can
// find in it. It is not parsed: readers repair files differently, so the bound holds for whatever order they read the objects in. Pure.
import type { PdfPages } from "../providers/model-call.ts";
import { inflate } from "./inflate.ts";

/** Readers look for the header so far into a file. */
const HEADER_BYTES = 1_024;
/** More of compressed objects is not read: such a file counts as unbounded. */
const MAX_INFLATED_BYTES = 8_388_608;
/** A dictionary before a stream is not longer. */
const MAX_DICTIONARY_CHARS = 4_096;

const latin1 = new TextDecoder("latin1");

/** Names may have any of their letters as `#` and two hex digits. */
function plainNames(text: string): string {
	return text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * The dictionary of a stream; null for one that cannot be told for sure. A string or a comment in it could hold what looks like
 * another beginning: the one would have to end behind that, and the other begin on its line.
 * @param before what stands before the keyword `stream`.
 */
function readStreamDictionary(before: string): string | null {
	const at = before.lastIndexOf("obj");
	const head = /^obj\s*(<<[^()%]*>>)\s*$/.exec(before.slice(Math.max(0, at)))?.[1];
	if (head === undefined || !/[\r\n]\s*(?:endobj\s*)?\d+\s+\d+\s*$/.test(before.slice(0, at))) return null;
	const opened = head.match(/<</g)?.length ?? 0;
	return opened === head.match(/>>/g)?.length ? plainNames(head) : null;
}

/** What stands compressed in streams of objects; null where something may be one and cannot be read. */
function readObjectStreams(bytes: Uint8Array, text: string): string | null {
	const found: string[] = [];
	let left = MAX_INFLATED_BYTES;
	for (const { index, 0: keyword } of text.matchAll(/(?<!end)stream(?:\r\n|\r|\n)?/g)) {
		const dictionary = readStreamDictionary(text.slice(Math.max(0, index - MAX_DICTIONARY_CHARS), index));
		const isWord = keyword === "stream";
		if (dictionary === null && !isWord) return null;
		if (dictionary === null || !/\/First(?![A-Za-z])/.test(dictionary)) continue;
		const isFlate = /\/Filter\s*(?:\/FlateDecode|\[\s*\/FlateDecode\s*\])\s*[/>]/.test(dictionary);
		const isPlain = isFlate && !isWord && !dictionary.includes("/DecodeParms");
		const inflated = isPlain ? inflate(bytes, index + keyword.length, left) : null;
		if (!inflated) return null;
		left -= inflated.length;
		found.push(latin1.decode(inflated));
	}
	return found.join("\n");
}

/** Every list of `Kids` in a text, which page trees are made of; null where one is not a plain list of references. */
function readKids(text: string): string[] | null {
	const kids: string[] = [];
	for (const { index } of text.matchAll(/\/Kids(?![A-Za-z])/g)) {
		const list = /^\s*\[([^\]]*)\]/.exec(text.slice(index + 5, text.indexOf("]", index + 5) + 1))?.[1];
		const entries = list?.trim() ?? null;
		if (entries === null || !/^(?:\d+\s+\d+\s+R\s*)*$/.test(entries)) return null;
		kids.push(...(entries.match(/\d+(?=\s+\d+\s+R)/g) ?? []));
	}
	return kids;
}

/**
 * How many pages a reader can find. Every page but a lone one is a kid of a page tree. Where no kid is named twice, the trees of any
 * reader are parts of all that is named, so that there are at most as many pages as names. A name that occurs twice may stand for as
 * many pages as a file likes. A reader that finds no tree takes each object that says it is a page.
 */
function countPages(bytes: Uint8Array, text: string): PdfPages {
	const compressed = readObjectStreams(bytes, text);
	const readable = plainNames(compressed === null ? text : `${text}\n${compressed}`);
	const pages = readable.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
	const kids = compressed === null ? null : readKids(readable);
	const isTree = kids !== null && new Set(kids).size === kids.length;
	return { counted: pages > 0 ? pages : null, atMost: isTree ? Math.max(1, kids.length, pages) : null };
}

/** The pages of a PDF, or what keeps it from being sent. */
export function readPdf(bytes: Uint8Array): { ok: true; pages: PdfPages } | { ok: false; message: string } {
	if (!latin1.decode(bytes.subarray(0, HEADER_BYTES)).includes("%PDF-"))
		return { ok: false, message: "is no PDF: it does not begin with %PDF-" };
	const text = latin1.decode(bytes);
	if (/\/Encrypt\s*(?:<<|\d+\s+\d+\s+R)/.test(plainNames(text)))
		return { ok: false, message: "is an encrypted PDF, which no model reads; save it without a password" };
	return { ok: true, pages: countPages(bytes, text) };
}
