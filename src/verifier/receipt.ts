// Checks a signed receipt (docs/proofs.md, "Receipts") from what was saved of it. Asks nobody.
import * as z from "zod";
import { hashObject } from "../proof/hash.ts";
import { toKeyId, verifySignature } from "../proof/signing.ts";
import { contradictions, type Finding, failure, finding, unproven } from "./findings.ts";
import { idsOf, type PublicKeys } from "./keys.ts";

const attestationSchema = z.looseObject({ type: z.literal("svc.attestation.v1"), hash: z.string() });

/** What `GET /v1/proof/{request_id}` answers, as far as it is checked. */
const proofSchema = z.looseObject({
	request_id: z.string().optional(),
	proof_hash: z.string(),
	signature: z.string().nullable(),
	key_id: z.string().nullable(),
	receipt: z.looseObject({ type: z.literal("svc.receipt.v1") }),
});

/** The answer's members that are checked; what else stands in it is proven by nothing. */
const CHECKED = [...Object.keys(proofSchema.shape), "object", "kind", "valid", "recomputed_hash", "signed"];
type Proof = z.output<typeof proofSchema>;

async function signatureFinding({ signature, key_id }: Proof, hash: string, keys: PublicKeys): Promise<Finding> {
	if (signature === null) return failure("signature: the receipt is not signed");
	if (keys.length === 0) return failure(`signature: not checked, for want of a public key (key ${key_id})`);
	const key = keys.find((each) => toKeyId(each) === key_id);
	if (!key) return failure(`signature: is said to be of key ${key_id}, which is not given; given: ${idsOf(keys)}`);
	const holds = await verifySignature(key, hash, signature);
	return finding(holds, `signature: holds under key ${key_id}`, `signature: does not hold under key ${key_id}`);
}

/** A receipt that was read, and what its hash and its signature are worth. */
export interface CheckedReceipt {
	receipt: Proof["receipt"];
	/** Of which request the answer around the receipt said it is. */
	requestId: string | undefined;
	findings: Finding[];
}

/**
 * Checks a receipt's hash and signature.
 * @returns null for what is no answer of `GET /v1/proof/{request_id}`.
 */
export async function checkSeal(document: unknown, keys: PublicKeys): Promise<CheckedReceipt | null> {
	const proof = proofSchema.safeParse(document);
	if (!proof.success) return null;
	const { receipt, proof_hash, request_id: requestId } = proof.data;
	const hash = hashObject(receipt);
	const findings = [
		finding(hash === proof_hash, `receipt: has its hash ${hash}`, `receipt: has hash ${hash}, not ${proof_hash}`),
		await signatureFinding(proof.data, hash, keys),
		...contradictions("receipt: the answer around it", proof.data, {
			object: "proof",
			kind: receipt.kind,
			valid: true,
			recomputed_hash: hash,
			signed: proof.data.signature !== null,
		}),
		...unproven(
			"receipt",
			Object.keys(proof.data).filter((name) => !CHECKED.includes(name)),
		),
	];
	return { receipt, requestId, findings };
}

function attestationFindings(given: unknown): Finding[] {
	if (given === null || given === undefined) return [];
	const attestation = attestationSchema.safeParse(given);
	if (!attestation.success) return [failure("attestation: is none of svc.attestation.v1")];
	const { hash: claimed, ...members } = attestation.data;
	const hash = hashObject(members);
	const ifNot = `attestation: has hash ${hash}, not ${claimed}`;
	return [finding(hash === claimed, `attestation: has its hash ${hash}`, ifNot)];
}

/**
 * Checks a saved receipt.
 * @param document what `GET /v1/proof/{request_id}` answers.
 * @param keys whose signatures count. A receipt whose signature cannot be checked does not hold.
 */
export async function checkReceipt(document: unknown, keys: PublicKeys): Promise<Finding[]> {
	const checked = await checkSeal(document, keys);
	if (!checked) return [failure("receipt: is not what GET /v1/proof/{request_id} answers")];
	const { receipt, requestId, findings } = checked;
	const { request_id, kind, compliance } = receipt;
	const isOwn = requestId === undefined || requestId === request_id;
	return [
		...findings,
		finding(isOwn, `receipt: is of ${kind} ${request_id}`, `receipt: is of ${request_id}, not of ${requestId}`),
		...attestationFindings(compliance),
	];
}
