// When days are archived, and which archives are asked.
import { describe, expect, it } from "vitest";
import { type Archive, archiveBefore, archivesOf, nextArchive, numbersOf } from "../../../src/meter/archive-plan.ts";
import { firstNumberAt } from "../../../src/meter/request-number.ts";

const DAY_MS = 86_400_000;
const DAY = Math.floor(Date.UTC(2027, 5, 1) / DAY_MS);
const NOW_MS = DAY * DAY_MS + 5_000_000;
const LARGE = 4_500_000_000;

/** The first number of a day, so many before today. */
const daysAgo = (days: number) => firstNumberAt((DAY - days) * DAY_MS);

describe("requests are archived", () => {
	const endOf = (archivedTo: number, bytes: number, oldest: number | null) =>
		archiveBefore({ archivedTo, bytes, oldest: () => oldest }, NOW_MS);

	it("when their day is more than 90 days ago", () => {
		expect(endOf(0, 1_000, daysAgo(200))).toBe(daysAgo(90));
	});

	it("day by day when the meter is too large, but not those of the latest days", () => {
		expect(endOf(daysAgo(90) - 1, LARGE, daysAgo(40) + 17)).toBe(daysAgo(39));
		expect(endOf(daysAgo(90) - 1, LARGE, daysAgo(2))).toBe(daysAgo(1));
		for (const oldest of [daysAgo(1), daysAgo(0), null])
			expect(endOf(daysAgo(90) - 1, LARGE, oldest)).toBe(daysAgo(90));
	});

	it("until their day is whole, though the meter is small again", () => {
		expect(endOf(daysAgo(40) + 17, 1_000, daysAgo(40) + 18)).toBe(daysAgo(39));
		expect(endOf(daysAgo(39) - 1, 1_000, daysAgo(39))).toBe(daysAgo(39));
	});
});

describe("archives", () => {
	const archive = (nth: number, first: number, last: number, bytes = 0): Archive => ({ nth, first, last, bytes });
	const list = [archive(3, 1_000, 5_000), archive(4, 7_000, 9_000)];

	it("are asked where a range meets them, newest first", () => {
		const asked = (from: number, end: number) => archivesOf(list, { from, before: end }).map(({ nth }) => nth);
		expect(asked(0, 10_000)).toEqual([4, 3]);
		expect(asked(0, 1_000)).toEqual([]);
		expect(asked(5_000, 7_000)).toEqual([3]);
		expect(asked(5_001, 7_001)).toEqual([4]);
		expect(asked(9_001, 10_000)).toEqual([]);
		expect(archivesOf(list, numbersOf(6_500)).map(({ nth }) => nth)).toEqual([4]);
	});

	it("take days until they are full, and each day whole", () => {
		const full = archive(1, daysAgo(100), daysAgo(95) + 5, 5_000_000_000);
		expect(nextArchive([], daysAgo(95))).toBeUndefined();
		expect(nextArchive([full], daysAgo(95) + 6)).toBe(full);
		expect(nextArchive([full], daysAgo(94))).toBeUndefined();
		expect(nextArchive([{ ...full, bytes: 4_999_999_999 }], daysAgo(94))).toMatchObject({ nth: 1 });
	});
});
