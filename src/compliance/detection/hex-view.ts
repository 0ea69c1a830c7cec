// Decodes bytes that are written as hexadecimal digits: in a row, in pairs, or as a dump with offsets.
import { type View, ViewBuilder } from "./view-builder.ts";

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

const HEX_RUN = /(?<![\da-z])(?:[\da-f]{2}){12,}(?![\da-z])|(?<![\da-z])(?:[\da-f]{2}[ :]){11,}[\da-f]{2}(?![\da-z])/gi;
/** A line of `xxd` or `hexdump -C`: an offset, then at most 16 bytes. */
const DUMP_LINE = /^[\da-f]{4,8}:?[ \t]{1,2}((?:[\da-f]{2,4}[ \t]{1,2}){1,16})/gim;

function toBytes(digits: string): Uint8Array {
	const plain = digits.replace(/[^\da-f]/gi, "");
	const bytes = new Uint8Array(plain.length >> 1);
	for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(plain.slice(2 * at, 2 * at + 2), 16);
	return bytes;
}

/** Decodes hexadecimal digits, a line for each run, without the text around them; null if there are none. */
export function toHexView(view: View): View | null {
	const { text } = view;
	const builder = new ViewBuilder(view);
	for (const { 0: written, index } of text.matchAll(HEX_RUN)) {
		const decoded = toReadableText(toBytes(written));
		if (decoded.length < MIN_READABLE) continue;
		builder.replace(decoded, index, index + written.length);
		builder.replace("\n\n", index + written.length, index + written.length);
	}
	for (const { 0: line, 1: digits = "", index } of text.matchAll(DUMP_LINE)) {
		const decoded = toReadableText(toBytes(digits)).replace(/\n$/, "");
		builder.replace(decoded, index, index + line.length);
	}
	return builder.isEmpty ? null : builder.build();
}
