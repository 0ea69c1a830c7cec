// Verifies proofs on this machine: receipts, chains, checkpoints, tree proofs, trajectories. The checks are the verifier's; they ask nobody.
import { allHold, type Finding } from "../verifier/findings.ts";
import { readPublicKeys } from "../verifier/keys.ts";
import { guessKind, PROOF_KINDS, type ProofKindName } from "../verifier/kinds.ts";

export type { Finding, ProofKindName };

/** What was found; `isValid` only when nothing is at fault and every signature holds under one of the keys. */
export interface Verification {
	isValid: boolean;
	findings: Finding[];
}

interface VerificationOptions {
	/** Public keys that are trusted: one as base64 or PEM, or the text that `GET /v1/proof/pubkey` answers. */
	publicKeys: string;
	/** What the text is. Default: what it looks like. */
	kind?: ProofKindName;
	/** The text of a checkpoint that a chain or a tree proof must agree with; a consistency proof takes two, one after the other. */
	checkpoint?: string;
}

/**
 * Verifies a proof from its text as the service answered it.
 * @throws TypeError for keys that are none, and for text that is no proof of any kind.
 */
export async function verifyProof(
	text: string,
	{ publicKeys, kind = guessKind(text) ?? undefined, checkpoint }: VerificationOptions,
): Promise<Verification> {
	const keys = readPublicKeys(publicKeys);
	if (!keys) throw new TypeError("publicKeys is no Ed25519 public key, nor the service's answer with its keys");
	if (kind === undefined) throw new TypeError("the text is no receipt, trajectory, chain, checkpoint or tree proof");
	const findings = await PROOF_KINDS[kind].check(text, { keys, checkpoint: checkpoint ?? null });
	return { isValid: allHold(findings), findings };
}
