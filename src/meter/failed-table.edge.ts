// Requests without an answer and without a bill in the meter's SQLite, numbered like the settled ones. There is no index but the number: what
// is alike is found among the rows of its minute.
import { DAY_MS } from "./budget-period.ts";
import { toStoredAttempts } from "./call-attempt.ts";
import { type FailedRow, mostAlike, toListedFailure, type UnbilledRequest } from "./failed-request.ts";
import type { SumRange } from "./fold-table.edge.ts";
import { type LookedAt, lookAtRows, type NumberedRequest, type RequestSource } from "./request-look.edge.ts";
import { firstNumberAt, MOST_COLLISIONS, requestNumber } from "./request-number.ts";
import type { ListedRequest, RequestRangeQuery } from "./request-page.ts";
import { MINUTE_MS, toMinute } from "./rolling-window.ts";
import { type NamedTimes, NO_TIMES } from "./time-sums.ts";

/** Rows of a user, 300 bytes each as a rule: the oldest ones go. */
const MAX_FAILED_ROWS = 50_000;
/** How many go at once, so that not every new row counts them all. */
const REMOVED_AT_ONCE = 500;

/** The columns of FailedRow but its number, in the order of `toValues`. */
const FAILED_COLUMNS =
	"id, at_ms, latency_ms, api_key, endpoint, kind, outcome, status, error_code, error_message, model, provider, session_id, end_user, count, last_id, attempts, metadata";
const PLACES = FAILED_COLUMNS.replaceAll(/\w+/g, "?");

function toValues(failed: UnbilledRequest): SqlStorageValue[] {
	const { error, names, attempts } = failed;
	const last = attempts.at(-1);
	return [
		failed.requestId,
		failed.atMs,
		failed.latencyMs,
		failed.apiKeyId,
		failed.endpoint,
		failed.kind,
		failed.outcome,
		failed.status,
		error.code,
		error.message,
		last?.model ?? null,
		last?.provider ?? null,
		names.sessionId,
		names.endUser,
		failed.count,
		failed.requestId,
		attempts.length === 0 ? null : toStoredAttempts(attempts),
		Object.keys(names.metadata).length === 0 ? null : JSON.stringify(names.metadata),
	];
}

export class FailedTable implements RequestSource {
	#sql: SqlStorage;
	/** How many rows there are, once they were counted. */
	#rows: number | null = null;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Stores a failed request, or counts it where its minute has others that are alike. A repeated call changes nothing. @returns whether it did. */
	record(failed: UnbilledRequest): boolean {
		const { requestId, count } = failed;
		if (this.find(requestId)) return false;
		const alike = this.#alike(failed);
		if (alike.some(({ last_id }) => last_id === requestId)) return false;
		const last = alike.at(-1);
		if (last && alike.length >= mostAlike(failed)) {
			this.#sql.exec("UPDATE failed_requests SET count = count + ?, last_id = ? WHERE n = ?", count, requestId, last.n);
		} else this.#insert(failed);
		return true;
	}

	/** Rows of its minute, key, endpoint and code, oldest first. */
	#alike({ atMs, apiKeyId, endpoint, error }: UnbilledRequest): Pick<FailedRow, "n" | "last_id">[] {
		const minuteMs = toMinute(atMs) * MINUTE_MS;
		return this.#sql
			.exec<Pick<FailedRow, "n" | "last_id">>(
				`SELECT n, last_id FROM failed_requests
				WHERE n >= ? AND n < ? AND api_key = ? AND endpoint = ? AND error_code = ? ORDER BY n`,
				firstNumberAt(minuteMs),
				firstNumberAt(minuteMs + MINUTE_MS),
				apiKeyId,
				endpoint,
				error.code,
			)
			.toArray();
	}

	#insert(failed: UnbilledRequest): void {
		const first = requestNumber(failed.requestId);
		for (let n = first; n < first + MOST_COLLISIONS; n++) {
			const inserted = this.#sql.exec(
				`INSERT INTO failed_requests (n, ${FAILED_COLUMNS}) VALUES (?, ${PLACES}) ON CONFLICT (n) DO NOTHING RETURNING n`,
				n,
				...toValues(failed),
			);
			if (inserted.toArray().length === 0) continue;
			this.#makeRoom();
			return;
		}
		throw new Error("a thousand requests have numbers of one time");
	}

	/** Removes the oldest rows where there are too many. */
	#makeRoom(): void {
		this.#rows = this.#rows === null ? this.#count() : this.#rows + 1;
		if (this.#rows <= MAX_FAILED_ROWS) return;
		this.#sql.exec(
			"DELETE FROM failed_requests WHERE n IN (SELECT n FROM failed_requests ORDER BY n LIMIT ?)",
			REMOVED_AT_ONCE,
		);
		this.#rows = this.#count();
	}

	#count(): number {
		return this.#sql.exec<{ rows: number }>("SELECT count(*) AS rows FROM failed_requests").one().rows;
	}

	/** The number of a request's row. */
	numberOf(requestId: string): number | null {
		return this.find(requestId)?.n ?? null;
	}

	/** The row of a request that stands for itself or for others. */
	find(requestId: string): NumberedRequest | undefined {
		const first = requestNumber(requestId);
		const [row] = this.#sql
			.exec<FailedRow>(
				`SELECT n, ${FAILED_COLUMNS} FROM failed_requests WHERE n >= ? AND n < ? AND id = ?`,
				first,
				first + MOST_COLLISIONS,
				requestId,
			)
			.toArray();
		return row && { n: row.n, request: toListedFailure(row) };
	}

	/** Removes the row of a request that was settled after all. */
	drop(requestId: string): void {
		const found = this.find(requestId);
		if (!found) return;
		this.#sql.exec("DELETE FROM failed_requests WHERE n = ?", found.n);
		this.#rows = null;
	}

	look({ range, filter, limit }: RequestRangeQuery): LookedAt {
		return lookAtRows(this.#sql, { table: "failed_requests", rows: "true" }, { range, filter, limit });
	}

	listed(numbers: readonly number[]): NumberedRequest[] {
		const query = `SELECT n, ${FAILED_COLUMNS} FROM failed_requests WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n DESC`;
		const rows = this.#sql.exec<FailedRow>(query, JSON.stringify(numbers)).toArray();
		return rows.map((row): { n: number; request: ListedRequest } => ({ n: row.n, request: toListedFailure(row) }));
	}

	/** How many requests of a range of days were refused or failed, by a name of their clients; rows that are gone do not count. */
	countsBy(column: "end_user" | "session_id", { since, until, apiKeyIds }: SumRange): NamedTimes[] {
		return this.#sql
			.exec<{ name: string; refused: number; failed: number }>(
				`SELECT coalesce(${column}, '') AS name, coalesce(sum(count) FILTER (WHERE outcome = 'refused'), 0) AS refused,
					coalesce(sum(count) FILTER (WHERE outcome <> 'refused'), 0) AS failed
				FROM failed_requests WHERE n >= ?1 AND n < ?2
					AND (?3 IS NULL OR api_key IN (SELECT value FROM json_each(?3))) GROUP BY 1`,
				firstNumberAt(Date.parse(since)),
				firstNumberAt(Date.parse(until) + DAY_MS),
				apiKeyIds && JSON.stringify(apiKeyIds),
			)
			.toArray()
			.map((counts) => ({ ...NO_TIMES, ...counts }));
	}

	/** The number of the oldest row; null where there is none. */
	oldest(): number | null {
		return this.#sql.exec<{ n: number | null }>("SELECT min(n) AS n FROM failed_requests").one().n;
	}

	/** Removes rows before a number. @returns how many. */
	removeBefore(n: number, limit: number): number {
		const removed = this.#sql.exec(
			"DELETE FROM failed_requests WHERE n IN (SELECT n FROM failed_requests WHERE n < ? ORDER BY n LIMIT ?) RETURNING n",
			n,
			limit,
		);
		this.#rows = null;
		return removed.toArray().length;
	}
}
