// The audit event of a manifest that came into force. Pure.
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
