// Which run an idempotency key names, and whether a run was abandoned before it started, as an AgentRun object stores it. Synchronous.

import type { Account } from "../../account/context.ts";
import { deleteNote, readNote, writeNote } from "./notes.edge.ts";

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

interface StoredClaim {
	bodyHash: string;
	runId: string;
}

function storedClaim(sql: SqlStorage): StoredClaim | null {
	const text = readNote(sql, "claim");
	return text === null ? null : (JSON.parse(text) as StoredClaim);
}

/** The run that this key names; null while it is free. */
export function findClaim(sql: SqlStorage, bodyHash: string): RunClaim | null {
	const known = storedClaim(sql);
	return known ? { runId: known.runId, isSameBody: known.bodyHash === bodyHash } : null;
}

/** Gives a free key to a run. */
export function storeClaim(sql: SqlStorage, bodyHash: string, runId: string): void {
	writeNote(sql, "claim", JSON.stringify({ bodyHash, runId } satisfies StoredClaim));
}

/** Frees the key that a run has. */
export function deleteClaim(sql: SqlStorage, runId: string): void {
	if (storedClaim(sql)?.runId === runId) deleteNote(sql, "claim");
}

/** Stores that this run will not start. */
export function storeAbandoned(sql: SqlStorage): void {
	writeNote(sql, "abandoned", "1");
}

export function isAbandoned(sql: SqlStorage): boolean {
	return readNote(sql, "abandoned") !== null;
}
