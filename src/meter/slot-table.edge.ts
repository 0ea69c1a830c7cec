// The meter's slots and its folded row in the object's SQLite. Every change of a slot is billed as one written row, because
// the key is the only index.

import { nanoUsd } from "../proof/money.ts";
import {
	EMPTY_FOLD,
	type FoldedState,
	type KeyMinutes,
	type PackedMinutes,
	packMinutes,
	rewindFolded,
	unpackMinutes,
} from "./folded.ts";
import type { MeteredBudget } from "./key-budget.ts";
import type { PackedSpending } from "./key-spending.ts";
import type { OpenHold, Reservation, Settlement } from "./settlement.ts";
import type { Slot } from "./slots.ts";
import type { NamedTotals } from "./usage-totals.ts";

interface SlotRow extends Record<string, SqlStorageValue> {
	slot: number;
	request_id: string;
	admitted: number;
	at_ms: number;
	counts: number;
	limited_key: string | null;
	expires_at_ms: number | null;
	closed_at_ms: number | null;
	settled: number | null;
	proof_hash: string | null;
	doubtful: number;
	created_at: string | null;
	budget_key: string | null;
	booked_day: number;
	nano_usd: number;
	key_budget: string | null;
}

const SLOT_COLUMNS =
	"slot, request_id, admitted, at_ms, counts, limited_key, expires_at_ms, closed_at_ms, settled, proof_hash, doubtful, created_at, budget_key, booked_day, nano_usd, key_budget";

function toSlot(row: SlotRow): Slot {
	return {
		slot: row.slot,
		requestId: row.request_id,
		admissionSeq: row.admitted,
		atMs: row.at_ms,
		countsTowardsDay: row.counts === 1,
		limitedKeyId: row.limited_key,
		expiresAtMs: row.expires_at_ms,
		closedAtMs: row.closed_at_ms,
		settlementSeq: row.settled,
		proofHash: row.proof_hash,
		isDoubtful: row.doubtful === 1,
		createdAt: row.created_at,
		budgetKeyId: row.budget_key,
		bookedDay: row.booked_day,
		nanoUsd: row.nano_usd,
		keyBudget: row.key_budget === null ? null : (JSON.parse(row.key_budget) as MeteredBudget),
	};
}

interface HoldRow extends Record<string, SqlStorageValue> {
	request_id: string;
	api_key_id: string | null;
	kind: string;
	cost_nano_usd: number;
	bound_usd: number;
	spent_nano_usd: number;
}

interface FoldedRow extends Record<string, SqlStorageValue> {
	admitted: number;
	settled: number;
	minutes: string;
	key_minutes: string;
	totals: string;
	key_spending: string;
}

function toFoldedState({ admitted, settled, minutes, key_minutes, totals, key_spending }: FoldedRow): FoldedState {
	return {
		admissionSeq: admitted,
		settlementSeq: settled,
		minutes: unpackMinutes(JSON.parse(minutes) as PackedMinutes),
		keyMinutes: JSON.parse(key_minutes) as KeyMinutes,
		totals: JSON.parse(totals) as NamedTotals[],
		keySpending: JSON.parse(key_spending) as PackedSpending,
	};
}

export class SlotTable {
	#sql: SqlStorage;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Every slot, without its reservation or settlement. */
	slots(): Slot[] {
		return [...this.#sql.exec<SlotRow>(`SELECT ${SLOT_COLUMNS} FROM slots`)].map(toSlot);
	}

	folded(): FoldedState {
		const row = this.#sql.exec<FoldedRow>(
			"SELECT admitted, settled, minutes, key_minutes, totals, key_spending FROM folded",
		);
		const [found] = [...row].map(toFoldedState);
		return found ?? EMPTY_FOLD;
	}

	/** Brings what was recorded under a clock that was ahead to now, so that it counts for one window from now. */
	rewind(nowMs: number): void {
		this.#sql.exec(
			`UPDATE slots SET expires_at_ms = expires_at_ms - max(0, at_ms - ?1), at_ms = min(at_ms, ?1),
				closed_at_ms = min(closed_at_ms, ?1) WHERE at_ms > ?1 OR closed_at_ms > ?1`,
			nowMs,
		);
		const { minutes, keyMinutes } = rewindFolded(this.folded(), nowMs);
		this.#sql.exec(
			"UPDATE folded SET minutes = ?, key_minutes = ?",
			JSON.stringify(packMinutes(minutes)),
			JSON.stringify(keyMinutes),
		);
	}

	/** Writes an admission, over what a reused slot held. */
	admit(slot: Slot, isReused: boolean, reservation: Reservation | null): void {
		const body = reservation ? JSON.stringify(reservation) : null;
		const values = [
			slot.requestId,
			slot.admissionSeq,
			slot.atMs,
			slot.countsTowardsDay ? 1 : 0,
			slot.limitedKeyId,
			slot.expiresAtMs,
			slot.closedAtMs,
			body,
			slot.budgetKeyId,
			slot.bookedDay,
			slot.nanoUsd,
			slot.keyBudget && JSON.stringify(slot.keyBudget),
			slot.slot,
		];
		if (isReused) {
			this.#sql.exec(
				`UPDATE slots SET request_id = ?, admitted = ?, at_ms = ?, counts = ?, limited_key = ?, expires_at_ms = ?,
					closed_at_ms = ?, body = ?, budget_key = ?, booked_day = ?, nano_usd = ?, key_budget = ?, settled = NULL,
					proof_hash = NULL, doubtful = 0, created_at = NULL WHERE slot = ?`,
				...values,
			);
		} else {
			this.#sql.exec(
				`INSERT INTO slots (request_id, admitted, at_ms, counts, limited_key, expires_at_ms, closed_at_ms, body,
					budget_key, booked_day, nano_usd, key_budget, slot, doubtful)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
				...values,
			);
		}
	}

	extend(slot: number, reservation: Reservation, { bookedDay, nanoUsd }: Pick<Slot, "bookedDay" | "nanoUsd">): void {
		this.#sql.exec(
			"UPDATE slots SET expires_at_ms = ?, body = ?, booked_day = ?, nano_usd = ? WHERE slot = ?",
			reservation.expiresAtMs,
			JSON.stringify(reservation),
			bookedDay,
			nanoUsd,
			slot,
		);
	}

	settle(slot: number, settlementSeq: number, atMs: number, settlement: Settlement, isDoubtful: boolean): void {
		this.#sql.exec(
			`UPDATE slots SET expires_at_ms = NULL, closed_at_ms = ?, settled = ?, proof_hash = ?, doubtful = ?, created_at = ?,
				body = ?, nano_usd = ? WHERE slot = ?`,
			atMs,
			settlementSeq,
			settlement.receipt.proof_hash,
			isDoubtful ? 1 : 0,
			settlement.usage.created_at,
			JSON.stringify(settlement),
			settlement.usage.cost_nano_usd,
			slot,
		);
	}

	release(slot: number, atMs: number): void {
		this.#sql.exec(
			"UPDATE slots SET expires_at_ms = NULL, closed_at_ms = ?, body = NULL, nano_usd = 0 WHERE slot = ?",
			atMs,
			slot,
		);
	}

	#body(slot: number): string {
		return this.#sql.exec<{ body: string }>("SELECT body FROM slots WHERE slot = ?", slot).one().body;
	}

	reservation(slot: number): Reservation {
		return JSON.parse(this.#body(slot)) as Reservation;
	}

	/** The holds of open slots, in the order of admission. SQLite picks the amounts, because reservations of long runs are large. */
	holds(slots: readonly number[]): OpenHold[] {
		const rows = this.#sql.exec<HoldRow>(
			`SELECT request_id, body ->> '$.usage.api_key_id' AS api_key_id, body ->> '$.usage.kind' AS kind,
				body ->> '$.usage.cost_nano_usd' AS cost_nano_usd,
				body ->> '$.receipt.bound_usd' AS bound_usd, coalesce(body ->> '$.spentNanoUsd', 0) AS spent_nano_usd
			FROM slots WHERE slot IN (SELECT value FROM json_each(?)) ORDER BY admitted`,
			JSON.stringify(slots),
		);
		return [...rows].map(({ request_id, api_key_id, kind, cost_nano_usd, bound_usd, spent_nano_usd }) => ({
			request_id,
			api_key_id,
			kind,
			spent_nano_usd,
			held_nano_usd: cost_nano_usd - spent_nano_usd,
			bound_nano_usd: nanoUsd(bound_usd),
		}));
	}

	settlement(slot: number): Settlement {
		return JSON.parse(this.#body(slot)) as Settlement;
	}

	fold({ admissionSeq, settlementSeq, minutes, keyMinutes, totals, keySpending }: FoldedState): void {
		this.#sql.exec(
			`INSERT INTO folded (one, admitted, settled, minutes, key_minutes, totals, key_spending)
			VALUES (1, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (one) DO UPDATE SET admitted = excluded.admitted, settled = excluded.settled,
				minutes = excluded.minutes, key_minutes = excluded.key_minutes, totals = excluded.totals,
				key_spending = excluded.key_spending`,
			admissionSeq,
			settlementSeq,
			JSON.stringify(packMinutes(minutes)),
			JSON.stringify(keyMinutes),
			JSON.stringify(totals),
			JSON.stringify(keySpending),
		);
	}
}
