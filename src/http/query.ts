// Values of a query string, which arrive as text.
import * as z from "zod";

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** A whole number in decimal, from `least` to `most`; its JSON Schema is that of the number, which a query writes as text. */
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

/** A boolean, as clients write it: some languages begin theirs with a capital letter. */
export function booleanParam() {
	return z
		.string()
		.transform((text) => text.toLowerCase())
		.refine((text) => YES.includes(text) || NO.includes(text), "must be true or false")
		.meta({ type: "boolean" })
		.transform((text) => YES.includes(text));
}

/** A date begins at midnight; a time without an offset is UTC, as every time that the service writes. */
function toUtc(text: string): string {
	const isLocal = text.includes("T") && !/(?:Z|[+-]\d\d:\d\d)$/.test(text);
	return new Date(isLocal ? `${text}Z` : text).toISOString();
}

const timeSchema = z.lazy(() =>
	z.union(
		[
			z.iso.date(),
			z.iso.datetime({ offset: true }),
			z.iso.datetime({ offset: true, precision: -1 }),
			z.iso.datetime({ local: true }),
		],
		"must be an ISO 8601 date or time, such as 2026-11-21 or 2026-11-21T10:00:00Z; without an offset it is UTC",
	),
);

/** A point in time, as the stored ones are written: UTC with three fractional digits. */
export const timestampParam = timeSchema.transform(toUtc);
