// How long a recording is at most, by its bytes: providers count the tokens of its seconds. Pure.
import type { AudioFormat } from "../catalog/vocabulary.ts";

/** MPEG audio has no lower rate than 8 kbit/s (ISO/IEC 11172-3 and 13818-3, layer III). */
const MIN_MP3_BYTES_PER_SECOND = 1_000;

/** Codes of samples that take the bytes that the header says: PCM, floating point, A-law, µ-law. */
const PLAIN_CODES: readonly number[] = [1, 3, 6, 7];
/** The code then stands behind the header's other members. */
const EXTENSIBLE_CODE = 0xfffe;
const CHUNK_HEAD_BYTES = 8;

function hasLetters(bytes: Uint8Array, at: number, letters: string): boolean {
	return Array.from(letters).every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

/** The fewest bytes that a second of a WAV takes; null for one that is compressed or no WAV. */
function wavBytesPerSecond(bytes: Uint8Array): number | null {
	if (!hasLetters(bytes, 0, "RIFF") || !hasLetters(bytes, 8, "WAVE")) return null;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let least: number | null = null;
	for (let at = 12; at + CHUNK_HEAD_BYTES <= bytes.length; ) {
		const size = view.getUint32(at + 4, true);
		const start = at + CHUNK_HEAD_BYTES;
		if (hasLetters(bytes, at, "fmt ")) {
			if (start + 16 > bytes.length) return null;
			const code = view.getUint16(start, true);
			const plain = code === EXTENSIBLE_CODE && start + 26 <= bytes.length ? view.getUint16(start + 24, true) : code;
			const channelBytes = view.getUint16(start + 2, true) * Math.ceil(view.getUint16(start + 14, true) / 8);
			const rate = view.getUint32(start + 4, true) * Math.min(view.getUint16(start + 12, true), channelBytes);
			if (!PLAIN_CODES.includes(plain) || rate === 0) return null;
			least = Math.min(least ?? rate, rate);
		}
		// Chunks begin at even places.
		at = start + size + (size % 2);
	}
	return least;
}

const MPEG1_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBITS = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG1_HERTZ = [44_100, 48_000, 32_000];
/** How far versions 2.5, 2 and 1 divide those; the second is reserved. */
const HERTZ_DIVISORS = [4, null, 2, 1];
/** A tag of version 1 behind the frames has 128 bytes. */
const MAX_TRAILER_BYTES = 128;

/** Length and duration of a frame of layer III; null for what is none. */
function readFrame(bytes: Uint8Array, at: number): { length: number; seconds: number } | null {
	const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3);
	const divisor = HERTZ_DIVISORS[(kind >> 3) & 3];
	if (sync !== 0xff || (kind & 0xe6) !== 0xe2 || !divisor) return null;
	const isFirst = divisor === 1;
	const kbits = (isFirst ? MPEG1_KBITS : MPEG2_KBITS)[(rates >> 4) - 1];
	const base = MPEG1_HERTZ[(rates >> 2) & 3];
	if (kbits === undefined || base === undefined) return null;
	const hertz = base / divisor;
	const length = Math.floor(((isFirst ? 144 : 72) * 1_000 * kbits) / hertz) + ((rates >> 1) & 1);
	return { length, seconds: (isFirst ? 1_152 : 576) / hertz };
}

/** Where the frames begin: behind a tag, whose length is written with seven bits a byte. */
function firstFrame(bytes: Uint8Array): number {
	if (!hasLetters(bytes, 0, "ID3")) return 0;
	return 10 + bytes.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0);
}

/** Seconds of a file that is nothing but frames, one behind the other; null for any other. */
function sumFrames(bytes: Uint8Array): number | null {
	let seconds = 0;
	let at = firstFrame(bytes);
	for (let frame = readFrame(bytes, at); frame; frame = readFrame(bytes, at)) {
		seconds += frame.seconds;
		at += frame.length;
	}
	return seconds > 0 && bytes.length - at <= MAX_TRAILER_BYTES ? seconds : null;
}

/** An MP3 begins with a tag or with a frame. */
function isMp3(bytes: Uint8Array): boolean {
	const [first = 0, second = 0] = bytes;
	return hasLetters(bytes, 0, "ID3") || (first === 0xff && (second & 0xe0) === 0xe0);
}

/** The most seconds of a recording, or what keeps it from being sent. */
export function readRecording(
	bytes: Uint8Array,
	format: AudioFormat,
): { ok: true; maxSeconds: number } | { ok: false; message: string } {
	if (format === "mp3") {
		if (!isMp3(bytes)) return { ok: false, message: "is no MP3: it begins with neither a frame nor a tag" };
		return { ok: true, maxSeconds: sumFrames(bytes) ?? bytes.length / MIN_MP3_BYTES_PER_SECOND };
	}
	const bytesPerSecond = wavBytesPerSecond(bytes);
	if (bytesPerSecond === null) return { ok: false, message: "is no WAV of uncompressed samples; send one, or an MP3" };
	return { ok: true, maxSeconds: bytes.length / bytesPerSecond };
}
