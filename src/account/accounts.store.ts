// Users and keys in D1.
import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { PLANS, type PlanId } from "../catalog/plans.ts";
import type { Database } from "../db/client.edge.ts";
import { apiKeys, users } from "../db/schema.ts";
import type { Account } from "./context.ts";

/** The account of a key, by its digest; null when the key is unknown or revoked. */
export async function findAccount(db: Database, digest: string): Promise<Account | null> {
	const row = await db
		.select({ keyId: apiKeys.id, userId: users.id, plan: users.plan, number: users.number })
		.from(apiKeys)
		.innerJoin(users, eq(users.id, apiKeys.userId))
		.where(and(eq(apiKeys.digest, digest), isNull(apiKeys.revokedAt)))
		.get();
	return row ? { keyId: row.keyId, userId: row.userId, plan: PLANS[row.plan as PlanId], number: row.number } : null;
}

/** The next number, in one statement with its use: D1 writes one statement after the other, so no two users get it. */
const nextNumber = sql<number>`(SELECT coalesce(max(number), 0) + 1 FROM users)`;

/** Users by id, behind one of them: all, or the one with a name. */
export async function listUsers(
	db: Database,
	name: string | undefined,
	after: string,
	limit: number,
): Promise<{ id: string; name: string }[]> {
	const named = name === undefined ? undefined : eq(users.name, name);
	const page = db.select({ id: users.id, name: users.name }).from(users);
	return page
		.where(and(gt(users.id, after), named))
		.orderBy(asc(users.id))
		.limit(limit)
		.all();
}

/** Creates the user if new, and sets the plan; returns the user's id. */
export async function upsertUser(
	db: Database,
	user: { id: string; name: string; plan: PlanId; createdAt: string },
): Promise<string> {
	const row = await db
		.insert(users)
		.values({ ...user, number: nextNumber })
		.onConflictDoUpdate({ target: users.name, set: { plan: user.plan } })
		.returning({ id: users.id })
		.get();
	return row.id;
}

interface NewKey {
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

/** Marks a key as revoked. The first time stays. */
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

/** A key as operators see it, without the key itself. */
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
