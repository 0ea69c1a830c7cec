// Manifests in D1. Every version is kept until it is deleted. The highest version is the workspace's policy.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { and, desc, eq, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { CountWrite } from "../account/counted-write.ts";
import type { AuditEventRow } from "../audit/event.ts";
import { insertEventOfChange } from "../audit/events.store.ts";
import type { Database } from "../db/client.edge.ts";
import { rowsFromJson } from "../db/rows.ts";
import { workspaceManifests } from "../db/schema.ts";
import { ok, type Result, StorageUnavailableError } from "../failure.ts";
import { eventBytes, STORED_ROW_BYTES } from "../meter/stored-bytes.ts";
import type { Hash } from "../proof/hash.ts";
import { defaultManifest, manifestDigest, type WorkspaceManifest, workspaceManifestSchema } from "./manifest.ts";

/** The workspace of a user. */
interface WorkspaceKey {
	userId: string;
	workspaceId: string;
}

/** A manifest that is in force, or was. */
export interface StoredManifest {
	manifest: WorkspaceManifest;
	digest: Hash;
	/** Counts the workspace's manifests from 1. */
	version: number;
	/** When it came into force, ISO 8601. */
	updatedAt: string;
}

/**
 * The manifest in force, or null when none was ever posted.
 * @param version finds an older one; null when there was none.
 */
export async function findManifest(
	db: Database,
	{ userId, workspaceId }: WorkspaceKey,
	version?: number,
): Promise<StoredManifest | null> {
	const numbered = version === undefined ? undefined : eq(workspaceManifests.version, version);
	const same = alias(workspaceManifests, "same");
	const { digest, version: stored, manifest, createdAt, sameAs } = workspaceManifests;
	const row = await db
		.select({
			digest: sql<Hash>`${digest}`,
			version: stored,
			createdAt,
			manifest: sql<string>`coalesce(${same.manifest}, ${manifest})`,
		})
		.from(workspaceManifests)
		.leftJoin(same, and(eq(same.userId, userId), eq(same.workspaceId, workspaceId), eq(same.version, sameAs)))
		.where(and(eq(workspaceManifests.userId, userId), eq(workspaceManifests.workspaceId, workspaceId), numbered))
		.orderBy(desc(workspaceManifests.version))
		.limit(1)
		.get();
	if (!row) return null;
	return {
		manifest: workspaceManifestSchema.parse(JSON.parse(row.manifest)),
		digest: row.digest,
		version: row.version,
		updatedAt: row.createdAt,
	};
}

/** The version of a workspace whose row has the text of a manifest; null when none was the same. */
async function findSame(db: Database, { userId, workspaceId }: WorkspaceKey, digest: string): Promise<number | null> {
	const row = await db
		.select({ version: workspaceManifests.version })
		.from(workspaceManifests)
		.where(
			and(
				eq(workspaceManifests.userId, userId),
				eq(workspaceManifests.workspaceId, workspaceId),
				eq(workspaceManifests.digest, digest),
				isNull(workspaceManifests.sameAs),
			),
		)
		.limit(1)
		.get();
	return row?.version ?? null;
}

/** The manifests of one workspace, as a condition. */
function ofWorkspace({ userId, workspaceId }: WorkspaceKey): SQL {
	return sql`user_id = ${userId} AND workspace_id = ${workspaceId}`;
}

/** Whether the manifest in force is the one that was read, and the text that a row is to share is there: nothing was deleted since. */
function isUnchanged(before: StoredManifest | null, sameAs: number | null, key: WorkspaceKey): SQL {
	const own = ofWorkspace(key);
	return sql`(SELECT max(version) FROM ${workspaceManifests} WHERE ${own}) IS ${before?.version ?? null}
		AND (${sameAs} IS NULL OR EXISTS (SELECT 1 FROM ${workspaceManifests} WHERE ${own} AND version = ${sameAs}))`;
}

/** Of so many changes to one manifest at the same time, each is stored. */
const MAX_STORE_TRIES = 200;

/** What became of a manifest. `overtaken`: another one than its writer knew is in force, and stays so. */
export type StoreVerdict = "stored" | "unchanged" | "overtaken";

interface ManifestChange {
	manifest: WorkspaceManifest;
	createdAt: string;
	/** Digest of the manifest that the writer knew to be in force; undefined to replace whatever is. */
	baseDigest?: string | undefined;
	/** The event of the change; null is the default manifest. */
	toEvent: (before: StoredManifest | null) => Promise<AuditEventRow>;
	/** Counts what is about to be stored, once. A failure ends the change. */
	count: CountWrite;
}

/**
 * Puts a manifest in force, and records that in the audit log, in one transaction. A change that another one overtakes is tried
 * again, so the event always names the manifest right before; one that names its base ends instead. The text of a manifest that the
 * workspace had before is not stored again.
 */
export async function storeManifest(
	db: Database,
	userId: string,
	{ manifest, createdAt, baseDigest, toEvent, count }: ManifestChange,
): Promise<Result<StoreVerdict>> {
	const workspaceId = manifest.workspace_id;
	const digest = manifestDigest(manifest);
	let isCounted = false;
	for (let tries = 0; tries < MAX_STORE_TRIES; tries++) {
		const before = await findManifest(db, { userId, workspaceId });
		if (before?.digest === digest) return ok("unchanged");
		const inForce = before?.digest ?? manifestDigest(defaultManifest(workspaceId));
		if (baseDigest !== undefined && baseDigest !== inForce) return ok("overtaken");
		const version = (before?.version ?? 0) + 1;
		const sameAs = await findSame(db, { userId, workspaceId }, digest);
		const text = sameAs === null ? JSON.stringify(manifest) : "";
		const event = await toEvent(before);
		const keptBytes = utf8ToBytes(text).length + STORED_ROW_BYTES;
		const counted = isCounted ? null : await count({ rollingBytes: eventBytes(event.payload), keptBytes });
		if (counted && !counted.ok) return counted;
		isCounted = true;
		const row = {
			user_id: userId,
			workspace_id: workspaceId,
			version,
			digest,
			manifest: text,
			created_at: createdAt,
			same_as: sameAs,
		};
		const inserted = db
			.insert(workspaceManifests)
			.select(
				sql`${rowsFromJson(workspaceManifests, [row])} AND ${isUnchanged(before, sameAs, { userId, workspaceId })}`,
			)
			.onConflictDoNothing()
			.returning({ version: workspaceManifests.version });
		const [rows] = await db.batch([inserted, insertEventOfChange(db, event)]);
		if (rows.length > 0) return ok("stored");
	}
	throw new StorageUnavailableError("the manifest is changed by others all the time");
}

/** What a deletion of manifests came to. */
interface DeletedManifests {
	/** How many versions are gone. */
	versions: number;
	freedBytes: number;
	event: AuditEventRow;
}

interface ManifestDeletion {
	/** Keeps the manifest in force. */
	olderOnly: boolean;
	toEvent: (inForce: StoredManifest) => Promise<AuditEventRow>;
}

/**
 * Deletes a workspace's manifests, or those before the one in force, and records that in the audit log, in one transaction. One that a
 * change overtakes is tried again, so the event always names the manifest that was in force. Null where there is nothing to delete.
 */
export async function deleteManifests(
	db: Database,
	{ userId, workspaceId }: WorkspaceKey,
	{ olderOnly, toEvent }: ManifestDeletion,
): Promise<DeletedManifests | null> {
	const own = ofWorkspace({ userId, workspaceId });
	const { version: stored, manifest, sameAs } = workspaceManifests;
	const sum = () =>
		db
			.select({
				rows: sql<number>`count(*)`,
				bytes: sql<number>`coalesce(sum(octet_length(${manifest}) + ${STORED_ROW_BYTES}), 0)`,
			})
			.from(workspaceManifests)
			.where(own);
	for (let tries = 0; tries < MAX_STORE_TRIES; tries++) {
		const inForce = await findManifest(db, { userId, workspaceId });
		if (!inForce) return null;
		const { version } = inForce;
		const event = await toEvent(inForce);
		const isInForce = sql`(SELECT max(version) FROM ${workspaceManifests} WHERE ${own}) = ${version}`;
		// A kept version takes over the text that it shares with a deleted one.
		const sharedText = sql`(SELECT same.manifest FROM ${workspaceManifests} AS same WHERE same.user_id = ${userId}
			AND same.workspace_id = ${workspaceId} AND same.version = ${sameAs})`;
		const takeOver = db
			.update(workspaceManifests)
			.set({ sameAs: null, manifest: sharedText })
			.where(and(own, sql`${olderOnly ? 1 : 0} = 1`, eq(stored, version), isNotNull(sameAs), isInForce));
		const deleted = olderOnly ? lt(stored, version) : lte(stored, version);
		const deletion = db.delete(workspaceManifests).where(and(own, deleted, isInForce));
		const results = await db.batch([sum(), takeOver, deletion, insertEventOfChange(db, event), sum()]);
		const [before] = results[0];
		const [after] = results[4];
		const versions = (before?.rows ?? 0) - (after?.rows ?? 0);
		if (versions > 0) return { versions, freedBytes: (before?.bytes ?? 0) - (after?.bytes ?? 0), event };
		if (olderOnly && before?.rows === 1) return null;
	}
	throw new StorageUnavailableError("the manifest is changed by others all the time");
}
