// Which run an idempotency key names, and whether a run was abandoned before it started, as an AgentRun object stores it. Synchronous.

import type { Account } from "../../account/context.ts";

/** The run that an idempotency key names. */
export interface RunClaim {
	runId: string;
	/** Its request had the same body. */
	isSameBody: boolean;
}

/**
 * Who shares idempotency keys: all keys of a user that read all of its runs; a key that reads only its own has a scope with those that
 * it replaced, so that it joins no other's run.
 */
export function claimScope({ userId, keyId, key }: Pick<Account, "userId" | "keyId" | "key">): string {
	return key.ownOnly ? `${userId}#${key.budgetKeyId ?? keyId}` : userId;
}

/** The name of the object that says which run an idempotency key names. */
export function claimName(scope: string, key: string): string {
	return `key:${scope}/${key}`;
}

/** The run that this key names; null while it is free. */
export function findClaim(sql: SqlStorage, bodyHash: string): RunClaim | null {
	const [known] = sql.exec<{ body_hash: string; run_id: string }>("SELECT body_hash, run_id FROM claim").toArray();
	return known ? { runId: known.run_id, isSameBody: known.body_hash === bodyHash } : null;
}

/** Gives a free key to a run. */
export function storeClaim(sql: SqlStorage, bodyHash: string, runId: string): void {
	sql.exec("INSERT INTO claim (one, body_hash, run_id) VALUES (1, ?, ?)", bodyHash, runId);
}

/** Frees the key that a run has. */
export function deleteClaim(sql: SqlStorage, runId: string): void {
	sql.exec("DELETE FROM claim WHERE run_id = ?", runId);
}

/** Stores that this run will not start. */
export function storeAbandoned(sql: SqlStorage): void {
	sql.exec("INSERT OR IGNORE INTO abandoned (one) VALUES (1)");
}

export function isAbandoned(sql: SqlStorage): boolean {
	return sql.exec("SELECT 1 FROM abandoned").toArray().length > 0;
}
