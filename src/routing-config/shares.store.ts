// Stores shared routing configs in D1. A share never changes. Anybody may read it by its id; only its owner can list it.
import { and, desc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../db/client.edge.ts";
import { brainShares } from "../db/schema.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import { configDigest } from "./config.ts";
import { contentDigest, newShareId, type Share, type SharedConfig } from "./share.ts";

type ShareRow = typeof brainShares.$inferSelect;

const storedMembers = z.looseObject({ model: z.string(), blocked: z.array(z.string()), fallback: z.array(z.string()) });
/** Only this service writes the column, so a few members show that it holds a config. */
const configColumn = z.custom<RoutingConfig>((value) => storedMembers.safeParse(value).success);
const errorsColumn = z.array(z.string());

function toShare({ id, title, brainMd, config, configDigest: digest, errors, createdAt }: ShareRow): Share {
	return {
		id,
		title,
		brainMd,
		config: configColumn.parse(JSON.parse(config)),
		configDigest: digest,
		errors: errorsColumn.parse(JSON.parse(errors)),
		createdAt,
	};
}

/** A taken id is very rare. Five in a row would be a fault of the random numbers. */
const MAX_ID_TRIES = 5;

/**
 * Stores a share. The same share of a user is stored once, so a repeated request gets the same id.
 * @throws when no free id is found.
 */
export async function storeShare(
	db: Database,
	userId: string,
	shared: SharedConfig,
	createdAt: string,
	random: (count: number) => Uint8Array,
): Promise<Share> {
	const digest = contentDigest(shared);
	for (let tries = 0; tries < MAX_ID_TRIES; tries++) {
		const row = {
			id: newShareId(random),
			userId,
			title: shared.title,
			brainMd: shared.brainMd,
			config: JSON.stringify(shared.config),
			configDigest: configDigest(shared.config),
			errors: JSON.stringify(shared.errors),
			contentDigest: digest,
			createdAt,
		};
		const stored = await db.insert(brainShares).values(row).onConflictDoNothing().returning().get();
		// Nothing was inserted: the user has this share already, or the id is taken.
		const found =
			stored ??
			(await db
				.select()
				.from(brainShares)
				.where(and(eq(brainShares.userId, userId), eq(brainShares.contentDigest, digest)))
				.get());
		if (found) return toShare(found);
	}
	throw new Error("no free share id was found");
}

/** Any user's share by its id; null when there is none. */
export async function findShare(db: Database, id: string): Promise<Share | null> {
	const row = await db.select().from(brainShares).where(eq(brainShares.id, id)).get();
	return row ? toShare(row) : null;
}

/**
 * A user's shares, newest first, at most `limit`.
 * @param after the last one of the page before; null for the first page.
 */
export async function listShares(
	db: Database,
	userId: string,
	limit: number,
	after: Pick<Share, "id" | "createdAt"> | null,
): Promise<Share[]> {
	const own = eq(brainShares.userId, userId);
	const isAfter = after && sql`(${brainShares.createdAt}, ${brainShares.id}) < (${after.createdAt}, ${after.id})`;
	const rows = await db
		.select()
		.from(brainShares)
		.where(isAfter ? and(own, isAfter) : own)
		.orderBy(desc(brainShares.createdAt), desc(brainShares.id))
		.limit(limit)
		.all();
	return rows.map(toShare);
}

/** A user's own share; null when there is none or it is another user's. */
export async function findOwnShare(db: Database, userId: string, id: string): Promise<Share | null> {
	const row = await db
		.select()
		.from(brainShares)
		.where(and(eq(brainShares.userId, userId), eq(brainShares.id, id)))
		.get();
	return row ? toShare(row) : null;
}
