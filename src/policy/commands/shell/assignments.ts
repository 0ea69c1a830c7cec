// Assignments among the words of a command: `name=value`, `name[index]=value`, and which commands take `name=(…)`.
import type { Assignment, Word, WordPart } from "./script.ts";

/** The text of a word that is one unquoted piece, as reserved words are. Null for other words. */
export function unquotedText(word: Word): string | null {
	const only = word[0];
	return word.length === 1 && only?.kind === "text" && !only.quoted ? only.text : null;
}

/** Commands that take `name=(…)` among their words. */
const ARRAY_ASSIGNING_COMMANDS = new Set(["declare", "typeset", "local", "export", "readonly"]);

/** Whether a command takes arrays among its words, also behind `command` or `builtin`. */
export function assignsArrays(words: readonly Word[]): boolean {
	return words.slice(0, 3).some((word) => ARRAY_ASSIGNING_COMMANDS.has(unquotedText(word) ?? ""));
}

/** By how many unquoted brackets are open at the end of a word's part. */
export function openBrackets(part: WordPart): number {
	if (part.kind !== "text" || part.quoted) return 0;
	let open = 0;
	for (const character of part.text) open += character === "[" ? 1 : character === "]" ? -1 : 0;
	return open;
}

/** Words with a space behind each. Neighbouring texts become one, so that a hundred thousand words are no as many pieces. */
export function joinWords(words: readonly Word[]): Word {
	const joined: WordPart[] = [];
	let plain = "";
	const flush = () => {
		if (plain !== "") joined.push({ kind: "text", text: plain, quoted: false });
		plain = "";
	};
	for (const word of words) {
		for (const part of word) {
			if (part.kind === "text" && !part.quoted) {
				plain += part.text;
				continue;
			}
			flush();
			joined.push(part);
		}
		plain += " ";
	}
	flush();
	return joined;
}

/** Where in an unquoted text the brackets close that are open before it. The text's length where they do not. */
function endOfBrackets(text: string, openBefore: number, from: number): number {
	let open = openBefore;
	for (let at = from; at < text.length; at++) {
		if (text[at] === "[") open++;
		else if (text[at] === "]" && --open === 0) return at;
	}
	return text.length;
}

/** Divides a word behind `name` at the bracket that closes its index. Null where none does. */
function splitAtIndex(word: Word): { readonly index: Word; readonly rest: Word } | null {
	let open = 0;
	for (const [at, part] of word.entries()) {
		if (part.kind === "text" && !part.quoted) {
			const end = endOfBrackets(part.text, open, 0);
			if (end < part.text.length) {
				const text = (piece: string): WordPart => ({ kind: "text", text: piece, quoted: false });
				return {
					index: [...word.slice(0, at), text(part.text.slice(0, end))],
					rest: [text(part.text.slice(end + 1)), ...word.slice(at + 1)],
				};
			}
		}
		open += openBrackets(part);
	}
	return null;
}

/**
 * Parses `name=value` and `name[index]=value`. Null for other words. Some names that no shell takes are taken, so that a
 * typo hides nothing.
 */
export function parseAssignment(word: Word): Assignment | null {
	const first = word[0];
	if (first?.kind !== "text" || first.quoted) return null;
	const name = /^[A-Za-z0-9_-]+(?=\+?=|\[)/.exec(first.text)?.[0];
	if (name === undefined) return null;
	const behind: Word = [{ kind: "text", text: first.text.slice(name.length), quoted: false }, ...word.slice(1)];
	const split = first.text[name.length] === "[" ? splitAtIndex(behind) : { index: [], rest: behind };
	const sign = split?.rest[0];
	if (!split || sign?.kind !== "text" || sign.quoted) return null;
	const equals = /^\+?=/.exec(sign.text)?.[0];
	if (equals === undefined) return null;
	const value: Word = [{ kind: "text", text: sign.text.slice(equals.length), quoted: false }, ...split.rest.slice(1)];
	const assignment = { name, value, appends: equals === "+=" };
	return split.index.length > 0 ? { ...assignment, index: split.index } : assignment;
}
