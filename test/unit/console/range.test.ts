// Ranges of pages: those up to now, own ones, and what they are compared with.
import { describe, expect, it } from "vitest";
import { readRange, readTimeZone, zoneOptions } from "../../../src/console/range.ts";

const NOW = Date.parse("2026-11-25T15:30:00Z");
const HOUR_MS = 3_600_000;
const iso = (atMs: number) => new Date(atMs).toISOString().slice(0, 16);

function rangeOf(query: string) {
	const { name, zone, step, sinceMs, untilMs, before } = readRange(new URLSearchParams(query), NOW);
	return { name, zone, step, times: [before.sinceMs, before.untilMs, sinceMs, untilMs].map(iso) };
}

describe("a range", () => {
	it("of a day goes by the hour, the one that has begun included, against the day before", () => {
		expect(rangeOf("range=24h")).toEqual({
			name: "24h",
			zone: "UTC",
			step: "hour",
			times: ["2026-11-23T16:00", "2026-11-24T15:30", "2026-11-24T16:00", "2026-11-25T15:30"],
		});
	});

	it("of some days begins with a day of its zone, and is compared with as much of the days before", () => {
		expect(rangeOf("range=7d&time_zone=Europe/Vienna")).toEqual({
			name: "7d",
			zone: "Europe/Vienna",
			step: "day",
			times: ["2026-11-11T23:00", "2026-11-18T15:30", "2026-11-18T23:00", "2026-11-25T15:30"],
		});
	});

	it("between two days has both of them, and is cut at now", () => {
		expect(rangeOf("range=own&since=2026-10-24&until=2026-10-26&time_zone=Europe/Vienna")).toMatchObject({
			name: "own",
			step: "day",
			times: [expect.any(String), expect.any(String), "2026-10-23T22:00", "2026-10-26T23:00"],
		});
		expect(rangeOf("range=own&since=2026-11-25&until=2026-12-24").times[3]).toBe("2026-11-25T15:30");
		expect(rangeOf("range=own&since=2026-11-25&until=2026-11-25").step).toBe("hour");
	});

	it.each([
		"",
		"range=1y",
		"range=toString",
		"range=own",
		"range=own&since=2026-11-25&until=2026-11-24",
		"range=own&since=2026-13-45&until=2026-11-24",
		"range=own&since=2020-01-01&until=2026-11-24",
	])("that is none is 30 days: %s", (query) => {
		expect(rangeOf(query)).toMatchObject({ name: "30d", step: "day" });
	});

	it("is as long as the one before, but for a clock that was changed", () => {
		for (const query of ["range=24h", "range=7d", "range=30d", "range=90d&time_zone=America/New_York"]) {
			const { sinceMs, untilMs, before } = readRange(new URLSearchParams(query), NOW);
			expect(before.untilMs - before.sinceMs).toBe(untilMs - sinceMs);
			expect(sinceMs - before.untilMs).toBeGreaterThanOrEqual(-HOUR_MS);
			expect(sinceMs - before.untilMs).toBeLessThan(25 * HOUR_MS);
		}
	});
});

describe("a time zone", () => {
	it("is UTC unless the address names one", () => {
		expect(readTimeZone(new URLSearchParams("time_zone=Asia/Tokyo"))).toBe("Asia/Tokyo");
		expect(readTimeZone(new URLSearchParams("time_zone=<b>"))).toBe("UTC");
	});

	it("can be chosen, and stays chosen, also where it is not offered", () => {
		expect(zoneOptions("UTC")[0]).toEqual(["UTC", "UTC"]);
		expect(zoneOptions("Pacific/Apia").at(-1)).toEqual(["Pacific/Apia", "Pacific/Apia"]);
		expect(zoneOptions("America/New_York").filter(([value]) => value === "America/New_York")).toHaveLength(1);
	});
});
