// An in-memory index of a meter's slots: which request has which slot, what D1 has stored of it, what is folded into the totals,
// and which slot the next request may take. Pure; the owner of the table writes each change before it is recorded here.
//
// A slot's life: open, or closed at once when the request costs nothing → released, or settled under the next settlement number
// → stored: D1 has its row → folded together with all lower numbers → 60 seconds old → reused for another request.
import type { MeteredBudget } from "./key-budget.ts";

/** How long a closed slot still belongs to its request: for the minute window, and for repeated calls. */
export const RETENTION_MS = 60_000;

/** The part of a slot that counts towards its key's budget. */
export interface BudgetShare {
	/** The key that it is booked on; null in a request that can cost nothing. */
	budgetKeyId: string | null;
	/** The day in UTC on which it was reserved. Its period is the one that this day is in. */
	bookedDay: number;
	/** What an open request holds, then what it has cost. */
	nanoUsd: number;
	/** As it was when the request was admitted; null without one. */
	keyBudget: MeteredBudget | null;
}

export interface Slot extends BudgetShare {
	slot: number;
	requestId: string;
	/** Rises with every admission of the object. */
	admissionSeq: number;
	atMs: number;
	countsTowardsDay: boolean;
	/** The key, if it has limits of its own, which then count the request too. */
	limitedKeyId: string | null;
	/** When an open reservation is settled at its bound; null in a closed slot. */
	expiresAtMs: number | null;
	closedAtMs: number | null;
	/** Rises with every settlement of the object; null without one. */
	settlementSeq: number | null;
	proofHash: string | null;
	/** D1 may have another row of this request, because it was settled at its bound. */
	isDoubtful: boolean;
	/** Of the settled usage row. */
	createdAt: string | null;
}

/** How far a fold reaches: its row counts every admission and settlement up to these numbers. */
export interface FoldPosition {
	admissionSeq: number;
	settlementSeq: number;
}

/** The place of the next admission. */
interface SlotPosition {
	slot: number;
	/** The slot held another request, whose row is overwritten. */
	isReused: boolean;
	admissionSeq: number;
}

function firstInSet<T>(set: ReadonlySet<T>): T | undefined {
	return set.values().next().value;
}

export class SlotIndex {
	#byId = new Map<string, Slot>();
	#open = new Set<Slot>();
	/** Settled, and perhaps not in D1. In the order of settlement, as all sets below. */
	#pending = new Set<Slot>();
	#stored = new Set<Slot>();
	/** Closed without a settlement, in the order of closing. */
	#unbilled = new Set<Slot>();
	/** Settled and folded, in the order of closing. */
	#billed = new Set<Slot>();
	#folded: FoldPosition;
	#admissionSeq: number;
	#settlementSeq: number;
	#slotCount = 0;
	#doubtfulCount = 0;
	/** Unbilled slots closed since the last fold. The next fold frees most of them. */
	#unbilledSinceFold = 0;

	/** Reads what is stored. What is settled and not folded counts as pending, whether D1 has it or not. */
	constructor(slots: readonly Slot[], folded: FoldPosition) {
		this.#folded = folded;
		this.#admissionSeq = folded.admissionSeq;
		this.#settlementSeq = folded.settlementSeq;
		const inOrder = slots.toSorted(
			(a, b) => (a.settlementSeq ?? 0) - (b.settlementSeq ?? 0) || (a.closedAtMs ?? 0) - (b.closedAtMs ?? 0),
		);
		for (const slot of inOrder) {
			this.#byId.set(slot.requestId, slot);
			this.#slotCount = Math.max(this.#slotCount, slot.slot);
			this.#admissionSeq = Math.max(this.#admissionSeq, slot.admissionSeq);
			this.#settlementSeq = Math.max(this.#settlementSeq, slot.settlementSeq ?? 0);
			this.#classify(slot);
		}
	}

	#classify(slot: Slot): void {
		if (slot.closedAtMs === null) this.#open.add(slot);
		else if (slot.settlementSeq === null) {
			this.#unbilled.add(slot);
			if (slot.admissionSeq > this.#folded.admissionSeq) this.#unbilledSinceFold++;
		} else if (slot.settlementSeq <= this.#folded.settlementSeq) this.#billed.add(slot);
		else {
			this.#pending.add(slot);
			if (slot.isDoubtful) this.#doubtfulCount++;
		}
	}

	find(requestId: string): Slot | undefined {
		return this.#byId.get(requestId);
	}

	/** The number of the next settlement. */
	get nextSettlementSeq(): number {
		return this.#settlementSeq + 1;
	}

	/** Slots whose reservation is not settled. */
	get open(): ReadonlySet<Slot> {
		return this.#open;
	}

	/** Settled slots that D1 may not have, in the order of settlement. */
	get pending(): ReadonlySet<Slot> {
		return this.#pending;
	}

	/** Whether D1 may have other amounts for a pending slot. */
	get hasDoubtful(): boolean {
		return this.#doubtfulCount > 0;
	}

	/** How many slots are settled and not folded. After a crash they are sent to D1 again. */
	get unfoldedCount(): number {
		return this.#pending.size + this.#stored.size;
	}

	/** About how many slots a fold would free for reuse. */
	get foldableCount(): number {
		return this.#stored.size + this.#unbilledSinceFold;
	}

	/** When the first open reservation expires; null when none is open. */
	get earliestExpiryMs(): number | null {
		let earliest: number | null = null;
		for (const { expiresAtMs } of this.#open) {
			if (expiresAtMs !== null && (earliest === null || expiresAtMs < earliest)) earliest = expiresAtMs;
		}
		return earliest;
	}

	#isFree(slot: Slot | undefined, nowMs: number): slot is Slot {
		if (!slot || slot.admissionSeq > this.#folded.admissionSeq) return false;
		return slot.closedAtMs !== null && slot.closedAtMs <= nowMs - RETENTION_MS;
	}

	/** The place of the next admission: the slot of a request that is folded and closed for a minute, else a new slot. */
	nextPosition(nowMs: number): SlotPosition {
		const admissionSeq = this.#admissionSeq + 1;
		for (const set of [this.#billed, this.#unbilled]) {
			const oldest = firstInSet(set);
			if (this.#isFree(oldest, nowMs)) return { slot: oldest.slot, isReused: true, admissionSeq };
		}
		return { slot: this.#slotCount + 1, isReused: false, admissionSeq };
	}

	/** Records an admission that has been written to its place. */
	admit(position: SlotPosition, slot: Slot): void {
		if (position.isReused) {
			const former = firstInSet(this.#billed)?.slot === position.slot ? this.#billed : this.#unbilled;
			const oldest = firstInSet(former);
			if (!oldest) throw new Error("a slot that is reused is the oldest of its kind");
			former.delete(oldest);
			this.#byId.delete(oldest.requestId);
		}
		this.#slotCount = Math.max(this.#slotCount, slot.slot);
		this.#admissionSeq = slot.admissionSeq;
		this.#byId.set(slot.requestId, slot);
		this.#classify(slot);
	}

	/** Records that the table was brought to now. */
	rewind(nowMs: number): void {
		for (const slot of this.#byId.values()) {
			if (slot.expiresAtMs !== null) slot.expiresAtMs -= Math.max(0, slot.atMs - nowMs);
			if (slot.closedAtMs !== null) slot.closedAtMs = Math.min(slot.closedAtMs, nowMs);
			slot.atMs = Math.min(slot.atMs, nowMs);
		}
	}

	/** Records that a reservation expires at another time, and holds another amount. */
	extend(slot: Slot, changed: Pick<Slot, "expiresAtMs" | "bookedDay" | "nanoUsd">): void {
		Object.assign(slot, changed);
	}

	/** Records the end of an open slot: released, or settled under the next number. */
	close(
		slot: Slot,
		ending: Pick<Slot, "closedAtMs" | "settlementSeq" | "proofHash" | "isDoubtful" | "createdAt" | "nanoUsd">,
	): void {
		this.#open.delete(slot);
		Object.assign(slot, ending, { expiresAtMs: null });
		this.#settlementSeq = Math.max(this.#settlementSeq, slot.settlementSeq ?? 0);
		this.#classify(slot);
	}

	/** Records that D1 has these slots, which are the first pending ones. */
	store(slots: readonly Slot[]): void {
		for (const slot of slots) {
			if (firstInSet(this.#pending) !== slot) throw new Error("settlements come to D1 in the order of their numbers");
			this.#pending.delete(slot);
			this.#stored.add(slot);
			if (slot.isDoubtful) this.#doubtfulCount--;
		}
	}

	/** How far a fold would reach now: every admission, and every settlement that D1 has. */
	get nextFold(): FoldPosition {
		let settlementSeq = this.#folded.settlementSeq;
		for (const slot of this.#stored) settlementSeq = Math.max(settlementSeq, slot.settlementSeq ?? 0);
		return { admissionSeq: this.#admissionSeq, settlementSeq };
	}

	/** Records a fold that has been written. */
	fold(position: FoldPosition): void {
		this.#folded = position;
		this.#unbilledSinceFold = 0;
		for (const slot of this.#stored) this.#billed.add(slot);
		this.#stored.clear();
	}
}
