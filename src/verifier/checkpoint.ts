// Checks a saved checkpoint of a chain (docs/proofs.md, "Checkpoints"), which is a signed note, without any request.
import { asHash, type Hash } from "../proof/hash.ts";
import { type Checkpoint, parseCheckpoint, parseNote, toVkey, verifyNote } from "../proof/note.ts";
import { toKeyId } from "../proof/signing.ts";
import { type Finding, failedFinding, finding } from "./findings.ts";
import { listKeyIds, type PublicKeys } from "./keys.ts";

/** A parsed checkpoint; null when it cannot be read. The findings say whether it is valid. */
export interface CheckedCheckpoint {
	checkpoint: (Pick<Checkpoint, "origin" | "size"> & { root: Hash }) | null;
	findings: Finding[];
}

const UNREADABLE_CHECKPOINT: CheckedCheckpoint = {
	checkpoint: null,
	findings: [failedFinding("checkpoint: is not what GET /v1/handoff/chain/{workspace_id}/checkpoint answers")],
};

/**
 * Whether one of the keys has signed the note. Each key is tried on its own, because another key's signature proves
 * nothing.
 */
async function checkpointSignatureFinding(note: string, origin: string, keys: PublicKeys): Promise<Finding> {
	if (keys.length === 0) return failedFinding("signature: not checked, for want of a public key");
	for (const key of keys) {
		const { outcome } = await verifyNote(note, [toVkey(origin, key)]);
		if (outcome === "unverified") continue;
		const id = toKeyId(key);
		return finding(
			outcome === "verified",
			`signature: holds under key ${id}`,
			`signature: does not hold under key ${id}`,
		);
	}
	return failedFinding(`signature: is of no key that is given; given: ${listKeyIds(keys)}`);
}

/** Parses and checks a checkpoint. */
export async function readCheckpoint(text: string, keys: PublicKeys): Promise<CheckedCheckpoint> {
	const note = parseNote(text);
	const checkpoint = note && parseCheckpoint(note.text);
	// A note that the log has not signed says nothing about the log.
	if (!checkpoint || !note.signatures.some(({ name }) => name === checkpoint.origin)) return UNREADABLE_CHECKPOINT;
	const { origin, size } = checkpoint;
	const root = asHash(checkpoint.root);
	const signature = await checkpointSignatureFinding(text, origin, keys);
	const claim: Finding = { verdict: "ok", text: `checkpoint: ${origin} has ${size} entries and root ${root}` };
	return { checkpoint: { origin, size, root }, findings: [claim, signature] };
}

/**
 * Checks a saved checkpoint.
 * @param text the note.
 * @param keys trusted public keys.
 */
export async function checkCheckpoint(text: string, keys: PublicKeys): Promise<Finding[]> {
	return (await readCheckpoint(text, keys)).findings;
}
