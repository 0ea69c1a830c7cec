// Days and hours of time zones, with those on which clocks are changed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromLocalMs, isTimeZone, listSteps, startOfStep, toLocalMs } from "../../../src/usage/time-zones.ts";

const ZONES = ["UTC", "Europe/Vienna", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"];
/** Their clocks are changed at midnight: some days begin at one, some have it twice. */
const MIDNIGHT_ZONES = ["Africa/Cairo", "America/Santiago", "America/Havana", "Asia/Beirut", "Atlantic/Azores"];
const HOUR_MS = 3_600_000;
const iso = (atMs: number) => new Date(atMs).toISOString();

describe("a zone", () => {
	it.each(["UTC", "Europe/Vienna", "Etc/GMT+5"])("%s is one", (name) => expect(isTimeZone(name)).toBe(true));
	it.each(["", "Europe/Nowhere", "+02:00", "utc<script>", "../etc"])("%s is none", (name) =>
		expect(isTimeZone(name)).toBe(false),
	);
});

describe("the days of a zone", () => {
	it("begin at its midnight, also where a day has 23 or 25 hours", () => {
		const spring = listSteps(Date.parse("2026-03-28T12:00Z"), Date.parse("2026-03-31T12:00Z"), "day", "Europe/Vienna");
		expect(spring.map(iso)).toEqual([
			"2026-03-27T23:00:00.000Z",
			"2026-03-28T23:00:00.000Z",
			"2026-03-29T22:00:00.000Z",
			"2026-03-30T22:00:00.000Z",
		]);
		const autumn = listSteps(Date.parse("2026-10-24T12:00Z"), Date.parse("2026-10-26T12:00Z"), "day", "Europe/Vienna");
		expect(autumn.map(iso)).toEqual([
			"2026-10-23T22:00:00.000Z",
			"2026-10-24T22:00:00.000Z",
			"2026-10-25T23:00:00.000Z",
		]);
	});

	it("begin with their first moment where clocks are put forward at midnight", () => {
		const starts = listSteps(Date.parse("2026-04-22T12:00Z"), Date.parse("2026-04-25T12:00Z"), "day", "Africa/Cairo");
		expect(starts.map(iso)).toEqual([
			"2026-04-21T22:00:00.000Z",
			"2026-04-22T22:00:00.000Z",
			"2026-04-23T22:00:00.000Z",
			"2026-04-24T21:00:00.000Z",
		]);
	});

	it("cover a range without a gap, each from the first moment of its date", () => {
		const property = fc.property(
			fc.constantFrom(...ZONES, ...MIDNIGHT_ZONES),
			fc.integer({ min: Date.parse("2024-01-01"), max: Date.parse("2027-01-01") }),
			fc.integer({ min: 1, max: 400 }),
			(zone, sinceMs, days) => {
				const untilMs = sinceMs + days * 24 * HOUR_MS;
				const starts = listSteps(sinceMs, untilMs, "day", zone);
				expect(starts[0]).toBeLessThanOrEqual(sinceMs);
				expect(sinceMs - (starts[0] ?? 0)).toBeLessThan(25 * HOUR_MS);
				for (const [step, startMs] of starts.entries()) {
					const dateOf = (atMs: number) => iso(toLocalMs(atMs, zone)).slice(0, 10);
					expect(dateOf(startMs) > dateOf(startMs - 1)).toBe(true);
					const lengthMs = (starts[step + 1] ?? startMs + 24 * HOUR_MS) - startMs;
					expect(lengthMs / HOUR_MS).toBeGreaterThanOrEqual(23);
					expect(lengthMs / HOUR_MS).toBeLessThanOrEqual(25);
				}
				expect(untilMs - (starts.at(-1) ?? 0)).toBeLessThanOrEqual(25 * HOUR_MS);
			},
		);
		fc.assert(property, { numRuns: 60 });
	});
});

describe("the hours of a zone", () => {
	it("begin when its clock shows a full one", () => {
		const starts = listSteps(
			Date.parse("2026-11-25T10:20Z"),
			Date.parse("2026-11-25T12:00Z"),
			"hour",
			"Asia/Kathmandu",
		);
		expect(starts.map(iso)).toEqual(["2026-11-25T10:15:00.000Z", "2026-11-25T11:15:00.000Z"]);
		expect(iso(startOfStep(Date.parse("2026-11-25T10:20:31.5Z"), "hour", "UTC"))).toBe("2026-11-25T10:00:00.000Z");
	});
});

it("a clock's time leads back to when it is shown", () => {
	const property = fc.property(
		fc.constantFrom(...ZONES),
		fc.integer({ min: Date.parse("2024-01-01") / 1_000, max: Date.parse("2027-01-01") / 1_000 }),
		(zone, atSeconds) => {
			const localMs = toLocalMs(atSeconds * 1_000, zone);
			// Of a time that comes twice, the first one.
			expect(toLocalMs(fromLocalMs(localMs, zone), zone)).toBe(localMs);
		},
	);
	fc.assert(property, { numRuns: 200 });
});
