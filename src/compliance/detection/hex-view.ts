// Decodes bytes that are written as hexadecimal digits: in a row, in pairs, or as a dump with offsets.
import type { Steps } from "../../turns/steps.ts";
import { addDecoded } from "./decoded-run.ts";
import { patternChars, type View, ViewBuilder } from "./view-builder.ts";

const wholeUtf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** What the decoder puts for bytes that are not UTF-8. Throwing for each run that only looks like base64 would cost more. */
const UNDECODABLE = "\ufffd";
export const MIN_READABLE = 8;

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
export function toReadableText(bytes: Uint8Array): string {
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

/** Bytes one by one: `0x41, 0x42`, `65 66`, `01000001 01000010`. */
const BYTE_LISTS: readonly (readonly [pattern: RegExp, base: 2 | 8 | 10 | 16])[] = [
	[/(?<![\da-z])(?:0x[\da-f]{2}[, ;]{0,2}){8,}/gi, 16],
	[/(?<![\da-z])(?:[\da-f]{2}, ?){7,}[\da-f]{2}(?![\da-z])/gi, 16],
	[/(?<![\d.,-])(?:(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[, ;]{1,2}){7,}(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])(?![\d.])/g, 10],
	[/(?<!\d)(?:[01]{8}[, ]{0,2}){7,}[01]{8}(?!\d)/g, 2],
];
const BYTE_OF_BASE = { 2: /[01]{8}/g, 8: /[0-7]{3}/g, 10: /\d{2,3}/g, 16: /[\da-f]{2}(?![\da-z])/gi } as const;

/** Letters and digits of base32. */
const BASE32_RUN = /(?<![A-Za-z\d])[A-Z2-7]{16,}={0,6}(?![A-Za-z\d])/g;
const BASE32_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function decodeBase32(written: string): Uint8Array {
	const bytes: number[] = [];
	let bits = 0;
	let held = 0;
	for (const letter of written.replace(/=+$/, "")) {
		bits = ((bits << 5) | BASE32_LETTERS.indexOf(letter)) & 0xfff;
		held += 5;
		if (held < 8) continue;
		held -= 8;
		bytes.push((bits >> held) & 0xff);
	}
	return Uint8Array.from(bytes);
}

const HEX_RUN = /(?<![\da-z])(?:[\da-f]{2}){11,}(?![\da-z])|(?<![\da-z])(?:[\da-f]{2}[ :]){10,}[\da-f]{2}(?![\da-z])/gi;
/** A line of `xxd` or `hexdump -C`: an offset, then at most 16 bytes. */
const DUMP_LINE = /^[\da-f]{4,8}:?[ \t]{1,2}((?:[\da-f]{2,4}[ \t]{1,2}){1,16})/gim;

/** A pattern looks through so much at once: 2 ms. */
const PIECE_CHARS = 262_144;
/** A piece may end so much earlier. */
const CUT_CHARS = 16_384;
/**
 * Where the piece that begins at `from` ends: where no pattern reads across, behind a line or behind a full stop before a space, with
 * which none begins; at the end of the text where there is no such place.
 */
function pieceEnd(text: string, from: number): number {
	const latest = from + PIECE_CHARS;
	if (latest >= text.length) return text.length;
	for (let to = latest; to > latest - CUT_CHARS; to--) {
		if (text.charCodeAt(to - 1) === 10) return to;
		if (text.charCodeAt(to - 1) === 46 && text.charCodeAt(to) === 32) return to;
	}
	return text.length;
}

/** Finds a pattern in a text, piece by piece, with a pause before each. */
function* matchInPieces(text: string, pattern: RegExp): Generator<{ match: RegExpMatchArray; index: number } | number> {
	for (let from = 0; from < text.length; ) {
		const to = pieceEnd(text, from);
		const piece = text.slice(from, to);
		yield patternChars(piece);
		for (const match of piece.matchAll(pattern)) yield { match, index: from + (match.index ?? 0) };
		from = to;
	}
}

function toBytes(digits: string): Uint8Array {
	const plain = digits.replace(/[^\da-f]/gi, "");
	const bytes = new Uint8Array(plain.length >> 1);
	for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(plain.slice(2 * at, 2 * at + 2), 16);
	return bytes;
}

/** Decodes hexadecimal digits, a line for each run, without the text around them; null if there are none. Pauses between its patterns. */
export function* toHexView(view: View): Steps<View | null> {
	const { text } = view;
	const builder = new ViewBuilder(view);
	const add = (bytes: Uint8Array, written: string, index: number) => {
		const decoded = toReadableText(bytes);
		if (decoded.length >= MIN_READABLE) addDecoded(builder, view, decoded, index, index + written.length);
	};
	/** Decodes what a pattern finds. */
	function* addAll(pattern: RegExp, decode: (match: RegExpMatchArray, index: number) => void): Steps<void> {
		for (const step of matchInPieces(text, pattern)) {
			if (typeof step === "number") yield step;
			else decode(step.match, step.index);
		}
	}
	yield* addAll(HEX_RUN, ([written], index) => add(toBytes(written), written, index));
	for (const [pattern, base] of BYTE_LISTS)
		yield* addAll(pattern, ([written], index) => {
			const bytes = Array.from(written.matchAll(BYTE_OF_BASE[base]), ([byte]) => Number.parseInt(byte, base));
			add(Uint8Array.from(bytes), written, index);
		});
	yield* addAll(BASE32_RUN, ([written], index) => add(decodeBase32(written), written, index));
	yield* addAll(DUMP_LINE, ({ 0: line, 1: digits = "" }, index) => {
		const decoded = toReadableText(toBytes(digits)).replace(/\n$/, "");
		builder.replace(decoded, index, index + line.length);
	});
	return builder.isEmpty ? null : builder.build();
}
