// Texts of the lengths that a recording of a client names instead of them. Knows no file system, so that tests in workerd can use it.
import { isJsonObject } from "../../src/json.ts";

/** A recorded value with texts of the length that it names instead of them. */
export function fillRecorded(value: unknown): unknown {
	if (typeof value === "string") {
		const length = Number(/^<(\d+) characters>$/.exec(value)?.[1] ?? 0);
		return length === 0
			? value
			: "All of this was left out of the recording. ".repeat(length / 40 + 1).slice(0, length);
	}
	if (Array.isArray(value)) return value.map(fillRecorded);
	return isJsonObject(value)
		? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillRecorded(inner)]))
		: value;
}
