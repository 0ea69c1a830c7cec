// WorkspaceLedger: one Durable Object per (user, workspace), the only writer of its chain. It keeps the chain's head, what
// was verified of it, and entries and audit events until D1 has them; D1 holds the chain.
//
// Crash order. Reading the head, building, signing and storing an entry with its event and the new head is one synchronous
// transaction without an `await`, and nothing leaves the object before it is durable: two appends cannot see one head, and
// an answer is never about an entry that a crash undoes. An alarm set in the same turn brings a crashed object back to
// write what it holds to D1. D1 skips rows it has, so a flush may be repeated at any point; a row stays here until then.
import { DurableObject } from "cloudflare:workers";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { AuditEventRow } from "../audit/event.ts";
import { newestOf, type PageQuery } from "../audit/page.ts";
import { database } from "../db/client.edge.ts";
import { hasTables, migrate } from "../durable/migrations.edge.ts";
import { Outbox } from "../durable/outbox.edge.ts";
import type { Hash } from "../proof/hash.ts";
import { append, type CompactRange, EMPTY_RANGE, leafHash, rootOfRange } from "../proof/merkle.ts";
import { checkpointBody, signNote } from "../proof/note.ts";
import { settingsOf } from "../settings.ts";
import type { ChainHead, VerifiedPrefix } from "./chain.ts";
import { asHash, type HandoffDraft, type HandoffRow, MAX_SUBJECT_BYTES, nextEntry } from "./entry.ts";
import { handoffCreated } from "./handoff-event.ts";
import { recordEntries } from "./handoffs.store.ts";
import { LEDGER_TABLES } from "./ledger-tables.ts";

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
}

/** `flushed`: D1 has the entry. */
export type AppendVerdict =
	| { appended: true; entry: HandoffRow; flushed: boolean }
	| { appended: false; reason: "signing_unavailable" }
	| { appended: false; reason: "subject_too_large"; bytes: number };

/** The chain as it is now. */
export interface LedgerState extends ChainHead {
	/** What was verified in full the last time. */
	verified: VerifiedPrefix | null;
	/** Entries that D1 does not have. */
	unflushed: number;
	/** When this was, by the object's clock, ms since the epoch. */
	asOfMs: number;
}

interface Head {
	size: number;
	last: Pick<HandoffRow, "seq" | "id" | "hash" | "signature" | "key_id" | "created_at">;
	everSigned: boolean;
	range: CompactRange;
	verified: VerifiedPrefix | null;
	/** The largest size a checkpoint was signed for. */
	signedSize: number;
}

const FLUSH_ROWS = 100;
/** JSON of one flush; D1 takes values of 2 MB, and the largest entry is 1 MB of it. */
const FLUSH_BYTES = 500_000;
/** How long an append waits for D1; reads find the entry here meanwhile. */
const FLUSH_WAIT_MS = 1_500;
/** When the alarm looks after an entry whose object died before its flush ended. */
const LOOK_AFTER_MS = 5_000;
/** How long flushed rows are kept: repeated calls and reads under way find them. */
const KEEP_MS = 600_000;
const PURGE_EVERY_MS = 10_000;
/** Entries handed to a reader at once. */
const READ_BYTES = 4_000_000;

export class WorkspaceLedger extends DurableObject<Env> {
	#sql: SqlStorage;
	/** Tables exist from the first write on: reading an unknown workspace leaves nothing behind. */
	#hasTables: boolean;
	#outbox: Outbox;
	#purgedAtMs = 0;
	/** Appends that wait for D1, by event id. */
	#waiting = new Map<string, (flushed: boolean) => void>();

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#outbox = new Outbox(state, {
			failureEvent: "ledger_flush_failed",
			writeRound: () => this.#writeRound(),
			onFailure: () => {
				for (const resolve of this.#waiting.values()) resolve(false);
			},
		});
		this.#hasTables = hasTables(state.storage, LEDGER_TABLES);
		if (this.#hasTables) migrate(state.storage, LEDGER_TABLES);
		this.#armForOpenWork(Date.now());
	}

	#rows<Row extends Record<string, SqlStorageValue>>(query: string, ...parameters: SqlStorageValue[]): Row[] {
		return this.#sql.exec<Row>(query, ...parameters).toArray();
	}

	#head(): Head | null {
		if (!this.#hasTables) return null;
		const [row] = this.#rows<{ head: string }>("SELECT head FROM head");
		return row ? (JSON.parse(row.head) as Head) : null;
	}

	#setHead(head: Head): void {
		this.#sql.exec("INSERT OR REPLACE INTO head (one, head) VALUES (1, ?)", JSON.stringify(head));
	}

	/** Appends a handoff and waits a moment for D1 to have it. */
	async append(request: AppendRequest): Promise<AppendVerdict> {
		const verdict = this.#append(request);
		if (!verdict.appended) return verdict;
		return { ...verdict, flushed: await this.#flushed(request.eventId) };
	}

	/** No `await` in here, nor in anything it calls. */
	#append(request: AppendRequest): AppendVerdict {
		const known = this.find(request.id).entry;
		if (known) return { appended: true, entry: known, flushed: false };
		const { signer } = settingsOf(this.env);
		const head = this.#head();
		if (head?.everSigned && !signer) return { appended: false, reason: "signing_unavailable" };
		const entry = nextEntry(request, request.draft, head?.last ?? null, Date.now(), signer);
		const bytes = utf8ToBytes(entry.subject).length;
		if (bytes > MAX_SUBJECT_BYTES) return { appended: false, reason: "subject_too_large", bytes };
		this.#store(entry, handoffCreated(entry, request.eventId, request.actor), head);
		return { appended: true, entry, flushed: false };
	}

	#store(entry: HandoffRow, event: AuditEventRow, head: Head | null): void {
		const { seq, id, hash, signature, key_id, created_at } = entry;
		this.#write(() => {
			this.#sql.exec("INSERT INTO entries (seq, id, entry) VALUES (?, ?, ?)", seq, id, JSON.stringify(entry));
			this.#addEvent(event, id);
			this.#setHead({
				size: seq + 1,
				last: { seq, id, hash, signature, key_id, created_at },
				everSigned: (head?.everSigned ?? false) || signature !== null,
				range: append(head?.range ?? EMPTY_RANGE, leafHash(utf8ToBytes(entry.subject))),
				verified: head?.verified ?? null,
				signedSize: head?.signedSize ?? 0,
			});
		});
	}

	/** One transaction of writes, and an alarm that looks after what it leaves to flush. */
	#write(write: () => void): void {
		this.ctx.storage.transactionSync(() => {
			if (!this.#hasTables) migrate(this.ctx.storage, LEDGER_TABLES);
			write();
			this.#purge();
		});
		this.#hasTables = true;
		this.#outbox.arm(Date.now() + LOOK_AFTER_MS);
	}

	#addEvent(event: AuditEventRow, handoffId: string | null): void {
		this.#sql.exec(
			"INSERT OR IGNORE INTO events (id, handoff_id, event) VALUES (?, ?, ?)",
			event.id,
			handoffId,
			JSON.stringify(event),
		);
	}

	/** Stores an audit event that belongs to no entry, and waits a moment for D1 to have it; true when it does. Idempotent by its id. */
	async record(event: AuditEventRow): Promise<boolean> {
		this.#write(() => this.#addEvent(event, null));
		return this.#flushed(event.id);
	}

	/** The chain's head, and what of it needs no second look. */
	state(): LedgerState {
		const head = this.#head();
		const [open] = this.#hasTables
			? this.#rows<{ n: number }>("SELECT count(*) AS n FROM entries WHERE flushed_at_ms IS NULL")
			: [];
		return {
			size: head?.size ?? 0,
			root: rootOf(head),
			last: head?.last ?? null,
			verified: head?.verified ?? null,
			unflushed: open?.n ?? 0,
			asOfMs: Date.now(),
		};
	}

	/** The entry under an id while it is held here; `idle` when D1 has everything. */
	find(id: string): { entry: HandoffRow | null; idle: boolean } {
		if (!this.#hasTables) return { entry: null, idle: true };
		const [row] = this.#rows<{ entry: string }>("SELECT entry FROM entries WHERE id = ?", id);
		return { entry: row ? (JSON.parse(row.entry) as HandoffRow) : null, idle: !this.#hasOpenWork() };
	}

	/** Audit events of a page that D1 does not have, newest first, and one more if there is one; `idle` when D1 has everything. */
	unflushedEvents(query: PageQuery): { events: AuditEventRow[]; idle: boolean } {
		return { events: newestOf(this.#openEvents(), query), idle: !this.#hasOpenWork() };
	}

	/** Read one by one: after hours without D1 they may be more than an isolate holds. */
	*#openEvents(): Generator<AuditEventRow> {
		if (!this.#hasTables) return;
		const rows = this.#sql.exec<{ event: string }>("SELECT event FROM events WHERE flushed_at_ms IS NULL");
		for (const { event } of rows) yield JSON.parse(event) as AuditEventRow;
	}

	/**
	 * Entries from a seq on that D1 did not have at `asOfMs`, in order: those it has got since are among them, so a reader
	 * who reads D1 in between misses none. At most a few MB at once; an empty answer is the end.
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

	/** Remembers what was verified in full; never less than before. */
	remember(verified: VerifiedPrefix): void {
		const head = this.#head();
		if (!head || verified.size > head.size || verified.size <= (head.verified?.size ?? 0)) return;
		if (verified.size === head.size && verified.root !== rootOf(head)) return;
		this.#setHead({ ...head, verified });
	}

	/** Signs a checkpoint of the chain as it is now; null without a key, or when a larger one was signed before. */
	checkpoint(origin: string): string | null {
		const { signer } = settingsOf(this.env);
		const head = this.#head();
		const size = head?.size ?? 0;
		if (!signer || size < (head?.signedSize ?? 0)) return null;
		if (head && size > head.signedSize) this.#setHead({ ...head, signedSize: size });
		const root = rootOfRange(head?.range ?? EMPTY_RANGE);
		return signNote(checkpointBody({ origin, size, root }), origin, signer);
	}

	/** Writes to D1 what it does not have. Never throws: a failed alarm would end after a few retries. */
	override async alarm(): Promise<void> {
		this.#outbox.alarmRang();
		await this.#outbox.flush();
		this.#armForOpenWork(Date.now() + this.#outbox.retryDelayMs);
	}

	/** Whether D1 has an event, and the entry with it, now or within a moment. */
	async #flushed(eventId: string): Promise<boolean> {
		const isFlushed = "SELECT 1 FROM events WHERE id = ? AND flushed_at_ms IS NOT NULL";
		if (this.#rows(isFlushed, eventId).length > 0) return true;
		// After a failure the alarm sets the pace, so that an absent D1 is not asked once per append.
		if (this.#outbox.isFailing) return false;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const answer = new Promise<boolean>((resolve) => {
			this.#waiting.set(eventId, resolve);
			timer = setTimeout(() => resolve(false), FLUSH_WAIT_MS);
		});
		this.ctx.waitUntil(this.#outbox.flush());
		const flushed = await answer;
		clearTimeout(timer);
		this.#waiting.delete(eventId);
		return flushed;
	}

	async #writeRound(): Promise<boolean> {
		const round = this.#nextRound();
		if (round.length === 0) return false;
		await recordEntries(
			database(this.env.DB),
			round.flatMap(({ entry }) => (entry ? [JSON.parse(entry) as HandoffRow] : [])),
			round.map(({ event }) => JSON.parse(event) as AuditEventRow),
		);
		this.#markFlushed(round.map(({ id }) => id));
		return true;
	}

	/** The oldest events that D1 lacks, each with its entry if it has one: as many as one statement takes. */
	#nextRound(): { id: string; event: string; entry: string | null }[] {
		if (!this.#hasTables) return [];
		const round: { id: string; event: string; entry: string | null }[] = [];
		let bytes = 0;
		const rows = this.#sql.exec<{ id: string; event: string; entry: string | null }>(
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

	#markFlushed(eventIds: readonly string[]): void {
		const ids = JSON.stringify(eventIds);
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
		for (const id of eventIds) this.#waiting.get(id)?.(true);
	}

	/** Forgets what D1 has had for a while. */
	#purge(): void {
		const now = Date.now();
		if (now - this.#purgedAtMs < PURGE_EVERY_MS) return;
		this.#purgedAtMs = now;
		this.#sql.exec("DELETE FROM entries WHERE flushed_at_ms < ?", now - KEEP_MS);
		this.#sql.exec("DELETE FROM events WHERE flushed_at_ms < ?", now - KEEP_MS);
	}

	#hasOpenWork(): boolean {
		return this.#hasTables && this.#rows("SELECT 1 FROM events WHERE flushed_at_ms IS NULL LIMIT 1").length > 0;
	}

	#armForOpenWork(atMs: number): void {
		if (this.#hasOpenWork()) this.#outbox.arm(atMs);
	}
}

function rootOf(head: Head | null): Hash {
	return asHash(rootOfRange(head?.range ?? EMPTY_RANGE));
}
