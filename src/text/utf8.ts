// How long texts are in UTF-8, found without making the bytes. Pure.

const encoder = new TextEncoder();

/** A shorter text is counted unit by unit: the encoder takes longer to be called. */
const LEAST_ENCODED_UNITS = 64;
/** So much is encoded at once, into one buffer that is used again. */
const CHUNK_UNITS = 16_384;
const MOST_BYTES_OF_UNIT = 3;
const buffer = new Uint8Array(CHUNK_UNITS * MOST_BYTES_OF_UNIT);

function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Whether two units, one behind the other, are one character. */
function isPair(before: number, unit: number): boolean {
	return isLowSurrogate(unit) && isHighSurrogate(before);
}

/** The end of a chunk that begins at `from`. No character is cut in two. */
function chunkEnd(text: string, from: number): number {
	const to = Math.min(text.length, from + CHUNK_UNITS);
	return to < text.length && isPair(text.charCodeAt(to - 1), text.charCodeAt(to)) ? to - 1 : to;
}

function countUnits(text: string): number {
	let bytes = 0;
	let before = 0;
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
		if (isPair(before, unit)) bytes -= 2;
		before = unit;
	}
	return bytes;
}

/** Length of a text in UTF-8 bytes. Half of a character counts as U+FFFD does, which encoders write for it. */
export function utf8Length(text: string): number {
	if (text.length < LEAST_ENCODED_UNITS) return countUnits(text);
	let bytes = 0;
	for (let from = 0; from < text.length; ) {
		const to = chunkEnd(text, from);
		bytes += encoder.encodeInto(text.slice(from, to), buffer).written;
		from = to;
	}
	return bytes;
}

/** The chunks of a text that may hold more than ASCII. The others are left out. */
export function* chunksBeyondAscii(text: string): Generator<string> {
	for (let from = 0; from < text.length; ) {
		const to = chunkEnd(text, from);
		const chunk = text.slice(from, to);
		if (chunk.length < LEAST_ENCODED_UNITS || encoder.encodeInto(chunk, buffer).written > chunk.length) yield chunk;
		from = to;
	}
}
