// Limits of single keys: counted apart from each other, folded and read again.
import { describe, expect, it } from "vitest";
import { KeyWindows } from "../../../src/meter/key-windows.ts";
import { narrowerQuota, refuseOverLimit, toQuota } from "../../../src/meter/limits.ts";
import { countAdmissions, type PackedWindows } from "../../../src/meter/packed-windows.ts";
import { DAY_MINUTES, MINUTE_MS } from "../../../src/meter/rolling-window.ts";

const AT_MS = Date.UTC(2026, 0, 1);

/** What a fold writes, as a table that the next windows are made from. */
class Rows {
	#rows = new Map<string, PackedWindows>();

	fold(windows: KeyWindows, nowMs: number): string[] {
		const packed = windows.packChanged(nowMs);
		for (const [keyId, row] of JSON.parse(JSON.stringify(packed)) as typeof packed) {
			if (row) this.#rows.set(keyId, row);
			else this.#rows.delete(keyId);
		}
		windows.folded(nowMs);
		return packed.map(([keyId]) => keyId);
	}

	restart(): KeyWindows {
		return new KeyWindows(this.#rows);
	}

	get keys(): string[] {
		return [...this.#rows.keys()];
	}
}

const ONE = { requests: 1, ofDay: 1 };

describe("the windows of keys", () => {
	it("count each key by itself, and come back from the folded rows", () => {
		const windows = new KeyWindows();
		for (const [keyId, requests] of [["a", 3] as const, ["b", 1] as const])
			for (let i = 0; i < requests; i++) countAdmissions(windows.changedWindowsFor(keyId), AT_MS + i * 1_000, ONE);
		const rows = new Rows();
		rows.fold(windows, AT_MS + 3_000);
		for (const each of [windows, rows.restart()]) {
			const counts = (["a", "b", "c"] as const).map((keyId) => {
				const { minute, day } = each.windowsFor(keyId);
				return [minute.count(AT_MS + 3_000), day.count(AT_MS + 3_000)];
			});
			expect(counts).toEqual([
				[3, 3],
				[1, 1],
				[0, 0],
			]);
			expect(each.windowsFor("a").minute.count(AT_MS + MINUTE_MS + 1_000)).toBe(1);
		}
	});

	it("are folded where they have changed, and only there", () => {
		const windows = new KeyWindows();
		const rows = new Rows();
		countAdmissions(windows.changedWindowsFor("a"), AT_MS, ONE);
		countAdmissions(windows.changedWindowsFor("b"), AT_MS, ONE);
		expect(rows.fold(windows, AT_MS)).toEqual(["a", "b"]);
		windows.windowsFor("a");
		expect(rows.fold(windows, AT_MS)).toEqual([]);
		countAdmissions(windows.changedWindowsFor("b"), AT_MS + 1, ONE);
		expect(rows.fold(windows, AT_MS + 1)).toEqual(["b"]);
		expect(
			rows
				.restart()
				.windowsFor("b")
				.day.count(AT_MS + 1),
		).toBe(2);
	});

	it("leave no row of a key whose requests have left both windows", () => {
		const windows = new KeyWindows();
		const rows = new Rows();
		countAdmissions(windows.changedWindowsFor("a"), AT_MS, ONE);
		rows.fold(windows, AT_MS + (DAY_MINUTES - 1) * MINUTE_MS);
		expect(rows.keys).toEqual(["a"]);
		countAdmissions(windows.changedWindowsFor("a"), AT_MS + 1, ONE);
		rows.fold(windows, AT_MS + (DAY_MINUTES + 1) * MINUTE_MS);
		expect(rows.keys).toEqual([]);
		expect(
			rows
				.restart()
				.windowsFor("a")
				.day.count(AT_MS + (DAY_MINUTES + 1) * MINUTE_MS),
		).toBe(0);
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
