// Limits how deep JSON text nests and how many values it holds, before it is parsed. Pure.
import type { Issue } from "../failure.ts";

/** Containers inside containers. A tool's JSON Schema needs a few dozen. */
export const MAX_JSON_DEPTH = 128;
/**
 * Values of one body, containers included. An empty object takes 3 bytes to send and 56 in memory, and validation may look at
 * each value several times; this limits both. 2,000 messages with ten parts each have 66,000 values.
 */
export const MAX_JSON_VALUES = 100_000;

/**
 * Members of one object, or entries of one array. The longest list of any endpoint has 10,000 entries. This also limits
 * schemas that set no limit.
 */
export const MAX_JSON_ENTRIES = 20_000;

/** Longer paths are cut in issues. */
const MAX_ISSUE_PATH_CHARS = 200;

/** A path as issues write it: `messages.2.role`. */
export function pathText(steps: readonly (string | number)[]): string {
	return steps.join(".").slice(0, MAX_ISSUE_PATH_CHARS);
}

const QUOTE_UNIT = 0x22;
const BACKSLASH_UNIT = 0x5c;
const COMMA_UNIT = 0x2c;
const COLON_UNIT = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An open container, with the current index in it, or the range of the current key in the text. */
interface Level {
	isArray: boolean;
	index: number;
	keyFrom: number;
	keyTo: number;
}

/** After so many plain characters in a row, the next quote is searched for: that takes a tenth of the time, and more for few of them. */
const PLAIN_RUN = 64;

/** Whether an odd number of backslashes stands before an index, so that they escape what is there. */
function isEscaped(text: string, at: number): boolean {
	let first = at;
	while (text.charCodeAt(first - 1) === BACKSLASH_UNIT) first--;
	return (at - first) % 2 === 1;
}

/** The end of a string that begins at `from`: behind its closing quote, or at the end of the text. */
function skipString(text: string, from: number): number {
	let plainFrom = from + 1;
	for (let at = plainFrom; at < text.length; at++) {
		if (at - plainFrom === PLAIN_RUN) {
			at = text.indexOf('"', at);
			if (at < 0) break;
			if (!isEscaped(text, at)) return at + 1;
			plainFrom = at + 1;
			continue;
		}
		const code = text.charCodeAt(at);
		if (code === QUOTE_UNIT) return at + 1;
		if (code === BACKSLASH_UNIT) {
			at++;
			plainFrom = at + 1;
		}
	}
	return text.length;
}

/** The state of a scan over JSON text: the open containers, and the number of values so far. */
class JsonScan {
	#text: string;
	#levels: Level[] = [];
	#values = 1;
	#stringFrom = 0;
	#stringTo = 0;

	constructor(text: string) {
		this.#text = text;
	}

	#step({ isArray, index, keyFrom, keyTo }: Level): string | number {
		if (isArray) return index;
		try {
			return String(JSON.parse(this.#text.slice(keyFrom, keyTo)));
		} catch {
			return "";
		}
	}

	#issue(levels: readonly Level[], message: string): Issue {
		return { path: pathText(levels.map((level) => this.#step(level))), message };
	}

	#count(): Issue | null {
		this.#values++;
		return this.#values > MAX_JSON_VALUES
			? this.#issue([], `the body holds more than ${MAX_JSON_VALUES} values`)
			: null;
	}

	/** Skips a string. @returns the index of its last character. */
	string(from: number): number {
		this.#stringFrom = from;
		this.#stringTo = skipString(this.#text, from);
		return this.#stringTo - 1;
	}

	colon(): void {
		const level = this.#levels.at(-1);
		if (!level) return;
		level.keyFrom = this.#stringFrom;
		level.keyTo = this.#stringTo;
	}

	comma(): Issue | null {
		const level = this.#levels.at(-1);
		if (level && ++level.index === MAX_JSON_ENTRIES)
			return this.#issue(this.#levels.slice(0, -1), `holds more than ${MAX_JSON_ENTRIES} entries`);
		return this.#count();
	}

	open(isArray: boolean): Issue | null {
		if (this.#levels.length === MAX_JSON_DEPTH)
			return this.#issue(this.#levels, `nests deeper than ${MAX_JSON_DEPTH} levels`);
		this.#levels.push({ isArray, index: 0, keyFrom: 0, keyTo: 0 });
		return this.#count();
	}

	close(): void {
		this.#levels.pop();
	}
}

/**
 * Finds the first place where JSON text nests too deeply or holds too many values. Invalid text may pass; it is cheap to
 * parse. The scan is one pass, with memory for the open containers only.
 */
export function findExcess(text: string): Issue | null {
	const scan = new JsonScan(text);
	let issue: Issue | null = null;
	for (let at = 0; at < text.length && !issue; at++) {
		const code = text.charCodeAt(at);
		// Skips white space and digits with one comparison each.
		if (code < QUOTE_UNIT || (code > COMMA_UNIT && code < COLON_UNIT)) continue;
		if (code === QUOTE_UNIT) at = scan.string(at);
		else if (code === COLON_UNIT) scan.colon();
		else if (code === COMMA_UNIT) issue = scan.comma();
		else if (code === OPEN_ARRAY || code === OPEN_OBJECT) issue = scan.open(code === OPEN_ARRAY);
		else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) scan.close();
	}
	return issue;
}
