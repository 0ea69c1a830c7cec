// A meter's own row: whose meter it is, the user's plan, and where revisions of its sums begin.
import type { PlanId } from "../catalog/plans.ts";

interface AccountRow extends Record<string, SqlStorageValue> {
	user_id: string | null;
	plan: PlanId | null;
	revision_base: number | null;
}

export class MeterAccount {
	#sql: SqlStorage;
	#userId: string | null;
	#plan: PlanId | null;
	#revisionBase: number | null;

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		const [row] = sql.exec<AccountRow>("SELECT user_id, plan, revision_base FROM account").toArray();
		this.#userId = row?.user_id ?? null;
		this.#plan = row?.plan ?? null;
		this.#revisionBase = row ? row.revision_base : 0;
	}

	/** Whose meter this is; null before the first request that can cost something. */
	get userId(): string | null {
		return this.#userId;
	}

	/** The user's plan as it was last set; null where it never was. */
	get plan(): PlanId | null {
		return this.#plan;
	}

	/** What revisions of sums in D1 lie above; null until D1 was asked, in a meter that was restored. */
	get revisionBase(): number | null {
		return this.#revisionBase;
	}

	/** Remembers whose meter this is: an object that an alarm wakes does not know it. */
	learnUser(userId: string): void {
		if (this.#userId !== null) return;
		this.#write(userId, this.#plan);
		this.#userId = userId;
	}

	setPlan(plan: PlanId): void {
		this.#write(this.#userId, plan);
		this.#plan = plan;
	}

	setRevisionBase(base: number): void {
		this.#sql.exec("UPDATE account SET revision_base = ?", base);
		this.#revisionBase = base;
	}

	#write(userId: string | null, plan: PlanId | null): void {
		this.#sql.exec(
			`INSERT INTO account (one, user_id, plan, revision_base) VALUES (1, ?, ?, ?)
			ON CONFLICT (one) DO UPDATE SET user_id = excluded.user_id, plan = excluded.plan`,
			userId,
			plan,
			this.#revisionBase,
		);
	}
}
