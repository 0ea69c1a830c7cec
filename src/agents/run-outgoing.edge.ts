// What a run's object has to hand on: its row for D1, its audit events for D1 or for the owner of its workspace. It keeps each
// until that has it.
import type { AuditEventRow } from "../audit/event.ts";
import { insertEvents } from "../audit/events.store.ts";
import type { UnflushedEvents } from "../audit/owner.ts";
import { recordEvent } from "../audit/owners.edge.ts";
import { newestOf, type PageQuery } from "../audit/page.ts";
import { keptPayload } from "../compliance/audit-secrets.ts";
import { database } from "../db/client.edge.ts";
import { settingsOf } from "../settings.ts";
import { type AgentRunRow, upsertRuns } from "./runs.store.ts";

/** One thing to hand on. */
export interface Outgoing extends Record<string, SqlStorageValue> {
	id: string;
	kind: "event" | "run";
	/** JSON of the row. */
	body: string;
}

const ROUND_ROWS = 10;

export class RunOutgoing {
	#sql: SqlStorage;
	#env: Env;

	constructor(sql: SqlStorage, env: Env) {
		this.#sql = sql;
		this.#env = env;
	}

	#add(kind: Outgoing["kind"], id: string, body: (n: number) => string): void {
		const { n } = this.#sql.exec<{ n: number }>("SELECT coalesce(max(n), 0) + 1 AS n FROM outgoing").one();
		this.#sql.exec("INSERT INTO outgoing (n, id, kind, body) VALUES (?, ?, ?, ?)", n, id, kind, body(n));
	}

	/** To be called in the transaction of what it tells of. */
	addEvent(event: AuditEventRow): void {
		this.#add("event", event.id, () => JSON.stringify(event));
	}

	/** The same of the run's row, which replaces one that has not gone out yet; its id there. */
	addRun(row: Omit<AgentRunRow, "revision">): string {
		this.#sql.exec("DELETE FROM outgoing WHERE kind = 'run' AND flushed_at_ms IS NULL");
		let id = "";
		const { n } = this.#sql.exec<{ n: number }>("SELECT coalesce(max(n), 0) + 1 AS n FROM outgoing").one();
		id = `${row.id}:${n}`;
		this.#add("run", id, (revision) => JSON.stringify({ ...row, revision }));
		return id;
	}

	#open(kind?: Outgoing["kind"]): Outgoing[] {
		return this.#sql
			.exec<Outgoing>(
				"SELECT id, kind, body FROM outgoing WHERE flushed_at_ms IS NULL AND kind = coalesce(?, kind) ORDER BY n LIMIT ?",
				kind ?? null,
				ROUND_ROWS,
			)
			.toArray();
	}

	nextRound(): Outgoing[] {
		return this.#open();
	}

	/** Hands rows on; whoever has one already keeps it. Throws when it is refused. */
	async record(rows: readonly Outgoing[]): Promise<void> {
		const db = database(this.#env.DB);
		const events = await this.#eventsOf(rows);
		for (const event of events) {
			const { workspace_id: id } = event;
			if (id !== null) await recordEvent({ env: this.#env }, { kind: "workspace", id }, event);
		}
		const own = events.filter(({ workspace_id }) => workspace_id === null);
		if (own.length > 0) await insertEvents(db, own);
		const runs = rows.filter(({ kind }) => kind === "run").map(({ body }) => JSON.parse(body) as AgentRunRow);
		if (runs.length > 0) await upsertRuns(db, runs);
	}

	markFlushed(rows: readonly Outgoing[]): void {
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
	async #eventsOf(rows: readonly Outgoing[]): Promise<AuditEventRow[]> {
		const events = rows.filter(({ kind }) => kind === "event").map(({ body }) => JSON.parse(body) as AuditEventRow);
		const settings = settingsOf(this.#env);
		return Promise.all(
			events.map(async (event) => ({ ...event, payload: await keptPayload(event.payload, settings) })),
		);
	}

	/** Events of a page that nobody else has yet. */
	async unflushedEvents(query: PageQuery): Promise<UnflushedEvents> {
		const events = await this.#eventsOf(this.#open("event"));
		return { events: newestOf(events, query), idle: this.isIdle() };
	}

	/** The run's row that D1 does not have; null where it has the latest. */
	unflushedRun(): AgentRunRow | null {
		const [row] = this.#open("run");
		return row ? (JSON.parse(row.body) as AgentRunRow) : null;
	}
}
