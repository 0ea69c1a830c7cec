// Values of a query string, which arrive as text.
import * as z from "zod";

/** A whole number in decimal, from `least` to `most`. */
export function wholeNumber(least: number, most: number) {
	return z
		.string()
		.regex(/^(?:0|[1-9]\d{0,14})$/, "must be a whole number")
		.transform(Number)
		.refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);
}

/** A point in time, as the stored ones are written: UTC with three fractional digits. */
export const instant = z.iso
	.datetime({ offset: true, error: "must be an ISO 8601 time with its offset, such as 2026-11-21T10:00:00Z" })
	.transform((text) => new Date(text).toISOString());
