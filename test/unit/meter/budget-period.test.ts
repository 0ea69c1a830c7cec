// The calendar of key budgets, against the calendar that JavaScript has.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	BUDGET_PERIODS,
	type BudgetPeriod,
	periodEndsAt,
	periodStart,
	toUtcDay,
} from "../../../src/meter/budget-period.ts";

const DAY_MS = 86_400_000;
const day = (iso: string) => toUtcDay(Date.parse(iso));
const startText = (period: BudgetPeriod, at: string) =>
	new Date(periodStart(period, day(at)) * DAY_MS).toISOString().slice(0, 10);

describe("a period", () => {
	it("is a calendar day, a week from Monday, a month, or everything, in UTC", () => {
		expect(startText("day", "2026-11-22T23:59:59.999Z")).toBe("2026-11-22");
		expect(startText("week", "2026-11-22T12:00:00Z")).toBe("2026-11-16");
		expect(startText("week", "2026-11-23T00:00:00Z")).toBe("2026-11-23");
		expect(startText("month", "2026-02-28T12:00:00Z")).toBe("2026-02-01");
		expect(startText("total", "2026-02-28T12:00:00Z")).toBe("1970-01-01");
	});

	it("ends where the next one begins", () => {
		expect(periodEndsAt("day", day("2026-12-31T12:00:00Z"))).toBe("2027-01-01T00:00:00.000Z");
		expect(periodEndsAt("week", day("2026-11-22T12:00:00Z"))).toBe("2026-11-23T00:00:00.000Z");
		expect(periodEndsAt("month", day("2026-12-31T12:00:00Z"))).toBe("2027-01-01T00:00:00.000Z");
		expect(periodEndsAt("month", day("2028-02-29T12:00:00Z"))).toBe("2028-03-01T00:00:00.000Z");
		expect(periodEndsAt("total", 20_000)).toBeNull();
	});

	it("holds every day between its start and its end, and no other", () => {
		const anyDay = fc.integer({ min: 0, max: 60_000 });
		fc.assert(
			fc.property(anyDay, fc.constantFrom(...BUDGET_PERIODS), (some, period) => {
				const start = periodStart(period, some);
				const end = periodEndsAt(period, some);
				expect(start).toBeLessThanOrEqual(some);
				expect(periodStart(period, start)).toBe(start);
				if (end === null) return;
				const next = toUtcDay(Date.parse(end));
				expect(next).toBeGreaterThan(some);
				expect(periodStart(period, next - 1)).toBe(start);
				expect(periodStart(period, next)).toBe(next);
				if (period === "week") expect(new Date(start * DAY_MS).getUTCDay()).toBe(1);
				if (period === "month") expect(new Date(start * DAY_MS).getUTCDate()).toBe(1);
			}),
		);
	});
});
