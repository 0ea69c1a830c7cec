// What a tool was called with and what it answered, as the audit log keeps it: the beginning of both. Pure.
import { clip } from "../clip.ts";

/** Characters of a record's JSON that are kept: of the tool's input, and of its response. */
const MOST_CHARS = { input: 8_192, response: 4_096 };

/**
 * So much longer is the part that is searched for secrets, so that one that is cut off at its end stands in no record: half a
 * secret looks harmless.
 */
const SEARCHED_FACTOR = 4;

/** What a tool was called with and answered, in part where it is long. */
export interface ToolRecord {
	/** JSON; its beginning where it was cut. */
	input: string;
	input_chars: number;
	/** Null where the tool has not answered. */
	response: string | null;
	response_chars: number;
	/** Whether one of them was cut. */
	truncated: boolean;
}

/** A text's own quotes would hide its line breaks and secrets behind escapes, so it is kept as it is. */
function toText(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}

/** @param redact replaces secrets in a text. */
async function toKeptText(text: string, most: number, redact: (text: string) => Promise<string>): Promise<string> {
	return clip(await redact(clip(text, SEARCHED_FACTOR * most)), most);
}

/** The record of a call. */
export async function toToolRecord(
	{ input, response }: { input: unknown; response: unknown },
	redact: (text: string) => Promise<string>,
): Promise<ToolRecord> {
	const inputText = toText(input ?? {});
	const responseText = response === undefined || response === null ? null : toText(response);
	const [inputChars, responseChars] = [inputText.length, responseText?.length ?? 0];
	return {
		input: await toKeptText(inputText, MOST_CHARS.input, redact),
		input_chars: inputChars,
		response: responseText === null ? null : await toKeptText(responseText, MOST_CHARS.response, redact),
		response_chars: responseChars,
		truncated: inputChars > MOST_CHARS.input || responseChars > MOST_CHARS.response,
	};
}

/** A record as it is kept where the quota of stored bytes is full: what ran, without the texts. */
export function reduceToolRecord(record: ToolRecord) {
	return { ...record, input: null, response: null, truncated: true, reduced: "storage_quota_exceeded" as const };
}
