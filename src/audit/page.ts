// One page of the audit log, newest first: filter, cursor, and the merge of events in D1 with unflushed ones. Pure.
import { compareNewestFirst, type PagePart } from "../http/list-page.ts";
import { type ListPosition, renderCursor } from "../http/list-position.ts";
import { parseJson } from "../json.ts";
import { type AuditEventRow, SHARED_EVENT_TYPES } from "./event.ts";

/** Conditions of a list. Absent members match everything. */
export interface EventFilter {
	workspaceId?: string | undefined;
	eventType?: string | undefined;
	decision?: string | undefined;
	actor?: string | undefined;
	agent?: string | undefined;
	sessionId?: string | undefined;
	directory?: string | undefined;
	permissionMode?: string | undefined;
	/** Of one run: those whose payload names it. */
	runId?: string | undefined;
	/** By one of these actors, or of what all keys of the user share. */
	readableActors?: readonly string[] | undefined;
	/** Created at this time or later; ISO 8601 as in `created_at`. */
	since?: string | undefined;
	/** Created before this time. */
	until?: string | undefined;
}

/** The run that an event names; undefined for none. */
function runIdOf({ payload }: AuditEventRow): unknown {
	return Object(parseJson(payload))["run_id"];
}

/** True when the same query in D1 would find the event. */
function matchesQuery(event: AuditEventRow, filter: EventFilter, after: ListPosition | null): boolean {
	const { workspaceId, eventType, decision, actor, readableActors, since, until } = filter;
	const { agent, sessionId, directory, permissionMode, runId } = filter;
	return (
		(workspaceId === undefined || event.workspace_id === workspaceId) &&
		(eventType === undefined || event.event_type === eventType) &&
		(decision === undefined || event.decision === decision) &&
		(actor === undefined || event.actor === actor) &&
		(agent === undefined || event.agent === agent) &&
		(sessionId === undefined || event.session_id === sessionId) &&
		(directory === undefined || event.directory === directory) &&
		(permissionMode === undefined || event.permission_mode === permissionMode) &&
		(runId === undefined || runIdOf(event) === runId) &&
		(readableActors === undefined ||
			readableActors.includes(event.actor) ||
			SHARED_EVENT_TYPES.includes(event.event_type)) &&
		(since === undefined || event.created_at >= since) &&
		(until === undefined || event.created_at < until) &&
		(after === null || compareNewestFirst(after, event) < 0)
	);
}

/**
 * The most characters of payload on a page, unless a single event is longer. 200 of the largest events would be 49 MB, held
 * at once by D1, the Worker and the answer.
 */
export const PAGE_PAYLOAD_CHARS = 4_000_000;

/** The number of events that fit on a page; at least one. */
function countFitting(events: readonly AuditEventRow[], limit: number): number {
	let chars = 0;
	for (const [index, { payload }] of events.entries()) {
		chars += payload.length;
		if (index === limit || (index > 0 && chars > PAGE_PAYLOAD_CHARS)) return index;
	}
	return events.length;
}

/** A page of the log: at most `limit` events after a position. */
export interface EventPageQuery {
	filter: EventFilter;
	/** Null for the first page. */
	after: ListPosition | null;
	limit: number;
}

/** Selects matching events, newest first: as many as fit on a page, plus one if there are more. */
export function selectNewest(
	events: Iterable<AuditEventRow>,
	{ filter, after, limit }: EventPageQuery,
): AuditEventRow[] {
	let kept: AuditEventRow[] = [];
	let chars = 0;
	const cut = () => {
		kept.sort(compareNewestFirst);
		kept = kept.slice(0, countFitting(kept, limit) + 1);
		chars = kept.reduce((sum, { payload }) => sum + payload.length, 0);
	};
	for (const event of events) {
		if (!matchesQuery(event, filter, after)) continue;
		kept.push(event);
		chars += event.payload.length;
		if (chars > 3 * PAGE_PAYLOAD_CHARS) cut();
	}
	cut();
	return kept;
}

/** The part of a page that D1 and owners have, newest first: at most one event more than it holds. */
export function mergeEventPart(
	{ entries, readTo }: PagePart<AuditEventRow>,
	unflushed: readonly AuditEventRow[],
	{ filter, after, limit }: EventPageQuery,
): PagePart<AuditEventRow> {
	const missing = unflushed.filter((event) => matchesQuery(event, filter, after));
	const byId = new Map([...missing, ...entries].map((event) => [event.id, event]));
	const all = [...byId.values()]
		.filter((event) => readTo === null || compareNewestFirst(event, readTo) <= 0)
		.sort(compareNewestFirst);
	const fitting = countFitting(all, limit);
	const next = all[fitting];
	const found = next ? [...all.slice(0, fitting), next] : all;
	return { entries: found, readTo: next && fitting < limit ? next : readTo };
}

interface EventPage {
	events: AuditEventRow[];
	nextCursor: string | null;
	/** Where a page that is not full ends although there may be more: D1 has looked at enough events. */
	searchedBackTo: string | null;
}

/**
 * Merges events from D1 with unflushed ones. An event in both appears once. The page ends at `limit` events, at
 * PAGE_PAYLOAD_CHARS, or where D1 has stopped looking.
 * @param stored with at least one more row than the page holds if there are more among those that D1 has looked at.
 */
export function mergeEventPage(
	{ entries, readTo }: PagePart<AuditEventRow>,
	unflushed: readonly AuditEventRow[],
	{ filter, after, limit }: EventPageQuery,
): EventPage {
	const missing = unflushed.filter((event) => matchesQuery(event, filter, after));
	const byId = new Map([...missing, ...entries].map((event) => [event.id, event]));
	const all = [...byId.values()]
		.filter((event) => readTo === null || compareNewestFirst(event, readTo) <= 0)
		.sort(compareNewestFirst);
	const events = all.slice(0, countFitting(all, limit));
	const last = events.at(-1);
	if (last && all.length > events.length) return { events, nextCursor: renderCursor(last), searchedBackTo: null };
	if (!readTo) return { events, nextCursor: null, searchedBackTo: null };
	return {
		events,
		nextCursor: renderCursor(readTo),
		searchedBackTo: events.length < limit ? readTo.created_at : null,
	};
}
