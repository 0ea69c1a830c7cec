// Stores shared routing configs in D1. A share never changes, but it can be deleted. Anybody may read it by its id; only its owner
// can list it.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { and, desc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import type { CountWrite } from "../account/counted-write.ts";
import type { Database } from "../db/client.edge.ts";
import { brainShares } from "../db/schema.ts";
import { ok, type Result } from "../failure.ts";
import type { ListPosition } from "../http/list-position.ts";
import { STORED_ROW_BYTES } from "../meter/stored-bytes.ts";
import { configDigest } from "./config.ts";
import { contentDigest, isShareId, MAX_USER_SHARES, newShareId, type Share, type SharedConfig } from "./share.ts";
import { parseStoredConfig } from "./stored-config.ts";

type ShareRow = typeof brainShares.$inferSelect;

const errorsColumn = z.array(z.string());

function toShare({ id, title, brainMd, config, configDigest: digest, errors, createdAt }: ShareRow): Share {
	return {
		id,
		title,
		brainMd,
		config: parseStoredConfig(config),
		configDigest: digest,
		errors: errorsColumn.parse(JSON.parse(errors)),
		createdAt,
	};
}

/** A share as it is stored. */
interface StoredShare {
	share: Share;
	/** False where the user had shared the same before. */
	isNew: boolean;
}

/** What a share counts as. */
function shareBytes({ brainMd, config, errors }: Pick<ShareRow, "brainMd" | "config" | "errors">): number {
	return [brainMd ?? "", config, errors].reduce((sum, text) => sum + utf8ToBytes(text).length, STORED_ROW_BYTES);
}

/** A taken id is very rare. Five in a row would be a fault of the random numbers. */
const MAX_ID_TRIES = 5;

/**
 * Stores a share. The same share of a user is stored once, so a repeated request gets the same id. Null when the user has as many
 * shares as allowed: the insert itself counts them, so requests at the same time store no more.
 * @throws when no free id is found.
 */
export async function storeShare(
	db: Database,
	userId: string,
	shared: SharedConfig,
	createdAt: string,
	random: (count: number) => Uint8Array,
	countWrite: CountWrite,
): Promise<Result<StoredShare | null>> {
	const digest = contentDigest(shared);
	const own = eq(brainShares.userId, userId);
	const findSame = () =>
		db
			.select()
			.from(brainShares)
			.where(and(own, eq(brainShares.contentDigest, digest)))
			.get();
	const known = await findSame();
	if (known) return ok({ share: toShare(known), isNew: false });
	const [config, errors] = [JSON.stringify(shared.config), JSON.stringify(shared.errors)];
	const keptBytes = shareBytes({ brainMd: shared.brainMd, config, errors });
	const counted = await countWrite({ rollingBytes: 0, keptBytes });
	if (!counted.ok) return counted;
	const userShares = sql<number>`(SELECT count(*) FROM ${brainShares} WHERE ${own})`;
	for (let tries = 0; tries < MAX_ID_TRIES; tries++) {
		const values = [
			newShareId(random),
			userId,
			shared.title,
			shared.brainMd,
			config,
			configDigest(shared.config),
			errors,
			digest,
			createdAt,
		].map((value) => sql`${value}`);
		const stored = await db
			.insert(brainShares)
			.select(sql`SELECT ${sql.join(values, sql`, `)} WHERE ${userShares} < ${MAX_USER_SHARES}`)
			.onConflictDoNothing()
			.returning()
			.get();
		if (stored) return ok({ share: toShare(stored), isNew: true });
		const same = await findSame();
		if (same) return ok({ share: toShare(same), isNew: false });
		const sum = await db.select({ count: userShares }).from(sql`(SELECT 1)`).get();
		if (sum && sum.count >= MAX_USER_SHARES) return ok(null);
		// The id is taken, or a share was deleted meanwhile.
	}
	throw new Error("no free share id was found");
}

/** Any user's share by its id; null when there is none. A text that cannot be an id is not looked up. */
export async function findAnyShare(
	id: string,
	{ db, timings }: Pick<ServiceContext, "db" | "timings">,
): Promise<Share | null> {
	if (!isShareId(id)) return null;
	const row = await timings.measure("d1", () => db.select().from(brainShares).where(eq(brainShares.id, id)).get());
	return row ? toShare(row) : null;
}

/** A share in a list, which has no text of it. */
type ListedShare = Pick<Share, "id" | "title" | "config" | "createdAt">;

/** Characters of configs on a page, unless a single one is longer. A thousand of the largest would be 64 MB. */
const MAX_PAGE_CHARS = 4_000_000;

/**
 * A page of a user's shares, newest first: as many as fit, at most `limit`.
 * @param after the last one of the page before; null for the first page.
 */
export async function listShares(
	db: Database,
	userId: string,
	limit: number,
	after: ListPosition | null,
): Promise<{ shares: ListedShare[]; hasMore: boolean }> {
	const { id, title, config, createdAt } = brainShares;
	const own = eq(brainShares.userId, userId);
	const isAfter = after && sql`(${createdAt}, ${id}) < (${after.created_at}, ${after.id})`;
	const charsSoFar = sql<number>`sum(length(${config})) OVER (ORDER BY ${createdAt} DESC, ${id} DESC)`;
	const newest = db
		.select({ id, title, config, createdAt, charsSoFar: charsSoFar.as("chars_so_far") })
		.from(brainShares)
		.where(isAfter ? and(own, isAfter) : own)
		.orderBy(desc(createdAt), desc(id))
		.limit(limit + 1)
		.as("newest");
	// One row more than fits shows that there are more.
	const rows = await db
		.select()
		.from(newest)
		.where(sql`${newest.charsSoFar} - length(${newest.config}) <= ${MAX_PAGE_CHARS}`)
		.orderBy(desc(newest.createdAt), desc(newest.id))
		.all();
	const fitting = rows.slice(0, limit).filter(({ charsSoFar: chars }, index) => index === 0 || chars <= MAX_PAGE_CHARS);
	const shares = fitting.map((row) => ({ ...row, config: parseStoredConfig(row.config) }));
	return { shares, hasMore: rows.length > fitting.length };
}

/**
 * Deletes a share; null when there is none.
 * @param userId its owner; null deletes anybody's.
 * @returns whose it was, and what it counted as.
 */
export async function deleteShare(
	db: Database,
	id: string,
	userId: string | null,
): Promise<{ userId: string; bytes: number } | null> {
	const byId = eq(brainShares.id, id);
	const where = userId === null ? byId : and(byId, eq(brainShares.userId, userId));
	const deleted = await db.delete(brainShares).where(where).returning().get();
	return deleted ? { userId: deleted.userId, bytes: shareBytes(deleted) } : null;
}
