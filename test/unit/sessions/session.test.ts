// Sessions from their parts: sums, the list in pages, and the line of time merged from requests and checks.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PagePart } from "../../../src/http/list-page.ts";
import { type ListPosition, parseListCursor } from "../../../src/http/list-position.ts";
import {
	type ClientSession,
	isSessionPlace,
	mergeTimeline,
	type Placed,
	pageSessions,
	toSessions,
} from "../../../src/sessions/session.ts";

const T0 = Date.parse("2026-11-25T12:00:00.000Z");
const time = (ms: number) => new Date(T0 + ms).toISOString();

describe("what is known of a session", () => {
	it("is the sum of its requests, its checks and the checks that D1 lacks", () => {
		const requests = [
			{
				...{ sessionId: "s", requests: 2, runs: 1, failed: 1, costNanoUsd: 7, tokens: 30 },
				...{ firstMs: T0 + 1, lastMs: T0 + 5, isCut: true },
			},
		];
		const checks = [{ sessionId: "s", checks: 3, firstAt: time(0), lastAt: time(4) }];
		const unflushed = [
			{ session_id: "s", created_at: time(9) },
			{ session_id: "t", created_at: time(2) },
			{ session_id: null, created_at: time(3) },
		];
		expect(toSessions(requests, checks, unflushed)).toEqual([
			{
				...{ id: "s", requests: 2, runs: 1, failed: 1, costNanoUsd: 7, tokens: 30, checks: 4 },
				...{ firstAt: time(0), lastAt: time(9), isCut: true },
			},
			{
				...{ id: "t", requests: 0, runs: 0, failed: 0, costNanoUsd: 0, tokens: 0, checks: 1 },
				...{ firstAt: time(2), lastAt: time(2), isCut: false },
			},
		]);
	});
});

const aSession = (id: string, lastMs: number): ClientSession => ({
	id,
	requests: 1,
	runs: 0,
	failed: 0,
	costNanoUsd: 0,
	tokens: 0,
	checks: 0,
	firstAt: time(lastMs),
	lastAt: time(lastMs),
	isCut: false,
});

const readPlace = (cursor: string | null) => (cursor === null ? null : parseListCursor(cursor, isSessionPlace));

describe("pages of sessions", () => {
	it("hold each session once, also of one millisecond and with blanks in their names", () => {
		const names = fc.uniqueArray(
			fc.tuple(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 6 }), fc.nat(3)),
			{
				selector: ([id]) => id,
				maxLength: 12,
			},
		);
		fc.assert(
			fc.property(names, fc.integer({ min: 1, max: 5 }), (drawn, limit) => {
				const all = drawn.map(([id, ms]) => aSession(id, ms));
				const seen: string[] = [];
				for (let after: ListPosition | null = null; ; ) {
					const page = pageSessions(all, { after, limit }, null);
					seen.push(...page.entries.map(({ id }) => id));
					if (page.nextCursor === null) break;
					after = readPlace(page.nextCursor);
					expect(after).not.toBeNull();
				}
				expect(seen.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
				expect(seen.length).toBe(new Set(seen).size);
			}),
		);
	});

	it("end where the search did, and go on there with the sessions of that time", () => {
		const all = [aSession("new", 9), aSession("at the end", 5), aSession("old", 1)];
		const first = pageSessions(all, { after: null, limit: 10 }, time(5));
		expect(first.entries.map(({ id }) => id)).toEqual(["new"]);
		expect(first.searchedBackTo).toBe(time(5));
		const rest = pageSessions(all, { after: readPlace(first.nextCursor), limit: 10 }, null);
		expect(rest.entries.map(({ id }) => id)).toEqual(["at the end", "old"]);
	});

	it("leave out a session that has been active after the page before", () => {
		const after = { created_at: time(5), id: "x" };
		expect(pageSessions([aSession("again", 8), aSession("b", 2)], { after, limit: 9 }, null).entries).toHaveLength(1);
	});
});

/** A source of a line of time: its entries newest first, as a store answers a page. */
function sourceOf(kind: "svc-" | "ae_", times: readonly number[]) {
	const entries: Placed[] = times
		.toSorted((a, b) => b - a)
		.map((ms, n) => ({ place: { created_at: time(ms), id: `${kind}${String(99 - n).padStart(4, "0")}` } }));
	/** @param lookedAt how many entries it looks at for one page. */
	return (after: ListPosition | null, limit: number, lookedAt: number): PagePart<Placed> => {
		const isBehind = ({ place }: Placed) =>
			after === null ||
			place.created_at < after.created_at ||
			(place.created_at === after.created_at && (after.id.startsWith(kind) ? place.id < after.id : kind === "ae_"));
		const rest = entries.filter(isBehind);
		const looked = rest.slice(0, lookedAt);
		const last = looked.at(-1);
		const isCut = last !== undefined && rest.length > lookedAt;
		return { entries: looked.slice(0, limit + 1), readTo: isCut ? last.place : null };
	};
}

describe("a line of time", () => {
	it("holds every entry once, newest first, whatever the sources look at", () => {
		const times = fc.array(fc.nat(6), { maxLength: 9 });
		const most = fc.integer({ min: 1, max: 5 });
		fc.assert(
			fc.property(times, times, most, most, most, (asked, checked, limit, ofRequests, ofChecks) => {
				const [requests, checks] = [sourceOf("svc-", asked), sourceOf("ae_", checked)];
				const seen: ListPosition[] = [];
				let after: ListPosition | null = null;
				for (let pages = 0; ; pages++) {
					expect(pages).toBeLessThan(60);
					const page = mergeTimeline(requests(after, limit, ofRequests), checks(after, limit, ofChecks), limit);
					expect(page.entries.length).toBeLessThanOrEqual(limit);
					seen.push(...page.entries.map(({ place }) => place));
					if (page.nextCursor === null) break;
					after = parseListCursor(page.nextCursor, () => true);
				}
				expect(seen).toHaveLength(asked.length + checked.length);
				expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
				expect(seen.map(({ created_at }) => created_at)).toEqual(
					seen
						.map(({ created_at }) => created_at)
						.toSorted()
						.toReversed(),
				);
			}),
		);
	});
});
