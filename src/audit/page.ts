// One page of the audit log, newest first: filters, the cursor, and the merge of what D1 has with what it lacks. Pure.
import { type AuditEventRow, isEventId } from "./event.ts";

/** What a list is narrowed to; absent members narrow nothing. */
export interface EventFilter {
	workspaceId?: string | undefined;
	eventType?: string | undefined;
	decision?: string | undefined;
	/** Created then or later, as `created_at` is written. */
	since?: string | undefined;
	/** Created before. */
	until?: string | undefined;
}

/** A position in the log: an event's time and id, which together order all events for good. */
export type LogPosition = Pick<AuditEventRow, "created_at" | "id">;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The position as an opaque text for a URL. It names the last event shown, so events that arrive move nothing. */
export function cursorOf({ created_at, id }: LogPosition): string {
	return btoa(`${created_at} ${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The position that a cursor names, or null when it is none of ours. */
export function positionOf(cursor: string): LogPosition | null {
	let text: string;
	try {
		text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
	} catch {
		return null;
	}
	const [created_at = "", id = "", ...rest] = text.split(" ");
	const position = { created_at, id };
	return rest.length === 0 && TIME.test(created_at) && isEventId(id) && cursorOf(position) === cursor ? position : null;
}

/** Newest first; equal times are settled by id. */
function newestFirst(a: LogPosition, b: LogPosition): number {
	if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
	return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** Whether D1 would find an event with this filter, behind this position. */
function isWanted(event: AuditEventRow, filter: EventFilter, after: LogPosition | null): boolean {
	const { workspaceId, eventType, decision, since, until } = filter;
	return (
		(workspaceId === undefined || event.workspace_id === workspaceId) &&
		(eventType === undefined || event.event_type === eventType) &&
		(decision === undefined || event.decision === decision) &&
		(since === undefined || event.created_at >= since) &&
		(until === undefined || event.created_at < until) &&
		(after === null || newestFirst(after, event) < 0)
	);
}

/**
 * A page's payloads take at most this many characters, or one event's: 200 of the largest would be 49 MB, which D1, the
 * Worker and its answer would each hold at once.
 */
export const PAGE_PAYLOAD_CHARS = 4_000_000;

/** How many of these fit on a page; one always does. */
function fitting(events: readonly AuditEventRow[], limit: number): number {
	let chars = 0;
	for (const [index, { payload }] of events.entries()) {
		chars += payload.length;
		if (index === limit || (index > 0 && chars > PAGE_PAYLOAD_CHARS)) return index;
	}
	return events.length;
}

/** What is asked of the log: a page of so many events, behind a position. */
export interface PageQuery {
	filter: EventFilter;
	/** Null for the first page. */
	after: LogPosition | null;
	limit: number;
}

/** Events that are wanted, newest first: as many as fit on a page, and one more if there is one. */
export function selectNewest(events: Iterable<AuditEventRow>, { filter, after, limit }: PageQuery): AuditEventRow[] {
	let kept: AuditEventRow[] = [];
	let chars = 0;
	const cut = () => {
		kept.sort(newestFirst);
		kept = kept.slice(0, fitting(kept, limit) + 1);
		chars = kept.reduce((sum, { payload }) => sum + payload.length, 0);
	};
	for (const event of events) {
		if (!isWanted(event, filter, after)) continue;
		kept.push(event);
		chars += event.payload.length;
		if (chars > 3 * PAGE_PAYLOAD_CHARS) cut();
	}
	cut();
	return kept;
}

export interface Page {
	events: AuditEventRow[];
	hasMore: boolean;
	nextCursor: string | null;
}

/**
 * Merges what D1 found, newest first and with at least one row more than the page if there are more, with what it may
 * lack. An event in both is shown once. The page ends at `limit` events or at PAGE_PAYLOAD_CHARS.
 */
export function pageOf(
	stored: readonly AuditEventRow[],
	unflushed: readonly AuditEventRow[],
	{ filter, after, limit }: PageQuery,
): Page {
	const missing = unflushed.filter((event) => isWanted(event, filter, after));
	const byId = new Map([...missing, ...stored].map((event) => [event.id, event]));
	const all = [...byId.values()].sort(newestFirst);
	const events = all.slice(0, fitting(all, limit));
	const hasMore = all.length > events.length;
	const last = events.at(-1);
	return { events, hasMore, nextCursor: hasMore && last ? cursorOf(last) : null };
}
