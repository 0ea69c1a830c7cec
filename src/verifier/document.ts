// Reads a saved file so that nobody can read it differently: one text for its bytes, one value for each member and number. What
// the value says is for the checks of each kind. Pure.

/** Objects and arrays inside each other; no answer of the service comes near it. */
const MAX_NESTING = 64;

/** Every number of at most so many characters and without an exponent is a double (15 digits; ECMA-262, 6.1.6.1). */
const PLAIN_NUMBER_LENGTH = 15;

/** Encodings that a byte order mark names; without one it is UTF-8 (RFC 8259, section 8.1). */
const BYTE_ORDER_MARKS: readonly [mark: readonly number[], encoding: string][] = [
	[[0xff, 0xfe], "utf-16le"],
	[[0xfe, 0xff], "utf-16be"],
];

/**
 * The text of a file's bytes, without a byte order mark; null when they are no text.
 * @throws for more bytes than a string holds.
 */
export function decodeText(bytes: Uint8Array): string | null {
	const [, encoding = "utf-8"] =
		BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte)) ?? [];
	try {
		return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
	} catch (error) {
		// What the Encoding Standard throws at bytes that are none of the encoding's.
		if (error instanceof TypeError) return null;
		throw error;
	}
}

/** A value, or why the text has none that everybody would agree on. */
type DocumentResult = { ok: true; value: unknown } | { ok: false; fault: string };

function describePosition(text: string, position: number): string {
	const before = text.slice(0, position);
	const line = before.split("\n").length;
	return `line ${line}, column ${position - before.lastIndexOf("\n")}`;
}

/** A number's digits and the power of ten they stand at, the same however it is written. */
function normalizeDecimal(text: string): string {
	const [, whole = "", fraction = "", power = "0"] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
	const digits = `${whole}${fraction}`.replace(/^0+/, "");
	const significant = digits.replace(/0+$/, "");
	return significant === ""
		? "0"
		: `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** True for a number that its parsed value still says: another reader may keep more digits, and so another amount. */
function isExactNumber(text: string): boolean {
	if (text.length <= PLAIN_NUMBER_LENGTH && !/e/i.test(text)) return true;
	const value = Number(text);
	return Number.isFinite(value) && normalizeDecimal(text) === normalizeDecimal(String(value));
}

/** The end of a string that begins at a quotation mark: the position behind its closing one. */
function findStringEnd(text: string, start: number): number {
	let end = start;
	do {
		end = text.indexOf('"', end + 1);
		let escapes = 0;
		while (text[end - 1 - escapes] === "\\") escapes++;
		if (escapes % 2 === 0) return end + 1;
	} while (end > 0);
	return text.length;
}

/** The names of each open object so far; null for an array. */
type OpenContainers = (Set<string> | null)[];

/** What is wrong with an opening bracket where it stands. */
function depthFault(open: OpenContainers, bracket: string): string | null {
	open.push(bracket === "{" ? new Set() : null);
	return open.length > MAX_NESTING ? `nests more than ${MAX_NESTING} deep` : null;
}

/** What is wrong with a member's name. */
function nameFault(names: Set<string>, quoted: string): string | null {
	const name = String(JSON.parse(quoted));
	if (name === "__proto__") return "has a member __proto__, which no answer has";
	if (names.has(name)) return `has the member ${JSON.stringify(name)} twice in one object`;
	names.add(name);
	return null;
}

/**
 * Finds what readers of JSON differ in (RFC 8259, sections 4 and 6): names that an object has twice, numbers that no double
 * holds; and `__proto__`, and depth without end.
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
			const end = findStringEnd(text, index);
			const names = open.at(-1);
			tokens.lastIndex = end;
			colon.lastIndex = end;
			if (names && colon.test(text)) fault = nameFault(names, text.slice(index, end));
		} else if (!isExactNumber(sign)) fault = "has a number of more digits than a number keeps";
		if (fault !== null) return `${fault} (${describePosition(text, index)})`;
	}
	return null;
}

/** Parses JSON that has one meaning. */
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
