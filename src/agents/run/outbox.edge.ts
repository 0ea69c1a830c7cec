// What a run's object has to hand on: its row for D1, its audit events for D1 or for the owner of its workspace. It keeps each
// until that has it.
import type { AuditEventRow } from "../../audit/event.ts";
import { insertEvents } from "../../audit/events.store.ts";
import type { UnflushedEvents } from "../../audit/owner.ts";
import { recordAuditEvent } from "../../audit/owners.edge.ts";
import { type EventPageQuery, selectNewest } from "../../audit/page.ts";
import { redactPayloadSecrets } from "../../compliance/audit-secrets.ts";
import { database } from "../../db/client.edge.ts";
import { cachedSettings } from "../../settings.ts";
import { type AgentRunRow, upsertRun } from "./runs.store.ts";

/** One thing to hand on: an event, or the run's row as it was at its beginning, after a step, at its end. */
export interface RunOutboxRow extends Record<string, SqlStorageValue> {
	/** Never the number of two, so that it tells which of two rows is newer. */
	n: number;
	id: string;
	kind: "event" | "begun" | "step" | "ended";
	/** JSON of the row; of the run's without its revision, which is `n`. */
	body: string;
}

function parseRunRow({ n, body }: RunOutboxRow): AgentRunRow {
	return { ...(JSON.parse(body) as Omit<AgentRunRow, "revision">), revision: n };
}

/** More than a run ever has open: two events, and its row at three times. */
const ROUND_ROWS = 10;

export class RunOutbox {
	#sql: SqlStorage;
	#env: Env;

	constructor(sql: SqlStorage, env: Env) {
		this.#sql = sql;
		this.#env = env;
	}

	#add(kind: RunOutboxRow["kind"], id: string, row: object): void {
		this.#sql.exec("INSERT INTO outgoing (id, kind, body) VALUES (?, ?, ?)", id, kind, JSON.stringify(row));
	}

	/** To be called in the transaction of what it tells of. */
	addEvent(event: AuditEventRow): void {
		this.#add("event", event.id, event);
	}

	/**
	 * The same of the run's row; its id there. After a step it replaces that of a step before which has not gone out yet: only
	 * the beginning and the end are waited for.
	 */
	addRun(kind: "begun" | "step" | "ended", row: Omit<AgentRunRow, "revision">): string {
		if (kind === "step") this.#sql.exec("DELETE FROM outgoing WHERE kind = 'step' AND flushed_at_ms IS NULL");
		const id = `${kind}:${crypto.randomUUID()}`;
		this.#add(kind, id, row);
		return id;
	}

	#unflushedRows(): RunOutboxRow[] {
		const rows = this.#sql.exec<RunOutboxRow>(
			"SELECT n, id, kind, body FROM outgoing WHERE flushed_at_ms IS NULL ORDER BY n LIMIT ?",
			ROUND_ROWS,
		);
		return rows.toArray();
	}

	nextRound(): RunOutboxRow[] {
		return this.#unflushedRows();
	}

	/** Hands rows on; whoever has one already keeps it. Throws when it is refused. */
	async record(rows: readonly RunOutboxRow[]): Promise<void> {
		const db = database(this.#env.DB);
		const events = await this.#parseEvents(rows);
		for (const event of events) {
			const { workspace_id: id } = event;
			if (id !== null) await recordAuditEvent({ env: this.#env }, { kind: "workspace", id }, event);
		}
		const own = events.filter(({ workspace_id }) => workspace_id === null);
		if (own.length > 0) await insertEvents(db, own);
		const latest = rows.findLast(({ kind }) => kind !== "event");
		if (latest) await upsertRun(db, parseRunRow(latest));
	}

	markFlushed(rows: readonly RunOutboxRow[]): void {
		const ids = JSON.stringify(rows.map(({ id }) => id));
		this.#sql.exec(
			"UPDATE outgoing SET flushed_at_ms = ?, body = '' WHERE id IN (SELECT value FROM json_each(?))",
			Date.now(),
			ids,
		);
	}

	isFlushed(id: string): boolean {
		return this.#sql.exec("SELECT 1 FROM outgoing WHERE id = ? AND flushed_at_ms IS NOT NULL", id).toArray().length > 0;
	}

	isIdle(): boolean {
		return this.#sql.exec("SELECT 1 FROM outgoing WHERE flushed_at_ms IS NULL LIMIT 1").toArray().length === 0;
	}

	/** Events as the log keeps them: what they say of secrets is by the setting. */
	async #parseEvents(rows: readonly RunOutboxRow[]): Promise<AuditEventRow[]> {
		const events = rows.filter(({ kind }) => kind === "event").map(({ body }) => JSON.parse(body) as AuditEventRow);
		const settings = cachedSettings(this.#env);
		return Promise.all(
			events.map(async (event) => ({ ...event, payload: await redactPayloadSecrets(event.payload, settings) })),
		);
	}

	/** Events of a page that nobody else has yet. */
	async unflushedEvents(query: EventPageQuery): Promise<UnflushedEvents> {
		const events = await this.#parseEvents(this.#unflushedRows());
		return { events: selectNewest(events, query), idle: this.isIdle() };
	}

	/** The run's row that D1 does not have; null where it has the latest. */
	unflushedRun(): AgentRunRow | null {
		const latest = this.#unflushedRows().findLast(({ kind }) => kind !== "event");
		return latest ? parseRunRow(latest) : null;
	}
}
