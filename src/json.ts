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

/** An object with one member, or none when the member has no value. */
export function optionalMember<K extends string, V>(key: K, value: V | null | undefined): { [key in K]?: V } {
	return value === null || value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
