// What the requests of each key have cost, by day, week, month and in total. Pure.
//
// A cost belongs to the day on which its request was reserved, and counts in each period that this day is in. Days only rise, so
// the sums of the latest day's periods are enough.
import { BUDGET_PERIODS, type BudgetPeriod, periodStart } from "./budget-period.ts";

/** The latest day of a key, and the sums of the periods that it is in. */
interface SpentSums extends Record<BudgetPeriod, number> {
	latestDay: number;
}

/** The latest day of a key, and its sums in the order of BUDGET_PERIODS, nano-USD. */
export type PackedSums = number[];

const NOTHING_SPENT: SpentSums = { latestDay: 0, day: 0, week: 0, month: 0, total: 0 };

function isSamePeriod(period: BudgetPeriod, day: number, other: number): boolean {
	return day === other || periodStart(period, day) === periodStart(period, other);
}

export class KeySpending {
	#byKey = new Map<string, SpentSums>();

	constructor(packed: Iterable<readonly [string, PackedSums]> = []) {
		for (const [keyId, [latestDay = 0, day = 0, week = 0, month = 0, total = 0]] of packed)
			this.#byKey.set(keyId, { latestDay, day, week, month, total });
	}

	/** The latest day of any key; 0 before the first. */
	get latestDay(): number {
		let latest = 0;
		for (const { latestDay } of this.#byKey.values()) latest = Math.max(latest, latestDay);
		return latest;
	}

	/** Books a cost on a day. */
	book(keyId: string, day: number, nanoUsd: number): void {
		const sums = this.#byKey.get(keyId) ?? NOTHING_SPENT;
		const next = { ...sums, latestDay: Math.max(sums.latestDay, day) };
		for (const period of BUDGET_PERIODS) {
			if (!isSamePeriod(period, next.latestDay, sums.latestDay)) next[period] = 0;
			if (isSamePeriod(period, next.latestDay, day)) next[period] += nanoUsd;
		}
		this.#byKey.set(keyId, next);
	}

	/** What a key has spent in the period that a day is in. @param day none before the key's latest. */
	spentNanoUsd(keyId: string, period: BudgetPeriod, day: number): number {
		const sums = this.#byKey.get(keyId);
		return sums && isSamePeriod(period, sums.latestDay, day) ? sums[period] : 0;
	}

	/** The latest day on which a request of a key was booked; null where none was. */
	latestDayFor(keyId: string): number | null {
		return this.#byKey.get(keyId)?.latestDay ?? null;
	}

	/** Forgets a key whose sums nobody needs any more. */
	forget(keyId: string): void {
		this.#byKey.delete(keyId);
	}

	/** The sums of a key, for its row; null where nothing was booked. */
	pack(keyId: string): PackedSums | null {
		const sums = this.#byKey.get(keyId);
		return sums ? [sums.latestDay, ...BUDGET_PERIODS.map((period) => sums[period])] : null;
	}
}
