// The requests of a meter's user: slots and the folded row in SQLite, and the windows and totals that follow from them in memory.
// Synchronous. Every method writes first and changes memory afterwards, so that a write that throws changes nothing.
//
// Crash order. Settlements go to D1 in the order of their numbers. What D1 has is counted in memory, with D1's amounts. The fold
// writes these totals in one row, with the number that they reach. An object may die between the two, or before D1's answer.
// It then wakes with the same settlements unfolded and sends them again. D1 keeps the rows it has, so nothing counts twice.
import { compareNewestFirst, type PagePart } from "../http/list-page.ts";
import { firstBatch, type OutgoingRow } from "./flush-batch.ts";
import { latestFoldedMs } from "./folded.ts";
import type { BudgetStatus, KeyBudget, KeyCosts } from "./key-budget.ts";
import { KeyLedger } from "./key-ledger.ts";
import { KeyWindows } from "./key-windows.ts";
import { isInRequestRange, type ListedRequest, type RequestPageQuery, selectRequests } from "./request-page.ts";
import { DayWindow, MINUTE_MS, MinuteWindow } from "./rolling-window.ts";
import { type RollupPart, toRollupParts } from "./rollup.ts";
import type { OpenHold, RecentUsage, Reservation, Settlement, UsageRow } from "./settlement.ts";
import { SlotTable } from "./slot-table.edge.ts";
import { type Slot, SlotIndex } from "./slots.ts";
import { type CountedUsage, type NamedTotals, UsageTotals } from "./usage-totals.ts";

/** A fold frees at least this many slots, so that its one row adds little to the cost of a request. */
const FOLD_SLOTS = 32;

/** Size of one page of a paged read. A larger row makes a page of its own. */
const PAGE_BYTES = 4_000_000;

/** A page of usage that is settled, and perhaps not in D1. */
export interface PendingPage<Row = CountedUsage> {
	rows: Row[];
	/** Where the next page starts; null on the last page. */
	next: number | null;
}

/** A request that is admitted. Its key's budget is only needed with a reservation. */
export type AdmittedRequest = Pick<Slot, "requestId" | "countsTowardsDay" | "limitedKeyId" | "keyBudget"> & {
	budgetKeyId: string;
};

/** Pending settlements and their slots. */
interface FlushBatch {
	slots: Slot[];
	rows: OutgoingRow[];
}

export class MeterState {
	readonly minute: MinuteWindow;
	readonly day: DayWindow;
	/** Of keys that have limits of their own. */
	readonly keys: KeyWindows;
	#ledger: KeyLedger;
	#table: SlotTable;
	#index: SlotIndex;
	/** Of the settlements that D1 has, folded or not. */
	#stored: UsageTotals;
	#pending = new UsageTotals();
	#retiredBudgets: Set<string>;
	/** The latest time that anything was recorded at. */
	#latestMs = 0;

	/** @param retiredBudgets those of which all keys are revoked. */
	constructor(sql: SqlStorage, nowMs: number, retiredBudgets: Iterable<string> = []) {
		this.#retiredBudgets = new Set(retiredBudgets);
		this.#table = new SlotTable(sql);
		let folded = this.#table.folded();
		let slots = this.#table.slots();
		for (const { atMs, closedAtMs } of slots) this.#latestMs = Math.max(this.#latestMs, atMs, closedAtMs ?? 0);
		this.#latestMs = Math.max(this.#latestMs, latestFoldedMs(folded));
		if (this.#wentBack(nowMs)) {
			this.#table.rewind(nowMs);
			folded = this.#table.folded();
			slots = this.#table.slots();
		}
		this.#index = new SlotIndex(slots, folded);
		this.#stored = new UsageTotals(folded.totals);
		this.minute = new MinuteWindow();
		this.day = new DayWindow(folded.minutes);
		this.keys = new KeyWindows(folded.keyMinutes);
		for (const slot of slots.toSorted((a, b) => a.admissionSeq - b.admissionSeq))
			this.#count(slot, {
				isInMinute: slot.atMs > nowMs - MINUTE_MS,
				isInDay: slot.admissionSeq > folded.admissionSeq,
			});
		for (const { slot } of this.#index.pending) this.#pending.addRow(this.#table.settlement(slot).usage);
		this.#ledger = new KeyLedger(folded.keySpending, slots, this.#index.pending);
	}

	/** Follows the clock. Whether it went back so far that what is recorded would hold for longer than a window. */
	#wentBack(nowMs: number): boolean {
		const wentBack = this.#latestMs - nowMs >= MINUTE_MS;
		this.#latestMs = wentBack ? nowMs : Math.max(this.#latestMs, nowMs);
		return wentBack;
	}

	/**
	 * To be called before a request is admitted. A clock that was ahead by hours has recorded admissions and expiries that lie
	 * hours ahead. They are brought to now, so that they hold for one window from now. Budgets keep the day that they are booked on.
	 * @returns whether that was so: then the first expiry is another.
	 */
	followClock(nowMs: number): boolean {
		if (!this.#wentBack(nowMs)) return false;
		this.#table.rewind(nowMs);
		this.#index.rewind(nowMs);
		return true;
	}

	/** Adds an admission to the windows of its user, and of its key if that has limits. */
	#count(
		{ atMs, countsTowardsDay, limitedKeyId }: Slot,
		{ isInMinute, isInDay }: { isInMinute: boolean; isInDay: boolean },
	): void {
		const windows = limitedKeyId === null ? [this] : [this, this.keys.windowsFor(limitedKeyId)];
		for (const { minute, day } of windows) {
			if (isInMinute) minute.add(atMs);
			if (isInDay && countsTowardsDay) day.add(atMs);
		}
	}

	get earliestExpiryMs(): number | null {
		return this.#index.earliestExpiryMs;
	}

	/** Whether any settlement is not folded: only this object may know of it. */
	get hasUnfolded(): boolean {
		return this.#index.unfoldedCount > 0;
	}

	/** Whether D1 may have other amounts for a pending settlement. */
	get hasDoubtful(): boolean {
		return this.#index.hasDoubtful;
	}

	find(requestId: string): Slot | undefined {
		return this.#index.find(requestId);
	}

	/** Stores an admission and counts it. */
	admit(
		{ requestId, countsTowardsDay, limitedKeyId, budgetKeyId, keyBudget }: AdmittedRequest,
		reservation: Reservation | null,
		nowMs: number,
	): void {
		const position = this.#index.nextPosition(nowMs);
		const slot: Slot = {
			slot: position.slot,
			requestId,
			admissionSeq: position.admissionSeq,
			atMs: nowMs,
			countsTowardsDay,
			limitedKeyId,
			expiresAtMs: reservation?.expiresAtMs ?? null,
			closedAtMs: reservation ? null : nowMs,
			settlementSeq: null,
			proofHash: null,
			isDoubtful: false,
			createdAt: null,
			budgetKeyId: reservation ? budgetKeyId : null,
			bookedDay: reservation ? this.#ledger.today(nowMs) : 0,
			nanoUsd: reservation?.holdNanoUsd ?? 0,
			keyBudget: reservation ? keyBudget : null,
		};
		this.#table.admit(slot, position.isReused, reservation);
		this.#index.admit(position, slot);
		this.#count(slot, { isInMinute: true, isInDay: true });
	}

	/** Replaces a reservation. One that holds more is booked on today, because only today's period can be asked for more. */
	extend(slot: Slot, reservation: Reservation, nowMs: number): void {
		const { expiresAtMs, holdNanoUsd: nanoUsd } = reservation;
		const bookedDay = nanoUsd > slot.nanoUsd ? this.#ledger.today(nowMs) : slot.bookedDay;
		this.#table.extend(slot.slot, reservation, { bookedDay, nanoUsd });
		this.#index.extend(slot, { expiresAtMs, bookedDay, nanoUsd });
	}

	/** A key's budget now. @param except an open request that does not count, because it is to hold another amount. */
	budgetStatus(budgetKeyId: string, budget: KeyBudget, nowMs: number, except?: Slot): BudgetStatus {
		const { open } = this.#index;
		const others = except ? [...open].filter((slot) => slot !== except) : open;
		return this.#ledger.status(budgetKeyId, budget, others, nowMs);
	}

	/** What a key's requests have cost. */
	keyCosts(budgetKeyId: string, nowMs: number): KeyCosts {
		return this.#ledger.costs(budgetKeyId, nowMs);
	}

	/** The first day of a budget's current period. */
	budgetPeriodStart({ period }: KeyBudget, nowMs: number): number {
		return this.#ledger.periodStart(period, nowMs);
	}

	/** @param isDoubtful D1 may have another settlement of the request. */
	settle(slot: Slot, settlement: Settlement, nowMs: number, isDoubtful = false): void {
		const settlementSeq = this.#index.nextSettlementSeq;
		this.#table.settle(slot.slot, settlementSeq, nowMs, settlement, isDoubtful);
		const { proof_hash: proofHash } = settlement.receipt;
		const { created_at: createdAt, cost_nano_usd: nanoUsd } = settlement.usage;
		this.#index.close(slot, { closedAtMs: nowMs, settlementSeq, proofHash, isDoubtful, createdAt, nanoUsd });
		this.#pending.addRow(settlement.usage);
		this.#ledger.book(slot);
	}

	release(slot: Slot, nowMs: number): void {
		this.#table.release(slot.slot, nowMs);
		this.#index.close(slot, {
			closedAtMs: nowMs,
			settlementSeq: null,
			proofHash: null,
			isDoubtful: false,
			createdAt: null,
			nanoUsd: 0,
		});
	}

	/** Open slots whose reservation has expired. */
	expiredSlots(nowMs: number): Slot[] {
		return [...this.#index.open].filter((slot) => slot.expiresAtMs !== null && slot.expiresAtMs <= nowMs);
	}

	reservation({ slot }: Slot): Reservation {
		return this.#table.reservation(slot);
	}

	openIds(): string[] {
		return [...this.#index.open].map(({ requestId }) => requestId);
	}

	holds(): OpenHold[] {
		return this.#table.holds([...this.#index.open].map(({ slot }) => slot));
	}

	settlement(slot: Slot): Settlement | null {
		return slot.settlementSeq === null ? null : this.#table.settlement(slot.slot);
	}

	/** The next settlements for D1: as many as fit in one statement. */
	nextBatch(): FlushBatch {
		const slots: Slot[] = [];
		const table = this.#table;
		const pending = this.#index.pending;
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
	 * Records that D1 has settlements, and counts them with the amounts in D1.
	 * @param inserted ids whose rows are ours.
	 * @param others what D1 has under the other ids.
	 */
	markStored(
		{ slots, rows }: FlushBatch,
		inserted: ReadonlySet<string>,
		others: ReadonlyMap<string, CountedUsage>,
	): void {
		const amounts = rows.map(({ row }) => {
			const id = row.request_id;
			const stored = inserted.has(id) ? row : others.get(id);
			if (!stored) throw new Error("D1 neither took a settlement nor has it");
			return { row, stored };
		});
		this.#index.store(slots);
		for (const slot of slots) this.#ledger.store(slot);
		for (const { row, stored } of amounts) {
			this.#pending.subtractRow(row);
			this.#stored.addRow(stored);
		}
	}

	/** Folds when that frees enough slots. */
	foldIfWorthIt(nowMs: number): void {
		if (this.#index.foldableCount >= FOLD_SLOTS) this.fold(nowMs);
	}

	/** Writes the folded row, if that frees any slot. */
	fold(nowMs: number): void {
		if (this.#index.foldableCount === 0) return;
		const position = this.#index.nextFold;
		const minutes = this.day.buckets(nowMs);
		const keyMinutes = this.keys.foldedMinutes(nowMs);
		const totals = this.#stored.rows();
		const isOver = this.#toRetiredTest();
		this.#table.fold({ ...position, minutes, keyMinutes, totals, keySpending: this.#ledger.pack(isOver) });
		this.#index.fold(position);
		this.#ledger.forget(isOver);
	}

	/** Whether all keys of a budget are revoked, and no open request of theirs is left that might need its sums. */
	#toRetiredTest(): (budgetKeyId: string) => boolean {
		const open = new Set([...this.#index.open].map(({ budgetKeyId }) => budgetKeyId));
		return (budgetKeyId) => this.#retiredBudgets.has(budgetKeyId) && !open.has(budgetKeyId);
	}

	/** Leaves the sums of a budget out of the next fold that finds no open request on it. All of its keys are revoked. */
	retireBudget(budgetKeyId: string): void {
		this.#retiredBudgets.add(budgetKeyId);
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

	/** The latest usage that D1 may not have, newest first. */
	recentPending(limit: number): RecentUsage[] {
		const key = ({ createdAt, requestId }: Slot) => `${createdAt} ${requestId}`;
		let newest: Slot[] = [];
		const keepNewest = () => {
			newest = newest.sort((a, b) => (key(a) > key(b) ? -1 : 1)).slice(0, limit);
		};
		for (const slot of this.#index.pending) {
			newest.push(slot);
			if (newest.length >= 10 * limit) keepNewest();
		}
		keepNewest();
		return newest.map(({ slot }) => {
			const { calls: _, ...recent } = this.#table.settlement(slot).usage;
			return recent;
		});
	}

	/** The requests of a page among those that D1 may not have. */
	pendingRequests(query: RequestPageQuery): PagePart<ListedRequest> {
		const inRange = [...this.#index.pending].flatMap(({ slot, requestId: id, createdAt }) => {
			const position = { created_at: createdAt ?? "", id };
			return isInRequestRange(position, query) ? [{ slot, position }] : [];
		});
		inRange.sort((a, b) => compareNewestFirst(a.position, b.position));
		const table = this.#table;
		const settlements = function* () {
			for (const { slot } of inRange) yield table.settlement(slot);
		};
		return selectRequests(settlements(), query);
	}

	/** One page of pending usage behind a settlement number. */
	#usagePage<Row>(after: number, isWanted: (slot: Slot) => boolean, toRow: (usage: UsageRow) => Row): PendingPage<Row> {
		const rows: Row[] = [];
		let bytes = 0;
		for (const slot of this.#index.pending) {
			const { settlementSeq } = slot;
			if (settlementSeq === null || settlementSeq <= after || !isWanted(slot)) continue;
			const row = toRow(this.#table.settlement(slot.slot).usage);
			bytes += JSON.stringify(row).length;
			if (rows.length > 0 && bytes > PAGE_BYTES) return { rows, next: settlementSeq - 1 };
			rows.push(row);
		}
		return { rows, next: null };
	}

	/** Pending usage that D1 may have with other amounts, behind a settlement number: one page. */
	doubtfulPage(after: number): PendingPage {
		return this.#usagePage(
			after,
			({ isDoubtful }) => isDoubtful,
			({ request_id, mode, tokens, input_tokens, cost_nano_usd, calls }) => ({
				request_id,
				mode,
				tokens,
				input_tokens,
				cost_nano_usd,
				calls,
			}),
		);
	}

	/** What each pending settlement adds to the rollup in D1, behind a settlement number: one page. */
	pendingPage(after: number): PendingPage<RollupPart[]> {
		return this.#usagePage(after, () => true, toRollupParts);
	}

	/** Ids of open and pending requests: D1 may have a row of them or not. */
	uncountedIds(): string[] {
		return [...this.#index.open, ...this.#index.pending].map(({ requestId }) => requestId);
	}
}
