// Values of query strings.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { booleanParam, timestampParam } from "../../../src/http/query.ts";

it("a flag is what clients write for true and false, and nothing else", () => {
	expect(["true", "True", "TRUE", "1"].map((text) => booleanParam().parse(text))).toEqual([true, true, true, true]);
	expect(["false", "False", "0"].map((text) => booleanParam().parse(text))).toEqual([false, false, false]);
	for (const text of ["", "yes", "2", "truthy"]) expect(booleanParam().safeParse(text).success).toBe(false);
});

describe("an instant", () => {
	it.each([
		["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"],
		["2026-11-21T10:00:00.5Z", "2026-11-21T10:00:00.500Z"],
		["2026-11-21T10:00:00.123456Z", "2026-11-21T10:00:00.123Z"],
		["2026-11-21T10:00:00+02:00", "2026-11-21T08:00:00.000Z"],
		["2026-11-21T10:00:00-05:30", "2026-11-21T15:30:00.000Z"],
		["2026-11-21T10:00Z", "2026-11-21T10:00:00.000Z"],
		// Without an offset it is UTC, as everything that the service writes.
		["2026-11-21", "2026-11-21T00:00:00.000Z"],
		["2028-02-29", "2028-02-29T00:00:00.000Z"],
		["2026-11-21T10:00:00", "2026-11-21T10:00:00.000Z"],
		["2026-11-21T10:00:00.25", "2026-11-21T10:00:00.250Z"],
		["2026-11-21T10:00", "2026-11-21T10:00:00.000Z"],
	])("%s is %s, in whatever zone the service runs", (given, instantUtc) => {
		expect(timestampParam.parse(given)).toBe(instantUtc);
	});

	it.each([
		"",
		"now",
		"2026",
		"2026-11",
		"2026-02-30",
		"2027-02-29",
		"2026-11-21T25:00:00",
		"2026-11-21T10:00:00+25:00",
		"2026-11-21 10:00:00",
		"2026-11-21Z",
		"21.11.2026",
		"1763719200",
		"+012026-11-21",
		"2026-11-21T10:00:00 02:00",
	])("%j is none", (given) => {
		const { error } = timestampParam.safeParse(given);
		expect(error?.issues.map(({ message }) => message)).toEqual([
			"must be an ISO 8601 date or time, such as 2026-11-21 or 2026-11-21T10:00:00Z; without an offset it is UTC",
		]);
	});

	it("is documented as a date or a time", () => {
		const schema = JSON.stringify(z.toJSONSchema(timestampParam, { io: "input" }));
		expect(schema).toContain('"date"');
		expect(schema).toContain('"date-time"');
	});
});
