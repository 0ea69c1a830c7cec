// Users and keys in D1.
import { and, asc, eq, isNull } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { apiKeys, users } from "../db/schema.ts";
import type { Account } from "./context.ts";
import { PLANS, type PlanId } from "./plans.ts";

/** The account behind a key's digest, or null when the key is unknown or revoked. */
export async function findAccount(db: Database, digest: string): Promise<Account | null> {
	const row = await db
		.select({ keyId: apiKeys.id, userId: users.id, plan: users.plan })
		.from(apiKeys)
		.innerJoin(users, eq(users.id, apiKeys.userId))
		.where(and(eq(apiKeys.digest, digest), isNull(apiKeys.revokedAt)))
		.get();
	return row ? { keyId: row.keyId, userId: row.userId, plan: PLANS[row.plan as PlanId] } : null;
}

/** Makes the user if new and sets their plan; returns the user's id. */
export async function upsertUser(
	db: Database,
	user: { id: string; name: string; plan: PlanId; createdAt: string },
): Promise<string> {
	const row = await db
		.insert(users)
		.values(user)
		.onConflictDoUpdate({ target: users.name, set: { plan: user.plan } })
		.returning({ id: users.id })
		.get();
	return row.id;
}

export interface NewKey {
	id: string;
	userId: string;
	digest: string;
	last4: string;
	createdAt: string;
	rotatedFrom: string | null;
}

/** Stores a key's digest. */
export async function insertKey(db: Database, key: NewKey): Promise<void> {
	await db.insert(apiKeys).values(key).run();
}

/** Marks a key revoked; the first time stays. */
export async function markRevoked(db: Database, keyId: string, revokedAt: string): Promise<void> {
	await db
		.update(apiKeys)
		.set({ revokedAt })
		.where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
		.run();
}

const keyColumns = {
	key_id: apiKeys.id,
	user_id: users.id,
	user: users.name,
	plan: users.plan,
	last4: apiKeys.last4,
	created_at: apiKeys.createdAt,
	revoked_at: apiKeys.revokedAt,
	rotated_from: apiKeys.rotatedFrom,
};

/** A key as operators see it: never the key itself. */
export async function findKey(db: Database, keyId: string) {
	return db
		.select(keyColumns)
		.from(apiKeys)
		.innerJoin(users, eq(users.id, apiKeys.userId))
		.where(eq(apiKeys.id, keyId))
		.get();
}

/** All keys, or those of one user, oldest first. */
export async function listKeys(db: Database, userName: string | undefined) {
	const all = db.select(keyColumns).from(apiKeys).innerJoin(users, eq(users.id, apiKeys.userId)).$dynamic();
	const rows = userName === undefined ? all : all.where(eq(users.name, userName));
	return rows.orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)).all();
}
