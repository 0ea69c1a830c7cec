// The outbox of a run's object: the run's row for D1, and its audit events. Both stay with the
// run until they have arrived (stored-run.edge.ts). D1 gets the row at the run's start, where it pauses, and where it ends; and where it
// goes on after a pause, unless it pauses or ends soon after: a row whose status changes writes its indexes, too. Between those, lists
// show a run under way as of the last of them.
import type { AuditEventRow } from "../../audit/event.ts";
import { insertEvents } from "../../audit/events.store.ts";
import type { UnflushedEvents } from "../../audit/owner.ts";
import { type EventPageQuery, selectNewest } from "../../audit/page.ts";
import { redactPayloadSecrets } from "../../compliance/audit-secrets.ts";
import { database } from "../../db/client.edge.ts";
import { cachedSettings } from "../../settings.ts";
import type { ResolvedRecords } from "../tools/decision-record.ts";
import { appendReview } from "../tools/deliver-review.edge.ts";
import { toAgentRunRow } from "./run-view.ts";
import { type AgentRunRow, upsertRun } from "./runs.store.ts";
import type { OutgoingEvent, StoredRun } from "./stored-run.edge.ts";

/** An audit event, or the run's row. */
export type RunOutboxRow = { id: string; event: OutgoingEvent } | { id: string; row: AgentRunRow };

/** Events of one flush. */
const ROUND_EVENTS = 20;

/** The row of a run that goes on waits so long for one that takes its place. */
const HELD_MS = 3_000;

const rowId = (revision: number) => `row:${revision}`;

export class RunOutbox {
	#run: () => StoredRun | null;
	#env: Env;
	/** Ends the time for which the newest row is held back; null where it is not. An object that dies meanwhile begins without one. */
	#held: ReturnType<typeof setTimeout> | null = null;

	constructor(run: () => StoredRun | null, env: Env) {
		this.#run = run;
		this.#env = env;
	}

	/** Adds an event. To be called in the transaction of the run's that the event describes. */
	addEvent(event: AuditEventRow): void {
		this.#stored.addEvent(event);
	}

	/** The same for what is stored with people's answers. */
	addResolved({ records, events }: ResolvedRecords): void {
		for (const event of events) this.addEvent(event);
		for (const { event, handoff } of records) this.#stored.addEvent({ ...event, handoff });
	}

	/** Whether the record of a decision has not arrived. Until it has, the run is not sealed. */
	hasUnflushedDecisions(): boolean {
		return this.#run()?.outgoing.events.some(({ handoff }) => handoff !== undefined) ?? false;
	}

	/** Adds the run's row, as it is after the transaction of the run's in which this is called. Returns its id in the outbox. */
	addRun(): string {
		this.#release();
		return rowId(this.#stored.addRevision());
	}

	/** The same, for a row that is soon replaced. @param flush called where it was not. */
	addRunForLater(flush: () => void): void {
		this.addRun();
		this.#held = setTimeout(() => {
			this.#release();
			flush();
		}, HELD_MS);
	}

	#release(): void {
		if (this.#held !== null) clearTimeout(this.#held);
		this.#held = null;
	}

	/** The id of the newest row. */
	get lastRowId(): string {
		return rowId(this.lastRevision());
	}

	get #stored(): StoredRun {
		const run = this.#run();
		if (!run) throw new Error("an outbox belongs to a run");
		return run;
	}

	nextRound(): RunOutboxRow[] {
		const events = this.#run()?.outgoing.events.slice(0, ROUND_EVENTS) ?? [];
		const row = this.#held === null ? this.unflushedRun() : null;
		return [...events.map((event) => ({ id: event.id, event })), ...(row ? [{ id: rowId(row.revision), row }] : [])];
	}

	/** Delivers rows. A row that has arrived before is ignored by its receiver. Throws when one is refused. */
	async record(rows: readonly RunOutboxRow[]): Promise<void> {
		const db = database(this.#env.DB);
		const outgoing = await this.#redact(rows.flatMap((row) => ("event" in row ? [row.event] : [])));
		const events = outgoing.map(({ handoff: _, ...event }) => event);
		// The run holds them until D1 has them. In the ledger of its workspace each would be rows of its own.
		if (events.length > 0) await insertEvents(db, events);
		for (const { handoff } of outgoing) if (handoff) await appendReview(this.#env, handoff);
		for (const row of rows) if ("row" in row) await upsertRun(db, row.row);
	}

	markFlushed(rows: readonly RunOutboxRow[]): void {
		const revision = Math.max(0, ...rows.map((row) => ("row" in row ? row.row.revision : 0)));
		this.#run()?.markFlushed(revision, new Set(rows.map(({ id }) => id)));
	}

	isFlushed(id: string): boolean {
		const { outgoing } = this.#stored;
		return id.startsWith("row:")
			? outgoing.flushed >= Number(id.slice("row:".length))
			: outgoing.events.every((event) => event.id !== id);
	}

	/** Whether D1 has everything that is due. */
	isIdle(): boolean {
		const outgoing = this.#run()?.outgoing;
		return (
			!outgoing || (outgoing.events.length === 0 && (this.#held !== null || outgoing.flushed >= outgoing.revision))
		);
	}

	/** Events in the form of the audit log. Secrets are redacted as the settings say. */
	#redact(events: readonly OutgoingEvent[]): Promise<OutgoingEvent[]> {
		const settings = cachedSettings(this.#env);
		return Promise.all(
			events.map(async (event) => ({ ...event, payload: await redactPayloadSecrets(event.payload, settings) })),
		);
	}

	/** The unflushed events of a page. */
	async unflushedEvents(query: EventPageQuery): Promise<UnflushedEvents> {
		const outgoing = await this.#redact(this.#run()?.outgoing.events ?? []);
		const events = outgoing.map(({ handoff: _, ...event }) => event);
		return { events: selectNewest(events, query), idle: this.isIdle() };
	}

	/** The revision of the run's newest row, whether D1 has it or not; 0 without one. */
	lastRevision(): number {
		return this.#run()?.outgoing.revision ?? 0;
	}

	/** The run's newest row; null when D1 has it. */
	unflushedRun(): AgentRunRow | null {
		const run = this.#run();
		if (!run || run.outgoing.flushed >= run.outgoing.revision) return null;
		return { ...toAgentRunRow(run), revision: run.outgoing.revision };
	}
}
