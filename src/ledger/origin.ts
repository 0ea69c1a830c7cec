// The origin line of a workspace's checkpoints, which is also the name of the key that signs them.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** `<LOG_ORIGIN>/<first 16 hex of SHA-256(user_id)>/<workspace_id>`: apart per user, and telling nobody who the user is. */
export function checkpointOrigin(logOrigin: string, userId: string, workspaceId: string): string {
	return `${logOrigin}/${bytesToHex(sha256(utf8ToBytes(userId))).slice(0, 16)}/${workspaceId}`;
}
