// JSON values and texts, as all parts of the service meet them. Pure, and without zod: the policy engine uses it too.

export type JsonObject = Record<string, unknown>;

/** Whether a value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A whole number as a reader of JSON has it, which rounds it from 2^53 on; null where that is the same one, and for any other number. */
export function changedNumber(written: string): string | null {
	if (!/^-?\d+$/.test(written)) return null;
	const read = String(Number(written));
	if (/^-?\d+$/.test(read)) return read === written ? null : read;
	return Number.isFinite(Number(written)) && BigInt(Number(written)) !== BigInt(written) ? read : null;
}

/** What V8 gives beside ES2024: JSON that is written as it stands, and the text of a value that is revived. */
interface ExactJson {
	parse(text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown): unknown;
	rawJSON(text: string): unknown;
}

/**
 * The value of a JSON text, in which whole numbers that a reader would round are written by `JSON.stringify` as they were read. Such a
 * number is an object until then, and what copies it loses that.
 * @throws SyntaxError for what is no JSON.
 */
export function parseExactJson(text: string): unknown {
	// A shorter number is exact.
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	const exact = JSON as unknown as ExactJson;
	return exact.parse(text, (_, value, { source = "" }) =>
		typeof value === "number" && changedNumber(source) !== null ? exact.rawJSON(source) : value,
	);
}

/** An object with one member, or none when the member has no value. */
export function optionalMember<K extends string, V>(key: K, value: V | null | undefined): { [key in K]?: V } {
	return value === null || value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
