// Requests in D1, newest first, by filters. A page looks at a bounded number of index entries: one that finds too few among them
// ends early, and says how far it has looked.
import { and, desc, eq, gt, gte, inArray, lte, ne, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { isInListRange } from "../db/list-range.ts";
import { jsonList } from "../db/rows.ts";
import { settlements, usageDays } from "../db/schema.ts";
import { type PagePart, toPagePart } from "../http/list-page.ts";
import type { ListPosition } from "../http/list-position.ts";
import {
	type ListedRequest,
	type RequestDetail,
	type RequestFilter,
	type RequestPageQuery,
	toRequestPosition,
} from "../meter/request-page.ts";
import { dayPart } from "../meter/rollup.ts";
import { callSummaryColumn, decisionColumn, parseCallSummary, parseDecisionColumn } from "./decision-columns.store.ts";

/** Index entries that one page looks at. */
const MOST_LOOKED_AT = 20_000;

const listedColumns = {
	request_id: settlements.requestId,
	created_at: settlements.createdAt,
	kind: settlements.kind,
	model: settlements.model,
	provider: settlements.provider,
	mode: settlements.mode,
	tokens: settlements.tokens,
	input_tokens: settlements.inputTokens,
	cost_nano_usd: settlements.costNanoUsd,
	estimated: settlements.estimated,
	outcome: settlements.outcome,
	latency_ms: settlements.latencyMs,
	fallback: settlements.fallback,
	api_key_id: settlements.apiKeyId,
	proof_hash: settlements.proofHash,
	isSigned: sql<boolean>`${settlements.signature} IS NOT NULL`.mapWith(Boolean),
	decision: decisionColumn(),
	callSummary: callSummaryColumn,
};

/** The columns as D1 gives them. */
interface ListedRow extends Omit<ListedRequest, "decision" | "calls" | "models"> {
	decision: string;
	callSummary: string;
}

function toListedRequest({ decision, callSummary, ...row }: ListedRow): ListedRequest {
	return { ...row, decision: parseDecisionColumn(decision), ...parseCallSummary(callSummary) };
}

/** The part of a user's list that a page is in. @param endDay no request is younger; null without such a day. */
function rangeCondition(userId: string, { filter, after }: RequestPageQuery, endDay: string | null): SQL | undefined {
	const ends = [filter.until ?? [], endDay === null ? [] : `${endDay}~`].flat();
	const columns = { createdAt: settlements.createdAt, id: settlements.requestId };
	const range = { since: filter.since, until: ends.sort()[0], after };
	return and(eq(settlements.userId, userId), isInListRange(columns, range));
}

/** The kinds that have an index of their own are looked up in it. */
function kindCondition({ kind }: RequestFilter): SQL | undefined {
	if (kind === undefined || kind === "chat") return undefined;
	// The index holds no chats: SQLite uses it only for a query that says so.
	return and(eq(settlements.kind, kind), ne(settlements.kind, sql.raw("'chat'")));
}

/** The index entries that a page looks at, newest first. Neither query of them reads a whole row. */
function lookedAt(db: Database, userId: string, query: RequestPageQuery, endDay: string | null) {
	const { requestId, createdAt, kind, model, apiKeyId } = settlements;
	return db
		.select({ requestId, createdAt, kind, model, apiKeyId })
		.from(settlements)
		.where(and(rangeCondition(userId, query, endDay), kindCondition(query.filter)))
		.orderBy(desc(createdAt), desc(requestId))
		.limit(MOST_LOOKED_AT)
		.as("looked_at");
}

/** The last of the entries that a page looks at; null when they are all that there are. */
async function findEnd(
	db: Database,
	userId: string,
	query: RequestPageQuery,
	endDay: string | null,
): Promise<ListPosition | null> {
	const entries = lookedAt(db, userId, query, endDay);
	const last = await db
		.select({ created_at: entries.createdAt, id: entries.requestId })
		.from(entries)
		.limit(1)
		.offset(MOST_LOOKED_AT - 1)
		.get();
	return last ?? null;
}

/** The days of a user's rollup that a page may be in, newest first: as many rows as one page looks at. */
function rollupRows(db: Database, userId: string, { filter, after }: RequestPageQuery) {
	const { since, until } = filter;
	const { day, apiKeyId, model, requests } = usageDays;
	const lastDay = [until ?? [], after?.created_at ?? []].flat().map(dayPart).sort()[0];
	return db
		.select({ day, apiKeyId, model, requests })
		.from(usageDays)
		.where(
			and(
				eq(usageDays.userId, userId),
				since === undefined ? undefined : gte(day, dayPart(since)),
				lastDay === undefined ? undefined : lte(day, lastDay),
			),
		)
		.orderBy(desc(day), desc(apiKeyId), desc(model))
		.limit(MOST_LOOKED_AT)
		.as("rollup");
}

/** The day from which a page looks back: the newest with such requests; null when the rollup knows that there are none. */
async function findEndDay(db: Database, userId: string, query: RequestPageQuery): Promise<string | null> {
	const { model, apiKeyIds } = query.filter;
	const rows = rollupRows(db, userId, query);
	const newest = await db
		.select({ day: rows.day })
		.from(rows)
		.where(
			and(
				gt(rows.requests, 0),
				model === undefined ? undefined : eq(rows.model, model),
				apiKeyIds === undefined ? undefined : inArray(rows.apiKeyId, jsonList(apiKeyIds)),
			),
		)
		.limit(1)
		.get();
	if (newest) return newest.day;
	const lastLookedAt = await db
		.select({ day: rows.day })
		.from(rows)
		.limit(1)
		.offset(MOST_LOOKED_AT - 1)
		.get();
	return lastLookedAt?.day ?? null;
}

/** The part of a page that D1 has. */
export async function findRequests(
	db: Database,
	userId: string,
	query: RequestPageQuery,
): Promise<PagePart<ListedRequest>> {
	const { kind, model, apiKeyIds } = query.filter;
	const isRare = model !== undefined || apiKeyIds !== undefined;
	const endDay = isRare ? await findEndDay(db, userId, query) : null;
	if (isRare && endDay === null) return { entries: [], readTo: null };
	const entries = lookedAt(db, userId, query, endDay);
	const ids = db
		.select({ requestId: entries.requestId })
		.from(entries)
		.where(
			and(
				kind === undefined ? undefined : eq(entries.kind, kind),
				model === undefined ? undefined : eq(entries.model, model),
				apiKeyIds === undefined ? undefined : inArray(entries.apiKeyId, jsonList(apiKeyIds)),
			),
		)
		.limit(query.limit + 1);
	const rows = await db
		.select(listedColumns)
		.from(settlements)
		.where(inArray(settlements.requestId, ids))
		.orderBy(desc(settlements.createdAt), desc(settlements.requestId))
		.all();
	const page = toPagePart(rows.map(toListedRequest), query.limit, toRequestPosition);
	if (page.readTo || (kind === undefined && !isRare)) return page;
	return { ...page, readTo: await findEnd(db, userId, query, endDay) };
}

const storedCalls = z.lazy(() =>
	z.array(
		z.object({
			model: z.string(),
			provider: z.string(),
			tokens: z.int(),
			input_tokens: z.int(),
			cost_nano_usd: z.int(),
			requests: z.int().optional(),
		}),
	),
);

/** A request of a user's. */
export async function findRequest(db: Database, userId: string, requestId: string): Promise<RequestDetail | null> {
	const row = await db
		.select({ ...listedColumns, callList: settlements.calls })
		.from(settlements)
		.where(and(eq(settlements.requestId, requestId), eq(settlements.userId, userId)))
		.get();
	if (!row) return null;
	const { callList, ...listed } = row;
	return { request: toListedRequest(listed), calls: storedCalls.parse(JSON.parse(callList)) };
}
