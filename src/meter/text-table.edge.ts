// Sealed texts of requests in a user's meter. It knows no key: who calls it seals and opens.
import { MAX_KEPT_TEXT_BYTES, MAX_KEPT_TEXTS, type SealedTexts } from "./kept-texts.ts";

/** Texts that one alarm removes; then it comes again. */
const FORGOTTEN_AT_ONCE = 1_000;

export class TextTable {
	#sql: SqlStorage;
	/** How many there are, and their bytes; null until they were counted. */
	#totals: { count: number; bytes: number } | null = null;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	#count(): { count: number; bytes: number } {
		return this.#sql
			.exec<{ count: number; bytes: number }>(
				"SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM request_texts",
			)
			.one();
	}

	/** Stores texts, and forgets those that expire first where there are too many. Idempotent. To be called in a transaction. */
	put({ requestId, sealed, expiresAtMs }: SealedTexts): void {
		const { rowsWritten } = this.#sql.exec(
			"INSERT OR IGNORE INTO request_texts (id, expires_at_ms, bytes, sealed) VALUES (?, ?, ?, ?)",
			requestId,
			expiresAtMs,
			sealed.byteLength,
			sealed,
		);
		if (rowsWritten === 0) return;
		const totals = this.#totals ?? this.#count();
		if (this.#totals) {
			totals.count++;
			totals.bytes += sealed.byteLength;
		}
		while (totals.count > MAX_KEPT_TEXTS || totals.bytes > MAX_KEPT_TEXT_BYTES) {
			const [dropped] = this.#sql
				.exec<{ bytes: number }>(
					`DELETE FROM request_texts WHERE id = (SELECT id FROM request_texts WHERE id <> ? ORDER BY expires_at_ms LIMIT 1)
					RETURNING bytes`,
					requestId,
				)
				.toArray();
			if (!dropped) break;
			totals.count--;
			totals.bytes -= dropped.bytes;
		}
		this.#totals = totals;
	}

	/** The texts of a request; null where none are kept, or not any more. */
	find(requestId: string, nowMs: number): Omit<SealedTexts, "requestId"> | null {
		const [row] = this.#sql
			.exec<{ sealed: ArrayBuffer; expires_at_ms: number }>(
				"SELECT sealed, expires_at_ms FROM request_texts WHERE id = ? AND expires_at_ms > ?",
				requestId,
				nowMs,
			)
			.toArray();
		return row ? { sealed: row.sealed, expiresAtMs: row.expires_at_ms } : null;
	}

	/** When the first texts expire, ms since the epoch; null where there are none. */
	get nextExpiryMs(): number | null {
		const query = "SELECT expires_at_ms AS at FROM request_texts ORDER BY expires_at_ms LIMIT 1";
		return this.#sql.exec<{ at: number }>(query).toArray()[0]?.at ?? null;
	}

	/** Removes expired texts, some of them. */
	removeExpired(nowMs: number): void {
		this.#sql.exec(
			`DELETE FROM request_texts WHERE id IN (SELECT id FROM request_texts WHERE expires_at_ms <= ?
				ORDER BY expires_at_ms LIMIT ?)`,
			nowMs,
			FORGOTTEN_AT_ONCE,
		);
		this.#totals = null;
	}
}
