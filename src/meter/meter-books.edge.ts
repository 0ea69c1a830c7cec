// What a meter has stored of its user's requests: slots, the folded row, and in memory what follows from both: windows and
// totals. Synchronous; every method writes first and notes afterwards, so that a write that throws leaves the books as they were.
//
// Crash order. Settlements go to D1 in the order of their numbers. What D1 has is counted with D1's amounts, in memory; the
// fold writes that down with the number it reaches to, in one row. An object that dies between the two, or before D1's answer,
// finds the same settlements unfolded when it wakes, sends them again, and D1 keeps the rows it has: nothing counts twice.
import { firstBatch, type OutgoingRow } from "./flush-batch.ts";
import { DayWindow, MINUTE_MS, MinuteWindow } from "./rolling-window.ts";
import type { OpenHold, RecentUsage, Reservation, Settlement } from "./settlement.ts";
import { SlotTable } from "./slot-table.edge.ts";
import { type Slot, SlotBook } from "./slots.ts";
import { type CountedUsage, type NamedTotals, UsageTotals } from "./usage-totals.ts";

/** Slots that a fold frees before it is worth its row: so it adds little to a request, whatever the pace. */
const FOLD_SLOTS = 32;

/** Bodies in one answer of a paged read; a single larger one goes alone. */
const PAGE_BYTES = 4_000_000;

/** A page of usage that is settled and perhaps not in D1. */
export interface PendingPage {
	rows: CountedUsage[];
	/** What to ask for next; null behind the last page. */
	next: number | null;
}

/** Pending settlements and the slots they stand in. */
export interface FlushBatch {
	slots: Slot[];
	rows: OutgoingRow[];
}

export class MeterBooks {
	readonly minute: MinuteWindow;
	readonly day: DayWindow;
	#table: SlotTable;
	#book: SlotBook;
	/** Everything that D1 has of this meter's settlements, folded or not. */
	#stored: UsageTotals;
	#pending = new UsageTotals();

	constructor(sql: SqlStorage, nowMs: number) {
		this.#table = new SlotTable(sql);
		const folded = this.#table.folded();
		const slots = this.#table.slots();
		this.#book = new SlotBook(slots, folded);
		this.#stored = new UsageTotals(folded.totals);
		const times = slots.map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs - MINUTE_MS);
		this.minute = new MinuteWindow(times.sort((a, b) => a - b));
		this.day = new DayWindow(folded.minutes);
		for (const { admitted, atMs, countsTowardsDay } of slots.toSorted((a, b) => a.admitted - b.admitted)) {
			if (countsTowardsDay && admitted > folded.admitted) this.day.add(atMs);
		}
		for (const { slot } of this.#book.pending) this.#pending.addRow(this.#table.settlement(slot).usage);
	}

	get earliestExpiryMs(): number | null {
		return this.#book.earliestExpiryMs;
	}

	/** Whether anything is settled that only this object may know of. */
	get hasUnfolded(): boolean {
		return this.#book.unfolded > 0;
	}

	/** Whether D1 may know other amounts of something that is pending here. */
	get hasDoubtful(): boolean {
		return this.#book.hasDoubtful;
	}

	find(requestId: string): Slot | undefined {
		return this.#book.find(requestId);
	}

	/** Stores an admission and counts it. */
	admit(requestId: string, countsTowardsDay: boolean, reservation: Reservation | null, nowMs: number): void {
		const place = this.#book.place(nowMs);
		const slot: Slot = {
			slot: place.slot,
			requestId,
			admitted: place.admitted,
			atMs: nowMs,
			countsTowardsDay,
			expiresAtMs: reservation?.expiresAtMs ?? null,
			closedAtMs: reservation ? null : nowMs,
			settled: null,
			proofHash: null,
			isDoubtful: false,
			createdAt: null,
		};
		this.#table.admit(slot, place.isReused, reservation);
		this.#book.admitTo(place, slot);
		this.minute.add(nowMs);
		if (countsTowardsDay) this.day.add(nowMs);
	}

	extend(slot: Slot, reservation: Reservation): void {
		this.#table.extend(slot.slot, reservation);
		this.#book.extend(slot, reservation.expiresAtMs);
	}

	/** @param isDoubtful D1 may have been given another settlement of the request. */
	settle(slot: Slot, settlement: Settlement, nowMs: number, isDoubtful = false): void {
		const settled = this.#book.nextSettled;
		this.#table.settle(slot.slot, settled, nowMs, settlement, isDoubtful);
		const { proof_hash: proofHash } = settlement.receipt;
		const createdAt = settlement.usage.created_at;
		this.#book.close(slot, { closedAtMs: nowMs, settled, proofHash, isDoubtful, createdAt });
		this.#pending.addRow(settlement.usage);
	}

	release(slot: Slot, nowMs: number): void {
		this.#table.release(slot.slot, nowMs);
		this.#book.close(slot, { closedAtMs: nowMs, settled: null, proofHash: null, isDoubtful: false, createdAt: null });
	}

	/** Open reservations whose time is over. */
	expired(nowMs: number): Slot[] {
		return [...this.#book.open].filter((slot) => slot.expiresAtMs !== null && slot.expiresAtMs <= nowMs);
	}

	/** What an open slot holds. */
	reservationOf({ slot }: Slot): Reservation {
		return this.#table.reservation(slot);
	}

	openIds(): string[] {
		return [...this.#book.open].map(({ requestId }) => requestId);
	}

	holds(): OpenHold[] {
		return this.#table.holds([...this.#book.open].map(({ slot }) => slot));
	}

	settlementOf(slot: Slot): Settlement | null {
		return slot.settled === null ? null : this.#table.settlement(slot.slot);
	}

	/** The next settlements for D1, as many as go in one statement. */
	nextOutgoing(): FlushBatch {
		const slots: Slot[] = [];
		const table = this.#table;
		const pending = this.#book.pending;
		const settlements = function* () {
			for (const slot of pending) {
				slots.push(slot);
				yield table.settlement(slot.slot);
			}
		};
		const rows = firstBatch(settlements());
		return { rows, slots: slots.slice(0, rows.length) };
	}

	/**
	 * Notes that D1 has settlements, and counts them with the amounts that stand there.
	 * @param inserted ids whose rows are ours.
	 * @param others what D1 has under the other ids.
	 */
	confirm({ slots, rows }: FlushBatch, inserted: ReadonlySet<string>, others: ReadonlyMap<string, CountedUsage>): void {
		const amounts = rows.map(({ row }) => {
			const id = row.request_id;
			const stored = inserted.has(id) ? row : others.get(id);
			if (!stored) throw new Error("D1 neither took a settlement nor has it");
			return { row, stored };
		});
		this.#book.store(slots);
		for (const { row, stored } of amounts) {
			this.#pending.subtractRow(row);
			this.#stored.addRow(stored);
		}
	}

	/** Folds when enough slots would come free by it. */
	foldIfWorthIt(nowMs: number): void {
		if (this.#book.foldable >= FOLD_SLOTS) this.fold(nowMs);
	}

	/** Writes down what the slots need not say any more, if anything. */
	fold(nowMs: number): void {
		if (this.#book.foldable === 0) return;
		const reach = this.#book.reach;
		this.#table.fold({ ...reach, minutes: this.day.buckets(nowMs), totals: this.#stored.rows() });
		this.#book.fold(reach);
	}

	/** Totals of everything settled so far. */
	totals(): NamedTotals[] {
		const totals = new UsageTotals(this.#stored.rows());
		totals.addAll(this.#pending.rows());
		return totals.rows();
	}

	/** Totals of what D1 has. */
	storedTotals(): NamedTotals[] {
		return this.#stored.rows();
	}

	/** The latest of what D1 may not have, newest first. */
	recentPending(limit: number): RecentUsage[] {
		const key = ({ createdAt, requestId }: Slot) => `${createdAt} ${requestId}`;
		let newest: Slot[] = [];
		const cut = () => {
			newest = newest.sort((a, b) => (key(a) > key(b) ? -1 : 1)).slice(0, limit);
		};
		for (const slot of this.#book.pending) {
			newest.push(slot);
			if (newest.length >= 10 * limit) cut();
		}
		cut();
		return newest.map(({ slot }) => {
			const { calls: _, ...shown } = this.#table.settlement(slot).usage;
			return shown;
		});
	}

	/** What counts of pending settlements behind a number, in pages: those that D1 may know otherwise. */
	doubtfulPage(after: number): PendingPage {
		const rows: CountedUsage[] = [];
		let bytes = 0;
		for (const { slot, settled, isDoubtful } of this.#book.pending) {
			if (!isDoubtful || settled === null || settled <= after) continue;
			const { request_id, mode, tokens, input_tokens, cost_nano_usd, calls } = this.#table.settlement(slot).usage;
			const row = { request_id, mode, tokens, input_tokens, cost_nano_usd, calls };
			bytes += JSON.stringify(row).length;
			if (rows.length > 0 && bytes > PAGE_BYTES) return { rows, next: settled - 1 };
			rows.push(row);
		}
		return { rows, next: null };
	}

	/** Ids of everything that D1 may or may not have a row of. */
	unsettledIds(): string[] {
		return [...this.#book.open, ...this.#book.pending].map(({ requestId }) => requestId);
	}
}
