// Sessions of clients among the requests of a meter or an archive. Requests with a session stand in an index by it; nothing else is stored
// of a session.
import { type NumberRange, numberTimeMs } from "./request-number.ts";
import { yieldTurn } from "./request-reader.edge.ts";
import type { SessionHeads, SessionRequests, SessionsQuery } from "./session-page.ts";

/** Rows that one page of sessions looks at. */
const MOST_SEARCHED = 20_000;
/** Rows of one slice. */
const SEARCHED_AT_ONCE = 1_000;
/** Rows that are added up for one session, and for all sessions of one call; then fewer for each of the others. */
const MOST_SUMMED = 20_000;
const MOST_SUMMED_IN_ALL = 60_000;
const LEAST_SUMMED = 200;

interface SessionSumRow extends Record<string, SqlStorageValue> {
	requests: number;
	runs: number;
	nano_usd: number;
	tokens: number;
	first_n: number | null;
	last_n: number | null;
}

interface FailedSessionRow extends Record<string, SqlStorageValue> {
	session_id: string;
	failed: number;
	first_n: number;
	last_n: number;
}

const IS_OF_KEYS = "(?2 IS NULL OR api_key IN (SELECT value FROM json_each(?2)))";

export class SessionTable {
	#sql: SqlStorage;
	#hasFailed: boolean;

	/** @param hasFailed whether failed requests stand beside the others: archives have none. */
	constructor(sql: SqlStorage, hasFailed: boolean) {
		this.#sql = sql;
		this.#hasFailed = hasFailed;
	}

	/** Failed requests by session, latest first. Their table is small, and has no index. */
	#failed(keys: string | null, { from, before }: NumberRange): FailedSessionRow[] {
		if (!this.#hasFailed) return [];
		return this.#sql
			.exec<FailedSessionRow>(
				`SELECT session_id, sum(count) AS failed, min(n) AS first_n, max(n) AS last_n FROM failed_requests
				WHERE n >= ?1 AND session_id IS NOT NULL AND ${IS_OF_KEYS} GROUP BY 1 HAVING max(n) < ?3 ORDER BY max(n) DESC`,
				from,
				keys,
				before,
			)
			.toArray();
	}

	/** The number of a session's newest request. */
	#newest(sessionId: string, keys: string | null): number | null {
		const query = `SELECT max(n) AS n FROM requests WHERE session_id = ?1 AND settled IS NOT NULL AND ${IS_OF_KEYS}`;
		return this.#sql.exec<{ n: number | null }>(query, sessionId, keys).one().n;
	}

	/** Settled rows of a slice with a session, newest first, with how many rows were looked at. */
	#look({ from, before }: NumberRange, keys: string | null) {
		const { looked_at, last, found } = this.#sql
			.exec<{ looked_at: number; last: number | null; found: string }>(
				`SELECT count(*) AS looked_at, min(n) AS last, json_group_array(json_array(n, session_id)) FILTER (
					WHERE session_id IS NOT NULL AND settled IS NOT NULL AND ${IS_OF_KEYS}) AS found
				FROM (SELECT n, session_id, settled, api_key FROM requests WHERE n >= ?1 AND n < ?3 ORDER BY n DESC LIMIT ?4)`,
				from,
				keys,
				before,
				SEARCHED_AT_ONCE,
			)
			.one();
		const rows = (JSON.parse(found) as [number, string][]).sort(([a], [b]) => b - a);
		return { lookedAt: looked_at, last: last ?? from, rows };
	}

	/** Sessions whose newest request has a number of a range, latest first, as far as a page may need them. */
	async heads(
		range: NumberRange,
		{ apiKeyIds, limit }: Pick<SessionsQuery, "apiKeyIds" | "limit">,
	): Promise<SessionHeads> {
		const keys = apiKeyIds ? JSON.stringify(apiKeyIds) : null;
		const settled = await this.#settledHeads(range, keys, limit);
		const failed = this.#failed(keys, range);
		const last = failed[limit];
		const ends = [settled.readToMs, last ? numberTimeMs(last.last_n) : null].filter((end) => end !== null);
		const sessions = [...settled.sessions, ...failed.slice(0, limit + 1).map(({ session_id }) => session_id)];
		return { sessions: [...new Set(sessions)], readToMs: ends.length === 0 ? null : Math.max(...ends) };
	}

	async #settledHeads(range: NumberRange, keys: string | null, limit: number): Promise<SessionHeads> {
		const seen = new Set<string>();
		const sessions: string[] = [];
		let { before } = range;
		for (let lookedAt = 0; ; await yieldTurn()) {
			const slice = this.#look({ from: range.from, before }, keys);
			for (const [n, sessionId] of slice.rows) {
				if (seen.has(sessionId)) continue;
				seen.add(sessionId);
				if (this.#newest(sessionId, keys) === n) sessions.push(sessionId);
				// Others may be shown on an earlier page, for what else they have: so this one's time is where the search ends.
				if (sessions.length > limit) return { sessions, readToMs: numberTimeMs(n) };
			}
			lookedAt += slice.lookedAt;
			before = slice.last;
			if (slice.lookedAt < SEARCHED_AT_ONCE) return { sessions, readToMs: null };
			if (lookedAt >= MOST_SEARCHED) return { sessions, readToMs: numberTimeMs(before) };
		}
	}

	/** What the requests of sessions with numbers of a range come to; none for a session without any. */
	async sums(
		sessionIds: readonly string[],
		apiKeyIds: readonly string[] | null,
		range: NumberRange,
	): Promise<SessionRequests[]> {
		const keys = apiKeyIds ? JSON.stringify(apiKeyIds) : null;
		const wanted = new Set(sessionIds);
		const all: SessionRequests[] = this.#failed(keys, range)
			.filter(({ session_id }) => wanted.has(session_id))
			.map(({ session_id: sessionId, failed, first_n, last_n }) => ({
				...{ sessionId, requests: 0, runs: 0, failed, costNanoUsd: 0, tokens: 0, isCut: false },
				firstMs: numberTimeMs(first_n),
				lastMs: numberTimeMs(last_n),
			}));
		let left = MOST_SUMMED_IN_ALL;
		for (const sessionId of sessionIds) {
			const most = Math.max(LEAST_SUMMED, Math.min(MOST_SUMMED, left));
			const sum = this.#sum(sessionId, keys, range, most);
			left -= sum.requests;
			if (sum.first_n === null || sum.last_n === null) continue;
			all.push({
				sessionId,
				requests: sum.requests,
				runs: sum.runs,
				failed: 0,
				costNanoUsd: sum.nano_usd,
				tokens: sum.tokens,
				firstMs: numberTimeMs(sum.first_n),
				lastMs: numberTimeMs(sum.last_n),
				isCut: sum.requests === most,
			});
			await yieldTurn();
		}
		return all;
	}

	#sum(sessionId: string, keys: string | null, { from, before }: NumberRange, most: number): SessionSumRow {
		return this.#sql
			.exec<SessionSumRow>(
				`SELECT count(*) AS requests, count(*) FILTER (WHERE kind = 'agent') AS runs,
					coalesce(sum(nano_usd), 0) AS nano_usd, coalesce(sum(tokens), 0) AS tokens, min(n) AS first_n, max(n) AS last_n
				FROM (SELECT n, kind, nano_usd, tokens FROM requests
					WHERE session_id = ?1 AND n >= ?3 AND n < ?5 AND settled IS NOT NULL AND ${IS_OF_KEYS}
					ORDER BY n DESC LIMIT ?4)`,
				sessionId,
				keys,
				from,
				most,
				before,
			)
			.one();
	}
}
