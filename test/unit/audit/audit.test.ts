// Pages of the audit log: the cursor, and the merge of what is stored with what is not yet.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AuditEventRow, isEventId } from "../../../src/audit/event.ts";
import { parseOwnerKey, renderOwnerKey } from "../../../src/audit/owner.ts";
import { type EventFilter, mergeEventPage, PAGE_PAYLOAD_CHARS } from "../../../src/audit/page.ts";
import { parseListCursor, renderCursor } from "../../../src/http/list-position.ts";

const ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

const parseCursor = (cursor: string) => parseListCursor(cursor, isEventId);

function event(n: number, timeMs = n): AuditEventRow {
	return {
		id: `ae_${ULID.slice(0, 20)}${String(n).padStart(6, "0")}`,
		user_id: "usr_1",
		workspace_id: n % 2 === 0 ? "even" : null,
		event_type: n % 3 === 0 ? "policy_check" : "handoff_created",
		actor: "key:key_1",
		decision: n % 3 === 0 ? "deny" : null,
		risk_score: null,
		risk_tier: null,
		payload: "{}",
		created_at: new Date(1_700_000_000_000 + timeMs).toISOString(),
	};
}

describe("a cursor", () => {
	it("names a position and is safe in a URL", () => {
		const position = { created_at: "2026-11-21T10:00:00.000Z", id: `ae_${ULID}` };
		const cursor = renderCursor(position);
		expect(encodeURIComponent(cursor)).toBe(cursor);
		expect(parseCursor(cursor)).toEqual(position);
	});

	it("that is none of ours is none at all", () => {
		const other = (text: string) => btoa(text).replaceAll("=", "");
		const wrong = [
			"",
			"nope",
			"%",
			"é",
			other(""),
			other(" "),
			other(`2026-11-21T10:00:00.000Z ae_${ULID} more`),
			other(`2026-11-21 ae_${ULID}`),
			other(`2026-11-21T10:00:00.000Z ho_${ULID}`),
			`${renderCursor({ created_at: "2026-11-21T10:00:00.000Z", id: `ae_${ULID}` })}=`,
		];
		for (const cursor of wrong) expect(parseCursor(cursor), cursor).toBeNull();
		fc.assert(
			fc.property(
				fc.string(),
				(text) => parseCursor(text) === null || renderCursor(parseCursor(text) as never) === text,
			),
		);
	});
});

describe("the key of an owner", () => {
	it("is one text, and back, whatever the id holds", () => {
		for (const id of ["shop", "team/checkout@main", "workspace:a:b", ".", "-"]) {
			const text = renderOwnerKey({ kind: "workspace", id });
			expect(text).toBe(`workspace:${id}`);
			expect(parseOwnerKey(text)).toEqual({ kind: "workspace", id });
		}
	});

	it("is none that nobody wrote", () => {
		for (const text of ["", "shop", "workspace", "task:1", ":shop"]) expect(() => parseOwnerKey(text), text).toThrow();
	});
});

/** What D1 answers where it looks at everything. */
const inFull = (entries: AuditEventRow[]) => ({ entries, readTo: null });

/** What D1 answers: events behind the position that the filter wants, newest first. */
function stored(
	events: readonly AuditEventRow[],
	filter: EventFilter,
	after: ReturnType<typeof parseCursor>,
	limit: number,
) {
	return mergeEventPage(inFull([]), events, { filter, after, limit: limit + 1 }).events;
}

describe("a walk over the pages", () => {
	it("shows every event once, newest first, wherever each is kept and whatever arrives meanwhile", () => {
		const walk = fc.record({
			times: fc.array(fc.nat(20), { maxLength: 40 }),
			flushedAtStart: fc.nat(40),
			flushedPerPage: fc.nat(10),
			limit: fc.integer({ min: 1, max: 7 }),
		});
		fc.assert(
			fc.property(walk, ({ times, flushedAtStart, flushedPerPage, limit }) => {
				const events = times.map((time, n) => event(n, time));
				const shown: AuditEventRow[] = [];
				let flushed = flushedAtStart;
				let after: ReturnType<typeof parseCursor> = null;
				for (let page = 0; ; page++) {
					// What the ledgers lack is asked for first; it may be stored by the time that D1 is read.
					const unflushed = events.slice(flushed);
					flushed += flushedPerPage;
					// Events that arrive during the walk are newer than its first page.
					const arrived = Array.from({ length: page }, (_, n) => event(1_000 + n));
					const inD1 = stored([...events.slice(0, flushed), ...arrived], {}, after, limit);
					const {
						events: found,
						nextCursor,
						searchedBackTo,
					} = mergeEventPage(inFull(inD1), unflushed, { filter: {}, after, limit });
					shown.push(...found);
					expect(searchedBackTo).toBeNull();
					if (nextCursor === null) break;
					after = parseCursor(nextCursor);
				}
				const order = events.toSorted((a, b) => (`${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? 1 : -1));
				expect(shown.map(({ id }) => id)).toEqual(order.map(({ id }) => id));
			}),
		);
	});

	it("applies every filter to what is not stored yet", () => {
		const events = Array.from({ length: 12 }, (_, n) => event(n));
		const ids = (filter: EventFilter) =>
			mergeEventPage(inFull([]), events, { filter, after: null, limit: 50 }).events.map(({ id }) =>
				Number(id.slice(-6)),
			);
		expect(ids({ workspaceId: "even" })).toEqual([10, 8, 6, 4, 2, 0]);
		expect(ids({ eventType: "policy_check" })).toEqual([9, 6, 3, 0]);
		expect(ids({ decision: "deny", workspaceId: "even" })).toEqual([6, 0]);
		expect(ids({ actor: event(0).actor })).toHaveLength(12);
		expect(ids({ actor: "operator" })).toEqual([]);
		expect(ids({ since: event(5).created_at, until: event(8).created_at })).toEqual([7, 6, 5]);
	});

	it("ends a page early when its events are large, but never before the first", () => {
		const large = (n: number, chars: number) => ({ ...event(n), payload: "x".repeat(chars) });
		const sizes = (...chars: number[]) => {
			const events = chars.map((size, n) => large(chars.length - n, size));
			const page = mergeEventPage(inFull(events), [], { filter: {}, after: null, limit: 3 });
			return [page.events.length, page.nextCursor !== null];
		};
		expect(sizes(PAGE_PAYLOAD_CHARS - 2, 2, 1)).toEqual([2, true]);
		expect(sizes(PAGE_PAYLOAD_CHARS - 2, 1, 1)).toEqual([3, false]);
		expect(sizes(PAGE_PAYLOAD_CHARS + 1, 1)).toEqual([1, true]);
		expect(sizes(PAGE_PAYLOAD_CHARS + 1)).toEqual([1, false]);
		expect(sizes(1, 1, 1, PAGE_PAYLOAD_CHARS)).toEqual([3, true]);
	});

	it("ends where D1 has stopped looking, and goes on from there", () => {
		const readTo = { created_at: event(5).created_at, id: event(5).id };
		const page = (limit: number) =>
			mergeEventPage({ entries: [event(9), event(7)], readTo }, [event(8), event(3)], {
				filter: {},
				after: null,
				limit,
			});
		expect(page(9).events).toEqual([event(9), event(8), event(7)]);
		expect(page(9).searchedBackTo).toBe(readTo.created_at);
		expect(parseCursor(page(9).nextCursor ?? "")).toEqual(readTo);
		expect(page(3).searchedBackTo).toBeNull();
		expect(parseCursor(page(2).nextCursor ?? "")).toEqual({ created_at: event(8).created_at, id: event(8).id });
	});
});
