// What a step is told of the steps before it: their outputs, cut to a size that does not grow with their number. Pure: the same
// outputs give the same text.
import { clipCharacters } from "../clip.ts";
import { utf8Length } from "../providers/wire.ts";

/** A step that is over. */
export interface EarlierOutput {
	/** Its place in the run. */
	index: number;
	subtask: string;
	output: string;
}

/** A subtask is named by so much of it. */
const MAX_TITLE_CHARS = 120;
/** An output of which not even this much fits is left out with those before it. */
const MIN_EXCERPT_BYTES = 160;
/** Of a cut output, what its beginning keeps; its end, where conclusions stand, keeps the rest. */
const HEAD_SHARE = 2 / 3;
const CUT = "\n[…]\n";
const GAP = "\n\n";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** True inside a character's UTF-8 sequence. */
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The first bytes, in whole characters. */
function headOf(bytes: Uint8Array, count: number): string {
	let end = Math.min(count, bytes.length);
	while (isContinuation(bytes[end])) end--;
	return decoder.decode(bytes.subarray(0, end));
}

/** The last bytes, in whole characters. */
function tailOf(bytes: Uint8Array, count: number): string {
	let start = Math.max(0, bytes.length - count);
	while (isContinuation(bytes[start])) start++;
	return decoder.decode(bytes.subarray(start));
}

/**
 * A text in at most so many UTF-8 bytes: whole, else its beginning and its end around a mark.
 * @param maxBytes not negative.
 */
export function excerpt(text: string, maxBytes: number): string {
	const bytes = encoder.encode(text);
	if (bytes.length <= maxBytes) return text.toWellFormed();
	const room = maxBytes - utf8Length(CUT);
	if (room < 2) return headOf(bytes, maxBytes);
	const headBytes = Math.ceil(room * HEAD_SHARE);
	return headOf(bytes, headBytes) + CUT + tailOf(bytes, room - headBytes);
}

function titleOf({ index, subtask }: EarlierOutput): string {
	const oneLine = subtask.toWellFormed().replace(/\s+/g, " ").trim();
	const title = clipCharacters(oneLine, MAX_TITLE_CHARS);
	return `### Step ${index}: ${title}${title.length < oneLine.length ? "…" : ""}\n`;
}

interface Entry {
	title: string;
	/** Besides the output: the title, and the gap to the entry before. */
	frameBytes: number;
	output: string;
	outputBytes: number;
}

function leftOutText(count: number): string {
	return count === 0 ? "" : `(${count} earlier ${count === 1 ? "result is" : "results are"} left out)${GAP}`;
}

/** The newest outputs for which there is room, oldest first. */
function entriesThatFit(outputs: readonly EarlierOutput[], maxBytes: number): Entry[] {
	const entries: Entry[] = [];
	let left = maxBytes - utf8Length(leftOutText(outputs.length));
	for (const earlier of outputs.toReversed()) {
		const title = titleOf(earlier);
		const frameBytes = utf8Length(title) + utf8Length(GAP);
		const outputBytes = utf8Length(earlier.output);
		left -= frameBytes + Math.min(outputBytes, MIN_EXCERPT_BYTES);
		if (left < 0) break;
		entries.push({ title, frameBytes, output: earlier.output, outputBytes });
	}
	return entries.reverse();
}

/** Shares bytes out evenly; what one does not need goes to the others. In the order of `needs`. */
function sharesOf(needs: readonly number[], bytes: number): number[] {
	const shares = needs.map(() => 0);
	let left = bytes;
	for (const [served, place] of [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0)).entries()) {
		const share = Math.min(needs[place] ?? 0, Math.floor(left / (needs.length - served)));
		shares[place] = share;
		left -= share;
	}
	return shares;
}

/**
 * The outputs of earlier steps in at most so many UTF-8 bytes: whole where they fit. Else the newest gets up to half of the room,
 * the others share the rest evenly, and the oldest, when there is no room for a piece of each, are counted only.
 * @param outputs oldest first.
 */
export function outputsDigest(outputs: readonly EarlierOutput[], maxBytes: number): string {
	const newest = outputs.at(-1);
	if (!newest) return "";
	const entries = entriesThatFit(outputs, maxBytes);
	const last = entries.at(-1);
	if (!last) return excerpt(newest.output, maxBytes);
	const leftOut = leftOutText(outputs.length - entries.length);
	const frames = entries.reduce((sum, { frameBytes }) => sum + frameBytes, utf8Length(leftOut));
	const room = maxBytes - frames;
	const needs = entries.map(({ outputBytes }) => outputBytes);
	const others = needs.slice(0, -1);
	const wanted = others.reduce((sum, need) => sum + need, 0);
	const lastShare = Math.min(last.outputBytes, Math.max(Math.floor(room / 2), room - wanted));
	const shares = [...sharesOf(others, room - lastShare), lastShare];
	return leftOut + entries.map(({ title, output }, place) => title + excerpt(output, shares[place] ?? 0)).join(GAP);
}
