// The meter's requests in the object's SQLite: one row each, for good. The number is the only index, so that a chat costs two written rows.
// What follows from them, the fold, stands in request-fold.edge.ts.

import { nanoUsd } from "../proof/money.ts";
import type { TraceParent } from "../telemetry/trace-context.ts";
import { splitText } from "../text/pieces.ts";
import type { MeteredBudget } from "./key-budget.ts";
import type { BudgetShare } from "./key-ledger.ts";
import { type LookedAt, lookAtRows, type NumberedRequest, type RequestSource } from "./request-look.edge.ts";
import { MOST_COLLISIONS, type NumberRange, requestNumber } from "./request-number.ts";
import type { RequestRangeQuery } from "./request-page.ts";
import type { OpenHold, Reservation, ReservedEnd, Settlement } from "./settlement.ts";
import {
	SETTLED_COLUMNS,
	SETTLEMENT_COLUMNS,
	type SettledRow,
	toListedRequest,
	toReserved,
	toStoredReservation,
	toStoredSettlement,
	USAGE_COLUMNS,
	type WholeRow,
} from "./stored-request.ts";
import type { SeriesQuery, SeriesRow } from "./usage-series.ts";

/** Characters of a piece of what a large row stores apart: a value has at most 2 MB. */
const PIECE_CHARS = 500_000;

/** Which windows an admission counts in. */
export type Counting = "none" | "minute" | "day";
const COUNTINGS: readonly Counting[] = ["none", "minute", "day"];

/** A request that is neither settled nor released. */
export interface OpenRequest extends BudgetShare {
	n: number;
	id: string;
	apiKeyId: string;
	/** When it was admitted. */
	atMs: number;
	/** When it is settled at its bound. */
	expiresAtMs: number;
	/** D1 may have its settlement, at the bound or another one. */
	isClaiming: boolean;
	/** Whether its row stores a part apart. */
	isLarge: boolean;
}

/** An admission that is to be stored. */
export interface NewRequest extends Omit<OpenRequest, "n" | "isClaiming" | "isLarge"> {
	counting: Counting;
	/** Whether its key has limits of its own, which then count it too. */
	isLimited: boolean;
	reservation: Reservation;
}

/** A row without its usage, receipt and reservation. */
export interface RequestRow extends OpenRequest {
	changed: number;
	admitted: number;
	counting: Counting;
	isLimited: boolean;
	/** Number of its settlement; null where it is open or released. */
	settled: number | null;
	isOpen: boolean;
}

/** Rows of one of the tables that hold requests. */
export interface CopiedRows {
	table: (typeof TABLES)[number];
	columns: string[];
	rows: SqlStorageValue[][];
}

/** The tables that hold requests. */
const TABLES = ["large_receipts", "feedback", "requests"] as const;

interface StateRow extends Record<string, SqlStorageValue> {
	n: number;
	id: string;
	changed: number;
	admitted: number;
	at_ms: number;
	counts: number;
	api_key: string;
	limited: number;
	budget_key: string | null;
	booked_day: number;
	nano_usd: number;
	key_budget: string | null;
	expires_at_ms: number | null;
	claiming: number;
	is_large: number;
	settled: number | null;
}

const STATE_COLUMNS =
	"n, id, changed, admitted, at_ms, counts, api_key, limited, budget_key, booked_day, nano_usd, key_budget, expires_at_ms, claiming, is_large, settled";

const toAssignments = (columns: string) => columns.replaceAll(/\w+/g, "$& = ?");
const SET_USAGE = toAssignments(USAGE_COLUMNS);
const SET_SETTLEMENT = toAssignments(SETTLEMENT_COLUMNS);
const USAGE_PLACES = USAGE_COLUMNS.replaceAll(/\w+/g, "?");

function toRow(row: StateRow): RequestRow {
	return {
		n: row.n,
		id: row.id,
		changed: row.changed,
		admitted: row.admitted,
		atMs: row.at_ms,
		counting: COUNTINGS[row.counts] ?? "none",
		apiKeyId: row.api_key,
		isLimited: row.limited === 1,
		budgetKeyId: row.budget_key ?? row.api_key,
		bookedDay: row.booked_day,
		nanoUsd: row.nano_usd,
		keyBudget: row.key_budget === null ? null : (JSON.parse(row.key_budget) as MeteredBudget),
		expiresAtMs: row.expires_at_ms ?? 0,
		isOpen: row.expires_at_ms !== null,
		isClaiming: row.claiming === 1,
		isLarge: row.is_large === 1,
		settled: row.settled,
	};
}

interface HoldRow extends Record<string, SqlStorageValue> {
	request_id: string;
	api_key_id: string;
	kind: string;
	usage_nano_usd: number;
	spent_nano_usd: number;
	bound_usd: number;
}

export class RequestTable implements RequestSource {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** The row of a request. */
	find(id: string): RequestRow | undefined {
		const first = requestNumber(id);
		const [row] = this.#sql
			.exec<StateRow>(
				`SELECT ${STATE_COLUMNS} FROM requests WHERE n >= ? AND n < ? AND id = ?`,
				first,
				first + MOST_COLLISIONS,
				id,
			)
			.toArray();
		return row && toRow(row);
	}

	/** Rows by number, those that are there. */
	rows(numbers: readonly number[]): RequestRow[] {
		if (numbers.length === 0) return [];
		const query = `SELECT ${STATE_COLUMNS} FROM requests WHERE n IN (SELECT value FROM json_each(?))`;
		return [...this.#sql.exec<StateRow>(query, JSON.stringify(numbers))].map(toRow);
	}

	/** Rows from a number on. */
	rowsFrom(n: number): RequestRow[] {
		return [...this.#sql.exec<StateRow>(`SELECT ${STATE_COLUMNS} FROM requests WHERE n >= ? ORDER BY n`, n)].map(toRow);
	}

	/**
	 * Inserts the row of a new request.
	 * @param changed the number of this change.
	 * @returns its place; null when the request has a row.
	 */
	insert(request: NewRequest, changed: number): Pick<OpenRequest, "n" | "isLarge"> | null {
		const { id, atMs, counting, apiKeyId, isLimited, budgetKeyId, bookedDay, nanoUsd, keyBudget, reservation } =
			request;
		const { values, largeText } = toStoredReservation(reservation);
		const first = requestNumber(id);
		for (let n = first; n < first + MOST_COLLISIONS; n++) {
			const inserted = this.#sql.exec(
				`INSERT INTO requests (n, id, changed, admitted, at_ms, counts, api_key, limited, budget_key, booked_day, nano_usd,
					key_budget, expires_at_ms, usage_nano_usd, spent_nano_usd, trace_parent, ${USAGE_COLUMNS})
				VALUES (?, ?, ?3, ?3, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${USAGE_PLACES}) ON CONFLICT (n) DO NOTHING RETURNING n`,
				n,
				id,
				changed,
				atMs,
				COUNTINGS.indexOf(counting),
				apiKeyId,
				isLimited ? 1 : 0,
				budgetKeyId === apiKeyId ? null : budgetKeyId,
				bookedDay,
				nanoUsd,
				keyBudget && JSON.stringify(keyBudget),
				request.expiresAtMs,
				reservation.usage.cost_nano_usd,
				reservation.spentNanoUsd ?? 0,
				reservation.parent ? JSON.stringify(reservation.parent) : null,
				...values,
			);
			if (inserted.toArray().length > 0) {
				if (largeText !== null) this.#storeApart(n, largeText);
				return { n, isLarge: largeText !== null };
			}
			if (this.#idAt(n) === id) return null;
		}
		throw new Error("a thousand requests have numbers of one time");
	}

	#idAt(n: number): string | undefined {
		return this.#sql.exec<{ id: string }>("SELECT id FROM requests WHERE n = ?", n).toArray()[0]?.id;
	}

	/** Replaces a reservation. @returns whether a part is stored apart. */
	extend(
		{ n, isLarge }: Pick<OpenRequest, "n" | "isLarge">,
		reservation: Reservation,
		{ bookedDay, nanoUsd }: Pick<BudgetShare, "bookedDay" | "nanoUsd">,
		changed: number,
	): boolean {
		const { values, largeText } = toStoredReservation(reservation);
		this.#sql.exec(
			`UPDATE requests SET expires_at_ms = ?, booked_day = ?, nano_usd = ?, changed = ?, usage_nano_usd = ?, spent_nano_usd = ?,
				${SET_USAGE} WHERE n = ?`,
			reservation.expiresAtMs,
			bookedDay,
			nanoUsd,
			changed,
			reservation.usage.cost_nano_usd,
			reservation.spentNanoUsd ?? 0,
			...values,
			n,
		);
		if (isLarge || largeText !== null) this.#storeApart(n, largeText);
		return largeText !== null;
	}

	/** Replaces what a row stores apart. */
	#storeApart(n: number, text: string | null): void {
		this.#sql.exec("DELETE FROM large_receipts WHERE n = ?", n);
		if (text === null) return;
		for (const [piece, part] of splitText(text, PIECE_CHARS).entries())
			this.#sql.exec("INSERT INTO large_receipts (n, piece, text) VALUES (?, ?, ?)", n, piece, part);
	}

	/** Records that D1 is to be asked for the settlement of an open request. */
	claim({ n }: Pick<OpenRequest, "n">, changed: number): void {
		this.#sql.exec("UPDATE requests SET claiming = 1, changed = ? WHERE n = ?", changed, n);
	}

	/** Brings an open request that was admitted under a clock that was ahead to now. */
	rewind({ n, atMs, expiresAtMs }: Pick<OpenRequest, "n" | "atMs" | "expiresAtMs">, changed: number): void {
		this.#sql.exec(
			"UPDATE requests SET at_ms = ?, expires_at_ms = ?, changed = ? WHERE n = ?",
			atMs,
			expiresAtMs,
			changed,
			n,
		);
	}

	/** Replaces the reservation of a request by its settlement. @param settled the number of this change. */
	settle({ n, isLarge }: Pick<OpenRequest, "n" | "isLarge">, settlement: Settlement, settled: number): void {
		const { values, largeText } = toStoredSettlement(settlement);
		this.#sql.exec(
			`UPDATE requests SET expires_at_ms = NULL, claiming = 0, settled = ?1, changed = ?1, nano_usd = ?, usage_nano_usd = NULL,
				spent_nano_usd = NULL, trace_parent = NULL, ${SET_SETTLEMENT} WHERE n = ?`,
			settled,
			settlement.usage.cost_nano_usd,
			...values,
			n,
		);
		if (isLarge || largeText !== null) this.#storeApart(n, largeText);
	}

	release({ n, isLarge }: Pick<OpenRequest, "n" | "isLarge">, changed: number): void {
		this.#sql.exec(
			`UPDATE requests SET expires_at_ms = NULL, nano_usd = 0, usage_nano_usd = NULL, spent_nano_usd = NULL, calls = NULL,
				receipt = NULL, session_id = NULL, end_user = NULL, metadata = NULL, trace_parent = NULL, changed = ? WHERE n = ?`,
			changed,
			n,
		);
		if (isLarge) this.#storeApart(n, null);
	}

	/** What is recorded if nobody settles an open request. @param userId whose it is. */
	reserved({ n }: Pick<OpenRequest, "n">, userId: string): ReservedEnd {
		const row = this.#sql
			.exec<SettledRow & { trace_parent: string | null }>(
				`SELECT id, api_key, usage_nano_usd AS nano_usd, trace_parent, ${SETTLEMENT_COLUMNS} FROM requests WHERE n = ?`,
				n,
			)
			.one();
		const reserved = toReserved({ row, largeText: row.is_large === 1 ? this.#largeText(n) : null }, userId);
		return row.trace_parent === null ? reserved : { ...reserved, parent: JSON.parse(row.trace_parent) as TraceParent };
	}

	/** The holds of open requests, in the order of admission. SQLite picks the bound, which stands in the receipt. */
	holds(numbers: readonly number[]): OpenHold[] {
		const rows = this.#sql.exec<HoldRow>(
			`SELECT id AS request_id, api_key AS api_key_id, kind, usage_nano_usd, spent_nano_usd,
				coalesce(receipt ->> '$.bound_usd', receipt ->> '$.decision.bound_usd') AS bound_usd
			FROM requests WHERE n IN (SELECT value FROM json_each(?)) ORDER BY admitted`,
			JSON.stringify(numbers),
		);
		return [...rows].map(({ request_id, api_key_id, kind, usage_nano_usd, spent_nano_usd, bound_usd }) => ({
			request_id,
			api_key_id,
			kind,
			spent_nano_usd,
			held_nano_usd: usage_nano_usd - spent_nano_usd,
			bound_nano_usd: nanoUsd(bound_usd),
		}));
	}

	/** What a settled row stores apart; null where it has everything. */
	#largeText(n: number): string | null {
		const pieces = this.#sql.exec<{ text: string }>("SELECT text FROM large_receipts WHERE n = ? ORDER BY piece", n);
		const texts = pieces.toArray();
		return texts.length === 0 ? null : texts.map(({ text }) => text).join("");
	}

	/** A settled row with its receipt; undefined where the request is not settled. */
	whole({ n }: Pick<OpenRequest, "n">): WholeRow | undefined {
		const [row] = this.#sql
			.exec<SettledRow>(`SELECT ${SETTLED_COLUMNS} FROM requests WHERE n = ? AND settled IS NOT NULL`, n)
			.toArray();
		return row && { row, largeText: row.is_large === 1 ? this.#largeText(n) : null };
	}

	/** The latest settled rows, newest first. */
	latest(limit: number): SettledRow[] {
		return this.#sql
			.exec<SettledRow>(
				`SELECT ${SETTLED_COLUMNS} FROM requests WHERE settled IS NOT NULL ORDER BY n DESC LIMIT ?`,
				limit,
			)
			.toArray();
	}

	/** Looks at settled rows. */
	look({ range, filter, limit }: RequestRangeQuery): LookedAt {
		return lookAtRows(this.#sql, { table: "requests", rows: "settled IS NOT NULL" }, { range, filter, limit });
	}

	/** Settled requests by number as lists show them, newest first. */
	listed(numbers: readonly number[]): NumberedRequest[] {
		return this.settledRows(numbers).map((row) => ({ n: row.n, request: toListedRequest(row) }));
	}

	/**
	 * What series count of the rows of a range, newest first; their names are those of a column. As in all sums, what was not billed was
	 * refused or has failed, also where its client had gone.
	 */
	seriesRows(
		{ from, before }: NumberRange,
		{ column, apiKeyIds }: Pick<SeriesQuery, "column" | "apiKeyIds">,
		limit: number,
	): Iterable<SeriesRow & { n: number }> {
		return this.#sql.exec<SeriesRow & { n: number } & Record<string, SqlStorageValue>>(
			`SELECT n, created_at_ms, coalesce(${column ?? "NULL"}, '') AS name, outcome, tokens, input_tokens, nano_usd, latency_ms,
				first_token_ms, 1 AS count
			FROM requests WHERE n >= ?1 AND n < ?2 AND settled IS NOT NULL
				AND (?3 IS NULL OR api_key IN (SELECT value FROM json_each(?3)))
			UNION ALL SELECT n, at_ms, coalesce(${column ?? "NULL"}, ''), iif(outcome = 'refused', outcome, 'failed'), 0, 0, 0,
				latency_ms, NULL, count
			FROM failed_requests WHERE n >= ?1 AND n < ?2
				AND (?3 IS NULL OR api_key IN (SELECT value FROM json_each(?3))) ORDER BY n DESC LIMIT ?4`,
			from,
			before,
			apiKeyIds && JSON.stringify(apiKeyIds),
			limit,
		);
	}

	/** Settled rows by number, newest first. */
	settledRows(numbers: readonly number[]): (SettledRow & { n: number })[] {
		return this.#sql
			.exec<SettledRow & { n: number }>(
				`SELECT n, ${SETTLED_COLUMNS} FROM requests WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n DESC`,
				JSON.stringify(numbers),
			)
			.toArray();
	}

	/** The number of the oldest row; null where there is none. */
	oldest(): number | null {
		return this.#sql.exec<{ n: number | null }>("SELECT min(n) AS n FROM requests").one().n;
	}

	/** Removes rows before a number, those of open requests excepted, with their feedback. @returns how many. */
	removeBefore(n: number, limit: number): number {
		const rows = this.#sql.exec<{ n: number }>(
			"SELECT n FROM requests WHERE n < ? AND expires_at_ms IS NULL ORDER BY n LIMIT ?",
			n,
			limit,
		);
		const numbers = rows.toArray().map((row) => row.n);
		this.remove(numbers);
		return numbers.length;
	}

	/** Removes rows with all that belongs to them. */
	remove(numbers: readonly number[]): void {
		const list = JSON.stringify(numbers);
		for (const table of TABLES)
			this.#sql.exec(`DELETE FROM ${table} WHERE n IN (SELECT value FROM json_each(?))`, list);
	}

	/** The number of the settled row that so many are newer than; null where there are not so many. */
	settledBehind(newer: number): number | null {
		const query = "SELECT n FROM requests WHERE settled IS NOT NULL ORDER BY n DESC LIMIT 1 OFFSET ?";
		return this.#sql.exec<{ n: number }>(query, newer).toArray()[0]?.n ?? null;
	}

	/** The oldest rows of a range that may be archived, those of ended requests that are no runs, up to a number of rows and characters. */
	archivable({ from, before }: NumberRange, rows: number, chars: number): number[] {
		const found = this.#sql.exec<{ n: number; chars: number }>(
			`SELECT n, coalesce(length(receipt), 0) + coalesce(length(calls), 0)
				+ coalesce(length(attempts), 0) + coalesce(length(metadata), 0)
				+ (SELECT coalesce(sum(length(text)), 0) FROM large_receipts WHERE large_receipts.n = requests.n) AS chars
			FROM requests WHERE n >= ? AND n < ? AND expires_at_ms IS NULL AND substr(id, 1, 4) <> 'agt_' ORDER BY n LIMIT ?`,
			from,
			before,
			rows,
		);
		const numbers: number[] = [];
		let total = 0;
		for (const { n, chars: more } of found) {
			total += more;
			if (total > chars && numbers.length > 0) break;
			numbers.push(n);
		}
		return numbers;
	}

	/** Rows with all that belongs to them. */
	copy(numbers: readonly number[], tables: readonly CopiedRows["table"][] = TABLES): CopiedRows[] {
		const list = JSON.stringify(numbers);
		return tables.map((table) => {
			const cursor = this.#sql.exec(`SELECT * FROM ${table} WHERE n IN (SELECT value FROM json_each(?))`, list);
			return { table, columns: cursor.columnNames, rows: [...cursor.raw<SqlStorageValue[]>()] };
		});
	}

	/** Stores rows that were copied elsewhere. Those that were there before are replaced. */
	put(copied: readonly CopiedRows[]): void {
		for (const { table, columns, rows } of copied) {
			const places = columns.map(() => "?").join(", ");
			const query = `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
			for (const row of rows) this.#sql.exec(query, ...row);
		}
	}

	/** Settled rows behind a number, oldest first, with what they store apart. */
	wholeAfter(after: number, before: number, limit: number): (WholeRow & { n: number; settled: number })[] {
		const rows = this.#sql
			.exec<SettledRow & { n: number; settled: number }>(
				`SELECT n, settled, ${SETTLED_COLUMNS} FROM requests WHERE n > ? AND n < ? AND settled IS NOT NULL ORDER BY n LIMIT ?`,
				after,
				before,
				limit,
			)
			.toArray();
		return rows.map((row) => ({
			n: row.n,
			settled: row.settled,
			row,
			largeText: row.is_large === 1 ? this.#largeText(row.n) : null,
		}));
	}
}
