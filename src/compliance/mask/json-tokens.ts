// Splits JSON text into its strings and bare words, so that values in it are replaced and it stays JSON. It may be malformed. Pure.

/** A string with its quotes, or a number or a literal. */
export interface JsonToken {
	readonly start: number;
	readonly end: number;
	readonly isString: boolean;
	/** It names a member of an object. */
	readonly isName: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"{}[\]:,]+/gsu;
const MEMBER_COLON = /\s*:/y;

/** The strings and bare words of a JSON text, in order. A string that does not end is left out. */
export function* jsonTokens(text: string): Generator<JsonToken> {
	for (const { 0: written, index: start } of text.matchAll(TOKEN)) {
		const end = start + written.length;
		const isString = written.startsWith('"');
		MEMBER_COLON.lastIndex = end;
		yield { start, end, isString, isName: isString && MEMBER_COLON.test(text) };
	}
}

/** What the inside of a JSON string says; as written, if that is malformed. */
export function unescapeJson(inside: string): string {
	if (!inside.includes("\\")) return inside;
	try {
		const value: unknown = JSON.parse(`"${inside}"`);
		return typeof value === "string" ? value : inside;
	} catch {
		return inside;
	}
}

/** A text as the inside of a JSON string. */
export function escapeJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** A text as a JSON value: a number if it is one, otherwise a string. */
export function toJsonValue(text: string): string {
	return JSON_NUMBER.test(text) ? text : JSON.stringify(text);
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
