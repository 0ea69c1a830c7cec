// Sessions of clients over HTTP: the list of them, and one with its requests, runs and policy checks in one line of time.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { readableMakers } from "../account/makers.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { auditEventSchema, toEventView } from "../audit/endpoints.edge.ts";
import { type AuditEventRow, isEventId, toActor } from "../audit/event.ts";
import { findEvents } from "../audit/events.store.ts";
import { readUnflushedEvents } from "../audit/owners.edge.ts";
import { type EventPageQuery, mergeEventPart } from "../audit/page.ts";
import { findCheckedSessions, findKnownEvents, findSessionChecks } from "../audit/session-checks.store.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, nextPageMembers, searchedBackToMember, toNextPage } from "../http/list-answer.ts";
import type { PagePart } from "../http/list-page.ts";
import { type ListPosition, readListCursor } from "../http/list-position.ts";
import { integerParam, timestampParam } from "../http/query.ts";
import { type ListedRequest, toRequestPosition } from "../meter/request-page.ts";
import { usd } from "../proof/money.ts";
import { readRequestPart } from "../usage/request-list.edge.ts";
import { requestSchema, toRequestView } from "../usage/request-views.ts";
import { type ClientSession, isSessionPlace, mergeTimeline, type Placed, pageSessions, toSessions } from "./session.ts";

const DEFAULT_SESSIONS = 50;
const DEFAULT_ENTRIES = 100;
const MOST_ENTRIES = 200;
/** The hooks of coding agents may send longer ones than requests. */
const MAX_SESSION_ID_CHARS = 256;
/** Later than any request or check. */
const END_OF_TIME = "9999-12-31T23:59:59.999Z";
/** Unflushed checks that are looked at. */
const MOST_UNFLUSHED = 200;

const sumMembers = () => ({
	id: z.string().describe("The session, as the client names it."),
	first_at: z.string().describe("When its first request arrived, or its first check was made."),
	last_at: z.string().describe("The same for the last one."),
	requests: z.int().describe("Requests and runs of it that were billed."),
	runs: z.int().describe("Runs among them."),
	failed: z.int().describe("Requests of it that got no answer and cost nothing."),
	cost_usd: z.number().describe("What they cost."),
	tokens: z.int().describe("Tokens of their prompts and answers."),
	checks: z.int().describe("Policy checks of it."),
	is_cut: z.boolean().describe("It has more requests than are counted here: the newest are."),
});

/** A session in the list. */
export const sessionSchema = z.lazy(() => z.object({ object: z.literal("session"), ...sumMembers() }));

const at = z.string().describe("When it arrived or was made.");

/** One entry of a session's line of time. */
const entrySchema = z.lazy(() => {
	const request = requestSchema.unwrap().shape;
	return z.discriminatedUnion("type", [
		z.object({ type: z.literal("request"), at, ...request }),
		z.object({ type: z.literal("run"), at, ...request }),
		z.object({ type: z.literal("policy_check"), at, ...auditEventSchema.unwrap().shape }),
	]);
});

export const sessionDetailSchema = z.lazy(() =>
	sessionSchema.unwrap().extend({
		...nextPageMembers(),
		...searchedBackToMember(),
		data: z.array(entrySchema).describe("Newest first: a row of the list of requests, or an event of the audit log."),
	}),
);
type SessionEntry = z.input<typeof entrySchema>;

const SESSION_NOT_FOUND: Failure = {
	reason: "session_not_found",
	message: "you have no request and no policy check of this session",
};

/** Whose requests and checks are read: those of API keys, which stand as actors in the audit log. Null for all of the user's. */
interface Makers {
	keys: readonly string[] | null;
	actors: readonly string[] | null;
}

/** Whose requests and checks the caller reads. @param keyId of this key alone. */
function readableBy({ account }: Pick<KeyContext, "account">, keyId?: string): Makers {
	const readable = readableMakers(account);
	const isReadable = keyId !== undefined && (readable === null || readable.includes(keyId));
	const keys = keyId === undefined ? readable : isReadable ? [keyId] : [];
	return { keys, actors: keys?.map((each) => toActor({ keyId: each })) ?? null };
}

/** A page of policy checks. */
function checkPage(
	{ actors }: Makers,
	filter: { sessionId?: string },
	{ after, limit }: { after: ListPosition | null; limit: number },
): EventPageQuery {
	return { filter: { eventType: "policy_check", ...filter, readableActors: actors ?? undefined }, after, limit };
}

/** What is known of sessions. @param unflushed checks that D1 may lack. */
async function readSessions(
	context: KeyContext,
	{ keys, actors }: Makers,
	sessionIds: readonly string[],
	unflushed: readonly AuditEventRow[],
): Promise<ClientSession[]> {
	const { account, db, meter, timings } = context;
	const { userId } = account;
	const own = unflushed.filter(({ session_id }) => session_id != null && sessionIds.includes(session_id));
	const [requests, [checks, known]] = await Promise.all([
		meter(userId).sessionRequests(sessionIds, keys),
		// One after the other: an event that is flushed in between would count twice.
		timings.measure("d1", async () => {
			const ids = await findKnownEvents(
				db,
				userId,
				own.map(({ id }) => id),
			);
			return [await findSessionChecks(db, { userId, actors }, sessionIds), ids] as const;
		}),
	]);
	return toSessions(
		requests,
		checks,
		own.filter(({ id }) => !known.has(id)),
	);
}

function toSessionView({ id, firstAt, lastAt, costNanoUsd, isCut, ...counts }: ClientSession) {
	const { requests, runs, failed, tokens, checks } = counts;
	const sums = { requests, runs, failed, cost_usd: usd(costNanoUsd), tokens, checks, is_cut: isCut };
	return { object: "session" as const, id, first_at: firstAt, last_at: lastAt, ...sums };
}

const listSessionsEndpoint = endpoint({
	id: "list_sessions",
	method: "GET",
	path: "/v1/sessions",
	access: "key",
	toolGroup: "account",
	page: "sessions",
	summary: "The sessions of the caller's clients, latest first: their requests, cost and policy checks.",
	description: "To see what a coding agent, or a conversation that names its session, has asked for and cost.",
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MOST_ENTRIES).default(DEFAULT_SESSIONS).describe("Sessions of a page."),
			key_id: z.string().optional().describe("Only what this API key did: sessions, and what they come to."),
			since: timestampParam.optional().describe("Only sessions with a request or a check then or later."),
			until: timestampParam.optional().describe("Only sessions whose last request or check was before."),
			cursor: cursorParam(),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			...nextPageMembers(),
			...searchedBackToMember(),
			data: z.array(sessionSchema),
		}),
	),
	ids: { key_id: { answerOf: "create_key" }, cursor: { pageAfter: "hook_claude_code" } },
	example: { query: { limit: "2" } },
	async handle({ query, context }) {
		const { limit, since, until } = query;
		const after = readListCursor(query.cursor, isSessionPlace);
		if (!after.ok) return after;
		const { account, db, meter, timings } = context;
		const makers = readableBy(context, query.key_id);
		const { keys: apiKeyIds, actors } = makers;
		const last = after.value ? new Date(Date.parse(after.value.created_at) + 1) : new Date(END_OF_TIME);
		const before = until === undefined || new Date(until) > last ? last : new Date(until);
		const sinceMs = since === undefined ? 0 : Date.parse(since);
		// The owners first: what they flush after this is found in D1.
		const unflushed = await readUnflushedEvents(context, checkPage(makers, {}, { after: null, limit: MOST_UNFLUSHED }));
		if (!unflushed.ok) return unflushed;
		const [asked, checked] = await Promise.all([
			meter(account.userId).sessionHeads({ sinceMs, beforeMs: before.getTime(), apiKeyIds, limit }),
			timings.measure("d1", () => findCheckedSessions(db, { userId: account.userId, actors }, before.toISOString())),
		]);
		const recent = readableChecks(unflushed.value, actors);
		const ids = new Set([
			...asked.sessions,
			...checked.sessions,
			...recent.flatMap(({ session_id }) => session_id ?? []),
		]);
		const sessions = await readSessions(context, makers, [...ids], recent);
		const ends = [asked.readToMs === null ? null : new Date(asked.readToMs).toISOString(), checked.readTo];
		const readTo =
			ends
				.flatMap((end) => end ?? [])
				.toSorted()
				.at(-1) ?? null;
		const { entries, nextCursor, searchedBackTo } = pageSessions(
			sessions,
			{ after: after.value, limit, since, until },
			readTo,
		);
		return ok({
			object: "list" as const,
			...toNextPage(nextCursor),
			searched_back_to: searchedBackTo,
			data: entries.map(toSessionView),
		});
	},
});

/** Policy checks among events, by these actors: owners answer with what matches a page, the meter with all that it has. */
function readableChecks(events: readonly AuditEventRow[], actors: readonly string[] | null): AuditEventRow[] {
	return events.filter(
		({ event_type, actor }) => event_type === "policy_check" && (actors === null || actors.includes(actor)),
	);
}

type RequestEntry = Placed & { request: ListedRequest };
type CheckEntry = Placed & { event: AuditEventRow };

/** The requests of a session behind a place. */
async function readSessionRequests(
	context: KeyContext,
	sessionId: string,
	after: ListPosition | null,
	limit: number,
): Promise<PagePart<RequestEntry>> {
	const isAfterCheck = after !== null && isEventId(after.id);
	// Of one millisecond, requests come before checks.
	const until = isAfterCheck ? after.created_at : undefined;
	const { entries, readTo } = await readRequestPart(context, {
		filter: { sessionId, until },
		after: isAfterCheck ? null : after,
		limit,
	});
	return { entries: entries.map((request) => ({ request, place: toRequestPosition(request) })), readTo };
}

/** The policy checks of a session behind a place, and all that D1 may lack. */
async function readChecks(
	context: KeyContext,
	sessionId: string,
	after: ListPosition | null,
	limit: number,
): Promise<Result<{ part: PagePart<CheckEntry>; unflushed: AuditEventRow[] }>> {
	const makers = readableBy(context);
	const latest = checkPage(makers, { sessionId }, { after: null, limit: MOST_UNFLUSHED });
	const unflushed = await readUnflushedEvents(context, latest);
	if (!unflushed.ok) return unflushed;
	const page = checkPage(makers, { sessionId }, { after, limit });
	const stored = await context.timings.measure("d1", () => findEvents(context.db, context.account.userId, page));
	const { entries, readTo } = mergeEventPart(stored, unflushed.value, page);
	const part = { entries: entries.map((event) => ({ event, place: event })), readTo };
	return ok({ part, unflushed: readableChecks(unflushed.value, makers.actors) });
}

function toEntry(entry: RequestEntry | CheckEntry): SessionEntry {
	if ("event" in entry) return { type: "policy_check", at: entry.event.created_at, ...toEventView(entry.event) };
	const { request } = entry;
	return { type: request.kind === "agent" ? "run" : "request", at: request.created_at, ...toRequestView(request) };
}

const getSessionEndpoint = endpoint({
	id: "get_session",
	method: "GET",
	path: "/v1/sessions/{session_id}",
	access: "key",
	toolGroup: "account",
	page: "sessions",
	summary: "A session of a client: its requests, runs and policy checks in one line of time, with their cost.",
	description: "To see what happened in a session of a coding agent, newest first.",
	params: z.lazy(() => z.object({ session_id: z.string().describe("The session, as requests name it.") })),
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MOST_ENTRIES).default(DEFAULT_ENTRIES).describe("Entries of a page."),
			cursor: cursorParam(),
		}),
	),
	result: sessionDetailSchema,
	ids: {
		session_id: { chosenIn: "hook_claude_code" },
		cursor: { pageAfter: "hook_claude_code" },
	},
	async handle({ params, query, context }) {
		const { session_id: sessionId } = params;
		const { limit } = query;
		if (sessionId.length > MAX_SESSION_ID_CHARS) return fail(SESSION_NOT_FOUND);
		const isPlace = (id: string) => isEventId(id) || parseRequestId(id, context.settings) !== null;
		const after = readListCursor(query.cursor, isPlace);
		if (!after.ok) return after;
		const checks = await readChecks(context, sessionId, after.value, limit);
		if (!checks.ok) return checks;
		const requests = await readSessionRequests(context, sessionId, after.value, limit);
		const [session] = await readSessions(context, readableBy(context), [sessionId], checks.value.unflushed);
		if (!session) return fail(SESSION_NOT_FOUND);
		const { entries, nextCursor, searchedBackTo } = mergeTimeline(requests, checks.value.part, limit);
		return ok({
			...toSessionView(session),
			...toNextPage(nextCursor),
			searched_back_to: searchedBackTo,
			data: entries.map(toEntry),
		});
	},
});

export const sessionEndpoints: readonly Endpoint[] = [listSessionsEndpoint, getSessionEndpoint];
