// Schemas of query parameters, which arrive as text.
import * as z from "zod";

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** A decimal whole number from `least` to `most`. Its JSON Schema is that of the number. */
export function integerParam(least: number, most: number) {
	return z
		.string()
		.refine((text) => WHOLE_NUMBER.test(text), "must be a whole number")
		.meta({ type: "integer", minimum: least, maximum: most })
		.transform(Number)
		.refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);
}

const YES = ["true", "1"];
const NO = ["false", "0"];

/** A boolean in any case, because some languages write `True`. */
export function booleanParam() {
	return z
		.string()
		.transform((text) => text.toLowerCase())
		.refine((text) => YES.includes(text) || NO.includes(text), "must be true or false")
		.meta({ type: "boolean" })
		.transform((text) => YES.includes(text));
}

/** A date stands for its midnight. A time without an offset is UTC. */
function toUtc(text: string): string {
	const isLocal = text.includes("T") && !/(?:Z|[+-]\d\d:\d\d)$/.test(text);
	return new Date(isLocal ? `${text}Z` : text).toISOString();
}

const timeSchema = z.lazy(() =>
	z
		.union(
			[
				z.iso.date(),
				z.iso.datetime({ offset: true }),
				z.iso.datetime({ offset: true, precision: -1 }),
				z.iso.datetime({ local: true }),
			],
			"must be an ISO 8601 date or time, such as 2026-11-21 or 2026-11-21T10:00:00Z; without an offset it is UTC",
		)
		// The expressions of the four take 1.4 KB.
		.meta({
			anyOf: [
				{ type: "string", format: "date" },
				{ type: "string", format: "date-time" },
				{ type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d" },
			],
		}),
);

/** A point in time in the form of stored ones: UTC with three fractional digits. */
export const timestampParam = timeSchema.transform(toUtc);
