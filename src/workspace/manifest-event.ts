// The audit event of a manifest that came into force. Pure.
import { type PlainEvent, toActor } from "../audit/event.ts";
import { defaultManifest, manifestDigest, type WorkspaceManifest } from "../policy/manifest.ts";
import { findWeakenings } from "../policy/weakening.ts";

/** @param replaced the manifest before; null where none was ever posted. */
export function toManifestEvent(
	{ userId, keyId }: { userId: string; keyId: string },
	replaced: WorkspaceManifest | null,
	manifest: WorkspaceManifest,
): PlainEvent {
	const before = replaced ?? defaultManifest(manifest.workspace_id);
	return {
		user_id: userId,
		workspace_id: manifest.workspace_id,
		event_type: "manifest_changed",
		actor: toActor({ keyId }),
		payload: JSON.stringify({
			before: manifestDigest(before),
			after: manifestDigest(manifest),
			weakened: findWeakenings(before, manifest),
		}),
	};
}
