// The budgets of a user's keys: what each key has spent, and what its open requests hold. Pure; the clock is an argument.
import { type BudgetPeriod, periodEndsAt, periodStart, renderUtcDay, toUtcDay } from "./budget-period.ts";
import type { BudgetStatus, KeyBudget, KeyCosts, MeteredBudget } from "./key-budget.ts";
import { KeySpending, type PackedSums } from "./key-spending.ts";

/** The part of a request that counts towards its key's budget. */
export interface BudgetShare {
	/** The key that it is booked on. */
	budgetKeyId: string;
	/** The day in UTC on which it was reserved. Its period is the one that this day is in. */
	bookedDay: number;
	/** What an open request holds, then what it has cost. */
	nanoUsd: number;
	/** As it was when the request was admitted; null without one. */
	keyBudget: MeteredBudget | null;
}

export class KeyLedger {
	/** Of every settlement. */
	#booked: KeySpending;
	/** Budgets whose sums have changed since the last fold. */
	#changed = new Set<string>();
	/** Never before a day that anything was booked on, or is held on: a clock that steps back opens no earlier period. */
	#latestDay: number;

	/**
	 * @param folded of every settlement that is folded.
	 * @param open shares of open requests.
	 * @param settled those of settlements that are not folded.
	 */
	constructor(
		folded: Iterable<readonly [string, PackedSums]>,
		open: Iterable<BudgetShare>,
		settled: Iterable<BudgetShare>,
	) {
		this.#booked = new KeySpending(folded);
		this.#latestDay = this.#booked.latestDay;
		for (const { bookedDay } of open) this.#latestDay = Math.max(this.#latestDay, bookedDay);
		for (const share of settled) {
			this.#latestDay = Math.max(this.#latestDay, share.bookedDay);
			this.book(share);
		}
	}

	/** The day on which a request of now is booked. */
	today(nowMs: number): number {
		this.#latestDay = Math.max(this.#latestDay, toUtcDay(nowMs));
		return this.#latestDay;
	}

	/** Books what a request has cost. One that cost nothing shows that its key is used. */
	book({ budgetKeyId, bookedDay, nanoUsd }: BudgetShare): void {
		this.#booked.book(budgetKeyId, bookedDay, nanoUsd);
		this.#changed.add(budgetKeyId);
	}

	/** Lets the next fold look at a budget that may be over, if anything was booked on it. */
	touch(budgetKeyId: string): void {
		if (this.#booked.latestDayFor(budgetKeyId) !== null) this.#changed.add(budgetKeyId);
	}

	/** What a fold stores: the sums that have changed since the last one; null for those that nobody needs any more. */
	packChanged(isOver: (budgetKeyId: string) => boolean): [string, PackedSums | null][] {
		return [...this.#changed].map((id) => [id, isOver(id) ? null : this.#booked.pack(id)]);
	}

	/** Records that a fold was written. */
	folded(isOver: (budgetKeyId: string) => boolean): void {
		for (const id of this.#changed) if (isOver(id)) this.#booked.forget(id);
		this.#changed.clear();
	}

	/** The first day of the period that a request of now would be booked in. */
	periodStart(period: BudgetPeriod, nowMs: number): number {
		return periodStart(period, this.today(nowMs));
	}

	/** What a key's requests have cost, whether it has a budget or not. */
	costs(budgetKeyId: string, nowMs: number): KeyCosts {
		const today = this.today(nowMs);
		const spent = (period: BudgetPeriod) => this.#booked.spentNanoUsd(budgetKeyId, period, today);
		const latestDay = this.#booked.latestDayFor(budgetKeyId);
		return {
			todayNanoUsd: spent("day"),
			monthNanoUsd: spent("month"),
			totalNanoUsd: spent("total"),
			lastUsedOn: latestDay === null ? null : renderUtcDay(latestDay),
		};
	}

	/**
	 * A key's budget now.
	 * @param open of all open requests, those of other keys too. Without the one that is to hold another amount.
	 */
	status(
		budgetKeyId: string,
		{ limitNanoUsd, period }: KeyBudget,
		open: Iterable<BudgetShare>,
		nowMs: number,
	): BudgetStatus {
		const today = this.today(nowMs);
		const start = periodStart(period, today);
		let heldNanoUsd = 0;
		for (const share of open) {
			if (share.budgetKeyId !== budgetKeyId || periodStart(period, share.bookedDay) !== start) continue;
			heldNanoUsd += share.nanoUsd;
		}
		const spentNanoUsd = this.#booked.spentNanoUsd(budgetKeyId, period, today);
		return { limitNanoUsd, period, spentNanoUsd, heldNanoUsd, resetsAt: periodEndsAt(period, today) };
	}
}
