// StoredResponses: one Durable Object per user, which keeps the user's stored responses for thirty days. It is given sealed bytes and
// knows no key: who calls it seals and opens.
//
// A response and the alarm that deletes it are stored in one turn. The alarm is due when the oldest response expires. Expired ones
// are not found, however late the alarm comes.

import { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import type { TableSchema } from "../durable/migrations.edge.ts";
import { hasTables, migrate } from "../durable/migrations.edge.ts";
import type { BackupPlan } from "../durable/object-rows.edge.ts";
import { logError } from "../http/log.edge.ts";
import {
	expiryBoundary,
	type ItemPlace,
	MAX_STORED_BYTES,
	MAX_STORED_RESPONSES,
	responseExpiresAtMs,
	type SealedPart,
} from "./stored-response.ts";

const STORED_RESPONSE_TABLES: TableSchema = {
	name: "stored responses",
	steps: [
		// In the order of ids, which is that of time. Without a rowid, a response is one row written, not two.
		(sql) =>
			sql.exec(`
				CREATE TABLE responses (id TEXT PRIMARY KEY, previous_id TEXT, bytes INTEGER NOT NULL, response BLOB NOT NULL,
					input BLOB NOT NULL, output BLOB NOT NULL, key_id TEXT NOT NULL) WITHOUT ROWID;
			`),
	],
};

/** After an unexpected error, the alarm comes again this late. */
const RETRY_MS = 60_000;

export type SealedResponse = Record<SealedPart, ArrayBuffer> & {
	id: string;
	/** The response that it goes on from. */
	previousId: string | null;
	/** The API key that made it. */
	keyId: string;
};

/** The items of a response, sealed. */
export type SealedItems = Pick<SealedResponse, "id" | "input" | "output">;

/** One list of a response's items, sealed. */
interface SealedList extends ItemPlace {
	sealed: ArrayBuffer;
}

/** The keys whose responses are read; the others are as if they were not stored. Null for all of the user's. */
type Makers = readonly string[] | null;

/** What a request refers to. */
export interface ConversationQuery {
	/** The last response of the conversation; null where the request begins one. */
	previousId: string | null;
	/** Lists that hold further items. */
	lists: readonly ItemPlace[];
	/** The most that may be read. */
	limitBytes: number;
	makers: Makers;
}

export type ConversationVerdict =
	/** The responses oldest first, and those of the lists that are stored. */
	| { found: true; chain: SealedItems[]; lists: SealedList[] }
	/** The newest response of the conversation that is not stored. */
	| { found: false; missing: string }
	/** More than may be read. */
	| { found: false; missing: null };

type ResponseRow = SealedItems & { previous_id: string | null; key_id: string };

/** Whether a response is read. */
function isReadBy(makers: Makers, keyId: string): boolean {
	return makers === null || makers.includes(keyId);
}

/** How much an object stores. */
interface StoredTotals {
	count: number;
	bytes: number;
}

export class StoredResponses extends BackedUpObject {
	#sql: SqlStorage;
	/** Tables are made by the first write, so that reads of a user without responses store nothing. */
	#hasTables: boolean;
	#totals: StoredTotals | null = null;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#sql = state.storage.sql;
		this.#hasTables = hasTables(state.storage);
		if (!this.#hasTables) return;
		migrate(state.storage, STORED_RESPONSE_TABLES);
		// The alarm may have been lost with the object's last machine.
		state.waitUntil(this.#restoreAlarm());
	}

	override backupPlan(): BackupPlan {
		return { schema: STORED_RESPONSE_TABLES };
	}

	#rows<Row extends Record<string, SqlStorageValue>>(query: string, ...parameters: SqlStorageValue[]): Row[] {
		return this.#sql.exec<Row>(query, ...parameters).toArray();
	}

	/** Stores a response, and forgets the oldest ones where there are too many. One that is stored already stays as it is. */
	put(response: SealedResponse): void {
		const totals = this.ctx.storage.transactionSync(() => {
			if (!this.#hasTables) migrate(this.ctx.storage, STORED_RESPONSE_TABLES);
			return this.#insert(response);
		});
		this.#totals = totals;
		this.#hasTables = true;
		// Whatever was first before has an alarm.
		if (this.#firstId() === response.id) this.#arm(responseExpiresAtMs(response.id));
	}

	/** To be called in a transaction. */
	#insert({ id, previousId, keyId, response, input, output }: SealedResponse): StoredTotals {
		const totals = { ...(this.#totals ?? this.#sumTotals()) };
		const bytes = response.byteLength + input.byteLength + output.byteLength;
		const { rowsWritten } = this.#sql.exec(
			"INSERT OR IGNORE INTO responses (id, previous_id, bytes, response, input, output, key_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
			id,
			previousId,
			bytes,
			response,
			input,
			output,
			keyId,
		);
		if (rowsWritten === 0) return totals;
		totals.count++;
		totals.bytes += bytes;
		while (totals.count > MAX_STORED_RESPONSES || totals.bytes > MAX_STORED_BYTES) this.#dropOldest(id, totals);
		return totals;
	}

	/** Deletes the oldest response but the one that is being stored: that one is promised. */
	#dropOldest(exceptId: string, totals: StoredTotals): void {
		const [dropped] = this.#rows<{ bytes: number }>(
			"DELETE FROM responses WHERE id = (SELECT id FROM responses WHERE id <> ? ORDER BY id LIMIT 1) RETURNING bytes",
			exceptId,
		);
		totals.count--;
		totals.bytes -= dropped?.bytes ?? 0;
	}

	#sumTotals(): StoredTotals {
		const [totals] = this.#rows<{ count: number; bytes: number }>(
			"SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM responses",
		);
		return totals ?? { count: 0, bytes: 0 };
	}

	/** The API key that made a response; null when no such response is stored. */
	maker(id: string): string | null {
		if (!this.#isReadable(id)) return null;
		return this.#rows<{ key_id: string }>("SELECT key_id FROM responses WHERE id = ?", id)[0]?.key_id ?? null;
	}

	#isReadable(id: string): boolean {
		return this.#hasTables && id >= expiryBoundary(Date.now());
	}

	/** Some parts of a response; null when it is not stored. */
	read<Part extends SealedPart>(id: string, parts: readonly Part[], makers: Makers): Record<Part, ArrayBuffer> | null {
		const keyId = this.maker(id);
		if (keyId === null || !isReadBy(makers, keyId)) return null;
		const [row] = this.#rows<Record<Part, ArrayBuffer>>(`SELECT ${parts.join(", ")} FROM responses WHERE id = ?`, id);
		return row ?? null;
	}

	/** Deletes a response. May be repeated. */
	remove(id: string): void {
		if (!this.#hasTables) return;
		const [removed] = this.#rows<{ bytes: number }>("DELETE FROM responses WHERE id = ? RETURNING bytes", id);
		if (!removed || !this.#totals) return;
		const { count, bytes } = this.#totals;
		this.#totals = { count: count - 1, bytes: bytes - removed.bytes };
	}

	/** Reads what a request refers to, all in one call. */
	conversation({ previousId, lists, limitBytes, makers }: ConversationQuery): ConversationVerdict {
		const chain: SealedItems[] = [];
		let bytes = 0;
		for (let id = previousId; id !== null; ) {
			const row = this.#readItems(id);
			if (!row || !isReadBy(makers, row.key_id)) return { found: false, missing: id };
			bytes += row.input.byteLength + row.output.byteLength;
			if (bytes > limitBytes) return { found: false, missing: null };
			chain.push({ id, input: row.input, output: row.output });
			id = row.previous_id;
		}
		const found: SealedList[] = [];
		for (const place of lists) {
			const sealed = this.read(place.responseId, [place.list], makers)?.[place.list];
			if (!sealed) continue;
			bytes += sealed.byteLength;
			if (bytes > limitBytes) return { found: false, missing: null };
			found.push({ ...place, sealed });
		}
		return { found: true, chain: chain.toReversed(), lists: found };
	}

	#readItems(id: string): ResponseRow | null {
		if (!this.#isReadable(id)) return null;
		const [row] = this.#rows<ResponseRow>(
			"SELECT id, previous_id, key_id, input, output FROM responses WHERE id = ?",
			id,
		);
		return row ?? null;
	}

	/** Deletes expired responses. Never throws but where not even another alarm can be set: then the platform repeats this one. */
	override async alarm(): Promise<void> {
		try {
			this.#deleteExpired();
			const firstId = this.#firstId();
			if (firstId !== null) await this.ctx.storage.setAlarm(responseExpiresAtMs(firstId));
		} catch (error) {
			logError("stored_responses_not_expired", error);
			await this.ctx.storage.setAlarm(Date.now() + RETRY_MS);
		}
	}

	#deleteExpired(): void {
		if (!this.#hasTables) return;
		this.#sql.exec("DELETE FROM responses WHERE id < ?", expiryBoundary(Date.now()));
		this.#totals = null;
	}

	/** The oldest response; null when there is none. */
	#firstId(): string | null {
		if (!this.#hasTables) return null;
		const [first] = this.#rows<{ id: string }>("SELECT id FROM responses ORDER BY id LIMIT 1");
		return first?.id ?? null;
	}

	#arm(atMs: number): void {
		this.ctx.waitUntil(this.ctx.storage.setAlarm(atMs));
	}

	async #restoreAlarm(): Promise<void> {
		const firstId = this.#firstId();
		if (firstId !== null && (await this.ctx.storage.getAlarm()) === null) this.#arm(responseExpiresAtMs(firstId));
	}
}
