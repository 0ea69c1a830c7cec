// What a step is told of the steps before it: their outputs, cut to a size that does not grow with their number. Pure: the same
// outputs give the same text.
import { clipCharacters } from "../clip.ts";
import { utf8Length } from "../providers/wire.ts";

/** A step that is over. */
export interface SubtaskResult {
	/** Its place in the run. */
	index: number;
	subtask: string;
	output: string;
}

/** A subtask is named by so much of it. */
const MAX_SUBTASK_TITLE_CHARS = 120;
/** An output of which not even this much fits is left out with those before it. */
const MIN_RESULT_BYTES = 160;
/** Of a cut output, what its beginning keeps; its end, where conclusions stand, keeps the rest. */
const HEAD_SHARE = 2 / 3;
const CUT_MARK = "\n[…]\n";
const ENTRY_GAP = "\n\n";

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** True inside a character's UTF-8 sequence. */
const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The first bytes, in whole characters. */
function firstBytes(bytes: Uint8Array, count: number): string {
	let end = Math.min(count, bytes.length);
	while (isContinuation(bytes[end])) end--;
	return textDecoder.decode(bytes.subarray(0, end));
}

/** The last bytes, in whole characters. */
function lastBytes(bytes: Uint8Array, count: number): string {
	let start = Math.max(0, bytes.length - count);
	while (isContinuation(bytes[start])) start++;
	return textDecoder.decode(bytes.subarray(start));
}

/**
 * A text in at most so many UTF-8 bytes: whole, else its beginning and its end around a mark.
 * @param maxBytes not negative.
 */
export function excerptText(text: string, maxBytes: number): string {
	const bytes = textEncoder.encode(text);
	if (bytes.length <= maxBytes) return text.toWellFormed();
	const room = maxBytes - utf8Length(CUT_MARK);
	if (room < 2) return firstBytes(bytes, maxBytes);
	const headBytes = Math.ceil(room * HEAD_SHARE);
	return firstBytes(bytes, headBytes) + CUT_MARK + lastBytes(bytes, room - headBytes);
}

function resultTitle({ index, subtask }: SubtaskResult): string {
	const oneLine = subtask.toWellFormed().replace(/\s+/g, " ").trim();
	const title = clipCharacters(oneLine, MAX_SUBTASK_TITLE_CHARS);
	return `### Step ${index}: ${title}${title.length < oneLine.length ? "…" : ""}\n`;
}

interface ResultEntry {
	title: string;
	/** Besides the output: the title, and the gap to the entry before. */
	frameBytes: number;
	output: string;
	outputBytes: number;
}

function omissionText(count: number): string {
	return count === 0 ? "" : `(${count} earlier ${count === 1 ? "result is" : "results are"} left out)${ENTRY_GAP}`;
}

/** The newest outputs for which there is room, oldest first. */
function entriesThatFit(results: readonly SubtaskResult[], maxBytes: number): ResultEntry[] {
	const entries: ResultEntry[] = [];
	let left = maxBytes - utf8Length(omissionText(results.length));
	for (const result of results.toReversed()) {
		const title = resultTitle(result);
		const frameBytes = utf8Length(title) + utf8Length(ENTRY_GAP);
		const outputBytes = utf8Length(result.output);
		left -= frameBytes + Math.min(outputBytes, MIN_RESULT_BYTES);
		if (left < 0) break;
		entries.push({ title, frameBytes, output: result.output, outputBytes });
	}
	return entries.reverse();
}

/** Shares bytes out evenly; what one does not need goes to the others. In the order of `needs`. */
function divideBytes(needs: readonly number[], bytes: number): number[] {
	const shares = needs.map(() => 0);
	let left = bytes;
	for (const [index, place] of [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0)).entries()) {
		const share = Math.min(needs[place] ?? 0, Math.floor(left / (needs.length - index)));
		shares[place] = share;
		left -= share;
	}
	return shares;
}

/**
 * The outputs of earlier steps in at most so many UTF-8 bytes: whole where they fit. Else the newest gets up to half of the room,
 * the others share the rest evenly, and the oldest, when there is no room for a piece of each, are counted only.
 * @param results oldest first.
 */
export function excerptResults(results: readonly SubtaskResult[], maxBytes: number): string {
	const newest = results.at(-1);
	if (!newest) return "";
	const entries = entriesThatFit(results, maxBytes);
	const last = entries.at(-1);
	if (!last) return excerptText(newest.output, maxBytes);
	const omission = omissionText(results.length - entries.length);
	const frames = entries.reduce((sum, { frameBytes }) => sum + frameBytes, utf8Length(omission));
	const room = maxBytes - frames;
	const needs = entries.map(({ outputBytes }) => outputBytes);
	const others = needs.slice(0, -1);
	const wanted = others.reduce((sum, need) => sum + need, 0);
	const lastShare = Math.min(last.outputBytes, Math.max(Math.floor(room / 2), room - wanted));
	const shares = [...divideBytes(others, room - lastShare), lastShare];
	return (
		omission +
		entries.map(({ title, output }, place) => title + excerptText(output, shares[place] ?? 0)).join(ENTRY_GAP)
	);
}
