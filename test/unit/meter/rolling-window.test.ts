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

describe("a clock that goes back by hours", () => {
	const HOUR_MS = 60 * MINUTE_MS;
	const real = 1_800_000_012_345;
	const ahead = real + 7 * HOUR_MS;

	it("leaves the minute of a burst before it full for a minute", () => {
		const window = new MinuteWindow();
		for (let at = 0; at < 10; at++) window.add(ahead + at);
		expect(window.count(real)).toBe(10);
		expect([window.msUntilSlot(real), window.msUntilEmpty(real)]).toEqual([MINUTE_MS, MINUTE_MS]);
		window.add(real + 1_000);
		expect(window.count(real + MINUTE_MS)).toBe(1);
		expect(window.count(real + MINUTE_MS + 1_000)).toBe(0);
	});

	it("leaves its day full for a day, in buckets that still rise", () => {
		const window = new DayWindow([
			[toMinute(real) - 100, 3],
			[toMinute(ahead), 5],
		]);
		window.add(ahead + MINUTE_MS);
		expect(window.count(real)).toBe(9);
		window.add(real);
		window.add(real + 2 * MINUTE_MS);
		const minute = toMinute(real);
		expect(window.buckets(real + 2 * MINUTE_MS)).toEqual([
			[minute - 100, 3],
			[minute, 7],
			[minute + 2, 1],
		]);
		expect(window.count(real + 24 * HOUR_MS)).toBe(1);
	});

	it("of a few seconds reorders nothing", () => {
		const window = new MinuteWindow();
		window.add(real);
		window.add(real - 5_000);
		expect(window.count(real - 5_000)).toBe(2);
		expect(window.msUntilEmpty(real - 5_000)).toBe(MINUTE_MS);
	});
});
