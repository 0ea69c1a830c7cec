// Rolling limits, against a count of the admissions themselves.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MINUTES, DayWindow, MINUTE_MS, MinuteWindow, toMinute } from "../../../src/meter/rolling-window.ts";

describe("the minute window", () => {
	it("counts exactly the admissions of the last 60 seconds", () => {
		const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.boolean()), { maxLength: 200 });
		fc.assert(
			fc.property(steps, (moves) => {
				const window = new MinuteWindow();
				const times: number[] = [];
				let now = 1_000_000;
				for (const [step, admit] of moves) {
					now += step;
					if (admit) {
						window.add(now);
						times.push(now);
					}
					const inside = times.filter((time) => time > now - MINUTE_MS);
					expect(window.count(now)).toBe(inside.length);
					expect(window.msUntilSlot(now)).toBe(inside.length === 0 ? 0 : (inside[0] ?? 0) + MINUTE_MS - now);
				}
			}),
		);
	});

	it("has a free slot exactly when it said so", () => {
		const window = new MinuteWindow([1_000, 2_000]);
		const wait = window.msUntilSlot(10_000);
		expect(window.count(10_000 + wait - 1)).toBe(2);
		expect(window.count(10_000 + wait)).toBe(1);
	});
});

describe("the day window", () => {
	it("counts the last 1,440 minute buckets", () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 200 * MINUTE_MS }), { maxLength: 100 }), (gaps) => {
				const window = new DayWindow();
				const times: number[] = [];
				let now = 1_800_000_000_000;
				for (const gap of gaps) {
					now += gap;
					window.add(now);
					times.push(now);
					const inside = times.filter((time) => toMinute(time) > toMinute(now) - DAY_MINUTES);
					expect(window.count(now)).toBe(inside.length);
				}
			}),
		);
	});

	it("frees its oldest bucket exactly when it said so", () => {
		const now = 1_800_000_012_345;
		const window = new DayWindow([[toMinute(now) - 100, 7]]);
		const wait = window.msUntilSlot(now);
		expect(window.count(now + wait - 1)).toBe(7);
		expect(window.count(now + wait)).toBe(0);
	});
});
