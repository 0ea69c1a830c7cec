// Checks a saved, signed receipt (docs/proofs.md, "Receipts") without any request.
import * as z from "zod";
import { hashObject } from "../proof/hash.ts";
import { RECEIPT_TYPES } from "../proof/receipt.ts";
import { toKeyId, verifySignature } from "../proof/signing.ts";
import { receiptCountFindings } from "./exchanges.ts";
import { contradictionFindings, type Finding, failedFinding, finding, unprovenFindings } from "./findings.ts";
import { listKeyIds, type PublicKeys } from "./keys.ts";
import { type GivenTexts, NO_TEXTS, type TextHashes, textFindings } from "./texts.ts";

const receiptAttestationSchema = z.looseObject({ type: z.literal("svc.attestation.v1"), hash: z.string() });

/** The answer of `GET /v1/proof/{request_id}`, as far as it is checked. */
const proofDocumentSchema = z.looseObject({
	request_id: z.string().optional(),
	proof_hash: z.string(),
	signature: z.string().nullable(),
	key_id: z.string().nullable(),
	receipt: z.looseObject({ type: z.enum(RECEIPT_TYPES) }),
});

/** The answer's members that are checked. No proof covers the others. */
const CHECKED_MEMBERS = [
	...Object.keys(proofDocumentSchema.shape),
	"object",
	"kind",
	"valid",
	"recomputed_hash",
	"signed",
];
type ProofDocument = z.output<typeof proofDocumentSchema>;

async function receiptSignatureFinding(
	{ signature, key_id }: ProofDocument,
	hash: string,
	keys: PublicKeys,
): Promise<Finding> {
	if (signature === null) return failedFinding("signature: the receipt is not signed");
	if (keys.length === 0) return failedFinding(`signature: not checked, for want of a public key (key ${key_id})`);
	const key = keys.find((each) => toKeyId(each) === key_id);
	if (!key)
		return failedFinding(`signature: is said to be of key ${key_id}, which is not given; given: ${listKeyIds(keys)}`);
	const holds = await verifySignature(key, hash, signature);
	return finding(holds, `signature: holds under key ${key_id}`, `signature: does not hold under key ${key_id}`);
}

/** A parsed receipt, with the findings on its hash and its signature. */
export interface CheckedReceipt {
	receipt: ProofDocument["receipt"];
	/** The request id that the surrounding answer claims. */
	requestId: string | undefined;
	findings: Finding[];
}

/**
 * Checks a receipt's hash and signature.
 * @returns null when the document is not an answer of `GET /v1/proof/{request_id}`.
 */
export async function checkReceiptSeal(document: unknown, keys: PublicKeys): Promise<CheckedReceipt | null> {
	const proof = proofDocumentSchema.safeParse(document);
	if (!proof.success) return null;
	const { receipt, proof_hash, request_id: requestId } = proof.data;
	const hash = hashObject(receipt);
	const findings = [
		finding(hash === proof_hash, `receipt: has its hash ${hash}`, `receipt: has hash ${hash}, not ${proof_hash}`),
		await receiptSignatureFinding(proof.data, hash, keys),
		...contradictionFindings("receipt: the answer around it", proof.data, {
			object: "proof",
			kind: receipt.kind,
			valid: true,
			recomputed_hash: hash,
			signed: proof.data.signature !== null,
		}),
		...unprovenFindings(
			"receipt",
			Object.keys(proof.data).filter((name) => !CHECKED_MEMBERS.includes(name)),
		),
	];
	return { receipt, requestId, findings };
}

/** The hashes of texts in a receipt. */
export function textHashesOf({ type, input_hash, output_hash }: CheckedReceipt["receipt"]): TextHashes {
	return { isSalted: type !== "svc.receipt.v1", input: input_hash, output: output_hash };
}

function attestationFindings(compliance: unknown): Finding[] {
	if (compliance === null || compliance === undefined) return [];
	const attestation = receiptAttestationSchema.safeParse(compliance);
	if (!attestation.success) return [failedFinding("attestation: is none of svc.attestation.v1")];
	const { hash: claimed, ...members } = attestation.data;
	const hash = hashObject(members);
	const ifNot = `attestation: has hash ${hash}, not ${claimed}`;
	const monitored =
		"attestation: monitored, not enforced: the operator's policy refused nothing, so it is no proof of compliance";
	return [
		finding(hash === claimed, `attestation: has its hash ${hash}`, ifNot),
		...(attestation.data["mode"] === "monitor" ? [{ verdict: "note" as const, text: monitored }] : []),
	];
}

/**
 * Checks a saved receipt.
 * @param document the answer of `GET /v1/proof/{request_id}`.
 * @param keys trusted public keys. A receipt whose signature cannot be checked is a fault.
 * @param texts what the reader has of the request.
 */
export async function checkReceipt(
	document: unknown,
	keys: PublicKeys,
	texts: GivenTexts = NO_TEXTS,
): Promise<Finding[]> {
	const checked = await checkReceiptSeal(document, keys);
	if (!checked) return [failedFinding("receipt: is not what GET /v1/proof/{request_id} answers")];
	const { receipt, requestId, findings } = checked;
	const { request_id, kind, compliance } = receipt;
	const isOwn = requestId === undefined || requestId === request_id;
	return [
		...findings,
		finding(isOwn, `receipt: is of ${kind} ${request_id}`, `receipt: is of ${request_id}, not of ${requestId}`),
		...attestationFindings(compliance),
		...receiptCountFindings(receipt["tool_calls"]),
		...textFindings(textHashesOf(receipt), texts),
	];
}
