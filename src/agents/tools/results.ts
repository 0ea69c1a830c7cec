// The texts that answer calls: what a tool returned, as the next turn reads it, and what the service says of a call that has no such
// result. Whether a model may read a result is judged elsewhere. Pure.
import type { Hash } from "../../proof/hash.ts";
import type { TextHash } from "../../proof/salted.ts";
import { utf8Length } from "../../text/utf8.ts";
import type { CallResultMark } from "./call-states.ts";
import type { ToolCallTexts } from "./tool-call.ts";

/** Longer arguments do not fit into a row with their result. */
export const MAX_ARGUMENT_BYTES = 262_144;
/** A result as it was given: what a row of a Durable Object holds, with room for what stands beside it. */
export const MAX_RESULT_BYTES = 1_048_576;
/** A result as a model reads it. */
export const MAX_READ_BYTES = 32_768;
/** What a run keeps of cut results for `compute`, in characters: all of a run's texts are in memory while it works. */
const MAX_KEPT_CHARS = 16_777_216;
/** The share of a cut result that is its beginning. The rest is its end, where summaries and errors are. */
const KEPT_HEAD_SHARE = 0.6;

/** The characters at one end of a text that take at most so many bytes. */
function takeEnd(text: string, maxBytes: number, isTail: boolean): string {
	// A UTF-16 unit takes at most three bytes.
	let taken = isTail ? text.slice(-maxBytes) : text.slice(0, maxBytes);
	while (utf8Length(taken) > maxBytes) {
		const over = Math.max(1, Math.ceil((utf8Length(taken) - maxBytes) / 3));
		taken = isTail ? taken.slice(over) : taken.slice(0, -over);
	}
	return isTail ? taken.replace(/^[\uDC00-\uDFFF]/, "") : taken.replace(/[\uD800-\uDBFF]$/, "");
}

/** A text of at most so many bytes: itself where it fits, else its beginning and its end, with a line that says what is left out. */
export function cutResult(text: string, maxBytes: number = MAX_READ_BYTES): { text: string; isCut: boolean } {
	const bytes = utf8Length(text);
	if (bytes <= maxBytes) return { text, isCut: false };
	const line = (left: number) => `\n[cut: ${left} of ${bytes} bytes are left out here]\n`;
	const keptBytes = Math.max(0, maxBytes - utf8Length(line(bytes)));
	const head = takeEnd(text, Math.floor(keptBytes * KEPT_HEAD_SHARE), false);
	const tail = takeEnd(text, keptBytes - utf8Length(head), true);
	return { text: `${head}${line(bytes - utf8Length(head) - utf8Length(tail))}${tail}`, isCut: true };
}

/** A call's texts and marks with a result that models may read. */
export interface FilledResult {
	texts: ToolCallTexts;
	mark: CallResultMark;
}

/**
 * Puts a result beside a call's arguments.
 * @param result whole, at most MAX_RESULT_BYTES.
 * @param hash over the run's salt.
 */
export function fillResult(
	args: string,
	result: string,
	isError: boolean,
	hash: TextHash,
	maxBytes: number = MAX_READ_BYTES,
): FilledResult {
	const { text, isCut } = cutResult(result, maxBytes);
	const resultHash: Hash = hash(text);
	return {
		texts: { arguments: args, result: text, whole: isCut ? result : null },
		mark: { resultHash, isError, isCut },
	};
}

/** Texts of calls without the whole results that a run has no room for. @param keptChars of its other calls. */
export function dropWholes<Worked extends { texts: ToolCallTexts }>(
	worked: readonly Worked[],
	keptChars: number,
): Worked[] {
	let left = MAX_KEPT_CHARS - keptChars;
	return worked.map((each) => {
		const { whole } = each.texts;
		if (whole === null) return each;
		const isKept = whole.length <= left;
		if (isKept) left -= whole.length;
		return isKept ? each : { ...each, texts: { ...each.texts, whole: null } };
	});
}

/** Why a call is not run, in words for the model. */
export const NOT_RUN = {
	unknownTool: (names: readonly string[]) => `There is no such tool. The tools are: ${names.join(", ")}.`,
	unreadable: (fault: string) =>
		`The arguments ${fault}. Call again with one JSON object that fits the tool's parameters.`,
	cut: (maxTokens: number) =>
		`The call was cut off at the limit of ${maxTokens} tokens a turn. Make it shorter, or split it into several calls.`,
	tooLong: () => `The arguments are longer than ${MAX_ARGUMENT_BYTES} bytes. Make them shorter, or split the call.`,
	unfit: (fault: string) =>
		`The arguments do not fit the tool's parameters:\n${fault}\nCall again with arguments that do.`,
	toolLimit: (most: number) =>
		`This tool may be called ${most === 1 ? "once" : `${most} times`} in a run, and was. Go on without it.`,
	runLimit: () => "The run has made all the tool calls that it may make. This call was not run.",
	stepLimit: () => "This step has made all the tool calls that it may make. This call was not run.",
	repeated: (times: number) =>
		`This call was made ${times} times in a row with the same arguments. It was not run again: its result is above.`,
	stopped: () => "The run ended before this call had a result.",
} as const;
