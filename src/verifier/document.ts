// Reads a saved file in the one way that every reader agrees on: one text for its bytes, one value for each member and
// number. Checking the value is left to each kind. Pure.

/** Deepest nesting of objects and arrays. No answer of the service comes near it. */
const MAX_NESTING = 64;

/**
 * Every number of at most this many characters and without an exponent is exact as a double (15 digits; ECMA-262,
 * 6.1.6.1).
 */
const PLAIN_NUMBER_LENGTH = 15;

/** The encodings that a byte order mark names. A file without a mark is UTF-8 (RFC 8259, section 8.1). */
const BYTE_ORDER_MARKS: readonly [mark: readonly number[], encoding: string][] = [
	[[0xff, 0xfe], "utf-16le"],
	[[0xfe, 0xff], "utf-16be"],
];

/**
 * The text of a file's bytes, without a byte order mark; null when they are not text.
 * @throws when the file has more bytes than a string can hold.
 */
export function decodeText(bytes: Uint8Array): string | null {
	const [, encoding = "utf-8"] =
		BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [];
	try {
		return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (error) {
		// The Encoding Standard throws this for bytes that are invalid in the encoding.
		if (error instanceof TypeError) return null;
		throw error;
	}
}

/** The value of a text, or why readers would disagree on it. */
export type DocumentResult = { ok: true; value: unknown } | { ok: false; fault: string };

function describePosition(text: string, position: number): string {
	const before = text.slice(0, position);
	const line = before.split("\n").length;
	return `line ${line}, column ${position - before.lastIndexOf("\n")}`;
}

/** A number's digits and their power of ten: one form for all notations of the same number. */
function normalizeDecimal(text: string): string {
	const [, whole = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
	const digits = `${whole}${fraction}`.replace(/^0+/, "");
	const significant = digits.replace(/0+$/, "");
	return significant === ""
		? "0"
		: `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** Whether a number survives parsing. Otherwise another reader might keep more digits and read another amount. */
function isExactNumber(text: string): boolean {
	if (text.length <= PLAIN_NUMBER_LENGTH && !/e/i.test(text)) return true;
	const value = Number(text);
	return Number.isFinite(value) && normalizeDecimal(text) === normalizeDecimal(String(value));
}

/** The position after the closing quotation mark of a string. */
function findJsonStringEnd(text: string, start: number): number {
	let end = start;
	do {
		end = text.indexOf('"', end + 1);
		let escapes = 0;
		while (text[end - 1 - escapes] === "\\") escapes++;
		if (escapes % 2 === 0) return end + 1;
	} while (end > 0);
	return text.length;
}

/** The member names of each open object so far; null for an array. */
type OpenContainers = (Set<string> | null)[];

/** Opens an object or array; returns the fault when it nests too deep. */
function depthFault(open: OpenContainers, bracket: string): string | null {
	open.push(bracket === "{" ? new Set() : null);
	return open.length > MAX_NESTING ? `nests more than ${MAX_NESTING} deep` : null;
}

/** Adds a member's name to its object; returns the fault when the name is not allowed. */
function nameFault(names: Set<string>, quoted: string): string | null {
	const name = String(JSON.parse(quoted));
	if (name === "__proto__") return "has a member __proto__, which no answer has";
	if (names.has(name)) return `has the member ${JSON.stringify(name)} twice in one object`;
	names.add(name);
	return null;
}

/**
 * Finds what JSON readers treat differently (RFC 8259, sections 4 and 6): repeated member names and numbers that no
 * double holds. Also `__proto__` and excessive depth.
 * @param text valid JSON.
 */
function findJsonFault(text: string): string | null {
	const open: OpenContainers = [];
	const tokens = /["{}[\]]|-?\d[\d.eE+-]*/g;
	const colon = /\s*:/y;
	for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
		const { 0: sign, index } = token;
		let fault: string | null = null;
		if (sign === "{" || sign === "[") fault = depthFault(open, sign);
		else if (sign === "}" || sign === "]") open.pop();
		else if (sign === '"') {
			const end = findJsonStringEnd(text, index);
			const names = open.at(-1);
			tokens.lastIndex = end;
			colon.lastIndex = end;
			if (names && colon.test(text)) fault = nameFault(names, text.slice(index, end));
		} else if (!isExactNumber(sign)) fault = "has a number of more digits than a number keeps";
		if (fault !== null) return `${fault} (${describePosition(text, index)})`;
	}
	return null;
}

/** The texts of the JSON objects and lists that stand one after another, and last the rest, which begins with none. */
function splitJsonTexts(text: string): string[] {
	const texts: string[] = [];
	const tokens = /["{}[\]]/g;
	let [depth, start] = [0, 0];
	for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
		const { 0: sign, index } = token;
		if (depth === 0 && (text.slice(start, index).trim() !== "" || !/[{[]/.test(sign))) break;
		if (sign === '"') tokens.lastIndex = findJsonStringEnd(text, index);
		else depth += sign === "{" || sign === "[" ? 1 : -1;
		if (sign === '"' || depth !== 0) continue;
		texts.push(text.slice(start, index + 1));
		start = index + 1;
	}
	return [...texts, text.slice(start)];
}

/** The lines that a saved stream begins with: comments, and the names and data of events. */
const EVENT_STREAM_START = /^\s*(?::|event:|data:)/;
/** The event that a stream of the service ends with. It holds the answer, on one line. */
const ANSWER_EVENT = /^event: ?(?:result|requires_action)\r?\ndata: ?([^\r\n]*)\r?$/m;

/**
 * The texts of the answers in a file, which stand one after another; of a saved stream, the answer that it ends with. A fault follows
 * "the file".
 */
export function splitAnswers(text: string): { texts: string[] } | { fault: string } {
	const texts: string[] = [];
	let rest = text;
	while (EVENT_STREAM_START.test(rest) || texts.length === 0) {
		if (EVENT_STREAM_START.test(rest)) {
			const end = ANSWER_EVENT.exec(rest);
			if (!end) return { fault: "is a stream that does not end with an answer" };
			texts.push(end[1] ?? "");
			rest = rest.slice(end.index + end[0].length);
		}
		const next = splitJsonTexts(rest);
		rest = next.pop() ?? "";
		texts.push(...next);
		if (!EVENT_STREAM_START.test(rest) && (rest.trim() !== "" || texts.length === 0)) texts.push(rest);
	}
	return { texts };
}

/** Parses JSON, unless readers could disagree on its value. */
export function readDocument(text: string): DocumentResult {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return { ok: false, fault: text.trim() === "" ? "is empty" : "is not valid JSON" };
	}
	const fault = findJsonFault(text);
	return fault === null ? { ok: true, value } : { ok: false, fault };
}
