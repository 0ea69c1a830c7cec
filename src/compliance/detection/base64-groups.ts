// Decodes base64: the codes of its characters, and text whose base64 is broken into short lines or groups of one length.
import type { Steps } from "../../turns/steps.ts";
import { addDecoded } from "./decoded-run.ts";
import { MIN_READABLE, toReadableText } from "./hex-view.ts";
import { type View, ViewBuilder } from "./view-builder.ts";

const BASE64_CODE = new Int8Array(128).fill(-1);
for (const [code, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
	BASE64_CODE[character.charCodeAt(0)] = code;
BASE64_CODE[45] = 62;
BASE64_CODE[95] = 63;

/** The six bits of a character of base64; −1 for another one. */
export function base64CodeAt(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code < 128 ? (BASE64_CODE[code] ?? -1) : -1;
}

/** Decodes base64, whatever stands between its characters. Zero bytes, every second one in UTF-16, are left out. */
export function decodeBase64Codes(text: string, start: number, end: number): string {
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

/** Fewer characters are words that have one length by chance. */
const MIN_CHARS = 15;
const MIN_GROUP_CHARS = 4;
const MAX_GROUP_CHARS = 36;
/** A line break may be two characters, and an indent. */
const MAX_BREAK_CHARS = 4;

const GROUP = /(?<![^\s"'(:=])[\w+/-]{1,36}={0,2}(?![^\s"').,;])/g;

/** Groups of one length in a row; the last may be shorter. */
interface GroupRun {
	start: number;
	end: number;
	/** The length of a group; 0 once the last has come. */
	size: number;
	count: number;
}

/** So many words take as long as reading so many characters (turns/steps.ts): 80 ns each. */
const PAUSE_GROUPS = 12_500;
const PAUSE_CHARS = 8_192;

/** The runs of a text, and pauses between its words. */
function* groupRuns(text: string): Generator<GroupRun | number> {
	let run: GroupRun | null = null;
	let groups = 0;
	for (const { 0: written, index } of text.matchAll(GROUP)) {
		if (++groups % PAUSE_GROUPS === 0) yield PAUSE_CHARS;
		const size = written.replace(/=+$/, "").length;
		const end = index + written.length;
		if (run !== null && index - run.end <= MAX_BREAK_CHARS && size <= run.size) {
			run = { start: run.start, end, size: size === run.size ? size : 0, count: run.count + 1 };
			continue;
		}
		if (run !== null) yield run;
		const begins = size % 4 === 0 && size >= MIN_GROUP_CHARS && size <= MAX_GROUP_CHARS;
		run = begins ? { start: index, end, size, count: 1 } : null;
	}
	if (run !== null) yield run;
}

/** Decodes base64 that is broken into groups of one length, a multiple of four; null if there is none. Pauses on the way. */
export function* toBase64GroupView(view: View): Steps<View | null> {
	const { text } = view;
	const builder = new ViewBuilder(view);
	for (const run of groupRuns(text)) {
		if (typeof run === "number") {
			yield run;
			continue;
		}
		const { start, end, count } = run;
		const written = text.slice(start, end);
		if (count < 2 || end - start < MIN_CHARS || !/[A-Z]/.test(written) || !/\d|[a-z][A-Z]/.test(written)) continue;
		const decoded = decodeBase64Codes(text, start, end);
		if (decoded.length >= MIN_READABLE) addDecoded(builder, view, decoded, start, end);
	}
	return builder.isEmpty ? null : builder.build();
}
