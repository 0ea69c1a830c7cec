import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	compareNewestFirst,
	type ListPage,
	mergePageParts,
	type PagePart,
	toListPage,
	toPagePart,
} from "../../../src/http/list-page.ts";
import { type ListPosition, parseListCursor } from "../../../src/http/list-position.ts";

interface Entry extends ListPosition {
	source: string;
}

const toPosition = ({ created_at, id }: Entry): ListPosition => ({ created_at, id });
const entry = (second: number, id: string, source = "a"): Entry => ({
	created_at: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
	id,
	source,
});
const idsOf = ({ entries }: ListPage<Entry>) => entries.map(({ id }) => id);
const whole = (...entries: Entry[]): PagePart<Entry> => ({ entries, readTo: null });

describe("a page", () => {
	it("is what its parts have, newest first, by id where times are equal", () => {
		const page = mergePageParts([whole(entry(3, "x"), entry(1, "a")), whole(entry(3, "y"))], 5, toPosition);
		expect(idsOf(page)).toEqual(["y", "x", "a"]);
		expect(page).toMatchObject({ nextCursor: null, searchedBackTo: null });
	});

	it("has an entry of two parts once, as the last part has it", () => {
		const page = mergePageParts([whole(entry(1, "a", "meter")), whole(entry(1, "a", "D1"))], 5, toPosition);
		expect(page.entries).toEqual([entry(1, "a", "D1")]);
	});

	it("shows nothing older than what every part has looked at, and goes on from there", () => {
		const narrow: PagePart<Entry> = { entries: [entry(9, "z")], readTo: toPosition(entry(5, "m")) };
		const page = mergePageParts([narrow, whole(entry(7, "n"), entry(2, "b"))], 3, toPosition);
		expect(idsOf(page)).toEqual(["z", "n"]);
		expect(page.searchedBackTo).toBe(entry(5, "m").created_at);
		expect(parseListCursor(page.nextCursor ?? "", () => true)).toEqual(toPosition(entry(5, "m")));
	});

	it("that is full says nothing of how far was looked", () => {
		const page = mergePageParts([whole(entry(3, "c"), entry(2, "b"), entry(1, "a"))], 2, toPosition);
		expect(idsOf(page)).toEqual(["c", "b"]);
		expect(page.searchedBackTo).toBeNull();
		expect(parseListCursor(page.nextCursor ?? "", () => true)).toEqual(toPosition(entry(2, "b")));
	});
});

describe("pages one after the other", () => {
	it("have every entry of all sources once, however they are shared out and however far each source looks", () => {
		const entries = fc.uniqueArray(fc.record({ second: fc.nat(9), id: fc.nat(40) }), {
			selector: ({ id }) => id,
			maxLength: 30,
		});
		fc.assert(
			fc.property(
				entries,
				fc.array(fc.nat(2), { minLength: 41, maxLength: 41 }),
				fc.integer({ min: 1, max: 5 }),
				(made, places, limit) => {
					const all = made.map(({ second, id }) => entry(second, String(id).padStart(2, "0"))).sort(compareNewestFirst);
					/** 0 and 1: one of the sources; 2: both. */
					const has = (source: number) =>
						all.filter(({ id }) => places[Number(id)] === 2 || places[Number(id)] === source);
					const seen: string[] = [];
					let after: ListPosition | null = null;
					for (let pages = 0; pages < 100; pages++) {
						const behind = (each: Entry) => after === null || compareNewestFirst(after, each) < 0;
						const plain = toPagePart(
							has(0)
								.filter(behind)
								.slice(0, limit + 1),
							limit,
							toPosition,
						);
						// The other source looks at two entries a page.
						const lookedAt = has(1).filter(behind).slice(0, 2);
						const last = lookedAt[1];
						const narrow = { entries: lookedAt, readTo: last ? toPosition(last) : null };
						const page = mergePageParts([plain, narrow], limit, toPosition);
						expect(page.entries.length).toBeLessThanOrEqual(limit);
						seen.push(...idsOf(page));
						if (page.nextCursor === null) break;
						after = parseListCursor(page.nextCursor, () => true);
					}
					expect(seen).toEqual(all.map(({ id }) => id));
				},
			),
		);
	});
});

describe("a page of one source", () => {
	const found = [entry(3, "a"), entry(3, "c"), entry(3, "b"), entry(1, "d")];

	it("has its entries in the source's order, and goes on behind the last one that is shown", () => {
		const page = toListPage(toPagePart(found.slice(0, 3), 2, toPosition), 2, toPosition);
		expect(page).toMatchObject({ entries: [{ id: "a" }, { id: "c" }], searchedBackTo: null });
		expect(parseListCursor(page.nextCursor ?? "", () => true)).toEqual({
			created_at: entry(3, "").created_at,
			id: "c",
		});
	});

	it("is the last one where the source has no more", () => {
		const last = { nextCursor: null, searchedBackTo: null };
		expect(toListPage(toPagePart(found, 4, toPosition), 4, toPosition)).toEqual({ entries: found, ...last });
		expect(toListPage(whole(), 4, toPosition)).toEqual({ entries: [], ...last });
	});

	it("goes on from where the source has looked enough, and says how far that was where it is not full", () => {
		const readTo = toPosition(entry(0, "z"));
		const [short, full] = [5, 4].map((limit) => toListPage({ entries: found, readTo }, limit, toPosition));
		expect(parseListCursor(short?.nextCursor ?? "", () => true)).toEqual(readTo);
		expect(short?.searchedBackTo).toBe(readTo.created_at);
		expect(full).toEqual({ ...short, searchedBackTo: null });
	});
});
