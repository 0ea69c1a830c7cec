// Usage under names that clients give, summed from the rows of a meter: sums of days do not have these names, since anybody may give as many
// as there are requests.
import { addCounts, NO_COUNTS } from "./day-sums.ts";
import type { SumRange } from "./fold-table.edge.ts";
import type { NamedCounts } from "./meter-calls.ts";
import { type NumberRange, numberTimeMs } from "./request-number.ts";
import { yieldTurn } from "./request-reader.edge.ts";

/** What clients name. */
export type NamedColumn = "end_user" | "session_id";

/** Sums by name; that of requests without one is empty. */
export interface NameSums {
	sums: NamedCounts[];
	/** Earlier requests of the range are not counted, ms since the epoch; null where all are. */
	countedFromMs: number | null;
}

/** Of which keys the requests are counted, and of which models they are not. */
type Which = Pick<SumRange, "apiKeyIds" | "exceptModels">;

/** Rows that one answer reads. */
const MOST_NAMED_ROWS = 20_000;
/** Rows of one slice. */
const NAMED_ROWS_AT_ONCE = 2_000;

/** How many calls of models a row stands for. */
const CALLS = `CASE WHEN is_large = 1 THEN receipt ->> '$.calls' WHEN calls IS NULL THEN 1
	ELSE (SELECT sum(coalesce(value ->> 'requests', 1)) FROM json_each(requests.calls)) END`;

interface NameRow extends Record<string, SqlStorageValue> {
	name: string;
	requests: number;
	calls: number;
	tokens: number;
	input_tokens: number;
	cost_nano_usd: number;
}

function readSlice(
	sql: SqlStorage,
	column: NamedColumn,
	range: NumberRange,
	{ apiKeyIds, exceptModels }: Which,
): NameRow[] {
	return sql
		.exec<NameRow>(
			`SELECT coalesce(${column}, '') AS name, count(*) AS requests, sum(${CALLS}) AS calls, sum(tokens) AS tokens,
				sum(input_tokens) AS input_tokens, sum(nano_usd) AS cost_nano_usd
			FROM requests WHERE n >= ?1 AND n < ?2 AND proof_hash IS NOT NULL
				AND (?3 IS NULL OR api_key IN (SELECT value FROM json_each(?3)))
				AND (?4 IS NULL OR model NOT IN (SELECT value FROM json_each(?4))) GROUP BY 1`,
			range.from,
			range.before,
			apiKeyIds && JSON.stringify(apiKeyIds),
			exceptModels ? JSON.stringify(exceptModels) : null,
		)
		.toArray();
}

/** Sums the billed requests of a range, the latest ones. */
export async function sumByName(
	sql: SqlStorage,
	column: NamedColumn,
	range: NumberRange,
	which: Which,
): Promise<NameSums> {
	const sums = new Map<string, NamedCounts>();
	let { before } = range;
	for (let read = 0; ; await yieldTurn()) {
		const { rows, first } = sql
			.exec<{ rows: number; first: number | null }>(
				"SELECT count(*) AS rows, min(n) AS first FROM (SELECT n FROM requests WHERE n >= ? AND n < ? ORDER BY n DESC LIMIT ?)",
				range.from,
				before,
				NAMED_ROWS_AT_ONCE,
			)
			.one();
		if (first !== null) {
			for (const { name, ...counts } of readSlice(sql, column, { from: first, before }, which)) {
				const added = { ...counts, model_requests: counts.requests };
				sums.set(name, { name, ...addCounts(sums.get(name) ?? NO_COUNTS, added) });
			}
			before = first;
		}
		read += rows;
		const isWhole = rows < NAMED_ROWS_AT_ONCE;
		if (isWhole || read >= MOST_NAMED_ROWS)
			return { sums: [...sums.values()], countedFromMs: isWhole ? null : numberTimeMs(before) };
	}
}
