// Amounts, numbers and times as text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	formatAxisValue,
	formatBytes,
	formatChange,
	formatChartValue,
	formatCount,
	formatDay,
	formatDuration,
	formatExactUsd,
	formatMoment,
	formatShare,
	formatShortCount,
	formatStep,
	formatTime,
	formatUsd,
} from "../../../src/console/format.ts";

describe("an exact amount", () => {
	it.each([
		[0, "$0.00"],
		[1, "$1.00"],
		[0.5, "$0.50"],
		[1234567.5, "$1,234,567.50"],
		[0.000000001, "$0.000000001"],
		[0.000123, "$0.000123"],
		[12.3456, "$12.3456"],
		[-0.25, "−$0.25"],
	])("%d is %s", (usd, text) => {
		expect(formatExactUsd(usd)).toBe(text);
	});

	it("says every nano-dollar", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 1e15 }), (nano) => {
				const shown = Number(formatExactUsd(nano / 1e9).replace(/[$,]/g, ""));
				expect(Math.round(shown * 1e9)).toBe(nano);
			}),
		);
	});
});

describe("a number at a glance", () => {
	it.each([
		[0, "0"],
		[999, "999"],
		[1_000, "1k"],
		[131_072, "131k"],
		[999_499, "999k"],
		[999_500, "1M"],
		[1_050_000, "1.05M"],
	])("%d is %s", (count, text) => {
		expect(formatShortCount(count)).toBe(text);
	});
});

describe("a number of bytes", () => {
	it("has three digits and a unit, and never a thousand of one", () => {
		const shown = [0, 999, 999.6, 1_000, 12_345_678, 999_499, 999_500, 5e9, 2e15].map(formatBytes);
		expect(shown).toEqual(["0 B", "999 B", "1 kB", "1 kB", "12.3 MB", "999 kB", "1 MB", "5 GB", "2000 TB"]);
	});
});

describe("what is read at a glance", () => {
	it("has three digits under a dollar and two decimals above", () => {
		expect(formatUsd(0.00123456)).toBe("$0.00123");
		expect(formatUsd(0.1)).toBe("$0.10");
		expect(formatUsd(12.3456)).toBe("$12.35");
		expect(formatUsd(0)).toBe("$0.00");
	});

	it("has separated thousands, a unit, a day and a time", () => {
		expect(formatCount(1_234_567)).toBe("1,234,567");
		expect(formatCount(999)).toBe("999");
		expect(formatShare(0.1234)).toBe("12.3 %");
		expect(formatDuration(840)).toBe("840 ms");
		expect(formatDuration(12_340)).toBe("12.3 s");
		expect(formatDuration(245_000)).toBe("4 min 5 s");
		expect(formatTime("2026-07-22T10:15:30.123Z")).toBe("2026-07-22 10:15:30");
	});
});

describe("a value of a chart", () => {
	it("is short at the axis", () => {
		expect([0, 12.5, 840, 12_345, 999_600].map((value) => formatAxisValue(value, "count"))).toEqual([
			"0",
			"12.5",
			"840",
			"12.3k",
			"1M",
		]);
		expect([0, 0.002, 12, 1_250, -3].map((value) => formatAxisValue(value, "usd"))).toEqual([
			"$0",
			"$0.002",
			"$12",
			"$1.25k",
			"−$3",
		]);
		expect(formatAxisValue(1_500, "ms")).toBe("1.5 s");
	});

	it("is whole where it is read", () => {
		expect(formatChartValue(1_234, "count")).toBe("1,234");
		expect(formatChartValue(0.00123456, "usd")).toBe("$0.00123");
	});
});

describe("a change", () => {
	it.each([
		[12, 10, "+20 %"],
		[9.65, 10, "−3.5 %"],
		[10, 10, "±0 %"],
		[10, 0, null],
		[2_500, 100, "+2,400 %"],
	])("from %d, which was %d: %s", (now, before, text) => expect(formatChange(now, before)).toBe(text));
});

describe("a time in a zone", () => {
	const at = Date.parse("2026-11-25T23:30:15Z");
	it("is that of a clock there", () => {
		expect(formatTime("2026-11-25T23:30:15.123Z", "Europe/Vienna")).toBe("2026-11-26 00:30:15");
		expect(formatMoment(at, "Asia/Kathmandu")).toBe("Thu, 26 Nov, 05:15");
		expect(formatStep(at, "hour", "America/New_York")).toBe("18:30");
		expect(formatStep(at, "day", "America/New_York")).toBe("25 Nov");
		expect(formatDay(at, "Europe/Vienna")).toBe("2026-11-26");
	});
});
