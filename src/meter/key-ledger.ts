// The budgets of a user's keys: what each key has spent, and what its open requests hold. Pure; the clock is an argument.
import { type BudgetPeriod, periodEndsAt, periodStart, renderUtcDay, toUtcDay } from "./budget-period.ts";
import type { BudgetStatus, KeyBudget, KeyCosts } from "./key-budget.ts";
import { KeySpending, type PackedSpending } from "./key-spending.ts";
import type { BudgetShare } from "./slots.ts";

export class KeyLedger {
	/** Of every settlement. */
	#booked: KeySpending;
	/** Of the settlements that D1 has, folded or not. */
	#stored: KeySpending;
	/** Never before a day that anything was booked on, or is held on: a clock that steps back opens no earlier period. */
	#latestDay: number;

	/**
	 * @param folded of every settlement that is folded.
	 * @param shares of all slots.
	 * @param pending those of settlements that are not folded.
	 */
	constructor(folded: PackedSpending, shares: Iterable<BudgetShare>, pending: Iterable<BudgetShare>) {
		this.#booked = new KeySpending(folded);
		this.#stored = new KeySpending(folded);
		this.#latestDay = this.#booked.latestDay;
		for (const { bookedDay } of shares) this.#latestDay = Math.max(this.#latestDay, bookedDay);
		for (const share of pending) this.book(share);
	}

	/** The day on which a request of now is booked. */
	today(nowMs: number): number {
		this.#latestDay = Math.max(this.#latestDay, toUtcDay(nowMs));
		return this.#latestDay;
	}

	/** Books what a request has cost. One that cost nothing shows that its key is used. */
	book({ budgetKeyId, bookedDay, nanoUsd }: BudgetShare): void {
		if (budgetKeyId !== null) this.#booked.book(budgetKeyId, bookedDay, nanoUsd);
	}

	/** Counts a booked request among those that D1 has. */
	store({ budgetKeyId, bookedDay, nanoUsd }: BudgetShare): void {
		if (budgetKeyId !== null) this.#stored.book(budgetKeyId, bookedDay, nanoUsd);
	}

	/** For the folded row: what the settlements that D1 has were booked with. */
	pack(isOver: (keyId: string) => boolean): PackedSpending {
		return this.#stored.pack(isOver);
	}

	/** Forgets keys whose sums nobody needs any more. */
	forget(isOver: (keyId: string) => boolean): void {
		this.#booked.forget(isOver);
		this.#stored.forget(isOver);
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
