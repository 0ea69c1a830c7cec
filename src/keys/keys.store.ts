// API keys in D1. Each change is one statement that decides by itself, so many at once never leave a user without an owner key.
import { and, asc, desc, eq, getTableColumns, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { grantColumns, parseGrantTexts } from "../account/accounts.store.ts";
import type { AuditEventRow } from "../audit/event.ts";
import { insertEventOfChange } from "../audit/events.store.ts";
import type { Database } from "../db/client.edge.ts";
import { isOneOf, rowsFromJson } from "../db/rows.ts";
import { apiKeys, users } from "../db/schema.ts";
import type { ListPosition } from "../http/list-position.ts";
import { parseStoredConfig } from "../routing-config/stored-config.ts";
import { type ApiKey, type KeyLife, type KeyOptions, MAX_USER_KEYS, NEVER, ownerUntil, toKeyLife } from "./key.ts";

const keyColumns = {
	id: apiKeys.id,
	userId: apiKeys.userId,
	last4: apiKeys.last4,
	createdAt: apiKeys.createdAt,
	revokedAt: apiKeys.revokedAt,
	rotatedFrom: apiKeys.rotatedFrom,
	madeBy: apiKeys.madeBy,
	name: apiKeys.name,
	tags: apiKeys.tags,
	...grantColumns,
};

type KeyRow = Pick<typeof apiKeys.$inferSelect, keyof typeof keyColumns>;

const tagsColumn = z.array(z.string());

function toApiKey(row: KeyRow): ApiKey {
	const { name, role, expiresAt, rpm, dailyRequests, models, brainConfig, tags, alertWebhook, ownOnly, ...rest } = row;
	const { budgetNanoUsd, budgetPeriod, defaultMaxTokens, logTexts, ...key } = rest;
	const options: KeyOptions = {
		name,
		expiresAt,
		rpm,
		dailyRequests,
		...parseGrantTexts({ role, models, budgetNanoUsd, budgetPeriod }),
		config: brainConfig === null ? null : parseStoredConfig(brainConfig),
		defaultMaxTokens,
		tags: tagsColumn.parse(JSON.parse(tags)),
		alertWebhook,
		ownOnly,
		logTexts,
	};
	return { ...key, options };
}

/** Options as columns. */
function toOptionColumns({ budget, models, config, tags, ...rest }: KeyOptions) {
	return {
		...rest,
		budgetNanoUsd: budget?.limitNanoUsd ?? null,
		budgetPeriod: budget?.period ?? null,
		models: models && JSON.stringify(models),
		brainConfig: config && JSON.stringify(config),
		tags: JSON.stringify(tags),
	};
}

/** A key to be stored, with its digest. */
export interface NewKey extends Omit<ApiKey, "revokedAt" | "version"> {
	digest: string;
}

/** The name in D1 of a column of keys. */
function columnName(column: string): string {
	const named = Object.entries(getTableColumns(apiKeys)).find(([name]) => name === column);
	if (!named) throw new Error(`keys have no column ${column}`);
	return named[1].name;
}

/** Inserts a key if a condition holds. */
function insertKeyIf(db: Database, key: NewKey, condition: SQL | undefined) {
	const { options, ...rest } = key;
	const values = Object.entries({ ...rest, ...toOptionColumns(options), version: 1 });
	const row = Object.fromEntries(values.map(([column, value]) => [columnName(column), value]));
	return db
		.insert(apiKeys)
		.select(sql`${rowsFromJson(apiKeys, [row])} AND ${condition}`)
		.returning({ id: apiKeys.id });
}

/** Neither revoked nor expired at a time. */
function isLive(now: string): SQL {
	return sql`${apiKeys.revokedAt} IS NULL AND (${apiKeys.expiresAt} IS NULL OR ${apiKeys.expiresAt} > ${now})`;
}

/** Stores a key with its audit event; false when the user has as many as allowed. */
export async function insertKey(db: Database, key: NewKey, event: AuditEventRow): Promise<boolean> {
	const live = sql`SELECT count(*) FROM ${apiKeys} WHERE ${apiKeys.userId} = ${key.userId} AND ${isLive(key.createdAt)}`;
	const inserted = insertKeyIf(db, key, sql`(${live}) < ${MAX_USER_KEYS}`);
	const [rows] = await db.batch([inserted, insertEventOfChange(db, event)]);
	return rows.length > 0;
}

/** A key by its id; undefined when there is none. @param userId its owner; null finds anybody's. */
export async function findKey(db: Database, userId: string | null, id: string): Promise<ApiKey | undefined> {
	const own = userId === null ? undefined : eq(apiKeys.userId, userId);
	const row = await db
		.select(keyColumns)
		.from(apiKeys)
		.where(and(eq(apiKeys.id, id), own))
		.get();
	return row && toApiKey(row);
}

/**
 * A page of a user's keys that are not revoked, newest first.
 * @param only the ids of those that are listed; null for all.
 * @param after the last one of the page before.
 */
export async function listUserKeys(
	db: Database,
	{ userId, only }: { userId: string; only: readonly string[] | null },
	limit: number,
	after: ListPosition | null,
): Promise<{ keys: ApiKey[]; hasMore: boolean }> {
	const { id, createdAt, revokedAt } = apiKeys;
	const isAfter = after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.created_at}, ${after.id})`;
	const rows = await db
		.select(keyColumns)
		.from(apiKeys)
		.where(and(eq(apiKeys.userId, userId), isNull(revokedAt), isAfter, only ? isOneOf(id, only) : undefined))
		.orderBy(desc(createdAt), desc(id))
		.limit(limit + 1)
		.all();
	return { keys: rows.slice(0, limit).map(toApiKey), hasMore: rows.length > limit };
}

/** A key as operators see it. */
interface UserKey {
	key: ApiKey;
	user: string;
	plan: string;
}

/** All keys with their users, or those of one user, oldest first. */
export async function listKeys(db: Database, userName: string | undefined): Promise<UserKey[]> {
	const rows = await db
		.select({ key: keyColumns, user: users.name, plan: users.plan })
		.from(apiKeys)
		.innerJoin(users, eq(users.id, apiKeys.userId))
		.where(userName === undefined ? undefined : eq(users.name, userName))
		.orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
		.all();
	return rows.map(({ key, ...user }) => ({ ...user, key: toApiKey(key) }));
}

/** The plan of a key's user. */
export async function findKeyPlan(db: Database, id: string): Promise<string | undefined> {
	const row = await db
		.select({ plan: users.plan })
		.from(apiKeys)
		.innerJoin(users, eq(users.id, apiKeys.userId))
		.where(eq(apiKeys.id, id))
		.get();
	return row?.plan;
}

const otherKeys = alias(apiKeys, "other");

/**
 * Whether the user still has an owner key for as long as before, when a key becomes what it is `after`. Undefined where the key
 * itself is an owner's for as long.
 */
function keepsOwner(db: Database, before: ApiKey, after: KeyLife, now: string): SQL | undefined {
	const until = ownerUntil(toKeyLife(before));
	if (until <= now || ownerUntil(after) >= until) return undefined;
	const { id, userId, role, revokedAt, expiresAt } = otherKeys;
	const lasting = db
		.select({ id })
		.from(otherKeys)
		.where(
			and(
				eq(userId, before.userId),
				ne(id, before.id),
				eq(role, "owner"),
				isNull(revokedAt),
				sql`coalesce(${expiresAt}, ${NEVER}) >= ${until}`,
			),
		);
	return sql`EXISTS ${lasting}`;
}

/** The row of a key that nobody has changed since it was read. */
function isUnchanged({ id, version }: ApiKey): SQL | undefined {
	return and(eq(apiKeys.id, id), eq(apiKeys.version, version), isNull(apiKeys.revokedAt));
}

/** Replaces a key's options, with an audit event. False when it was changed meanwhile, or is the user's last owner key and would end sooner. */
export async function replaceOptions(
	db: Database,
	before: ApiKey,
	options: KeyOptions,
	now: string,
	event: AuditEventRow,
): Promise<boolean> {
	const after: KeyLife = { ...toKeyLife(before), role: options.role, expiresAt: options.expiresAt };
	const changed = db
		.update(apiKeys)
		.set({ ...toOptionColumns(options), version: before.version + 1 })
		.where(and(isUnchanged(before), keepsOwner(db, before, after, now)))
		.returning({ id: apiKeys.id });
	const [rows] = await db.batch([changed, insertEventOfChange(db, event)]);
	return rows.length > 0;
}

/** Revokes a key, with an audit event; false as above. @param mayBeLast an operator may revoke a user's last owner key. */
export async function revokeStoredKey(
	db: Database,
	before: ApiKey,
	{ revokedAt, mayBeLast }: { revokedAt: string; mayBeLast: boolean },
	event: AuditEventRow,
): Promise<boolean> {
	const after: KeyLife = { ...toKeyLife(before), revokedAt };
	const keeps = mayBeLast ? undefined : keepsOwner(db, before, after, revokedAt);
	const revoked = db
		.update(apiKeys)
		.set({ revokedAt, version: before.version + 1 })
		.where(and(isUnchanged(before), keeps))
		.returning({ id: apiKeys.id });
	const [rows] = await db.batch([revoked, insertEventOfChange(db, event)]);
	return rows.length > 0;
}

/** Whether a user has a key that is not revoked, and whose costs are booked on another or itself. Expired ones can be changed. */
export async function hasUnrevokedKey(db: Database, userId: string, budgetKeyId: string): Promise<boolean> {
	const isBookedThere = or(eq(apiKeys.id, budgetKeyId), eq(apiKeys.budgetKeyId, budgetKeyId));
	const row = await db
		.select({ id: apiKeys.id })
		.from(apiKeys)
		.where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), isBookedThere))
		.limit(1)
		.get();
	return row !== undefined;
}

/** Stores a key that replaces another, and the other's end, in one transaction. False when the other was changed meanwhile. */
export async function replaceKey(
	db: Database,
	before: ApiKey,
	key: NewKey,
	end: Partial<Pick<KeyLife, "expiresAt" | "revokedAt">>,
	events: { made: AuditEventRow; ended: AuditEventRow },
): Promise<boolean> {
	const inserted = insertKeyIf(db, key, sql`EXISTS (SELECT 1 FROM ${apiKeys} WHERE ${isUnchanged(before)})`);
	const ended = db
		.update(apiKeys)
		.set({ ...end, version: before.version + 1 })
		.where(isUnchanged(before));
	const [rows] = await db.batch([
		inserted,
		insertEventOfChange(db, events.made),
		ended,
		insertEventOfChange(db, events.ended),
	]);
	return rows.length > 0;
}
