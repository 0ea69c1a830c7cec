// The bookkeeping of slots against what a list of requests says.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packMinutes, unpackMinutes } from "../../../src/meter/folded.ts";
import { type FoldPosition, RETENTION_MS, type Slot, SlotIndex } from "../../../src/meter/slots.ts";

/** A book with what would be in its tables, so that it can be forgotten and read again. */
class Stored {
	rows = new Map<number, Slot>();
	folded: FoldPosition = { admissionSeq: 0, settlementSeq: 0 };
	book = new SlotIndex([], this.folded);
	/** Ids in order of settlement, and how many of them D1 has. */
	settled: string[] = [];
	inD1 = 0;

	admit(requestId: string, nowMs: number, expiresAtMs: number | null): Slot {
		const place = this.book.nextPosition(nowMs);
		const former = this.rows.get(place.slot);
		expect(place.isReused).toBe(former !== undefined);
		if (former) {
			expect(former.closedAtMs, "open").not.toBeNull();
			expect(nowMs - (former.closedAtMs ?? nowMs), "young").toBeGreaterThanOrEqual(RETENTION_MS);
			expect(former.admissionSeq, "admission not folded").toBeLessThanOrEqual(this.folded.admissionSeq);
			expect(former.settlementSeq ?? 0, "settlement not folded").toBeLessThanOrEqual(this.folded.settlementSeq);
		}
		const slot: Slot = {
			slot: place.slot,
			requestId,
			admissionSeq: place.admissionSeq,
			atMs: nowMs,
			countsTowardsDay: true,
			limitedKeyId: null,
			expiresAtMs,
			closedAtMs: expiresAtMs === null ? nowMs : null,
			settlementSeq: null,
			proofHash: null,
			isDoubtful: false,
			createdAt: null,
			budgetKeyId: null,
			bookedDay: 0,
			nanoUsd: 0,
			keyBudget: null,
		};
		this.rows.set(place.slot, slot);
		this.book.admit(place, slot);
		return slot;
	}

	close(requestId: string, nowMs: number, isSettled: boolean): void {
		const slot = this.book.find(requestId);
		if (!slot || slot.closedAtMs !== null) return;
		const settled = isSettled ? this.book.nextSettlementSeq : null;
		if (isSettled) {
			expect(settled).toBe(this.settled.length + 1);
			this.settled.push(requestId);
		}
		this.book.close(slot, {
			closedAtMs: nowMs,
			settlementSeq: settled,
			proofHash: null,
			isDoubtful: isSettled,
			createdAt: "",
			nanoUsd: 0,
		});
	}

	flush(most: number): void {
		const slots = [...this.book.pending].slice(0, most);
		expect(slots.map(({ requestId }) => requestId)).toEqual(this.settled.slice(this.inD1, this.inD1 + slots.length));
		this.book.store(slots);
		this.inD1 += slots.length;
	}

	fold(): void {
		const { nextFold: reach } = this.book;
		expect(reach.settlementSeq).toBe(this.inD1);
		this.folded = reach;
		this.book.fold(reach);
		expect(this.book.foldableCount).toBe(0);
	}

	crash(): void {
		const rows = [...this.rows.values()].map((slot) => ({ ...slot }));
		for (const row of rows) this.rows.set(row.slot, row);
		this.book = new SlotIndex(rows, this.folded);
		this.inD1 = this.folded.settlementSeq;
	}
}

interface Run {
	stored: Stored;
	nowMs: number;
	ids: string[];
}
type Move = (run: Run) => void;

const aMove: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.boolean().map(
			(isOpen): Move =>
				(run) => {
					const id = `r${run.ids.length}`;
					run.ids.push(id);
					run.stored.admit(id, run.nowMs, isOpen ? run.nowMs + 600_000 : null);
				},
		),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(fc.nat(), fc.boolean()).map(
			([which, isSettled]): Move =>
				(run) => {
					const id = run.ids[which % Math.max(1, run.ids.length)];
					if (id !== undefined) run.stored.close(id, run.nowMs, isSettled);
				},
		),
	},
	{
		weight: 2,
		arbitrary: fc.integer({ min: 0, max: 5 }).map(
			(most): Move =>
				({ stored }) =>
					stored.flush(most),
		),
	},
	{
		weight: 2,
		arbitrary: fc.integer({ min: 0, max: 40_000 }).map(
			(ms): Move =>
				(run) => {
					run.nowMs += ms;
				},
		),
	},
	{ weight: 1, arbitrary: fc.constant<Move>(({ stored }) => stored.fold()) },
	{ weight: 1, arbitrary: fc.constant<Move>(({ stored }) => stored.crash()) },
);

function expectConsistent({ book, settled, inD1, folded, rows }: Stored): void {
	expect(book.pending.size).toBe(settled.length - inD1);
	expect(book.unfoldedCount).toBe(settled.length - folded.settlementSeq);
	expect(book.hasDoubtful).toBe(book.pending.size > 0);
	const open = [...rows.values()].filter(({ closedAtMs }) => closedAtMs === null);
	expect(book.open.size).toBe(open.length);
	const expiries = open.map(({ expiresAtMs }) => expiresAtMs ?? 0);
	expect(book.earliestExpiryMs).toBe(open.length === 0 ? null : Math.min(...expiries));
}

describe("slots", () => {
	it("are used again only when they are closed, folded and a minute old, whatever happens in between", () => {
		const property = fc.property(fc.array(aMove, { maxLength: 120 }), (moves) => {
			const run: Run = { stored: new Stored(), nowMs: 1_000_000, ids: [] };
			for (const move of moves) {
				run.nowMs++;
				move(run);
				expectConsistent(run.stored);
			}
		});
		fc.assert(property, { numRuns: 300 });
	});

	it("stay as many as a minute's requests, when all is folded", () => {
		const stored = new Stored();
		for (let n = 0; n < 1_000; n++) {
			const now = n * 1_000;
			stored.admit(`r${n}`, now, now + 600_000);
			stored.close(`r${n}`, now, true);
			stored.flush(1);
			stored.fold();
		}
		expect(stored.rows.size).toBeLessThanOrEqual(62);
	});

	it("go to D1 in the order in which they were settled, and in no other", () => {
		const stored = new Stored();
		const [first, second] = ["a", "b"].map((id) => stored.admit(id, 1, 2));
		for (const id of ["a", "b"]) stored.close(id, 1, true);
		expect(() => second && stored.book.store([second])).toThrow("order");
		if (first && second) stored.book.store([first, second]);
		expect(stored.book.pending.size).toBe(0);
	});
});

describe("packed minutes", () => {
	it("are the minutes that were packed", () => {
		const minutes = fc.uniqueArray(
			fc.tuple(fc.integer({ min: 28_000_000, max: 28_003_000 }), fc.integer({ min: 1, max: 1_000 })),
			{ selector: ([minute]) => minute, maxLength: 50 },
		);
		fc.assert(
			fc.property(minutes, (given) => {
				const sorted = given.toSorted(([a], [b]) => a - b);
				expect(unpackMinutes(packMinutes(given))).toEqual(sorted);
			}),
		);
	});
});
