// The tables of D1, read in pages and filled again.

import { sql } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import {
	agentRuns,
	apiKeys,
	auditEvents,
	brainShares,
	handoffs,
	requestArchives,
	strandedSettlements,
	users,
	workspaceManifests,
} from "../db/schema.ts";
import type { BackedUpTable, BackupRow } from "./backup.ts";

const TABLES: Record<BackedUpTable, SQLiteTable> = {
	handoffs,
	audit_events: auditEvents,
	workspace_manifests: workspaceManifests,
	brain_shares: brainShares,
	agent_runs: agentRuns,
	stranded_settlements: strandedSettlements,
	request_archives: requestArchives,
	users,
	api_keys: apiKeys,
};

/** A page has at most this many rows, and ends before this many characters unless its first row has more. */
const PAGE_ROWS = 500;
const PAGE_CHARS = 1_000_000;

/** Columns of a table, and those of its primary key. */
function columnsOf(table: BackedUpTable): { names: string[]; key: string[] } {
	const { columns, primaryKeys } = getTableConfig(TABLES[table]);
	const own = columns.filter(({ primary }) => primary).map(({ name }) => name);
	const key = own.length > 0 ? own : (primaryKeys[0]?.columns.map(({ name }) => name) ?? []);
	return { names: columns.map(({ name }) => name), key };
}

export interface TablePage {
	rows: BackupRow[];
	/** `after` of the next page; null on the last one. */
	next: string | null;
}

/** A key of a table's, as `next` has it: the values of as many columns. */
export function tableKeySchema(table: BackedUpTable) {
	return z.array(z.union([z.string(), z.number()])).length(columnsOf(table).key.length);
}

/** A page of a table in the order of its key. @param after the key that it lies behind; null for the first page. */
export async function readTable(
	db: Database,
	table: BackedUpTable,
	after: readonly (string | number)[] | null,
): Promise<TablePage> {
	const { names, key } = columnsOf(table);
	const keyList = sql.raw(key.join(", "));
	const behind = after
		? sql`(${keyList}) > (${sql.join(
				after.map((value) => sql`${value}`),
				sql`, `,
			)})`
		: sql`1`;
	const chars = sql.raw(names.map((name) => `coalesce(length(${name}), 0)`).join(" + "));
	const from = sql`FROM ${sql.raw(table)} WHERE ${behind} ORDER BY ${keyList}`;
	const fitting = sql`SELECT count(*) FROM (
		SELECT sum(chars) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT ${chars} AS chars ${from} LIMIT ${PAGE_ROWS})
	) WHERE total <= ${PAGE_CHARS}`;
	const rows = await db.all<BackupRow>(sql`SELECT ${sql.raw(names.join(", "))} ${from} LIMIT max(1, (${fitting}))`);
	const end = rows.at(-1);
	return { rows, next: end ? JSON.stringify(key.map((name) => end[name])) : null };
}

/** Columns of rows that the table does not have: the rows are of a later version. */
export function unknownColumns(table: BackedUpTable, rows: readonly BackupRow[]): string[] {
	const { names } = columnsOf(table);
	return [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !names.includes(name));
}

/** Inserts rows; those that are there already stay as they are. */
export async function fillTable(db: Database, table: BackedUpTable, rows: readonly BackupRow[]): Promise<void> {
	const [first] = rows;
	if (!first) return;
	const { names } = columnsOf(table);
	const given = names.filter((name) => name in first);
	const values = sql.raw(given.map((name) => `value ->> '${name}'`).join(", "));
	await db.run(
		sql`INSERT INTO ${sql.raw(table)} (${sql.raw(given.join(", "))})
			SELECT ${values} FROM json_each(${JSON.stringify(rows)}) WHERE true ON CONFLICT DO NOTHING`,
	);
}
