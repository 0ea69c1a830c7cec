// Verifies proofs on this machine: receipts, runs and their steps, trajectories, chains, checkpoints, tree proofs. The checks are the verifier's; they ask nobody.
import { allHold, type Finding } from "../verifier/findings.ts";
import { readPublicKeys } from "../verifier/keys.ts";
import { guessKind, PROOF_KINDS, type ProofKindName } from "../verifier/kinds.ts";

export type { Finding, ProofKindName };

/** What was found; `isValid` only when nothing is at fault and every signature holds under one of the keys. */
export interface Verification {
	isValid: boolean;
	findings: Finding[];
}

/** What you have of a request or a run, to be compared with the hashes in its receipt. */
export interface ComparedTexts {
	/** The salt of the hashes, from `svc.receipt.v2` on: `svc.proof.salt` of the answer. A run's trajectory brings its own. */
	salt?: string;
	/** What was asked: the text, or the body of the request as JSON. */
	input?: string;
	/** What was delivered: the text, or the answer as JSON. */
	output?: string;
}

interface VerificationOptions extends ComparedTexts {
	/** Public keys that are trusted: one as base64 or PEM, or the text that `GET /v1/proof/pubkey` answers. */
	publicKeys: string;
	/** What the text is. Default: what it looks like. */
	kind?: ProofKindName;
	/** The text of a checkpoint that a chain or a tree proof must agree with; a consistency proof takes two, one after the other. */
	checkpoint?: string;
}

/**
 * Verifies a proof from its text as the service answered it.
 * @throws TypeError for keys that are none, for text that is no proof of any kind, and for texts beside what has no hash of any.
 */
export async function verifyProof(text: string, options: VerificationOptions): Promise<Verification> {
	const { publicKeys, kind = guessKind(text) ?? undefined, checkpoint = null } = options;
	const { salt = null, input = null, output = null } = options;
	const keys = readPublicKeys(publicKeys);
	if (!keys) throw new TypeError("publicKeys is no Ed25519 public key, nor the service's answer with its keys");
	if (kind === undefined)
		throw new TypeError("the text is no receipt, run, trajectory, step, chain, checkpoint or tree proof");
	if ([salt, input, output].some((each) => each !== null) && PROOF_KINDS[kind].takes !== "texts")
		throw new TypeError("salt, input and output are compared with a receipt, a run or a trajectory");
	const findings = await PROOF_KINDS[kind].check(text, { keys, checkpoint, texts: { salt, input, output } });
	return { isValid: allHold(findings), findings };
}
