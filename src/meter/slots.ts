// The bookkeeping of a meter's slots: which request stands in which, what D1 has of it, what has been folded into the totals,
// and which slot may take the next request. Pure; the object that owns the table writes each change before it is noted here.
//
// A slot's life: open (or closed at once, for a request that costs nothing) → released, or settled with the next settled
// number → D1 has its row (stored) → folded with every number up to its own → 60 seconds old → the next request's.

/** How long a closed slot still knows its request: the window of a minute, and calls that are repeated. */
export const KEPT_MS = 60_000;

export interface Slot {
	slot: number;
	requestId: string;
	/** Rises with every admission of the object. */
	admitted: number;
	atMs: number;
	countsTowardsDay: boolean;
	/** When an open reservation is settled at its bound; null in a closed slot. */
	expiresAtMs: number | null;
	closedAtMs: number | null;
	/** Rises with every settlement of the object; null without one. */
	settled: number | null;
	proofHash: string | null;
	/** D1 may have another row of this request: it was settled at its bound. */
	isDoubtful: boolean;
	/** Of the settled usage row. */
	createdAt: string | null;
}

/** How far the folded row reaches: every admission and settlement up to these numbers is in its counts. */
export interface FoldedUpTo {
	admitted: number;
	settled: number;
}

/** Where the next admission goes. */
export interface SlotPosition {
	slot: number;
	/** The slot held an earlier request, whose row is overwritten. */
	isReused: boolean;
	admitted: number;
}

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
	return set.values().next().value;
}

export class SlotBook {
	#byId = new Map<string, Slot>();
	#open = new Set<Slot>();
	/** Settled and perhaps not in D1, in the order of their numbers, as all sets below. */
	#pending = new Set<Slot>();
	#stored = new Set<Slot>();
	/** Closed: without a settlement, and folded. Both in the order in which they closed. */
	#unbilled = new Set<Slot>();
	#billed = new Set<Slot>();
	#folded: FoldedUpTo;
	#admitted: number;
	#settled: number;
	#slots = 0;
	#doubtful = 0;
	/** Unbilled slots closed since the last fold, most of which a fold would free. */
	#unbilledSinceFold = 0;

	/** From what is stored: what is settled and not folded counts as pending, whether D1 has it or not. */
	constructor(slots: readonly Slot[], folded: FoldedUpTo) {
		this.#folded = folded;
		this.#admitted = folded.admitted;
		this.#settled = folded.settled;
		const inOrder = slots.toSorted(
			(a, b) => (a.settled ?? 0) - (b.settled ?? 0) || (a.closedAtMs ?? 0) - (b.closedAtMs ?? 0),
		);
		for (const slot of inOrder) {
			this.#byId.set(slot.requestId, slot);
			this.#slots = Math.max(this.#slots, slot.slot);
			this.#admitted = Math.max(this.#admitted, slot.admitted);
			this.#settled = Math.max(this.#settled, slot.settled ?? 0);
			this.#file(slot);
		}
	}

	#file(slot: Slot): void {
		if (slot.closedAtMs === null) this.#open.add(slot);
		else if (slot.settled === null) {
			this.#unbilled.add(slot);
			if (slot.admitted > this.#folded.admitted) this.#unbilledSinceFold++;
		} else if (slot.settled <= this.#folded.settled) this.#billed.add(slot);
		else {
			this.#pending.add(slot);
			if (slot.isDoubtful) this.#doubtful++;
		}
	}

	find(requestId: string): Slot | undefined {
		return this.#byId.get(requestId);
	}

	/** The number that the next settlement gets. */
	get nextSettled(): number {
		return this.#settled + 1;
	}

	/** Slots whose reservation nobody has settled. */
	get open(): ReadonlySet<Slot> {
		return this.#open;
	}

	/** Settled slots that D1 may not have, in the order of their settlement. */
	get pending(): ReadonlySet<Slot> {
		return this.#pending;
	}

	/** Whether D1 may have other amounts for something pending. */
	get hasDoubtful(): boolean {
		return this.#doubtful > 0;
	}

	/** Slots settled and not folded: after a crash they go to D1 again. */
	get unfolded(): number {
		return this.#pending.size + this.#stored.size;
	}

	/** About how many slots a fold would make free for others. */
	get foldable(): number {
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
		if (!slot || slot.admitted > this.#folded.admitted) return false;
		return slot.closedAtMs !== null && slot.closedAtMs <= nowMs - KEPT_MS;
	}

	/** A place for the next admission: of a request that is folded and a minute gone, else a new one. */
	place(nowMs: number): SlotPosition {
		const admitted = this.#admitted + 1;
		for (const set of [this.#billed, this.#unbilled]) {
			const oldest = firstOf(set);
			if (this.#isFree(oldest, nowMs)) return { slot: oldest.slot, isReused: true, admitted };
		}
		return { slot: this.#slots + 1, isReused: false, admitted };
	}

	/** Notes an admission that has been written to its place. */
	admitTo(place: SlotPosition, slot: Slot): void {
		if (place.isReused) {
			const former = firstOf(this.#billed)?.slot === place.slot ? this.#billed : this.#unbilled;
			const oldest = firstOf(former);
			if (!oldest) throw new Error("a slot that is reused is the oldest of its kind");
			former.delete(oldest);
			this.#byId.delete(oldest.requestId);
		}
		this.#slots = Math.max(this.#slots, slot.slot);
		this.#admitted = slot.admitted;
		this.#byId.set(slot.requestId, slot);
		this.#file(slot);
	}

	/** Notes that a reservation holds until another time. */
	extend(slot: Slot, expiresAtMs: number): void {
		slot.expiresAtMs = expiresAtMs;
	}

	/** Notes the end of an open slot: released, or settled with the next number. */
	close(slot: Slot, ending: Pick<Slot, "closedAtMs" | "settled" | "proofHash" | "isDoubtful" | "createdAt">): void {
		this.#open.delete(slot);
		Object.assign(slot, ending, { expiresAtMs: null });
		this.#settled = Math.max(this.#settled, slot.settled ?? 0);
		this.#file(slot);
	}

	/** Notes that D1 has these, which are the first pending ones. */
	store(slots: readonly Slot[]): void {
		for (const slot of slots) {
			if (firstOf(this.#pending) !== slot) throw new Error("settlements come to D1 in the order of their numbers");
			this.#pending.delete(slot);
			this.#stored.add(slot);
			if (slot.isDoubtful) this.#doubtful--;
		}
	}

	/** How far a fold now reaches: every admission, and every settlement that D1 has. */
	get reach(): FoldedUpTo {
		let settled = this.#folded.settled;
		for (const slot of this.#stored) settled = Math.max(settled, slot.settled ?? 0);
		return { admitted: this.#admitted, settled };
	}

	/** Notes a fold that has been written. */
	fold(reach: FoldedUpTo): void {
		this.#folded = reach;
		this.#unbilledSinceFold = 0;
		for (const slot of this.#stored) this.#billed.add(slot);
		this.#stored.clear();
	}
}
