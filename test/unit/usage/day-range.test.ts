import { describe, expect, it } from "vitest";
import { dayParam, toDayRange } from "../../../src/usage/day-range.ts";

const NOW = Date.parse("2026-03-01T23:59:59.999Z");

describe("a range of days", () => {
	it.each([
		[{}, { since: "2026-01-31", until: "2026-03-01" }],
		[{ since: "2026-02-28" }, { since: "2026-02-28", until: "2026-03-01" }],
		[{ until: "2024-03-01" }, { since: "2024-02-01", until: "2024-03-01" }],
		[
			{ since: "2026-02-01", until: "2026-02-01" },
			{ since: "2026-02-01", until: "2026-02-01" },
		],
		[
			{ since: "2024-01-01", until: "2024-12-31" },
			{ since: "2024-01-01", until: "2024-12-31" },
		],
	])("of %j is %j", (given, expected) => {
		expect(toDayRange(given, NOW)).toEqual(expected);
	});

	it.each([
		[{ since: "2026-03-02" }, "is after the last day, 2026-03-01"],
		[{ since: "2026-02-02", until: "2026-02-01" }, "is after the last day, 2026-02-01"],
		[{ since: "2025-02-28" }, "is more than 366 days up to 2026-03-01"],
	])("of %j %s", (given, message) => {
		expect(toDayRange(given, NOW)).toBe(message);
	});
});

describe("a day", () => {
	it.each(["2026-11-21", "2024-02-29"])("is %j", (day) => {
		expect(dayParam.safeParse(day).success).toBe(true);
	});

	it.each(["2026-02-29", "2026-13-01", "2026-1-1", "2026-11-21T00:00:00Z", "today", "", "20261121"])(
		"is not %j",
		(day) => {
			expect(dayParam.safeParse(day).success).toBe(false);
		},
	);
});
