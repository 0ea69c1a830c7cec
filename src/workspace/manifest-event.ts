// The audit events of manifests that came into force, or were deleted. Pure.
import { type PlainEvent, toActor } from "../audit/event.ts";
import { defaultManifest, manifestDigest, type WorkspaceManifest } from "../policy/manifest.ts";
import { findWeakenings } from "../policy/weakening.ts";

/** @param replaced the manifest before and its version; null where none was ever posted. */
export function toManifestEvent(
	{ userId, keyId }: { userId: string; keyId: string },
	replaced: { manifest: WorkspaceManifest; version: number } | null,
	manifest: WorkspaceManifest,
): PlainEvent {
	const before = replaced?.manifest ?? defaultManifest(manifest.workspace_id);
	return {
		user_id: userId,
		workspace_id: manifest.workspace_id,
		event_type: "manifest_changed",
		actor: toActor({ keyId }),
		payload: JSON.stringify({
			version: (replaced?.version ?? 0) + 1,
			previous_digest: manifestDigest(before),
			digest: manifestDigest(manifest),
			weaker: findWeakenings(before, manifest),
		}),
	};
}

/**
 * The event of a deletion: of all of a workspace's manifests, which puts the default one in force, or of those before the one in force.
 * @param inForce the manifest that was in force.
 */
export function toManifestDeletedEvent(
	{ userId, keyId }: { userId: string; keyId: string },
	{ manifest, version }: { manifest: WorkspaceManifest; version: number },
	olderOnly: boolean,
): PlainEvent {
	const after = olderOnly ? manifest : defaultManifest(manifest.workspace_id);
	return {
		user_id: userId,
		workspace_id: manifest.workspace_id,
		event_type: "manifest_deleted",
		actor: toActor({ keyId }),
		payload: JSON.stringify({
			version,
			older_only: olderOnly,
			previous_digest: manifestDigest(manifest),
			digest: manifestDigest(after),
			weaker: findWeakenings(manifest, after),
		}),
	};
}
