// WorkspaceLedger: one Durable Object per (user, workspace), the only writer of its chain. It stores the chain's head, its
// verified prefix, and the entries and audit events that D1 does not have yet. D1 holds the chain.
//
// Crash order. One synchronous transaction, without an `await`, reads the head, builds and signs an entry, and stores it
// with its event and the new head. Nothing leaves the object before it is durable. So two appends cannot read the same
// head, and no answer reports an entry that a crash undoes. An alarm set in the same turn restarts a crashed object, which
// then flushes what it holds. D1 skips rows it has, so a flush can be repeated at any point. A row stays here until D1
// has it.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { AuditEventRow } from "../audit/event.ts";
import type { EventOwner, OwnerKey, UnflushedEvents } from "../audit/owner.ts";
import { OWNER_TABLE } from "../audit/owner.ts";
import { OwnerTable } from "../audit/owner-mark.edge.ts";
import { OwnerOutbox } from "../audit/owner-outbox.edge.ts";
import { type EventPageQuery, selectNewest } from "../audit/page.ts";
import { redactSecrets } from "../compliance/audit-secrets.ts";
import { database } from "../db/client.edge.ts";
import { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import type { TableSchema } from "../durable/migrations.edge.ts";
import { hasTables, migrate } from "../durable/migrations.edge.ts";
import type { BackupPlan } from "../durable/object-rows.edge.ts";
import { asHash, type Hash } from "../proof/hash.ts";
import { appendLeaf, type CompactRange, EMPTY_RANGE, leafHash, rangeRoot } from "../proof/merkle.ts";
import { renderCheckpoint, signNote } from "../proof/note.ts";
import { cachedSettings } from "../settings.ts";
import type { ChainHead, VerifiedPrefix } from "./chain.ts";
import { type HandoffDraft, type HandoffRow, isEntryOf, MAX_SUBJECT_BYTES, nextEntry } from "./entry.ts";
import { toHandoffEvent } from "./handoff-event.ts";
import { findHandoff, insertEntries } from "./handoffs.store.ts";

const LEDGER_TABLES: TableSchema = {
	name: "ledger",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL);
				CREATE TABLE entries (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL,
					flushed_at_ms INTEGER);
				CREATE TABLE events (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, handoff_id TEXT,
					event TEXT NOT NULL, flushed_at_ms INTEGER);
				CREATE INDEX events_unflushed ON events (n) WHERE flushed_at_ms IS NULL;
				CREATE INDEX entries_unflushed ON entries (seq) WHERE flushed_at_ms IS NULL;
				${OWNER_TABLE};
			`),
	],
};

/** A handoff to append. Idempotent by `id`. */
export interface AppendRequest {
	/** `ho_` and a ULID. */
	id: string;
	/** `ae_` and a ULID, of the `handoff_created` event. */
	eventId: string;
	userId: string;
	workspaceId: string;
	actor: string;
	draft: HandoffDraft;
	/** Its sender may send it again after hours: an entry that this object has forgotten is looked for in D1. */
	isRepeatable?: true;
}

/** `flushed`: D1 has the entry. */
export type AppendVerdict =
	| { appended: true; entry: HandoffRow; flushed: boolean }
	| { appended: false; reason: "signing_unavailable" }
	/** Another entry has the id. */
	| { appended: false; reason: "id_taken" }
	| { appended: false; reason: "subject_too_large"; bytes: number };

/** The chain as it is now. */
export interface LedgerState extends ChainHead {
	/** The prefix that was last verified in full. */
	verified: VerifiedPrefix | null;
	/** Number of entries that D1 does not have. */
	unflushed: number;
	/** When the state was taken, by the object's clock, ms since the epoch. */
	asOfMs: number;
}

interface StoredHead {
	size: number;
	last: Pick<HandoffRow, "seq" | "id" | "hash" | "signature" | "key_id" | "created_at">;
	everSigned: boolean;
	range: CompactRange;
	verified: VerifiedPrefix | null;
	/** The largest size that a checkpoint was signed for. */
	signedSize: number;
}

/** An event and its entry; they are written to D1 in one transaction. */
interface OutboxRow extends Record<string, SqlStorageValue> {
	/** Id of the event. */
	id: string;
	/** JSON of the event's row. */
	event: string;
	/** JSON of the entry's row; null for an event without an entry. */
	entry: string | null;
}

const FLUSH_ROWS = 100;
/** JSON of one flush. D1 takes values of 2 MB, and the largest entry is 1 MB of it. */
const FLUSH_BYTES = 500_000;
/** How long flushed rows are kept, for repeated calls and reads in progress. */
const KEEP_MS = 600_000;
const PURGE_EVERY_MS = 10_000;
/** JSON of the entries that one read returns. */
const READ_BYTES = 4_000_000;

export class WorkspaceLedger extends BackedUpObject implements EventOwner {
	#sql: SqlStorage;
	/** Tables are created by the first write, so reading an unknown workspace stores nothing. */
	#hasTables: boolean;
	#owner: OwnerTable;
	#outbox: OwnerOutbox<OutboxRow>;
	#purgedAtMs = 0;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#owner = new OwnerTable(this.#sql);
		this.#outbox = new OwnerOutbox(state, env, {
			failureEvent: "ledger_flush_failed",
			nextRound: () => this.#nextRound(),
			record: (round) => this.#record(round),
			markFlushed: (round) => this.#markFlushed(round),
			isFlushed: (id) => this.#isFlushed(id),
			isIdle: () => this.isIdle(),
			marks: this.#owner,
		});
		this.#hasTables = hasTables(state.storage);
		if (!this.#hasTables) return;
		migrate(state.storage, LEDGER_TABLES);
		this.#outbox.wake();
	}

	/** Without what D1 has. */
	override backupPlan(): BackupPlan {
		const isUnflushed = "flushed_at_ms IS NULL";
		return { schema: LEDGER_TABLES, conditions: { entries: isUnflushed, events: isUnflushed } };
	}

	#rows<Row extends Record<string, SqlStorageValue>>(query: string, ...parameters: SqlStorageValue[]): Row[] {
		return this.#sql.exec<Row>(query, ...parameters).toArray();
	}

	#head(): StoredHead | null {
		if (!this.#hasTables) return null;
		const [row] = this.#rows<{ head: string }>("SELECT head FROM head");
		return row ? (JSON.parse(row.head) as StoredHead) : null;
	}

	#setHead(head: StoredHead): void {
		this.#sql.exec("INSERT OR REPLACE INTO head (one, head) VALUES (1, ?)", JSON.stringify(head));
	}

	/**
	 * Appends a handoff and waits a moment for its flush to D1.
	 * @throws when D1 cannot be asked for the entry of a repeatable request.
	 */
	async append(request: AppendRequest): Promise<AppendVerdict> {
		const stored = request.isRepeatable ? await this.#findStored(request) : undefined;
		if (stored) return this.#knownVerdict(request, stored, true);
		const objective = await redactSecrets(request.draft.objective, cachedSettings(this.env));
		const verdict = this.#append(request, objective);
		if (!verdict.appended) return verdict;
		return { ...verdict, flushed: await this.#outbox.deliver(request.eventId) };
	}

	/** The entry of a request that this object holds no more: it keeps entries for a while after D1 has them. */
	async #findStored({ id, userId }: AppendRequest): Promise<HandoffRow | undefined> {
		return this.find(id).entry ? undefined : findHandoff(database(this.env.DB), userId, id);
	}

	/** What a request comes to whose id an entry has. */
	#knownVerdict(request: AppendRequest, entry: HandoffRow, flushed: boolean): AppendVerdict {
		if (!isEntryOf(entry, request, request.draft)) return { appended: false, reason: "id_taken" };
		return { appended: true, entry, flushed };
	}

	/** Neither this method nor anything it calls may `await`. */
	#append(request: AppendRequest, eventObjective: string): AppendVerdict {
		const known = this.find(request.id).entry;
		if (known) return this.#knownVerdict(request, known, false);
		const { signer } = cachedSettings(this.env);
		const head = this.#head();
		if (head?.everSigned && !signer) return { appended: false, reason: "signing_unavailable" };
		const entry = nextEntry(request, request.draft, head?.last ?? null, Date.now(), signer);
		const bytes = utf8ToBytes(entry.subject).length;
		if (bytes > MAX_SUBJECT_BYTES) return { appended: false, reason: "subject_too_large", bytes };
		this.#store(request, entry, head, eventObjective);
		return { appended: true, entry, flushed: false };
	}

	#store(
		{ userId, workspaceId, eventId, actor }: AppendRequest,
		entry: HandoffRow,
		head: StoredHead | null,
		eventObjective: string,
	): void {
		const { seq, id, hash, signature, key_id, created_at } = entry;
		this.#write(userId, { kind: "workspace", id: workspaceId }, () => {
			this.#sql.exec("INSERT INTO entries (seq, id, entry) VALUES (?, ?, ?)", seq, id, JSON.stringify(entry));
			this.#addEvent(toHandoffEvent(entry, eventId, actor, eventObjective), id);
			this.#setHead({
				size: seq + 1,
				last: { seq, id, hash, signature, key_id, created_at },
				everSigned: (head?.everSigned ?? false) || signature !== null,
				range: appendLeaf(head?.range ?? EMPTY_RANGE, leafHash(utf8ToBytes(entry.subject))),
				verified: head?.verified ?? null,
				signedSize: head?.signedSize ?? 0,
			});
		});
	}

	/** Writes in one transaction, and sets the alarm that flushes what it stored. */
	#write(userId: string, key: OwnerKey, write: () => void): void {
		this.ctx.storage.transactionSync(() => {
			if (!this.#hasTables) migrate(this.ctx.storage, LEDGER_TABLES);
			this.#owner.identify(userId, key);
			write();
			this.#purge();
		});
		this.#hasTables = true;
		this.#outbox.armAfterWrite();
	}

	#addEvent(event: AuditEventRow, handoffId: string | null): void {
		this.#sql.exec(
			"INSERT OR IGNORE INTO events (id, handoff_id, event) VALUES (?, ?, ?)",
			event.id,
			handoffId,
			JSON.stringify(event),
		);
	}

	/**
	 * Stores an audit event without an entry and waits a moment for its flush to D1. Returns whether D1 has it.
	 * Idempotent by the event's id.
	 */
	async record(event: AuditEventRow, key: OwnerKey): Promise<boolean> {
		this.#write(event.user_id, key, () => this.#addEvent(event, null));
		return this.#outbox.deliver(event.id);
	}

	/** The chain's head and its verified prefix. */
	state(): LedgerState {
		const head = this.#head();
		const [open] = this.#hasTables
			? this.#rows<{ n: number }>("SELECT count(*) AS n FROM entries WHERE flushed_at_ms IS NULL")
			: [];
		return {
			size: head?.size ?? 0,
			root: headRoot(head),
			last: head?.last ?? null,
			verified: head?.verified ?? null,
			unflushed: open?.n ?? 0,
			asOfMs: Date.now(),
		};
	}

	/** The entry with this id, if it is still held here. `idle` means that D1 has everything. */
	find(id: string): { entry: HandoffRow | null; idle: boolean } {
		if (!this.#hasTables) return { entry: null, idle: true };
		const [row] = this.#rows<{ entry: string }>("SELECT entry FROM entries WHERE id = ?", id);
		return { entry: row ? (JSON.parse(row.entry) as HandoffRow) : null, idle: this.isIdle() };
	}

	/**
	 * Audit events of a page that D1 does not have, newest first, plus one more if there is one. `idle` means that D1
	 * has everything.
	 */
	unflushedEvents(query: EventPageQuery): UnflushedEvents {
		return { events: selectNewest(this.#openEvents(), query), idle: this.isIdle() };
	}

	/** Flushes at once what D1 does not have; returns whether nothing is left. */
	async catchUp(): Promise<boolean> {
		return !this.#hasTables || (await this.#outbox.catchUp());
	}

	/** Whether D1 has everything. */
	isIdle(): boolean {
		return !this.#hasTables || this.#rows("SELECT 1 FROM events WHERE flushed_at_ms IS NULL LIMIT 1").length === 0;
	}

	/** Read one by one: after hours without D1 they may exceed the memory of an isolate. */
	*#openEvents(): Generator<AuditEventRow> {
		if (!this.#hasTables) return;
		const rows = this.#sql.exec<{ event: string }>("SELECT event FROM events WHERE flushed_at_ms IS NULL");
		for (const { event } of rows) yield JSON.parse(event) as AuditEventRow;
	}

	/**
	 * Entries from a seq on that D1 did not have at `asOfMs`, in order. Entries flushed since then are included, so a
	 * reader that reads D1 in between misses none. At most a few MB per call; an empty result is the end.
	 */
	unflushedEntries(fromSeq: number, asOfMs: number): HandoffRow[] {
		if (!this.#hasTables) return [];
		const found: HandoffRow[] = [];
		let bytes = 0;
		const rows = this.#sql.exec<{ entry: string }>(
			"SELECT entry FROM entries WHERE seq >= ? AND (flushed_at_ms IS NULL OR flushed_at_ms >= ?) ORDER BY seq",
			fromSeq,
			asOfMs,
		);
		for (const { entry } of rows) {
			if (bytes > READ_BYTES) break;
			bytes += entry.length;
			found.push(JSON.parse(entry) as HandoffRow);
		}
		return found;
	}

	/** Remembers a longer prefix that was verified in full. A shorter one is ignored. */
	remember(verified: VerifiedPrefix): void {
		const head = this.#head();
		if (!head || verified.size > head.size || verified.size <= (head.verified?.size ?? 0)) return;
		if (verified.size === head.size && verified.root !== headRoot(head)) return;
		this.#setHead({ ...head, verified });
	}

	/** Signs a checkpoint of the current chain; null without a signing key, or when a larger size was signed before. */
	checkpoint(origin: string): string | null {
		const { signer } = cachedSettings(this.env);
		const head = this.#head();
		const size = head?.size ?? 0;
		if (!signer || size < (head?.signedSize ?? 0)) return null;
		if (head && size > head.signedSize) this.#setHead({ ...head, signedSize: size });
		const root = rangeRoot(head?.range ?? EMPTY_RANGE);
		return signNote(renderCheckpoint({ origin, size, root }), origin, signer);
	}

	/** Flushes to D1. Never throws: a failing alarm would stop after a few retries. */
	override async alarm(): Promise<void> {
		await this.#outbox.alarm();
	}

	async #record(round: readonly OutboxRow[]): Promise<void> {
		await insertEntries(
			database(this.env.DB),
			round.flatMap(({ entry }) => (entry ? [JSON.parse(entry) as HandoffRow] : [])),
			round.map(({ event }) => JSON.parse(event) as AuditEventRow),
		);
	}

	#isFlushed(eventId: string): boolean {
		return this.#rows("SELECT 1 FROM events WHERE id = ? AND flushed_at_ms IS NOT NULL", eventId).length > 0;
	}

	/** The oldest events that D1 lacks, each with its entry if it has one, as many as one statement takes. */
	#nextRound(): OutboxRow[] {
		if (!this.#hasTables) return [];
		const round: OutboxRow[] = [];
		let bytes = 0;
		const rows = this.#sql.exec<OutboxRow>(
			`SELECT events.id, event, entry FROM events LEFT JOIN entries ON entries.id = events.handoff_id
			WHERE events.flushed_at_ms IS NULL ORDER BY n LIMIT ?`,
			FLUSH_ROWS,
		);
		for (const row of rows) {
			bytes += row.event.length + (row.entry?.length ?? 0);
			if (round.length > 0 && bytes > FLUSH_BYTES) break;
			round.push(row);
		}
		return round;
	}

	#markFlushed(round: readonly OutboxRow[]): void {
		const ids = JSON.stringify(round.map(({ id }) => id));
		const now = Date.now();
		this.ctx.storage.transactionSync(() => {
			this.#sql.exec("UPDATE events SET flushed_at_ms = ? WHERE id IN (SELECT value FROM json_each(?))", now, ids);
			this.#sql.exec(
				`UPDATE entries SET flushed_at_ms = ? WHERE id IN (
					SELECT handoff_id FROM events WHERE id IN (SELECT value FROM json_each(?)))`,
				now,
				ids,
			);
		});
	}

	/** Deletes rows that were flushed a while ago. */
	#purge(): void {
		const now = Date.now();
		if (now - this.#purgedAtMs < PURGE_EVERY_MS) return;
		this.#purgedAtMs = now;
		this.#sql.exec("DELETE FROM entries WHERE flushed_at_ms < ?", now - KEEP_MS);
		this.#sql.exec("DELETE FROM events WHERE flushed_at_ms < ?", now - KEEP_MS);
	}
}

function headRoot(head: StoredHead | null): Hash {
	return asHash(rangeRoot(head?.range ?? EMPTY_RANGE));
}
