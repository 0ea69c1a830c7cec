// Reads of a PDF what a call must know before it is sent: that it is one, that no password locks it, and how many pages a reader can
// find in it. It is not parsed: readers repair files differently, so the bound holds for whatever order they read the objects in. Pure.
import type { PdfPages } from "../providers/model-call.ts";
import { inflate } from "./inflate.ts";

/** Readers look for the header so far into a file. */
const HEADER_CHARS = 1_024;
/** More of compressed objects is not read, and no more for the length of a file: such a file counts as unbounded. */
const MAX_INFLATED_BYTES = 8_388_608;
const MAX_INFLATION = 16;
/** A dictionary before a stream is not longer. */
const MAX_DICTIONARY_CHARS = 4_096;
/** The numbers before `obj` and the end of the line before them are not longer. */
const MAX_NUMBERS_CHARS = 64;
/** No file that people read has more streams or lists of kids, or a longer list, or more streams for its length. */
const MAX_STREAMS = 20_000;
const MIN_STREAM_CHARS = 64;
const MAX_LISTS = 20_000;
const MAX_LIST_CHARS = 262_144;

/** Compressed images hold some by chance: one in 36,000 bytes. */
const MAX_ESCAPES = 50_000;
/** Names that are all escapes, as of Chinese fonts, are a small part of a file. */
const MIN_CHARS_PER_ESCAPE = 32;

const latin1 = new TextDecoder("latin1");
const ESCAPE = /#([0-9a-f]{2})/gi;

/** Names may have any of their letters as `#` and two hex digits. */
function plainNames(text: string): string {
	return text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** More escapes than any file has that was not made to hurt. */
function hasTooManyEscapes(text: string): boolean {
	let left = Math.min(MAX_ESCAPES, text.length / MIN_CHARS_PER_ESCAPE);
	for (const _ of text.matchAll(ESCAPE)) if (--left < 0) return true;
	return false;
}

const ENDS_IN_NUMBERS = /[\r\n]\s*(?:endobj\s*)?\d+\s+\d+\s*$/;
/** A keyword follows a dictionary, or begins a line where a comment stands between. In prose, spaces stand before the word. */
const MAY_END_DICTIONARY = /(?:^|>>|[\r\n])[\0\t\f ]*$/;

/**
 * The dictionary of a stream; null for one that cannot be told for sure. A string or a comment in it could hold what looks like
 * another beginning: the one would have to end behind that, and the other begin on its line.
 * @param before what stands before the keyword `stream`.
 */
function readStreamDictionary(before: string): string | null {
	const at = before.lastIndexOf("obj");
	const head = /^obj\s*(<<[^()%]*>>)\s*$/.exec(before.slice(Math.max(0, at)))?.[1];
	if (head === undefined || !ENDS_IN_NUMBERS.test(before.slice(Math.max(0, at - MAX_NUMBERS_CHARS), at))) return null;
	const opened = head.match(/<</g)?.length ?? 0;
	return opened === head.match(/>>/g)?.length ? plainNames(head) : null;
}

/** What stands compressed in streams of objects; null where something may be one and cannot be read. */
function readObjectStreams(text: string): string | null {
	const found: string[] = [];
	let maxBytes = Math.min(MAX_INFLATED_BYTES, MAX_INFLATION * text.length);
	const maxStreams = Math.min(MAX_STREAMS, text.length / MIN_STREAM_CHARS);
	// Streams may lie within others, so that all are read no further than the file is long.
	let maxChars = text.length;
	let streams = 0;
	for (const { index, 0: keyword } of text.matchAll(/(?<!end)stream(?:\r\n|\r|\n)?/g)) {
		if (++streams > maxStreams) return null;
		const before = text.slice(Math.max(0, index - MAX_DICTIONARY_CHARS), index);
		const dictionary = readStreamDictionary(before);
		// Readers skip what is left of the keyword's line.
		const isWord = keyword === "stream";
		if (dictionary === null && (!isWord || MAY_END_DICTIONARY.test(before.slice(-MAX_NUMBERS_CHARS)))) return null;
		if (dictionary === null || !/\/First(?![A-Za-z])/.test(dictionary)) continue;
		const isFlate = /\/Filter\s*(?:\/FlateDecode|\[\s*\/FlateDecode\s*\])\s*[/>]/.test(dictionary);
		const isPlain = isFlate && !isWord && !dictionary.includes("/DecodeParms");
		const start = index + keyword.length;
		const inflated = isPlain ? inflate(text, start, { maxChars, maxBytes }) : null;
		if (!inflated) return null;
		maxBytes -= inflated.bytes.length;
		maxChars -= inflated.end - start;
		found.push(latin1.decode(inflated.bytes));
	}
	return found.join("\n");
}

/** The references of a list, by the numbers of their objects, which all readers read alike; null for what is no plain list. */
function readReferences(list: string): number[] | null {
	const words = list.trim().split(/\s+/);
	if (words.length === 1 && words[0] === "") return [];
	if (words.length % 3 !== 0) return null;
	const isPlain = words.every((word, at) => (at % 3 === 2 ? word === "R" : /^\d{1,8}$/.test(word)));
	return isPlain ? words.filter((_, at) => at % 3 === 0).map(Number) : null;
}

/** Every list of `Kids` in a text, which page trees are made of; null where one is not a plain list of references. */
function readKids(text: string): number[] | null {
	const kids: number[] = [];
	let lists = 0;
	for (const { index } of text.matchAll(/\/Kids(?![A-Za-z])/g)) {
		const start = index + "/Kids".length;
		const within = text.slice(start, start + MAX_LIST_CHARS);
		const list = /^\s*\[([^\]]*)\]/.exec(within.slice(0, within.indexOf("]") + 1))?.[1];
		const references = list === undefined || ++lists > MAX_LISTS ? null : readReferences(list);
		if (!references) return null;
		for (const reference of references) kids.push(reference);
	}
	return kids;
}

/**
 * How many pages a reader can find. Every page but a lone one is a kid of a page tree. Where no kid is named twice, the trees of any
 * reader are parts of all that is named, so that there are at most as many pages as names. A name that occurs twice may stand for as
 * many pages as a file likes. A reader that finds no tree takes each object that says it is a page.
 */
function countPages(text: string, plain: string): PdfPages {
	const unpacked = readObjectStreams(text);
	const compressed = unpacked !== null && hasTooManyEscapes(unpacked) ? null : unpacked;
	const texts = compressed === null ? [plain] : [plain, plainNames(compressed)];
	const pages = texts.reduce((sum, each) => sum + (each.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0), 0);
	const lists = compressed === null ? [null] : texts.map(readKids);
	const kids = lists.includes(null) ? null : lists.flatMap((list) => list ?? []);
	const isTree = kids !== null && new Set(kids).size === kids.length;
	return { counted: pages > 0 ? pages : null, atMost: isTree ? Math.max(1, kids.length, pages) : null };
}

/**
 * The pages of a PDF, or what keeps it from being sent.
 * @param text each character is a byte of the file.
 */
export function readPdf(text: string): { ok: true; pages: PdfPages } | { ok: false; message: string } {
	if (!text.slice(0, HEADER_CHARS).includes("%PDF-"))
		return { ok: false, message: "is no PDF: it does not begin with %PDF-" };
	if (hasTooManyEscapes(text)) return { ok: true, pages: { counted: null, atMost: null } };
	const plain = plainNames(text);
	if (/\/Encrypt\s*(?:<<|\d+\s+\d+\s+R)/.test(plain))
		return { ok: false, message: "is an encrypted PDF, which no model reads; save it without a password" };
	return { ok: true, pages: countPages(text, plain) };
}
