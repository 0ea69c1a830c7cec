// The audit events of manifests that came into force, or were deleted. Pure.
import { type PlainEvent, toActor } from "../audit/event.ts";
import { defaultManifest, manifestDigest, type WorkspaceManifest } from "../policy/manifest.ts";
import { findWeakenings } from "../policy/weakening.ts";

/** Whose key makes the change. */
interface KeyOwner {
	userId: string;
	keyId: string;
}

/** @param change its type and what is told of it; the manifests in force before and after. */
function toEvent(
	{ userId, keyId }: KeyOwner,
	change: {
		type: "manifest_changed" | "manifest_deleted";
		told: { version: number; older_only?: boolean };
		before: WorkspaceManifest;
		after: WorkspaceManifest;
	},
): PlainEvent {
	const { type, told, before, after } = change;
	return {
		user_id: userId,
		workspace_id: after.workspace_id,
		event_type: type,
		actor: toActor({ keyId }),
		payload: JSON.stringify({
			...told,
			previous_digest: manifestDigest(before),
			digest: manifestDigest(after),
			weaker: findWeakenings(before, after),
		}),
	};
}

/** @param replaced the manifest before and its version; null where none was ever posted. */
export function toManifestEvent(
	owner: KeyOwner,
	replaced: { manifest: WorkspaceManifest; version: number } | null,
	manifest: WorkspaceManifest,
): PlainEvent {
	const before = replaced?.manifest ?? defaultManifest(manifest.workspace_id);
	const told = { version: (replaced?.version ?? 0) + 1 };
	return toEvent(owner, { type: "manifest_changed", told, before, after: manifest });
}

/**
 * The event of a deletion: of all of a workspace's manifests, which puts the default one in force, or of those before the one in force.
 * @param inForce the manifest that was in force.
 */
export function toManifestDeletedEvent(
	owner: KeyOwner,
	inForce: { manifest: WorkspaceManifest; version: number },
	olderOnly: boolean,
): PlainEvent {
	const { manifest: before, version } = inForce;
	const after = olderOnly ? before : defaultManifest(before.workspace_id);
	const told = { version, older_only: olderOnly };
	return toEvent(owner, { type: "manifest_deleted", told, before, after });
}
