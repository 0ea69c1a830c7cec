// The meter's fold in the object's SQLite: limits, totals and sums up to one change of its requests, and where the rows are that have changed
// since. So an object wakes up with as little to read after ten million requests as after ten.
import { coverDays, type DayCounts, type DayPlace, type DaySum, listDays, withLargerSums } from "./day-sums.ts";
import type { PackedSums } from "./key-spending.ts";
import type { PackedWindows } from "./packed-windows.ts";
import type { NamedTotals } from "./usage-totals.ts";

export interface Fold {
	/** Number of the last change that it counts. */
	changed: number;
	/** Later admissions have row numbers from here on, or stand among the late ones. */
	floor: number;
	/** Row numbers of the requests that were open. */
	open: number[];
	/** Of the user; null before the first request. */
	windows: PackedWindows | null;
	totals: NamedTotals[];
	/** Sums that D1 may have with earlier counts. */
	unsent: UnsentSums;
}

/** Sums by place, and days of which all may be meant: many places are stored by their days. */
export interface UnsentSums {
	places: DayPlace[];
	days: string[];
}

const EMPTY_FOLD: Fold = {
	changed: 0,
	floor: 0,
	open: [],
	windows: null,
	totals: [],
	unsent: { places: [], days: [] },
};

/** What changes with a fold besides its own row. Null: nothing is left to store. */
export interface FoldedParts {
	keyWindows: [string, PackedWindows | null][];
	keySpending: [string, PackedSums | null][];
	/** What the sums grow by. */
	daySums: readonly DaySum[];
}

interface FoldRow extends Record<string, SqlStorageValue> {
	changed: number;
	floor: number;
	open: string;
	windows: string;
	totals: string;
	unsent: string;
}

/** Requests of one minute that cost nothing, counted since the fold. */
export interface MinuteCount extends Record<string, SqlStorageValue> {
	minute: number;
	/** A key with limits of its own; empty for all others. */
	api_key: string;
	requests: number;
	/** Those that count towards the day. */
	of_day: number;
	last_ms: number;
}

interface SumRow extends DayCounts, Record<string, SqlStorageValue> {}

const COUNTS = "requests, model_requests, calls, tokens, input_tokens, cost_nano_usd";
const COUNT_NAMES = COUNTS.split(", ");
const COUNT_VALUES = COUNT_NAMES.map((name) => `value ->> '${name}'`).join(", ");
const ADDED_COUNTS = COUNT_NAMES.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");
const SUMMED_COUNTS = COUNT_NAMES.map((name) => `sum(${name}) AS ${name}`).join(", ");

/** What sums may be grouped by. */
export type SumColumn = "day" | "api_key" | "model";

/** What was counted under a name on one day. */
export type NamedDaySum = DayCounts & { day: string; name: string };

/** Which sums are read: of a range of days, and of some keys alone; null for all. */
export interface SumRange {
	since: string;
	until: string;
	apiKeyIds: readonly string[] | null;
	/** Models whose calls are left out; absent: none are. */
	exceptModels?: readonly string[];
}

export class FoldTable {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	read(): Fold {
		const [row] = this.#sql.exec<FoldRow>("SELECT changed, floor, open, windows, totals, unsent FROM folded").toArray();
		if (!row) return EMPTY_FOLD;
		return {
			changed: row.changed,
			floor: row.floor,
			open: JSON.parse(row.open) as number[],
			windows: JSON.parse(row.windows) as PackedWindows,
			totals: JSON.parse(row.totals) as NamedTotals[],
			unsent: JSON.parse(row.unsent) as UnsentSums,
		};
	}

	/** Row numbers of requests that were admitted after the fold and lie below its floor. */
	late(): number[] {
		return this.#sql
			.exec<{ n: number }>("SELECT n FROM late_requests")
			.toArray()
			.map(({ n }) => n);
	}

	addLate(n: number): void {
		this.#sql.exec("INSERT OR IGNORE INTO late_requests (n) VALUES (?)", n);
	}

	minuteCounts(): MinuteCount[] {
		return this.#sql
			.exec<MinuteCount>("SELECT minute, api_key, requests, of_day, last_ms FROM minute_counts ORDER BY last_ms")
			.toArray();
	}

	/** Counts a request that costs nothing. */
	countInMinute(minute: number, apiKeyId: string, isOfDay: boolean, atMs: number): void {
		this.#sql.exec(
			`INSERT INTO minute_counts (minute, api_key, requests, of_day, last_ms) VALUES (?, ?, 1, ?, ?)
			ON CONFLICT (minute, api_key) DO UPDATE SET requests = requests + 1, of_day = of_day + excluded.of_day,
				last_ms = max(last_ms, excluded.last_ms)`,
			minute,
			apiKeyId,
			isOfDay ? 1 : 0,
			atMs,
		);
	}

	keyWindows(): [string, PackedWindows][] {
		return this.#sql
			.exec<{ api_key: string; windows: string }>("SELECT api_key, windows FROM key_windows")
			.toArray()
			.map(({ api_key, windows }) => [api_key, JSON.parse(windows) as PackedWindows]);
	}

	keySpending(): [string, PackedSums][] {
		return this.#sql
			.exec<{ budget_key: string; sums: string }>("SELECT budget_key, sums FROM key_spending")
			.toArray()
			.map(({ budget_key, sums }) => [budget_key, JSON.parse(sums) as PackedSums]);
	}

	/** Writes a fold. To be called in a transaction. */
	write(
		{ changed, floor, open, windows, totals, unsent }: Fold,
		{ keyWindows, keySpending, daySums }: FoldedParts,
	): void {
		this.#sql.exec(
			"INSERT OR REPLACE INTO folded (one, changed, floor, open, windows, totals, unsent) VALUES (1, ?, ?, ?, ?, ?, ?)",
			changed,
			floor,
			JSON.stringify(open),
			JSON.stringify(windows),
			JSON.stringify(totals),
			JSON.stringify(unsent),
		);
		this.#sql.exec("DELETE FROM late_requests");
		this.#sql.exec("DELETE FROM minute_counts");
		for (const [keyId, packed] of keyWindows) {
			if (packed === null) this.#sql.exec("DELETE FROM key_windows WHERE api_key = ?", keyId);
			else
				this.#sql.exec(
					"INSERT OR REPLACE INTO key_windows (api_key, windows) VALUES (?, ?)",
					keyId,
					JSON.stringify(packed),
				);
		}
		for (const [budgetKeyId, sums] of keySpending) {
			if (sums === null) this.#sql.exec("DELETE FROM key_spending WHERE budget_key = ?", budgetKeyId);
			else
				this.#sql.exec(
					"INSERT OR REPLACE INTO key_spending (budget_key, sums) VALUES (?, ?)",
					budgetKeyId,
					JSON.stringify(sums),
				);
		}
		if (daySums.length === 0) return;
		this.#sql.exec(
			`INSERT INTO day_sums (day, api_key, model, ${COUNTS})
				SELECT value ->> 'day', value ->> 'api_key_id', value ->> 'model', ${COUNT_VALUES} FROM json_each(?) WHERE true
			ON CONFLICT (day, api_key, model) DO UPDATE SET ${ADDED_COUNTS}`,
			JSON.stringify(withLargerSums(daySums)),
		);
	}

	/** The folded sum of a place. */
	daySum({ day, api_key_id, model }: DayPlace): DayCounts | undefined {
		const query = `SELECT ${COUNTS} FROM day_sums WHERE day = ? AND api_key = ? AND model = ?`;
		return this.#sql.exec<SumRow>(query, day, api_key_id, model).toArray()[0];
	}

	/** Folded sums of a range of at most some years, under the names of a column. */
	sumsBy(column: SumColumn, { since, until, apiKeyIds, exceptModels }: SumRange): (DayCounts & { name: string })[] {
		const places = column === "day" ? listDays(since, until) : coverDays(since, until);
		const keys =
			apiKeyIds !== null
				? "api_key IN (SELECT value FROM json_each(?2))"
				: column === "day" && exceptModels === undefined
					? "api_key = '' AND ?2 IS NULL"
					: "api_key > '' AND ?2 IS NULL";
		return this.#sql
			.exec<SumRow & { name: string }>(
				`SELECT ${column} AS name, ${SUMMED_COUNTS} FROM day_sums
					WHERE day IN (SELECT value FROM json_each(?1)) AND ${keys}
						AND (?3 IS NULL OR model NOT IN (SELECT value FROM json_each(?3))) GROUP BY 1`,
				JSON.stringify(places),
				apiKeyIds && JSON.stringify(apiKeyIds),
				exceptModels ? JSON.stringify(exceptModels) : null,
			)
			.toArray();
	}

	/** Folded sums of each day of a range, under the names of a column; all of a day under one empty name without a column. */
	sumsByDay(column: SumColumn | null, { since, until, apiKeyIds }: SumRange): NamedDaySum[] {
		const keys =
			apiKeyIds !== null
				? "api_key IN (SELECT value FROM json_each(?2))"
				: column === null
					? "api_key = '' AND ?2 IS NULL"
					: "api_key > '' AND ?2 IS NULL";
		return this.#sql
			.exec<SumRow & { day: string; name: string }>(
				`SELECT day, ${column ?? "''"} AS name, ${SUMMED_COUNTS} FROM day_sums
					WHERE day IN (SELECT value FROM json_each(?1)) AND ${keys} GROUP BY 1, 2`,
				JSON.stringify(listDays(since, until)),
				apiKeyIds && JSON.stringify(apiKeyIds),
			)
			.toArray();
	}

	/** The folded sums of one day. */
	sumsOfDay(day: string): DaySum[] {
		return this.#sql
			.exec<SumRow & { day: string; api_key_id: string; model: string }>(
				`SELECT day, api_key AS api_key_id, model, ${COUNTS} FROM day_sums WHERE day = ? AND api_key > ''`,
				day,
			)
			.toArray();
	}

	/** Days behind one that have folded sums, oldest first. */
	daysAfter(day: string, limit: number): string[] {
		return this.#sql
			.exec<{ day: string }>("SELECT day FROM day_sums WHERE day > ? AND api_key = '' ORDER BY day LIMIT ?", day, limit)
			.toArray()
			.map(({ day: found }) => found);
	}

	/** The newest day of a range whose sums have requests of a model and of some keys; null where there is none. */
	newestDay({ since, until, apiKeyIds }: SumRange, model: string | undefined): string | null {
		const newest = (from: string, before: string) =>
			this.#sql
				.exec<{ day: string }>(
					`SELECT day FROM day_sums WHERE day >= ?1 AND day < ?2 AND requests > 0 AND api_key > ''
						AND (?3 IS NULL OR api_key IN (SELECT value FROM json_each(?3))) AND (?4 IS NULL OR model = ?4)
					ORDER BY day DESC LIMIT 1`,
					from,
					before,
					apiKeyIds && JSON.stringify(apiKeyIds),
					model ?? null,
				)
				.toArray()[0]?.day;
		let last = this.#lastDay(until);
		while (last !== undefined && last >= since) {
			const month = last.slice(0, 7);
			// A month's own sums say whether its days have any.
			const isInMonth = newest(month, `${month}-`) !== undefined;
			const day = isInMonth ? newest(since > month ? since : `${month}-`, `${last}~`) : undefined;
			if (day !== undefined) return day;
			last = this.#lastDay(`${month}-`);
		}
		return null;
	}

	/** The last day with sums that is no later than a text. */
	#lastDay(until: string): string | undefined {
		return this.#sql
			.exec<{ day: string }>(
				"SELECT day FROM day_sums WHERE day <= ? AND length(day) = 10 ORDER BY day DESC LIMIT 1",
				until,
			)
			.toArray()[0]?.day;
	}
}
