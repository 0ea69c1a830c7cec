// Canonical JSON (RFC 8785, JCS). What JCS cannot represent is refused, never changed silently.
import { splitText } from "../text/pieces.ts";
import type { Steps } from "../turns/steps.ts";

/** Thrown for NaN, Infinity, `undefined`, functions, bigints and lone surrogates. */
export class NotCanonicalError extends Error {
	override name = "NotCanonicalError";
}

function canonicalString(text: string): string {
	if (!text.isWellFormed()) throw new NotCanonicalError("a string holds a lone surrogate");
	// RFC 8785 3.2.2.2 requires exactly the escapes of ECMAScript's JSON.stringify.
	return JSON.stringify(text);
}

/** The members that have a value, in the order of their keys. */
function sortedMembers(value: object): [key: string, member: unknown][] {
	return (
		Object.entries(value)
			.filter(([, member]) => member !== undefined)
			// `<` compares strings by UTF-16 code units, as RFC 8785 3.2.3 requires.
			.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
	);
}

/**
 * Serializes `value` as RFC 8785 canonical JSON: keys sorted by UTF-16 code units, ECMAScript numbers, no white space.
 * A member whose value is `undefined` is absent, as in JSON.stringify.
 * @throws NotCanonicalError for anything JCS cannot represent.
 */
export function canonicalJson(value: unknown): string {
	switch (typeof value) {
		case "string":
			return canonicalString(value);
		case "boolean":
			return value ? "true" : "false";
		case "number":
			if (!Number.isFinite(value)) throw new NotCanonicalError("a number is not finite");
			return JSON.stringify(value);
		case "object": {
			if (value === null) return "null";
			if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
			const members = sortedMembers(value).map(([key, member]) => `${canonicalString(key)}:${canonicalJson(member)}`);
			return `{${members.join(",")}}`;
		}
		default:
			throw new NotCanonicalError(`a ${typeof value} has no JSON form`);
	}
}

/** Strings of more characters are written in several parts. */
const LONG_STRING_CHARS = 262_144;
/** Writing takes so much less time for a character than reading (turns/steps.ts): about 4 ns. */
const WRITTEN_SHARE = 32;
/** A member takes as long as reading so many characters: about 1 µs. */
const MEMBER_CHARS = 8;

/** Whether a value is written at once: it has no members, and is no long string. */
function isShort(value: unknown): boolean {
	if (typeof value === "string") return value.length <= LONG_STRING_CHARS;
	return typeof value !== "object" || value === null;
}

function* writeLongString(text: string, parts: string[]): Steps<void> {
	// Checked as a whole: a half of a character that stands alone is refused, and one that a part is cut behind is not.
	if (!text.isWellFormed()) throw new NotCanonicalError("a string holds a lone surrogate");
	parts.push('"');
	for (const part of splitText(text, LONG_STRING_CHARS)) {
		parts.push(canonicalString(part).slice(1, -1));
		yield Math.ceil(part.length / WRITTEN_SHARE);
	}
	parts.push('"');
}

function* writeParts(value: unknown, parts: string[]): Steps<void> {
	if (isShort(value)) {
		parts.push(canonicalJson(value));
		yield MEMBER_CHARS + (typeof value === "string" ? Math.ceil(value.length / WRITTEN_SHARE) : 0);
	} else if (typeof value === "string") yield* writeLongString(value, parts);
	else if (Array.isArray(value)) {
		parts.push("[");
		for (const [index, member] of value.entries()) {
			if (index > 0) parts.push(",");
			yield* writeParts(member, parts);
		}
		parts.push("]");
	} else {
		parts.push("{");
		for (const [index, [key, member]] of sortedMembers(value as object).entries()) {
			parts.push(`${index > 0 ? "," : ""}${canonicalString(key)}:`);
			yield* writeParts(member, parts);
		}
		parts.push("}");
	}
}

/**
 * {@link canonicalJson} in parts, which are the whole when joined. Pauses on the way.
 * @throws NotCanonicalError as that.
 */
export function* canonicalPartsInSteps(value: unknown): Steps<string[]> {
	const parts: string[] = [];
	yield* writeParts(value, parts);
	return parts;
}
