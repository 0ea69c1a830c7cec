// When limits will be reached.
import { describe, expect, it } from "vitest";
import { beginningOfPeriod, forecastBudget, forecastRolling } from "../../../src/console/forecast.ts";

const NOW = Date.parse("2026-11-15T00:00:00Z");
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe("a budget", () => {
	const month = { limitUsd: 30, sinceMs: NOW - 14 * DAY_MS, untilMs: NOW + 16 * DAY_MS };
	it("is spent when the rest is, at the rate of the period", () => {
		expect(forecastBudget({ ...month, spentUsd: 21 }, NOW)).toEqual({ kind: "at", atMs: NOW + 6 * DAY_MS });
	});
	it("is not where the period ends before, nothing was spent, or it takes years", () => {
		expect(forecastBudget({ ...month, spentUsd: 10 }, NOW)).toEqual({ kind: "not" });
		expect(forecastBudget({ ...month, spentUsd: 0 }, NOW)).toEqual({ kind: "not" });
		expect(forecastBudget({ ...month, untilMs: null, spentUsd: 0.001 }, NOW)).toEqual({ kind: "not" });
	});
	it("has been spent", () => {
		expect(forecastBudget({ ...month, spentUsd: 30 }, NOW)).toEqual({ kind: "reached" });
	});
	it("is not judged by the first minutes of its period", () => {
		const begun = { limitUsd: 10, spentUsd: 1, sinceMs: NOW - 1_000, untilMs: NOW + DAY_MS };
		expect(forecastBudget(begun, NOW)).toEqual({ kind: "at", atMs: NOW + 9 * HOUR_MS });
	});
});

describe("a limit on 24 hours", () => {
	it("is reached when more come than go", () => {
		const use = { limit: 1_000, used: 480, recent: { requests: 180, hours: 3 } };
		expect(forecastRolling(use, NOW)).toEqual({ kind: "at", atMs: NOW + 13 * HOUR_MS });
	});
	it("is not while as many go as come, and has been", () => {
		expect(forecastRolling({ limit: 1_000, used: 480, recent: { requests: 60, hours: 3 } }, NOW)).toEqual({
			kind: "not",
		});
		expect(forecastRolling({ limit: 1_000, used: 900, recent: { requests: 114, hours: 3 } }, NOW)).toEqual({
			kind: "not",
		});
		expect(forecastRolling({ limit: 10, used: 10, recent: { requests: 0, hours: 3 } }, NOW)).toEqual({
			kind: "reached",
		});
	});
});

it("a period begins a day, a week or a month before its end, and not before its key", () => {
	const end = Date.parse("2026-12-01");
	expect(beginningOfPeriod("day", end, 0)).toBe(end - DAY_MS);
	expect(beginningOfPeriod("week", end, 0)).toBe(end - 7 * DAY_MS);
	expect(beginningOfPeriod("month", end, 0)).toBe(Date.parse("2026-11-01"));
	expect(beginningOfPeriod("month", end, NOW)).toBe(NOW);
	expect(beginningOfPeriod("total", null, NOW)).toBe(NOW);
});
