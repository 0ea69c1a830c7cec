// Budgets of keys as they were last changed, and alerts about them, in the meter's SQLite. An alert's row stays until the period of
// its budget is over, so that each is given once a period.
import type { MeteredBudget } from "./key-budget.ts";

/** An alert to be stored. */
export interface StoredBudgetAlert {
	/** Names the budget's key, its period and the threshold. */
	occasion: string;
	/** When the period ends, ISO 8601; null where it has no end. */
	resetsAt: string | null;
	/** The audit event, as JSON under its column names. */
	event: string;
}

export class BudgetTable {
	#sql: SqlStorage;
	#changed: Map<string, MeteredBudget | null>;
	#given: Set<string>;
	#unflushedCount: number;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		const budgets = sql.exec<{ budget_key: string; budget: string }>("SELECT budget_key, budget FROM key_budgets");
		this.#changed = new Map(
			[...budgets].map(({ budget_key, budget }) => [budget_key, JSON.parse(budget) as MeteredBudget | null]),
		);
		const alerts = [
			...sql.exec<{ occasion: string; pending: number }>(
				"SELECT occasion, event IS NOT NULL AS pending FROM budget_alerts",
			),
		];
		this.#given = new Set(alerts.map(({ occasion }) => occasion));
		this.#unflushedCount = alerts.filter(({ pending }) => pending === 1).length;
	}

	/** Stores a key's budget as it is from now on. */
	change(budgetKeyId: string, budget: MeteredBudget | null): void {
		if (budget === null && !this.#changed.has(budgetKeyId)) return;
		const text = JSON.stringify(budget);
		this.#sql.exec("INSERT OR REPLACE INTO key_budgets (budget_key, budget) VALUES (?, ?)", budgetKeyId, text);
		this.#changed.set(budgetKeyId, budget);
	}

	/** A key's budget as it was last changed, else as it was when a request was admitted. */
	latest(budgetKeyId: string, admitted: MeteredBudget | null): MeteredBudget | null {
		const changed = this.#changed.get(budgetKeyId);
		return changed === undefined ? admitted : changed;
	}

	/** Whether an alert was given in its period. */
	wasGiven(occasion: string): boolean {
		return this.#given.has(occasion);
	}

	/** Stores an alert, and forgets those of periods that are over. */
	give({ occasion, resetsAt, event }: StoredBudgetAlert, now: string): void {
		this.#sql.exec("DELETE FROM budget_alerts WHERE event IS NULL AND resets_at <= ?", now);
		this.#sql.exec(
			"INSERT INTO budget_alerts (occasion, resets_at, event) VALUES (?, ?, ?)",
			occasion,
			resetsAt,
			event,
		);
		this.#given.add(occasion);
		this.#unflushedCount++;
	}

	/** Whether D1 lacks an alert. */
	get hasUnflushed(): boolean {
		return this.#unflushedCount > 0;
	}

	/** Alerts that D1 does not have. */
	unflushed(): Pick<StoredBudgetAlert, "occasion" | "event">[] {
		const rows = this.#sql.exec<{ occasion: string; event: string }>(
			"SELECT occasion, event FROM budget_alerts WHERE event IS NOT NULL",
		);
		return [...rows];
	}

	/** Records that D1 has alerts. */
	markFlushed(alerts: readonly Pick<StoredBudgetAlert, "occasion">[]): void {
		const occasions = JSON.stringify(alerts.map(({ occasion }) => occasion));
		this.#sql.exec(
			"UPDATE budget_alerts SET event = NULL WHERE occasion IN (SELECT value FROM json_each(?))",
			occasions,
		);
		this.#unflushedCount -= alerts.length;
	}
}
