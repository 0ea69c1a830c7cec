// Sessions: what requests and policy checks of one session of a client come to, and their one line of time. Pure.
import type { AuditEventRow } from "../audit/event.ts";
import type { SessionChecks } from "../audit/session-checks.store.ts";
import { compareNewestFirst, type ListPage, type PagePart } from "../http/list-page.ts";
import { type ListPosition, renderCursor } from "../http/list-position.ts";
import type { SessionRequests } from "../meter/session-page.ts";

/** What is known of a session. */
export interface ClientSession {
	id: string;
	/** Runs included. */
	requests: number;
	runs: number;
	/** Requests that got no answer and cost nothing. */
	failed: number;
	costNanoUsd: number;
	tokens: number;
	/** Policy checks. */
	checks: number;
	/** ISO 8601: of its first and its last request or check. */
	firstAt: string;
	lastAt: string;
	/** It has more requests than are counted. */
	isCut: boolean;
}

/** A policy check that has a session. */
type SessionCheck = Pick<AuditEventRow, "session_id" | "created_at">;

const toTime = (ms: number) => new Date(ms).toISOString();

/** The checks of events that D1 does not have, by session. */
function toChecks(events: readonly SessionCheck[]): SessionChecks[] {
	return events.flatMap(({ session_id: sessionId, created_at }) =>
		sessionId == null ? [] : [{ sessionId, checks: 1, firstAt: created_at, lastAt: created_at }],
	);
}

/** Sessions from what their requests and their checks come to. @param unflushed checks that are not among the others. */
export function toSessions(
	requests: readonly SessionRequests[],
	checks: readonly SessionChecks[],
	unflushed: readonly SessionCheck[],
): ClientSession[] {
	const parts: ClientSession[] = [
		...requests.map(({ sessionId: id, firstMs, lastMs, ...sums }) => ({
			id,
			...sums,
			checks: 0,
			firstAt: toTime(firstMs),
			lastAt: toTime(lastMs),
		})),
		...[...checks, ...toChecks(unflushed)].map(({ sessionId: id, ...sums }) => ({
			id,
			...sums,
			requests: 0,
			runs: 0,
			failed: 0,
			costNanoUsd: 0,
			tokens: 0,
			isCut: false,
		})),
	];
	return [...Map.groupBy(parts, ({ id }) => id).values()].flatMap(([first, ...others]) =>
		first ? [others.reduce(addSession, first)] : [],
	);
}

function addSession(a: ClientSession, b: ClientSession): ClientSession {
	return {
		id: a.id,
		requests: a.requests + b.requests,
		runs: a.runs + b.runs,
		failed: a.failed + b.failed,
		costNanoUsd: a.costNanoUsd + b.costNanoUsd,
		tokens: a.tokens + b.tokens,
		checks: a.checks + b.checks,
		firstAt: a.firstAt < b.firstAt ? a.firstAt : b.firstAt,
		lastAt: a.lastAt > b.lastAt ? a.lastAt : b.lastAt,
		isCut: a.isCut || b.isCut,
	};
}

/** The place of a session in the list. A cursor separates its parts by a blank, which a session may have. */
function toSessionPosition({ id, lastAt }: Pick<ClientSession, "id" | "lastAt">): ListPosition {
	return { created_at: lastAt, id: encodeURIComponent(id) };
}

/** Comes before all sessions of its time, since no place has this character. */
const BEFORE_ALL = "\u007f";

/** Whether a text can be the id of a place in the list of sessions. */
export function isSessionPlace(text: string): boolean {
	return text !== "" && !text.includes(" ");
}

/** Which sessions a page of the list may have. */
export interface SessionPageQuery {
	after: ListPosition | null;
	limit: number;
	/** Last seen then or later, ISO 8601. */
	since?: string | undefined;
	/** Last seen before. */
	until?: string | undefined;
}

/**
 * A page of the list, latest first.
 * @param found the sessions of a page and perhaps others, with all that they come to: those with a later request or check stand on an
 * earlier page.
 * @param readTo all later requests and checks were looked at; null where all were.
 */
export function pageSessions(
	found: readonly ClientSession[],
	{ after, limit, since, until }: SessionPageQuery,
	readTo: string | null,
): ListPage<ClientSession> {
	const known = found
		.filter(({ lastAt }) => readTo === null || lastAt > readTo)
		.filter(({ lastAt }) => (since === undefined || lastAt >= since) && (until === undefined || lastAt < until))
		.map((session) => ({ session, place: toSessionPosition(session) }))
		.filter(({ place }) => after === null || compareNewestFirst(after, place) < 0)
		.sort((a, b) => compareNewestFirst(a.place, b.place));
	const page = known.slice(0, limit);
	const entries = page.map(({ session }) => session);
	const last = page.at(-1);
	if (last && known.length > limit) return { entries, nextCursor: renderCursor(last.place), searchedBackTo: null };
	const isEnd = readTo === null || (since !== undefined && readTo < since);
	if (isEnd) return { entries, nextCursor: null, searchedBackTo: null };
	return {
		entries,
		nextCursor: renderCursor({ created_at: readTo, id: BEFORE_ALL }),
		searchedBackTo: entries.length < limit ? readTo : null,
	};
}

/** An entry of a session's line of time: a request, or a policy check. */
export interface Placed {
	place: ListPosition;
}

/**
 * A page of a session's line of time, newest first. Both sources keep their own order, in which requests of one millisecond may stand in
 * another one than their ids. Of one millisecond, requests come first.
 * @param requests one more than the page holds if there are more, as `checks`.
 */
export function mergeTimeline<Request extends Placed, Check extends Placed>(
	requests: PagePart<Request>,
	checks: PagePart<Check>,
	limit: number,
): ListPage<Request | Check> {
	// A source that was asked for more than a page holds has looked far enough for this one.
	const endOf = (part: PagePart<Placed>) => (part.entries.length > limit ? null : (part.readTo?.created_at ?? null));
	const [requestsEnd, checksEnd] = [endOf(requests), endOf(checks)];
	const rest = [...checks.entries];
	const merged: (Request | Check)[] = [];
	for (const request of requests.entries) {
		while (rest[0] && rest[0].place.created_at > request.place.created_at) merged.push(...rest.splice(0, 1));
		merged.push(request);
	}
	merged.push(...rest);
	const isRequest = (entry: Request | Check) => !entry.place.id.startsWith("ae_");
	// Behind the end of one source, entries of the other may have unknown ones before them.
	const isCertain = (entry: Request | Check) => {
		const { created_at: at } = entry.place;
		return isRequest(entry) ? checksEnd === null || at >= checksEnd : requestsEnd === null || at > requestsEnd;
	};
	const known = merged.filter(isCertain);
	const entries = known.slice(0, limit);
	const last = entries.at(-1);
	if (last && known.length > limit) return { entries, nextCursor: renderCursor(last.place), searchedBackTo: null };
	const ends = [requestsEnd === null ? null : requests.readTo, checksEnd === null ? null : checks.readTo];
	const end = ends.flatMap((place) => place ?? []).toSorted(compareNewestFirst)[0];
	if (!end) return { entries, nextCursor: null, searchedBackTo: null };
	return { entries, nextCursor: renderCursor(end), searchedBackTo: entries.length < limit ? end.created_at : null };
}
