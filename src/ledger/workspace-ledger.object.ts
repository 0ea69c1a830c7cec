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
import type { EventOwner, OwnerKey, UnflushedEvents } from "../audit/owner.ts";
import { OwnerOutbox } from "../audit/owner-outbox.edge.ts";
import { type EventPageQuery, selectNewest } from "../audit/page.ts";
import { redactSecrets } from "../compliance/audit-secrets.ts";
import { database } from "../db/client.edge.ts";
import { hasTables, migrate } from "../durable/migrations.edge.ts";
import { asHash, type Hash } from "../proof/hash.ts";
import { append, type CompactRange, EMPTY_RANGE, leafHash, rangeRoot } from "../proof/merkle.ts";
import { checkpointBody, signNote } from "../proof/note.ts";
import { cachedSettings } from "../settings.ts";
import type { ChainHead, VerifiedPrefix } from "./chain.ts";
import { type HandoffDraft, type HandoffRow, MAX_SUBJECT_BYTES, nextEntry } from "./entry.ts";
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

/** What goes to D1 at once, or not at all. */
interface OutboxRow extends Record<string, SqlStorageValue> {
	/** Of the event. */
	id: string;
	/** JSON of the row. */
	event: string;
	/** JSON of the row, for an event that belongs to an entry. */
	entry: string | null;
}

const FLUSH_ROWS = 100;
/** JSON of one flush; D1 takes values of 2 MB, and the largest entry is 1 MB of it. */
const FLUSH_BYTES = 500_000;
/** How long flushed rows are kept: repeated calls and reads under way find them. */
const KEEP_MS = 600_000;
const PURGE_EVERY_MS = 10_000;
/** Entries handed to a reader at once. */
const READ_BYTES = 4_000_000;

export class WorkspaceLedger extends DurableObject<Env> implements EventOwner {
	#sql: SqlStorage;
	/** Tables exist from the first write on: reading an unknown workspace leaves nothing behind. */
	#hasTables: boolean;
	#outbox: OwnerOutbox<OutboxRow>;
	#purgedAtMs = 0;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#outbox = new OwnerOutbox(state, env, {
			failureEvent: "ledger_flush_failed",
			nextRound: () => this.#nextRound(),
			record: (round) => this.#record(round),
			markFlushed: (round) => this.#markFlushed(round),
			isFlushed: (id) => this.#isFlushed(id),
			isIdle: () => this.isIdle(),
		});
		this.#hasTables = hasTables(state.storage);
		if (!this.#hasTables) return;
		migrate(state.storage, LEDGER_TABLES);
		this.#outbox.wake();
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
		const objective = await redactSecrets(request.draft.objective, cachedSettings(this.env));
		const verdict = this.#append(request, objective);
		if (!verdict.appended) return verdict;
		return { ...verdict, flushed: await this.#outbox.deliver(request.eventId) };
	}

	/** No `await` in here, nor in anything it calls. */
	#append(request: AppendRequest, eventObjective: string): AppendVerdict {
		const known = this.find(request.id).entry;
		if (known) return { appended: true, entry: known, flushed: false };
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
		head: Head | null,
		eventObjective: string,
	): void {
		const { seq, id, hash, signature, key_id, created_at } = entry;
		this.#write(userId, { kind: "workspace", id: workspaceId }, () => {
			this.#sql.exec("INSERT INTO entries (seq, id, entry) VALUES (?, ?, ?)", seq, id, JSON.stringify(entry));
			this.#addEvent(handoffCreated(entry, eventId, actor, eventObjective), id);
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
	#write(userId: string, key: OwnerKey, write: () => void): void {
		this.ctx.storage.transactionSync(() => {
			if (!this.#hasTables) migrate(this.ctx.storage, LEDGER_TABLES);
			this.#outbox.identify(userId, key);
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

	/** Stores an audit event that belongs to no entry, and waits a moment for D1 to have it; true when it does. Idempotent by its id. */
	async record(event: AuditEventRow, key: OwnerKey): Promise<boolean> {
		this.#write(event.user_id, key, () => this.#addEvent(event, null));
		return this.#outbox.deliver(event.id);
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
		return { entry: row ? (JSON.parse(row.entry) as HandoffRow) : null, idle: this.isIdle() };
	}

	/** Audit events of a page that D1 does not have, newest first, and one more if there is one; `idle` when D1 has everything. */
	unflushedEvents(query: EventPageQuery): UnflushedEvents {
		return { events: selectNewest(this.#openEvents(), query), idle: this.isIdle() };
	}

	/** Hands on at once what D1 does not have; true when nothing is left. */
	async catchUp(): Promise<boolean> {
		return !this.#hasTables || (await this.#outbox.catchUp());
	}

	/** Whether D1 has everything. */
	isIdle(): boolean {
		return !this.#hasTables || this.#rows("SELECT 1 FROM events WHERE flushed_at_ms IS NULL LIMIT 1").length === 0;
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
		const { signer } = cachedSettings(this.env);
		const head = this.#head();
		const size = head?.size ?? 0;
		if (!signer || size < (head?.signedSize ?? 0)) return null;
		if (head && size > head.signedSize) this.#setHead({ ...head, signedSize: size });
		const root = rangeRoot(head?.range ?? EMPTY_RANGE);
		return signNote(checkpointBody({ origin, size, root }), origin, signer);
	}

	/** Writes to D1 what it does not have. Never throws: a failed alarm would end after a few retries. */
	override async alarm(): Promise<void> {
		await this.#outbox.alarm();
	}

	async #record(round: readonly OutboxRow[]): Promise<void> {
		await recordEntries(
			database(this.env.DB),
			round.flatMap(({ entry }) => (entry ? [JSON.parse(entry) as HandoffRow] : [])),
			round.map(({ event }) => JSON.parse(event) as AuditEventRow),
		);
	}

	#isFlushed(eventId: string): boolean {
		return this.#rows("SELECT 1 FROM events WHERE id = ? AND flushed_at_ms IS NOT NULL", eventId).length > 0;
	}

	/** The oldest events that D1 lacks, each with its entry if it has one: as many as one statement takes. */
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

	/** Forgets what D1 has had for a while. */
	#purge(): void {
		const now = Date.now();
		if (now - this.#purgedAtMs < PURGE_EVERY_MS) return;
		this.#purgedAtMs = now;
		this.#sql.exec("DELETE FROM entries WHERE flushed_at_ms < ?", now - KEEP_MS);
		this.#sql.exec("DELETE FROM events WHERE flushed_at_ms < ?", now - KEEP_MS);
	}
}

function rootOf(head: Head | null): Hash {
	return asHash(rangeRoot(head?.range ?? EMPTY_RANGE));
}
