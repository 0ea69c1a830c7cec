// Limits of single keys: counted apart from each other, folded and read again.
import { describe, expect, it } from "vitest";
import { KeyWindows } from "../../../src/meter/key-windows.ts";
import { narrowerQuota, refuseOverLimit, toQuota } from "../../../src/meter/limits.ts";
import { DAY_MINUTES, MINUTE_MS } from "../../../src/meter/rolling-window.ts";

const AT_MS = Date.UTC(2026, 0, 1);

describe("the windows of keys", () => {
	it("count each key by itself, and come back from the folded row", () => {
		const windows = new KeyWindows();
		for (const [keyId, requests] of [["a", 3] as const, ["b", 1] as const])
			for (let i = 0; i < requests; i++) windows.windowsFor(keyId).day.add(AT_MS + i * MINUTE_MS);
		const again = new KeyWindows(JSON.parse(JSON.stringify(windows.foldedMinutes(AT_MS))));
		expect(again.windowsFor("a").day.count(AT_MS)).toBe(3);
		expect(again.windowsFor("b").day.count(AT_MS)).toBe(1);
		expect(again.windowsFor("c").day.count(AT_MS)).toBe(0);
	});

	it("forget keys that made no request for a day", () => {
		const windows = new KeyWindows();
		windows.windowsFor("a").day.add(AT_MS);
		expect(Object.keys(windows.foldedMinutes(AT_MS + (DAY_MINUTES - 1) * MINUTE_MS))).toEqual(["a"]);
		expect(windows.foldedMinutes(AT_MS + DAY_MINUTES * MINUTE_MS)).toEqual({});
	});
});

describe("a limit", () => {
	const windows = new KeyWindows().windowsFor("a");
	for (let i = 0; i < 4; i++) {
		windows.minute.add(AT_MS);
		windows.day.add(AT_MS);
	}
	const quota = (rpm: number, dailyLimit: number | null) => toQuota("pro", { rpm, dailyLimit }, windows, AT_MS);
	const refused = (rpm: number, dailyLimit: number | null, countsTowardsDay = true) =>
		refuseOverLimit("key", quota(rpm, dailyLimit), countsTowardsDay, windows, AT_MS)?.reason ?? null;

	it("refuses what is over it, the minute first", () => {
		expect(refused(5, 5)).toBeNull();
		expect(refused(4, 4)).toBe("rate_limit_exceeded");
		expect(refused(5, 4)).toBe("daily_limit_exceeded");
		expect(refused(5, 4, false)).toBeNull();
		expect(refused(5, null)).toBeNull();
	});

	it("of a key is shown where it leaves fewer requests than the plan's", () => {
		const [narrow, wide] = [quota(5, null), quota(300, null)];
		expect(narrowerQuota(wide, narrow)).toBe(narrow);
		expect(narrowerQuota(narrow, wide)).toBe(narrow);
		expect(narrowerQuota(wide, null)).toBe(wide);
	});
});
