// Settlements in D1 and the usage rollup beside them: written in batches, each row once, however often it is sent.
import { getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "../db/client.edge.ts";
import { settlements, usageDays } from "../db/schema.ts";
import { logError } from "../http/log.edge.ts";
import { cutDown, type OutgoingRow } from "./flush-batch.ts";
import { toRollupParts } from "./rollup.ts";
import type { UsageCall } from "./settlement.ts";
import type { CountedUsage } from "./usage-totals.ts";

/** The columns of a table as `value` has them, which is one element of a JSON list. */
function columnValues(table: SQLiteTable, toValue: (value: string, name: string) => string = (value) => value): SQL {
	const names = Object.values(getTableColumns(table)).map(({ name }) => name);
	return sql.raw(names.map((name) => toValue(`value ->> '${name}'`, name)).join(", "));
}

const settlementValues = columnValues(settlements);

/** Columns of the rollup that say what is counted. The others are counts. */
const ROLLUP_KEY = [usageDays.userId, usageDays.day, usageDays.apiKeyId, usageDays.model];
const rollupKeyNames = new Set(ROLLUP_KEY.map(({ name }) => name));
const summedValues = columnValues(usageDays, (value, name) => (rollupKeyNames.has(name) ? value : `sum(${value})`));
const addedCounts = Object.fromEntries(
	Object.entries(getTableColumns(usageDays))
		.filter(([, { name }]) => !rollupKeyNames.has(name))
		.map(([column, { name }]) => [column, sql.raw(`${name} + excluded.${name}`)]),
);

/**
 * Adds rows to the rollup, except those whose settlement D1 has. It runs before the insert, in the same transaction. Settlements
 * from before keys were recorded are left to the trigger `usage_days_keyless`, which counts them whatever Worker inserts them.
 */
function rollupQuery(db: Database, rows: readonly OutgoingRow[]) {
	const parts = JSON.stringify(rows.flatMap(({ row }) => (row.api_key_id ? toRollupParts(row) : [])));
	return db
		.insert(usageDays)
		.select(
			sql`SELECT ${summedValues} FROM json_each(${parts})
				WHERE NOT EXISTS (SELECT 1 FROM ${settlements} WHERE request_id = value ->> 'request_id') GROUP BY 1, 2, 3, 4`,
		)
		.onConflictDoUpdate({ target: ROLLUP_KEY, set: addedCounts });
}

/** Inserts rows and adds them to the rollup, in one transaction. Returns the ids of the rows that it inserted. */
async function insertRows(db: Database, rows: readonly OutgoingRow[]): Promise<string[]> {
	const texts = `[${rows.map(({ text }) => text).join(",")}]`;
	const insert = db
		.insert(settlements)
		.select(sql`SELECT ${settlementValues} FROM json_each(${texts}) WHERE true`)
		.onConflictDoNothing()
		.returning({ requestId: settlements.requestId });
	const [, inserted] = await db.batch([rollupQuery(db, rows), insert]);
	return inserted.map(({ requestId }) => requestId);
}

/** Whether an error is D1's refusal of a statement, parameter or row for its size. */
function isTooLarge(error: unknown): boolean {
	const texts = error instanceof Error ? `${error.message} ${error.cause}` : String(error);
	return /SQLITE_TOOBIG|too big|too large/i.test(texts);
}

async function insertRow(db: Database, row: OutgoingRow): Promise<string[]> {
	try {
		return await insertRows(db, [row]);
	} catch (error) {
		if (!isTooLarge(error)) throw error;
		logError("settlement_cut_down", error, { request_id: row.row.request_id });
		return insertRows(db, [cutDown(row)]);
	}
}

/**
 * Inserts rows and adds them to the rollup, in one transaction. A row that is there already stays as it is and adds nothing. One that
 * is too large for D1 is cut down, so that it is not tried for ever and does not hold up the others.
 * @returns the ids of the rows that were inserted.
 */
export async function recordSettlements(db: Database, rows: readonly OutgoingRow[]): Promise<Set<string>> {
	try {
		return new Set(await insertRows(db, rows));
	} catch (error) {
		if (!isTooLarge(error)) throw error;
		const inserted = new Set<string>();
		for (const row of rows) for (const id of await insertRow(db, row)) inserted.add(id);
		return inserted;
	}
}

/** The query behind toCountedUsage, for a batch. */
export function countedUsageQuery(db: Database, ids: readonly string[]) {
	const { requestId, mode, tokens, inputTokens, costNanoUsd, calls } = settlements;
	return (
		db
			.select({ requestId, mode, tokens, inputTokens, costNanoUsd, calls })
			.from(settlements)
			// By the key alone: with the user beside it, SQLite would walk all of the user's rows instead.
			.where(inArray(requestId, sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`))
	);
}

type CountedRow = Pick<
	typeof settlements.$inferSelect,
	"requestId" | "mode" | "tokens" | "inputTokens" | "costNanoUsd" | "calls"
>;

/** The rows of that query, by request id. */
export function toCountedUsage(rows: readonly CountedRow[]): Map<string, CountedUsage> {
	const counted = rows.map((row): [string, CountedUsage] => [
		row.requestId,
		{
			request_id: row.requestId,
			mode: row.mode,
			tokens: row.tokens,
			input_tokens: row.inputTokens,
			cost_nano_usd: row.costNanoUsd,
			calls: JSON.parse(row.calls) as UsageCall[],
		},
	]);
	return new Map(counted);
}

/** The usage that D1 has under some request ids, by id. */
export async function findCountedUsage(db: Database, ids: readonly string[]): Promise<Map<string, CountedUsage>> {
	return ids.length === 0 ? new Map() : toCountedUsage(await countedUsageQuery(db, ids).all());
}
