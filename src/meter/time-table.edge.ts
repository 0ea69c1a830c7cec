// Times and failures by day, API key and model in the meter's SQLite: those of settled requests up to the fold, and those of failed ones at once.
import { coverDays, listDays } from "./day-sums.ts";
import type { SumColumn, SumRange } from "./fold-table.edge.ts";
import { EMPTY_HISTOGRAM, type TimeHistogram } from "./time-histogram.ts";
import {
	addTimes,
	EVERY_KEY,
	EVERY_MODEL,
	mergeTimes,
	type NamedTimes,
	NO_TIMES,
	type TimeCounts,
	type TimeSum,
	withLargerTimes,
} from "./time-sums.ts";

interface TimeRow extends Record<string, SqlStorageValue> {
	name: string;
	latency: string | null;
	first_token: string | null;
	refused: number;
	failed: number;
}

/** Requests of a day under a name that got no answer. */
export interface DayFailures {
	day: string;
	name: string;
	refused: number;
	failed: number;
}

interface PlacedRow extends TimeRow {
	day: string;
	api_key: string;
}

function placeKey(day: string, apiKeyId: string, model: string): string {
	return `${day} ${apiKeyId} ${model}`;
}

function toHistogram(text: string | null): TimeHistogram {
	return text === null ? EMPTY_HISTOGRAM : (JSON.parse(text) as TimeHistogram);
}

function toText(histogram: TimeHistogram): string | null {
	return Object.keys(histogram).length === 0 ? null : JSON.stringify(histogram);
}

function toTimes({ latency, first_token, refused, failed }: TimeRow): TimeCounts {
	return { latency: toHistogram(latency), firstToken: toHistogram(first_token), refused, failed };
}

export class TimeTable {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Adds sums to those that are there. To be called in a transaction. */
	add(sums: readonly TimeSum[]): void {
		if (sums.length === 0) return;
		const added = withLargerTimes(sums);
		const known = new Map(this.#known(added).map((row) => [placeKey(row.day, row.api_key, row.name), toTimes(row)]));
		const rows = added.map((sum) => {
			const { day, api_key_id, model } = sum;
			const times = addTimes(known.get(placeKey(day, api_key_id, model)) ?? NO_TIMES, sum);
			const { latency, firstToken, refused, failed } = times;
			return [day, api_key_id, model, toText(latency), toText(firstToken), refused, failed];
		});
		this.#sql.exec(
			`INSERT OR REPLACE INTO time_sums (day, api_key, model, latency, first_token, refused, failed)
				SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`,
			JSON.stringify(rows),
		);
	}

	/** The rows of places. */
	#known(places: readonly TimeSum[]): PlacedRow[] {
		return this.#sql
			.exec<PlacedRow>(
				`SELECT day, api_key, model AS name, latency, first_token, refused, failed FROM json_each(?) AS place
				JOIN time_sums ON day = place.value ->> 0 AND api_key = place.value ->> 1 AND model = place.value ->> 2`,
				JSON.stringify(places.map(({ day, api_key_id, model }) => [day, api_key_id, model])),
			)
			.toArray();
	}

	/** Requests without an answer of each day of a range under the names of a column; of all under one empty name without a column. */
	failuresByDay(column: Exclude<SumColumn, "day"> | null, { since, until, apiKeyIds }: SumRange): DayFailures[] {
		const isOfKeys = column === "api_key" || apiKeyIds !== null;
		const keys = isOfKeys
			? `api_key <> '${EVERY_KEY}' AND (?2 IS NULL OR api_key IN (SELECT value FROM json_each(?2)))`
			: `api_key = '${EVERY_KEY}' AND ?2 IS NULL`;
		return this.#sql
			.exec<DayFailures & Record<string, SqlStorageValue>>(
				`SELECT day, ${column ?? "''"} AS name, sum(refused) AS refused, sum(failed) AS failed FROM time_sums
				WHERE day IN (SELECT value FROM json_each(?1)) AND ${keys} AND model <> '${EVERY_MODEL}'
				GROUP BY 1, 2 HAVING sum(refused) + sum(failed) > 0`,
				JSON.stringify(listDays(since, until)),
				apiKeyIds && JSON.stringify(apiKeyIds),
			)
			.toArray();
	}

	/**
	 * Sums of a range under the names of a column. By key, they have only how many requests were refused or failed: histograms of many keys
	 * would be much to read.
	 */
	sumsBy(column: SumColumn, { since, until, apiKeyIds }: SumRange): NamedTimes[] {
		const isOfKeys = column === "api_key" || apiKeyIds !== null;
		const days = column === "day" ? listDays(since, until) : coverDays(since, until);
		const model = column === "day" && !isOfKeys ? `model = '${EVERY_MODEL}'` : `model <> '${EVERY_MODEL}'`;
		const keys = isOfKeys
			? `api_key <> '${EVERY_KEY}' AND (?2 IS NULL OR api_key IN (SELECT value FROM json_each(?2)))`
			: `api_key = '${EVERY_KEY}' AND ?2 IS NULL`;
		const columns =
			column === "api_key"
				? "NULL AS latency, NULL AS first_token, sum(refused) AS refused, sum(failed) AS failed"
				: "latency, first_token, refused, failed";
		const rows = this.#sql.exec<TimeRow>(
			`SELECT ${column} AS name, ${columns} FROM time_sums
			WHERE day IN (SELECT value FROM json_each(?1)) AND ${keys} AND ${model}${column === "api_key" ? " GROUP BY 1" : ""}`,
			JSON.stringify(days),
			apiKeyIds && JSON.stringify(apiKeyIds),
		);
		return mergeTimes([...rows].map((row) => ({ name: row.name, ...toTimes(row) })));
	}
}
