// Windows as a fold keeps them, against windows that never were folded.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	countAdmissions,
	emptyWindows,
	type LimitWindows,
	packWindows,
	unpackWindows,
} from "../../../src/meter/packed-windows.ts";
import { DAY_MINUTES, MINUTE_MS } from "../../../src/meter/rolling-window.ts";

const AT_MS = Date.UTC(2026, 10, 25);

function again(windows: LimitWindows, nowMs: number): LimitWindows {
	return unpackWindows(JSON.parse(JSON.stringify(packWindows(windows, nowMs))));
}

function state({ minute, day }: LimitWindows, nowMs: number) {
	return {
		minute: minute.count(nowMs),
		untilSlot: minute.msUntilSlot(nowMs),
		untilEmpty: minute.msUntilEmpty(nowMs),
		day: day.count(nowMs),
		untilDaySlot: day.msUntilSlot(nowMs),
	};
}

/** Times between moves: within a minute, some minutes, hours. */
const aStep = fc.oneof(
	fc.integer({ min: 0, max: 30_000 }),
	fc.integer({ min: 0, max: 10 * MINUTE_MS }),
	fc.integer({ min: 0, max: 900 * MINUTE_MS }),
);
const aMove = fc.record({
	step: aStep,
	requests: fc.integer({ min: 0, max: 4 }),
	ofDay: fc.nat(4),
	isFold: fc.boolean(),
});

describe("packed windows", () => {
	it("count what they counted before, now and at any later time", () => {
		fc.assert(
			fc.property(fc.array(aMove, { maxLength: 60 }), (moves) => {
				const whole = emptyWindows();
				let folded = emptyWindows();
				let now = AT_MS;
				for (const { step, requests, ofDay, isFold } of moves) {
					now += step;
					const counted = { requests, ofDay: Math.min(requests, ofDay) };
					countAdmissions(whole, now, counted);
					countAdmissions(folded, now, counted);
					if (isFold) folded = again(folded, now);
					expect(state(folded, now)).toEqual(state(whole, now));
				}
				for (const later of [1, MINUTE_MS - 1, MINUTE_MS, 500 * MINUTE_MS, DAY_MINUTES * MINUTE_MS])
					expect(state(again(folded, now), now + later)).toEqual(state(whole, now + later));
			}),
		);
	});

	it("of nothing are empty, and windows that were left long ago are nothing", () => {
		expect(packWindows(emptyWindows(), AT_MS)).toEqual({ times: [], from: 0, requests: [] });
		const windows = emptyWindows();
		countAdmissions(windows, AT_MS, { requests: 5, ofDay: 5 });
		expect(packWindows(windows, AT_MS + 2 * DAY_MINUTES * MINUTE_MS)).toEqual({ times: [], from: 0, requests: [] });
	});

	it("take some kilobytes, however full the day is", () => {
		const windows = emptyWindows();
		for (let minute = 0; minute < DAY_MINUTES; minute++)
			countAdmissions(windows, AT_MS + minute * MINUTE_MS, { requests: 70, ofDay: 70 });
		const text = JSON.stringify(packWindows(windows, AT_MS + (DAY_MINUTES - 1) * MINUTE_MS));
		expect(text.length).toBeLessThan(5_000);
	});

	it("hold admissions of a clock that was ahead for one window from now", () => {
		const windows = emptyWindows();
		countAdmissions(windows, AT_MS + 300 * MINUTE_MS, { requests: 3, ofDay: 2 });
		for (const each of [windows, again(windows, AT_MS)]) {
			expect(state(each, AT_MS)).toMatchObject({ minute: 3, day: 2, untilEmpty: MINUTE_MS });
			expect(state(each, AT_MS + DAY_MINUTES * MINUTE_MS)).toMatchObject({ minute: 0, day: 0 });
		}
	});
});
