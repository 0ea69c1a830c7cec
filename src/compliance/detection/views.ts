// Decodes a text: what it says once invisible characters are removed, and escapes, base64 and hexadecimal digits are decoded.
import { foldCharacter, toFoldedView } from "./folding.ts";
import { MIN_READABLE, toHexView, toReadableText } from "./hex-view.ts";
import { toEvenView, toRejoinedView, toSpelledView } from "./layout-views.ts";
import { type View, ViewBuilder } from "./view-builder.ts";

/** Nobody encodes what they mean to send more than three times. */
const MAX_DECODING_LAYERS = 3;

/** The total length of all decoded views, relative to the text. The first layer always fits; deeper ones as far as this goes. */
const MAX_DECODED_RATIO = 4;

/** Characters around an escape that are read with it: the name before a value, context words. */
const ESCAPE_CONTEXT_CHARS = 96;

const ESCAPES =
	/(?:=[0-9A-F]{2}){2,256}|=(?:3D|40|2E|2D|5F)|=20(?![0-9A-Za-z])|=\r?\n|(?:%[0-9a-f]{2}){1,256}|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp|commat|period|colon|sol|equals|hyphen|dash|lowbar|num);|\\u[0-9a-f]{4}|\\x[2-7][0-9a-f]|\\[nrt]/gi;
const HTML_ENTITIES: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	apos: "'",
	nbsp: " ",
	commat: "@",
	period: ".",
	colon: ":",
	sol: "/",
	equals: "=",
	hyphen: "-",
	dash: "-",
	lowbar: "_",
	num: "#",
};
const utf8 = new TextDecoder();

/** Bytes as `%41` or `=41`. */
function decodeBytes(written: string): string {
	if (written.length === 3) {
		const code = Number.parseInt(written.slice(1), 16);
		return code < 128 ? String.fromCharCode(code) : "\ufffd";
	}
	const bytes = new Uint8Array(written.length / 3);
	for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(written.slice(3 * i + 1, 3 * i + 3), 16);
	return utf8.decode(bytes);
}

function decodeStringEscape(written: string): string {
	if (written.length === 2) return written.toLowerCase() === "\\t" ? "\t" : "\n";
	return foldCharacter(String.fromCharCode(Number.parseInt(written.slice(2), 16)));
}

function decodeEscape(written: string): string {
	// A soft line break of quoted-printable.
	if (written.startsWith("=") && written.endsWith("\n")) return "";
	if (/^[%=]/.test(written)) return decodeBytes(written);
	if (written.startsWith("\\")) return decodeStringEscape(written);
	if (!written.startsWith("&#")) return HTML_ENTITIES[written.slice(1, -1).toLowerCase()] ?? written;
	const isHex = written.charAt(2).toLowerCase() === "x";
	const code = Number.parseInt(written.slice(isHex ? 3 : 2, -1), isHex ? 16 : 10);
	return code > 0 && code <= 0x10ffff ? foldCharacter(String.fromCodePoint(code)) : "";
}

/** Decodes URL escapes, HTML entities and string escapes, with the text around them; null if there are none. */
function toUnescapedView(view: View): View | null {
	const { text } = view;
	if (!/[%&\\]|=(?:[0-9A-F]{2}|\r?\n)/.test(text)) return null;
	const builder = new ViewBuilder(view);
	let copied = 0;
	for (const { 0: written, index } of text.matchAll(ESCAPES)) {
		if (index - copied > 2 * ESCAPE_CONTEXT_CHARS) {
			if (!builder.isEmpty) builder.copy(copied, copied + ESCAPE_CONTEXT_CHARS);
			builder.replace("\n\n", index - ESCAPE_CONTEXT_CHARS, index - ESCAPE_CONTEXT_CHARS);
			copied = index - ESCAPE_CONTEXT_CHARS;
		}
		builder.copy(copied, index);
		builder.replace(decodeEscape(written), index, index + written.length);
		copied = index + written.length;
	}
	if (builder.isEmpty) return null;
	builder.copy(copied, copied + ESCAPE_CONTEXT_CHARS);
	return builder.build();
}

const MIN_BASE64 = 16;
const BASE64_CODE = new Int8Array(128).fill(-1);
for (const [code, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
	BASE64_CODE[character.charCodeAt(0)] = code;
BASE64_CODE[45] = 62;
BASE64_CODE[95] = 63;

function base64CodeAt(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code < 128 ? (BASE64_CODE[code] ?? -1) : -1;
}

/** Decodes a run of base64. Zero bytes, every second one in UTF-16, are left out. */
function decodeBase64Run(text: string, start: number, end: number): string {
	const bytes = new Uint8Array(((end - start) * 3) >> 2);
	let bits = 0;
	let held = 0;
	let length = 0;
	for (let i = start; i < end; i++) {
		const code = base64CodeAt(text, i);
		if (code < 0) continue;
		bits = ((bits << 6) | code) & 0xffffff;
		held += 6;
		if (held < 8) continue;
		held -= 8;
		const byte = (bits >> held) & 0xff;
		if (byte !== 0) bytes[length++] = byte;
	}
	return toReadableText(bytes.subarray(0, length));
}

/** Mail and PEM break base64 at 64 or 76 characters. */
const MIN_BASE64_LINE = 40;

/** Where the run of base64 ends that begins at an offset. It goes on in the next line after a line of whole groups. */
function findBase64End(text: string, start: number): number {
	let line = start;
	let end = start;
	for (;;) {
		while (end < text.length && base64CodeAt(text, end) >= 0) end++;
		const length = end - line;
		const next = text.startsWith("\r\n", end) ? end + 2 : text.charCodeAt(end) === 10 ? end + 1 : -1;
		if (next < 0 || length < MIN_BASE64_LINE || length % 4 !== 0 || base64CodeAt(text, next) < 0) return end;
		line = next;
		end = next;
	}
}

/** Decodes base64, a line for each run, without the text around it; null if there is none. */
function toBase64View(view: View): View | null {
	const { text } = view;
	const builder = new ViewBuilder(view);
	// A run of at least 16 covers every sixteenth place, so that only these are probed.
	for (let probe = MIN_BASE64 - 1; probe < text.length; probe += MIN_BASE64) {
		if (base64CodeAt(text, probe) < 0) continue;
		let start = probe;
		while (start > probe - MIN_BASE64 + 1 && base64CodeAt(text, start - 1) >= 0) start--;
		const end = findBase64End(text, start);
		if (end - start >= MIN_BASE64) {
			const decoded = decodeBase64Run(text, start, end);
			if (decoded.length >= MIN_READABLE) {
				builder.replace(decoded, start, end);
				builder.replace("\n\n", end, end);
			}
		}
		while (probe + MIN_BASE64 < end) probe += MIN_BASE64;
	}
	return builder.isEmpty ? null : builder.build();
}

/**
 * All views of a text: the folded text first, layer by layer what is decoded from it, then values whose layout is evened. It ends when the views have
 * four times the length of the text, so that the work stays linear whatever is nested.
 */
export function* decodeViews(text: string): Generator<View> {
	const plain = toFoldedView(text);
	yield plain;
	let left = MAX_DECODED_RATIO * text.length;
	let layer = [plain];
	for (let depth = 0; depth < MAX_DECODING_LAYERS && layer.length > 0; depth++) {
		const next: View[] = [];
		for (const view of layer) {
			for (const decode of [toUnescapedView, toBase64View, toHexView]) {
				if (left <= 0) return;
				const decoded = decode(view);
				if (decoded === null) continue;
				left -= decoded.text.length;
				yield decoded;
				next.push(decoded);
			}
		}
		layer = next;
	}
	for (const even of [toRejoinedView, toEvenView, toSpelledView]) {
		if (left <= 0) return;
		const evened = even(plain);
		if (evened === null) continue;
		left -= evened.text.length;
		yield evened;
	}
}
