// The arguments of a tool call as they are hashed, decided on and handed over: one form for every notation of the same object. Pure.
import { changedNumber, isJsonObject, type JsonObject, parseJson } from "../../json.ts";
import { canonicalJson, NotCanonicalError } from "../../proof/canonical.ts";

/** Deepest nesting of objects and arrays. Readers of saved files allow 64, arguments and what stands around them together. */
const MAX_NESTING = 32;

/** Arguments that can be read, or why they cannot, in words for the model that wrote them. */
export type ArgumentsResult =
	| {
			ok: true;
			/** Of a member that stands twice, the last counts. */
			value: JsonObject;
			/** `C(value)`. */
			canonical: string;
	  }
	| { ok: false; fault: string };

/** What of a value no reader takes in the same way; null where there is nothing. */
function findValueFault(value: unknown, depth: number): string | null {
	if (typeof value !== "object" || value === null) return null;
	if (depth >= MAX_NESTING) return `nest more than ${MAX_NESTING} deep`;
	if (Object.hasOwn(value, "__proto__")) return "have a member __proto__";
	for (const member of Object.values(value)) {
		const fault = findValueFault(member, depth + 1);
		if (fault !== null) return fault;
	}
	return null;
}

/** Why a value is no object, for the model that wrote it. */
function noObjectFault(value: unknown): string {
	if (value === undefined) return "are no JSON object: they cannot be parsed as JSON";
	if (typeof value === "string" && isJsonObject(parseJson(value)))
		return "are no JSON object: they are a text with one in it, so leave out the quotes around it";
	const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
	return `are no JSON object: they are ${kind}`;
}

/** A text of JSON, or a number in JSON. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** A shorter whole number is always exact. */
const MAY_CHANGE = /\d{16}/;

/** A whole number that no reader takes as it is written, such as a long id: a tool would be called with another one. */
export function findNumberFault(text: string): string | null {
	if (!MAY_CHANGE.test(text)) return null;
	for (const [written] of text.matchAll(TEXT_OR_NUMBER)) {
		const read = changedNumber(written);
		if (read !== null)
			return `have the number ${written.slice(0, 40)}, which readers of JSON change to ${read}; write it as a text in quotes`;
	}
	return null;
}

/** Numbers in a value that may not be those that were written: from 2^53 on, readers of JSON round the digits of whole numbers. */
export function listRounded(value: unknown): number[] {
	if (typeof value === "number") return !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value)) ? [value] : [];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(listRounded) : [];
}

/** Reads what a model wrote as arguments. A blank text stands for none. */
export function readArguments(text: string): ArgumentsResult {
	const value = text.trim() === "" ? {} : parseJson(text);
	if (!isJsonObject(value)) return { ok: false, fault: noObjectFault(value) };
	const fault = findValueFault(value, 0) ?? findNumberFault(text);
	if (fault !== null) return { ok: false, fault };
	try {
		return { ok: true, value, canonical: canonicalJson(value) };
	} catch (error) {
		if (error instanceof NotCanonicalError) return { ok: false, fault: `cannot be written again: ${error.message}` };
		throw error;
	}
}

/** What the hash of a call's arguments is over: their canonical JSON, or the text as it is where they cannot be read. */
export function toHashedArguments(text: string): string {
	const read = readArguments(text);
	return read.ok ? read.canonical : text;
}
