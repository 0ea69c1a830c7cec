// JSON values as every part of the service meets them. Pure.

export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: not null, no array. */
export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
