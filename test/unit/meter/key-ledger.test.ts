// The budgets of keys under random interleavings of reservations, settlements, restarts and days, against a list of requests: what
// is spent and held in a period never passes its budget, and is the sum of its requests to the nano-dollar.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reachedThresholds } from "../../../src/meter/budget-alerts.ts";
import { BUDGET_PERIODS, type BudgetPeriod, periodStart, toUtcDay } from "../../../src/meter/budget-period.ts";
import { budgetLeftNanoUsd, type KeyBudget } from "../../../src/meter/key-budget.ts";
import { type BudgetShare, KeyLedger } from "../../../src/meter/key-ledger.ts";
import { KeySpending, type PackedSums } from "../../../src/meter/key-spending.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.parse("2026-11-21T12:00:00Z");

interface Request extends BudgetShare {
	state: "open" | "settled" | "folded";
}

/** A meter's ledger with what is in its tables, so that it can be forgotten and read again. */
class Books {
	nowMs = START_MS;
	requests: Request[] = [];
	/** The rows of the fold. */
	rows = new Map<string, PackedSums>();
	ledger = new KeyLedger([], [], []);
	readonly budget: KeyBudget;

	constructor(budget: KeyBudget) {
		this.budget = budget;
	}

	open(): Request[] {
		return this.requests.filter(({ state }) => state === "open");
	}

	status(keyId: string) {
		return this.ledger.status(keyId, this.budget, this.open(), this.nowMs);
	}

	admit(keyId: string, boundNanoUsd: number): void {
		if (boundNanoUsd > budgetLeftNanoUsd(this.status(keyId))) return;
		const bookedDay = this.ledger.today(this.nowMs);
		const share = { budgetKeyId: keyId, bookedDay, nanoUsd: boundNanoUsd, keyBudget: this.budget };
		this.requests.push({ ...share, state: "open" });
	}

	/** Settles the oldest open request: with some of what it holds, or with all of it when it has expired. */
	settle(costNanoUsd: number): void {
		const request = this.open()[0];
		if (!request) return;
		Object.assign(request, { state: "settled", nanoUsd: Math.min(costNanoUsd, request.nanoUsd) });
		this.ledger.book(request);
	}

	/** @returns the keys whose rows were looked at. */
	fold(isOver: (keyId: string) => boolean = () => false): string[] {
		const packed = this.ledger.packChanged(isOver);
		for (const [keyId, sums] of packed) {
			if (sums) this.rows.set(keyId, [...sums]);
			else this.rows.delete(keyId);
		}
		this.ledger.folded(isOver);
		for (const request of this.requests) if (request.state === "settled") request.state = "folded";
		return packed.map(([keyId]) => keyId);
	}

	restart(): void {
		const settled = this.requests.filter(({ state }) => state === "settled");
		this.ledger = new KeyLedger(this.rows, this.open(), settled);
	}

	/** What the list says: the sum of the requests of the key in the current period. */
	sum(keyId: string, isOpen: boolean): number {
		const { period } = this.budget;
		const start = periodStart(period, this.ledger.today(this.nowMs));
		return this.requests
			.filter(({ budgetKeyId, bookedDay }) => budgetKeyId === keyId && periodStart(period, bookedDay) === start)
			.filter(({ state }) => (state === "open") === isOpen)
			.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
	}

	/** The most that the key has spent in any period so far. */
	mostSpent(keyId: string): number {
		const sums = new Map<number, number>();
		for (const { budgetKeyId, bookedDay, nanoUsd } of this.requests) {
			if (budgetKeyId !== keyId) continue;
			const start = periodStart(this.budget.period, bookedDay);
			sums.set(start, (sums.get(start) ?? 0) + nanoUsd);
		}
		return Math.max(0, ...sums.values());
	}
}

type Move = (books: Books) => void;
const amount = fc.integer({ min: 1, max: 400 });
const move: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.tuple(fc.constantFrom("key_a", "key_b"), amount).map(
			([keyId, bound]): Move =>
				(books) =>
					books.admit(keyId, bound),
		),
	},
	{
		weight: 5,
		arbitrary: amount.map(
			(cost): Move =>
				(books) =>
					books.settle(cost),
		),
	},
	fc.constant<Move>((books) => void books.fold()),
	fc.constant<Move>((books) => books.restart()),
	{
		weight: 2,
		arbitrary: fc.integer({ min: -DAY_MS, max: 20 * DAY_MS }).map(
			(ms): Move =>
				(books) => {
					books.nowMs += ms;
				},
		),
	},
);

describe("the costs of a key", () => {
	it("are those of its requests by day, month and in all, with the day of the latest, across restarts", () => {
		const books = new Books({ limitNanoUsd: 1_000, period: "total" });
		const costsOf = (keyId: string) => books.ledger.costs(keyId, books.nowMs);
		const none = { todayNanoUsd: 0, monthNanoUsd: 0, totalNanoUsd: 0, lastUsedOn: null };
		expect(costsOf("key_a")).toEqual(none);
		for (const [days, cost] of [
			[0, 30],
			[1, 7],
			[0, 5],
			[14, 100],
		] as const) {
			books.nowMs += days * DAY_MS;
			books.admit("key_a", cost);
			books.settle(cost);
		}
		books.nowMs += DAY_MS;
		books.fold();
		books.restart();
		expect(costsOf("key_a")).toEqual({ ...none, monthNanoUsd: 100, totalNanoUsd: 142, lastUsedOn: "2026-12-06" });
		expect(costsOf("key_b")).toEqual(none);
	});
});

describe("a budget", () => {
	it("is never passed, and is exact, whatever happens in whatever order", () => {
		const budgets = fc.record({
			limitNanoUsd: fc.integer({ min: 0, max: 2_000 }),
			period: fc.constantFrom<BudgetPeriod>(...BUDGET_PERIODS),
		});
		fc.assert(
			fc.property(budgets, fc.array(move, { maxLength: 80 }), (budget, moves) => {
				const books = new Books(budget);
				for (const change of moves) {
					change(books);
					for (const keyId of ["key_a", "key_b"]) {
						const { spentNanoUsd, heldNanoUsd } = books.status(keyId);
						expect(spentNanoUsd).toBe(books.sum(keyId, false));
						expect(heldNanoUsd).toBe(books.sum(keyId, true));
						expect(books.mostSpent(keyId)).toBeLessThanOrEqual(budget.limitNanoUsd);
					}
				}
			}),
			{ numRuns: 500 },
		);
	});

	it("books a request on the day of its reservation, even if it ends on another", () => {
		const books = new Books({ limitNanoUsd: 100, period: "day" });
		books.admit("key_a", 80);
		books.nowMs += DAY_MS;
		expect(books.status("key_a")).toMatchObject({ spentNanoUsd: 0, heldNanoUsd: 0 });
		books.settle(80);
		expect(books.status("key_a")).toMatchObject({ spentNanoUsd: 0, heldNanoUsd: 0 });
	});

	it("that is lowered below what is spent and held has nothing left", () => {
		const books = new Books({ limitNanoUsd: 100, period: "month" });
		books.admit("key_a", 60);
		books.admit("key_a", 30);
		books.settle(60);
		const lowered = books.ledger.status("key_a", { limitNanoUsd: 50, period: "month" }, books.open(), books.nowMs);
		expect(lowered).toMatchObject({ spentNanoUsd: 60, heldNanoUsd: 30 });
		expect(budgetLeftNanoUsd(lowered)).toBe(0);
	});

	it("keeps the sums of every period, whichever it has", () => {
		const spending = new KeySpending();
		const saturday = toUtcDay(START_MS);
		spending.book("key_a", saturday, 1);
		spending.book("key_a", saturday + 1, 10);
		spending.book("key_a", saturday, 100);
		spending.book("key_a", saturday + 2, 1_000);
		const today = saturday + 2;
		const sums = BUDGET_PERIODS.map((period) => spending.spentNanoUsd("key_a", period, today));
		expect(sums).toEqual([1_000, 1_000, 1_111, 1_111]);
		const read = new KeySpending([["key_a", JSON.parse(JSON.stringify(spending.pack("key_a")))]]);
		expect(spending.pack("key_b")).toBeNull();
		expect(BUDGET_PERIODS.map((period) => read.spentNanoUsd("key_a", period, today))).toEqual(sums);
		expect(read.spentNanoUsd("key_a", "month", today + 30)).toBe(0);
		expect(read.spentNanoUsd("key_a", "total", today + 30)).toBe(1_111);
	});

	it("is folded where something was booked on it, and only there", () => {
		const books = new Books({ limitNanoUsd: 100, period: "total" });
		books.admit("key_a", 40);
		expect(books.fold()).toEqual([]);
		books.settle(30);
		expect(books.fold()).toEqual(["key_a"]);
		expect(books.fold()).toEqual([]);
	});

	it("of which all keys are revoked leaves no row, and is forgotten", () => {
		const books = new Books({ limitNanoUsd: 100, period: "total" });
		for (const keyId of ["key_a", "key_b"]) {
			books.admit(keyId, 40);
			books.settle(30);
		}
		books.fold();
		const isOver = (keyId: string) => keyId === "key_a";
		books.ledger.touch("key_a");
		books.ledger.touch("key_c");
		expect(books.fold(isOver)).toEqual(["key_a"]);
		expect([...books.rows.keys()]).toEqual(["key_b"]);
		for (const restart of [false, true]) {
			if (restart) books.restart();
			expect([books.status("key_a").spentNanoUsd, books.status("key_b").spentNanoUsd]).toEqual([0, 30]);
		}
	});
});

describe("the thresholds of a budget", () => {
	const reached = (spentNanoUsd: number, limitNanoUsd = 1_000) =>
		reachedThresholds({ limitNanoUsd, period: "day", spentNanoUsd, heldNanoUsd: 0, resetsAt: null });

	it("are reached at half, four fifths and all of it, to the nano-dollar", () => {
		expect(reached(499)).toEqual([]);
		expect(reached(500)).toEqual([50]);
		expect(reached(799)).toEqual([50]);
		expect(reached(800)).toEqual([50, 80]);
		expect(reached(999)).toEqual([50, 80]);
		expect(reached(1_000)).toEqual([50, 80, 100]);
		expect(reached(0, 0)).toEqual([]);
	});
});
