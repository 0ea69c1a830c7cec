// Manifests in D1. Every version is kept. The highest version is the workspace's policy.
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.edge.ts";
import { workspaceManifests } from "../db/schema.ts";
import { manifestDigest, type WorkspaceManifest, workspaceManifestSchema } from "./manifest.ts";

/** The workspace of a user. */
interface WorkspaceKey {
	userId: string;
	workspaceId: string;
}

/** The manifest in force. */
interface StoredManifest {
	manifest: WorkspaceManifest;
	digest: string;
	/** When it came into force, ISO 8601. */
	updatedAt: string;
}

/** The manifest in force, or null when none was ever posted. */
export async function findManifest(
	db: Database,
	{ userId, workspaceId }: WorkspaceKey,
): Promise<StoredManifest | null> {
	const row = await db
		.select()
		.from(workspaceManifests)
		.where(and(eq(workspaceManifests.userId, userId), eq(workspaceManifests.workspaceId, workspaceId)))
		.orderBy(desc(workspaceManifests.version))
		.limit(1)
		.get();
	if (!row) return null;
	return {
		manifest: workspaceManifestSchema.parse(JSON.parse(row.manifest)),
		digest: row.digest,
		updatedAt: row.createdAt,
	};
}

/**
 * Puts a manifest in force. True when it differs from the one before. It is one statement, so of two concurrent callers
 * one comes after the other, and a repeated call changes nothing.
 */
export async function storeManifest(
	db: Database,
	userId: string,
	manifest: WorkspaceManifest,
	createdAt: string,
): Promise<boolean> {
	const workspaceId = manifest.workspace_id;
	const digest = manifestDigest(manifest);
	const latest = sql`SELECT version, digest FROM ${workspaceManifests}
		WHERE user_id = ${userId} AND workspace_id = ${workspaceId} ORDER BY version DESC LIMIT 1`;
	const rows = await db.all(sql`
		INSERT INTO ${workspaceManifests} (user_id, workspace_id, version, digest, manifest, created_at)
		SELECT ${userId}, ${workspaceId}, coalesce((SELECT version FROM (${latest})), 0) + 1, ${digest}, ${JSON.stringify(manifest)}, ${createdAt}
		WHERE coalesce((SELECT digest FROM (${latest})), '') <> ${digest}
		RETURNING version`);
	return rows.length > 0;
}
