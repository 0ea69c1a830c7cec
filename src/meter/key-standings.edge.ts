// Which keys of the meter's user may still be used: those that were revoked, and the latest versions of those that were changed.
import type { KeyStanding } from "./meter-calls.ts";

export class KeyStandings {
	#sql: SqlStorage;
	#revoked: Set<string>;
	#versions: Map<string, number>;
	/** Budgets of which all keys had been revoked when this was read. */
	readonly retiredBudgets: readonly string[];

	constructor(sql: SqlStorage) {
		this.#sql = sql;
		const revoked = sql
			.exec<{ key_id: string; retired_budget: string | null }>("SELECT key_id, retired_budget FROM revoked_keys")
			.toArray();
		this.#revoked = new Set(revoked.map(({ key_id }) => key_id));
		this.retiredBudgets = revoked.flatMap(({ retired_budget }) => retired_budget ?? []);
		const versions = sql.exec<{ key_id: string; version: number }>("SELECT key_id, version FROM key_versions");
		this.#versions = new Map([...versions].map(({ key_id, version }) => [key_id, version]));
	}

	/** Whether a key may still be used that was good as this version. */
	standing(keyId: string, version: number): KeyStanding {
		if (this.#revoked.has(keyId)) return "revoked";
		return (this.#versions.get(keyId) ?? 0) > version ? "key_changed" : "good";
	}

	/** Records a version of a key. False when a later one is known, which stays. */
	change(keyId: string, version: number): boolean {
		const latest = Math.max(version, this.#versions.get(keyId) ?? 0);
		this.#sql.exec("INSERT OR REPLACE INTO key_versions (key_id, version) VALUES (?, ?)", keyId, latest);
		this.#versions.set(keyId, latest);
		return latest === version;
	}

	/** Records that a key is revoked, for ever. @param retiredBudget the key that its costs are booked on, if all keys of it are revoked. */
	revoke(keyId: string, retiredBudget: string | null): void {
		this.#sql.exec(
			`INSERT INTO revoked_keys (key_id, retired_budget) VALUES (?, ?)
			ON CONFLICT (key_id) DO UPDATE SET retired_budget = coalesce(excluded.retired_budget, retired_budget)`,
			keyId,
			retiredBudget,
		);
		this.#revoked.add(keyId);
	}
}
