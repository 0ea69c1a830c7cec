// What an answer says that stands as a whole in a comment of code, a fence without a language, or the one text of a JSON object. Pure.
import { isJsonObject, parseJson } from "../json.ts";

const WHOLE_FENCE = /^\s*(?:```|~~~)([\w+#-]{0,20})[^\S\n]*\n([\s\S]*?)\n?(?:```|~~~)\s*$/;
/** Languages of fences that hold text. */
const TEXT_FENCE = /^(?:|text|txt|plaintext|markdown|md)$/i;
const COMMENT_LINE = /^\s*(?:#(?!!)|\/\/|--|\/\*+|\*(?!\/)|<!--|"""|''')\s?/;
const COMMENT_END = /\s*(?:\*\/|-->|"""|''')\s*$/;

/** The text of lines that are all comments; null where one is not. */
function readComments(code: string): string | null {
	const lines = code.split("\n").filter((line) => line.trim() !== "");
	if (lines.length === 0 || !lines.every((line) => COMMENT_LINE.test(line))) return null;
	return lines.map((line) => line.replace(COMMENT_LINE, "").replace(COMMENT_END, "")).join("\n");
}

/** The one text of a small JSON object; null for any other. */
function readOnlyText(text: string): string | null {
	if (!/^\s*\{/.test(text)) return null;
	const body = parseJson(text);
	if (!isJsonObject(body) || Object.keys(body).length > 3) return null;
	const [said, ...more] = Object.values(body).filter((value) => typeof value === "string");
	return typeof said === "string" && more.length === 0 ? said : null;
}

/** An answer without what is around all of it. */
export function unwrapAnswer(text: string): string {
	const [, language = "", inside] = WHOLE_FENCE.exec(text) ?? [];
	if (inside === undefined) return readOnlyText(text) ?? text;
	return readOnlyText(inside) ?? readComments(inside) ?? (TEXT_FENCE.test(language) ? inside : text);
}
