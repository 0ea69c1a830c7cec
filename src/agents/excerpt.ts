// Excerpts: a text, or the results of all earlier steps, cut to a number of bytes. Pure and deterministic.
import { clipCharacters } from "../clip.ts";
import { utf8Length } from "../text/utf8.ts";

/** The result of a subtask's step. */
export interface SubtaskResult {
	/** The step's index in the run. */
	index: number;
	subtask: string;
	output: string;
}

const MAX_SUBTASK_TITLE_CHARS = 120;
/** A result is left out, with all older ones, when not even this much of it fits. */
const MIN_RESULT_BYTES = 160;
/** The beginning's share of a cut text. The end, where conclusions are, gets the rest. */
const HEAD_SHARE = 2 / 3;
const LEFT_OUT_MARK = "\n[…]\n";
const ENTRY_GAP = "\n\n";

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** Whether a byte continues a character's UTF-8 sequence. */
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
 * A text in at most `maxBytes` of UTF-8: whole, or its beginning and its end around a mark.
 * @param maxBytes not negative.
 */
export function excerptText(text: string, maxBytes: number): string {
	const bytes = textEncoder.encode(text);
	if (bytes.length <= maxBytes) return text.toWellFormed();
	const room = maxBytes - utf8Length(LEFT_OUT_MARK);
	if (room < 2) return firstBytes(bytes, maxBytes);
	const headBytes = Math.ceil(room * HEAD_SHARE);
	return firstBytes(bytes, headBytes) + LEFT_OUT_MARK + lastBytes(bytes, room - headBytes);
}

function resultTitle({ index, subtask }: SubtaskResult): string {
	const oneLine = subtask.toWellFormed().replace(/\s+/g, " ").trim();
	const title = clipCharacters(oneLine, MAX_SUBTASK_TITLE_CHARS);
	return `### Step ${index}: ${title}${title.length < oneLine.length ? "…" : ""}\n`;
}

interface ResultEntry {
	title: string;
	/** Bytes of the title and of the gap to the entry before. */
	frameBytes: number;
	output: string;
	outputBytes: number;
}

function omissionText(count: number): string {
	return count === 0 ? "" : `(${count} earlier ${count === 1 ? "result is" : "results are"} left out)${ENTRY_GAP}`;
}

/** The newest results that fit, oldest first. */
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

/** Divides bytes evenly. What one share does not need goes to the others. In the order of `needs`. */
function divideBytes(needs: readonly number[], bytes: number): number[] {
	const shares = needs.map(() => 0);
	let left = bytes;
	const smallestFirst = [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0));
	for (const [served, position] of smallestFirst.entries()) {
		const share = Math.min(needs[position] ?? 0, Math.floor(left / (needs.length - served)));
		shares[position] = share;
		left -= share;
	}
	return shares;
}

/**
 * Earlier results in at most `maxBytes` of UTF-8, whole if they fit. Otherwise the newest gets up to half of the space and the others
 * share the rest evenly. If not all of them fit even in part, the oldest are only counted.
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
		entries.map(({ title, output }, position) => title + excerptText(output, shares[position] ?? 0)).join(ENTRY_GAP)
	);
}
