// The outbox of a run's object: the run's row for D1, and its audit events for D1 or for the owner of its workspace. Each stays here
// until it has arrived.
import type { AuditEventRow } from "../../audit/event.ts";
import { insertEvents } from "../../audit/events.store.ts";
import type { UnflushedEvents } from "../../audit/owner.ts";
import { recordAuditEvent } from "../../audit/owners.edge.ts";
import { type EventPageQuery, selectNewest } from "../../audit/page.ts";
import { redactPayloadSecrets } from "../../compliance/audit-secrets.ts";
import { database } from "../../db/client.edge.ts";
import { cachedSettings } from "../../settings.ts";
import { type AgentRunRow, upsertRun } from "./runs.store.ts";

/** An audit event, or the run's row at its start, after a step, or at its end. */
export interface RunOutboxRow extends Record<string, SqlStorageValue> {
	/** Increasing and never reused: a higher number means a newer row. */
	n: number;
	id: string;
	kind: "event" | "start" | "step" | "end";
	/** The row as JSON. The run's row lacks its revision, which is `n`. */
	body: string;
}

function parseRunRow({ n, body }: RunOutboxRow): AgentRunRow {
	return { ...(JSON.parse(body) as Omit<AgentRunRow, "revision">), revision: n };
}

/** A run has at most five unflushed rows: two events, and its row at three moments. */
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

	/** To be called in the transaction that the event describes. */
	addEvent(event: AuditEventRow): void {
		this.#add("event", event.id, event);
	}

	/**
	 * Adds the run's row and returns its id in the outbox. A row after a step replaces an earlier such row that is still unflushed:
	 * only the start and the end are waited for.
	 */
	addRun(kind: "start" | "step" | "end", row: Omit<AgentRunRow, "revision">): string {
		if (kind === "step") this.#sql.exec("DELETE FROM outgoing WHERE kind = 'step' AND flushed_at_ms IS NULL");
		const id = `${kind}:${crypto.randomUUID()}`;
		this.#add(kind, id, row);
		return id;
	}

	nextRound(): RunOutboxRow[] {
		const rows = this.#sql.exec<RunOutboxRow>(
			"SELECT n, id, kind, body FROM outgoing WHERE flushed_at_ms IS NULL ORDER BY n LIMIT ?",
			ROUND_ROWS,
		);
		return rows.toArray();
	}

	/** Delivers rows. A row that has arrived before is ignored by its receiver. Throws when one is refused. */
	async record(rows: readonly RunOutboxRow[]): Promise<void> {
		const db = database(this.#env.DB);
		const events = await this.#parseEvents(rows);
		for (const event of events) {
			const { workspace_id: id } = event;
			if (id !== null) await recordAuditEvent({ env: this.#env }, { kind: "workspace", id }, event);
		}
		const unowned = events.filter(({ workspace_id }) => workspace_id === null);
		if (unowned.length > 0) await insertEvents(db, unowned);
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

	/** The events in the form of the audit log. Secrets are redacted as the settings say. */
	#parseEvents(rows: readonly RunOutboxRow[]): Promise<AuditEventRow[]> {
		const events = rows.filter(({ kind }) => kind === "event").map(({ body }) => JSON.parse(body) as AuditEventRow);
		const settings = cachedSettings(this.#env);
		return Promise.all(
			events.map(async (event) => ({ ...event, payload: await redactPayloadSecrets(event.payload, settings) })),
		);
	}

	/** The unflushed events of a page. */
	async unflushedEvents(query: EventPageQuery): Promise<UnflushedEvents> {
		const events = await this.#parseEvents(this.nextRound());
		return { events: selectNewest(events, query), idle: this.isIdle() };
	}

	/** The revision of the run's newest row, whether D1 has it or not; 0 without one. */
	lastRevision(): number {
		const newest = this.#sql.exec<{ n: number | null }>("SELECT max(n) AS n FROM outgoing WHERE kind <> 'event'");
		return newest.one().n ?? 0;
	}

	/** The run's newest row; null when D1 has it. */
	unflushedRun(): AgentRunRow | null {
		const latest = this.nextRound().findLast(({ kind }) => kind !== "event");
		return latest ? parseRunRow(latest) : null;
	}
}
