// Decodes a text: what it says once invisible characters are removed and escapes and base64 are decoded.

/** A decoded text, and where its parts are in the original. */
interface View {
	readonly text: string;
	/** The span of the original that a span of this text came from. An encoded part counts as a whole. */
	origin(start: number, end: number): readonly [start: number, end: number];
}

/** Nobody encodes what they mean to send more than three times. */
const MAX_DECODING_LAYERS = 3;

/** The total length of all decoded views, relative to the text. The first layer always fits; deeper ones as far as this goes. */
const MAX_DECODED_RATIO = 4;

/** Characters around an escape that are read with it: the name before a value, context words. */
const ESCAPE_CONTEXT_CHARS = 96;

/** Builds a view from copied and replaced parts of a source. */
class ViewBuilder {
	readonly #parts: string[] = [];
	readonly #at: number[] = [];
	readonly #from: number[] = [];
	readonly #to: number[] = [];
	#length = 0;
	readonly #source: View;

	constructor(source: View) {
		this.#source = source;
	}

	#add(part: string, from: number, to: number): void {
		if (part === "") return;
		this.#parts.push(part);
		this.#at.push(this.#length);
		this.#from.push(from);
		this.#to.push(to);
		this.#length += part.length;
	}

	copy(from: number, to: number): void {
		this.#add(this.#source.text.slice(from, to), from, -1);
	}

	replace(part: string, from: number, to: number): void {
		this.#add(part, from, to);
	}

	/** Adds a run of characters, each folded by itself. Where one vanishes, a new part begins. */
	fold(run: string, from: number): void {
		let folded = "";
		for (let i = 0; i < run.length; i++) {
			const character = foldToAscii(run.charAt(i));
			if (character !== "") folded += character;
			else {
				this.#add(folded, from + i - folded.length, -1);
				folded = "";
			}
		}
		this.#add(folded, from + run.length - folded.length, -1);
	}

	get isEmpty(): boolean {
		return this.#length === 0;
	}

	build(): View {
		const at = this.#at;
		const from = this.#from;
		const to = this.#to;
		const source = this.#source;
		const findPart = (offset: number): number => {
			let low = 0;
			for (let high = at.length - 1; low < high; ) {
				const middle = (low + high + 1) >> 1;
				if ((at[middle] ?? 0) <= offset) low = middle;
				else high = middle - 1;
			}
			return low;
		};
		const toSource = (offset: number, edge: "start" | "end"): number => {
			const part = findPart(offset);
			const end = to[part] ?? -1;
			if (end < 0) return (from[part] ?? 0) + offset - (at[part] ?? 0);
			return edge === "start" ? (from[part] ?? 0) : end;
		};
		return {
			text: this.#parts.join(""),
			origin: (start, end) => {
				const last = toSource(end - 1, "end");
				const isCopied = (to[findPart(end - 1)] ?? -1) < 0;
				return source.origin(toSource(start, "start"), isCopied ? last + 1 : last);
			},
		};
	}
}

/** Soft hyphen, Mongolian separator, zero-width characters, direction marks, variation selectors, byte order mark. */
function isInvisible(code: number): boolean {
	return (
		code === 0xad ||
		code === 0x180e ||
		(code >= 0x200b && code <= 0x200f) ||
		(code >= 0x202a && code <= 0x202e) ||
		(code >= 0x2060 && code <= 0x206f) ||
		(code >= 0xfe00 && code <= 0xfe0f) ||
		code === 0xfeff
	);
}

/** The characters that folding changes, and the quotes among them, which it keeps. */
const FOLDABLE = /[\u00a0\u00ad\u180e\u2000-\u206f\u2212\u3000]+|[\ufe00-\ufe0f]+|[\ufeff\uff01-\uff5e]+/g;
const HAS_FOLDABLE = /[\u00a0\u00ad\u180e\u2000-\u206f\u2212\u3000\ufeff\uff01-\uff5e]|[\ufe00-\ufe0f]/;

function foldToAscii(character: string): string {
	const code = character.charCodeAt(0);
	if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
	if (isInvisible(code)) return "";
	if (code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200a) || code === 0x202f) return " ";
	if (code === 0x205f) return " ";
	if ((code >= 0x2010 && code <= 0x2015) || code === 0x2212) return "-";
	if (code === 0x2028 || code === 0x2029) return "\n";
	return character;
}

/** The text without invisible characters, with full-width letters, spaces and dashes in ASCII. */
function foldText(text: string): View {
	const unchanged: View = { text, origin: (start, end) => [start, end] };
	if (!HAS_FOLDABLE.test(text)) return unchanged;
	const builder = new ViewBuilder(unchanged);
	let copied = 0;
	for (const { 0: run, index } of text.matchAll(FOLDABLE)) {
		builder.copy(copied, index);
		builder.fold(run, index);
		copied = index + run.length;
	}
	builder.copy(copied, text.length);
	return builder.build();
}

const ESCAPES =
	/(?:%[0-9a-f]{2}){1,256}|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp|commat|period|colon|sol|equals|hyphen|dash|lowbar|num);|\\u(?:00[2-7][0-9a-f]|200[b-d])|\\x[2-7][0-9a-f]/gi;
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

function decodeEscape(written: string): string {
	if (written.startsWith("%")) {
		if (written.length === 3) {
			const code = Number.parseInt(written.slice(1), 16);
			return code < 128 ? String.fromCharCode(code) : "\ufffd";
		}
		const bytes = new Uint8Array(written.length / 3);
		for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(written.slice(3 * i + 1, 3 * i + 3), 16);
		return utf8.decode(bytes);
	}
	if (written.startsWith("\\")) return foldToAscii(String.fromCharCode(Number.parseInt(written.slice(2), 16)));
	if (!written.startsWith("&#")) return HTML_ENTITIES[written.slice(1, -1).toLowerCase()] ?? written;
	const isHex = written.charAt(2).toLowerCase() === "x";
	const code = Number.parseInt(written.slice(isHex ? 3 : 2, -1), isHex ? 16 : 10);
	return code > 0 && code <= 0x10ffff ? foldToAscii(String.fromCodePoint(code)) : "";
}

/** Decodes URL escapes, HTML entities and string escapes, with the text around them; null if there are none. */
function toUnescapedView(view: View): View | null {
	const { text } = view;
	if (!/[%&\\]/.test(text)) return null;
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

const wholeUtf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** What the decoder puts for bytes that are not UTF-8. Throwing for each run that only looks like base64 would cost more. */
const UNDECODABLE = "\ufffd";
const MIN_READABLE = 8;

function isReadable(byte: number): boolean {
	return (byte >= 32 && byte < 127) || (byte >= 9 && byte <= 13);
}

/** ASCII bytes between two offsets as text. */
function toAsciiText(bytes: Uint8Array, start: number, end: number): string {
	let text = "";
	for (let at = start; at < end; at += 8192)
		text += String.fromCharCode(...bytes.subarray(at, Math.min(end, at + 8192)));
	return text;
}

/** The text in decoded bytes: everything if it is UTF-8, otherwise its runs of ASCII. */
function toReadableText(bytes: Uint8Array): string {
	let runs = "";
	let start = 0;
	let hasControls = false;
	for (let at = 0; at <= bytes.length; at++) {
		const byte = bytes[at] ?? 0;
		if (isReadable(byte)) continue;
		if (byte < 128 && at < bytes.length) hasControls = true;
		if (at - start >= MIN_READABLE) runs += `${toAsciiText(bytes, start, at)}\n`;
		start = at + 1;
	}
	if (hasControls || runs.length > bytes.length) return runs;
	const text = wholeUtf8.decode(bytes);
	return text.includes(UNDECODABLE) ? runs : text;
}

/** Decodes a run of base64. Zero bytes, every second one in UTF-16, are left out. */
function decodeBase64Run(text: string, start: number, end: number): string {
	const bytes = new Uint8Array(((end - start) * 3) >> 2);
	let bits = 0;
	let held = 0;
	let length = 0;
	for (let i = start; i < end; i++) {
		bits = ((bits << 6) | base64CodeAt(text, i)) & 0xffffff;
		held += 6;
		if (held < 8) continue;
		held -= 8;
		const byte = (bits >> held) & 0xff;
		if (byte !== 0) bytes[length++] = byte;
	}
	return toReadableText(bytes.subarray(0, length));
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
		let end = probe + 1;
		while (end < text.length && base64CodeAt(text, end) >= 0) end++;
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
 * All views of a text: the folded text first, then layer by layer what is decoded from it. Decoding ends when the views have
 * four times the length of the text, so that the work stays linear whatever is nested.
 */
export function* decodeViews(text: string): Generator<View> {
	const plain = foldText(text);
	yield plain;
	let left = MAX_DECODED_RATIO * text.length;
	let layer = [plain];
	for (let depth = 0; depth < MAX_DECODING_LAYERS && layer.length > 0; depth++) {
		const next: View[] = [];
		for (const view of layer) {
			for (const decode of [toUnescapedView, toBase64View]) {
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
}
