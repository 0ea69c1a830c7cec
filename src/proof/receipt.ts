// Receipts: the service's signed record of one request, which anyone can check.
import * as z from "zod";
import { canonicalJson } from "./canonical.ts";
import { hashObject, hashText } from "./hash.ts";
import { textHash } from "./salted.ts";
import { fromBase64, type PublicKeyEntry, type Signer, verifySignature } from "./signing.ts";

/** How far the answer came: complete, cut by the upstream, or left by the client. */
export type Outcome = "complete" | "cut" | "client_closed";

/** Which models saw a text, and under which compliance policy (docs/proofs.md, "Receipts"). */
export interface Attestation {
	type: "svc.attestation.v1";
	matrix_version: string;
	/** The compiled policy: with all its members, lists sorted. */
	policy: Record<string, unknown>;
	/** Ids of the models that saw the text, and of their providers below; both sorted. */
	models: string[];
	providers: string[];
	/** In the order PII, PHI, FINANCIAL, SECRETS. */
	detected_classes: string[];
	/** What is inferred beyond that; absent unless a policy asks for it. */
	inferred_classes?: string[];
	/** Those of the providers about which the operator's word counted, not only what is published; sorted, absent where there is none. */
	operator_facts?: string[];
	/** How many different values of each kind were masked, by kind, sorted; absent where none was. */
	masked?: Record<string, number>;
	/** The policies above the request's, by digest; absent when there are none. */
	floor?: { level: string; members: string[]; digest: string }[];
	/** Present under a policy that refuses nothing. */
	mode?: "monitor";
	/** With `mode`: what that policy would have kept from which of the models. Sorted. */
	violations?: { level: string; member: string; models: string[] }[];
	/** Hash over all other members. */
	hash: string;
}

/** The versions of receipts. In the first, hashes of texts have no salt; only runs that began before the second still get it. */
export const RECEIPT_TYPES = ["svc.receipt.v1", "svc.receipt.v2"] as const;
export type ReceiptType = (typeof RECEIPT_TYPES)[number];

/** Members of every receipt; `null` when one does not apply. */
export interface ReceiptBase {
	type: ReceiptType;
	request_id: string;
	/** ISO 8601 UTC with three fractional digits. */
	timestamp: string;
	outcome: Outcome;
	/** Some usage was not reported and was settled at its bound. */
	estimated: boolean;
	cost_usd: number;
	/** The worst case reserved before the first call; never below `cost_usd`. */
	bound_usd: number;
	/** Null where the process died before it could hash the input over the request's salt. */
	input_hash: string | null;
	/** Null in a reservation whose salt its writer did not have yet. */
	output_hash: string | null;
	/** Null when no compliance policy was in force. */
	compliance: Attestation | null;
	catalog_version: string;
	config_digest: string | null;
}

/** A receipt of one model's answer. */
interface ModelReceipt extends ReceiptBase {
	model: string;
	provider: string;
	/** The host that the prompt was really sent to. */
	upstream_host: string;
	mode: string;
	reason: string;
	prompt_tokens: number;
	completion_tokens: number;
	fallback_from: string | null;
}

/** The receipt of a chat completion, through any entrance. */
export interface ChatReceipt extends ModelReceipt {
	kind: "chat";
	skill_id: null;
}

/** The receipt of a skill's answer. */
interface SkillReceipt extends ModelReceipt {
	kind: "skill";
	skill_id: string;
}

/** The receipt of vectors, of a moderation or of a rerank: no model of these writes anything. */
export interface EncoderReceipt extends Omit<ModelReceipt, "completion_tokens"> {
	kind: "embedding" | "moderation" | "rerank";
	skill_id: null;
}

/** The calls of one stage of a workflow. */
export interface ReceiptStage {
	name: string;
	results: {
		model: string;
		ok: boolean;
		role: string;
		in_tokens: number;
		out_tokens: number;
		cost_usd: number;
		confidence: number;
		output_hash: string;
	}[];
}

/** The receipt of an answer that several models made together. */
interface OrchestrationReceipt extends ReceiptBase {
	kind: "orchestration";
	policy: string;
	strategy: string;
	/** In order of first call. */
	models_used: string[];
	confidence: number;
	agreement: number;
	stages: ReceiptStage[];
}

/** The receipt of generated and reviewed code. `input_hash` is of the task, `output_hash` of the list of files. */
export interface CodeReceipt extends ReceiptBase {
	kind: "code";
	policy: string;
	language: string;
	passed: boolean;
	confidence: number;
	models_used: string[];
	/** Sorted by path. */
	files: { path_hash: string; language: string; bytes: number; hash: string }[];
	stages: ReceiptStage[];
}

/** The receipt of an agent run; `request_id` is the run's id. */
/** What became of the calls of a run's tools. */
export interface ToolCallCounts {
	requested: number;
	allowed: number;
	denied: number;
	approved: number;
	rejected: number;
	expired: number;
}

export interface AgentReceipt extends ReceiptBase {
	kind: "agent";
	status: string;
	policy: string;
	strategy: string;
	trajectory_proof: string;
	n_steps: number;
	max_cost_usd: number;
	/** What became of the goal; from version 2 on. */
	goal_outcome?: string;
	/** Calls of the run's tools; absent in runs without tools. */
	tool_calls?: ToolCallCounts;
}

export type Receipt = ChatReceipt | SkillReceipt | EncoderReceipt | OrchestrationReceipt | CodeReceipt | AgentReceipt;
export type ReceiptKind = Receipt["kind"];

/** A receipt's kind, with the members that only this kind has. */
export type ReceiptDetail = Receipt extends infer R ? (R extends Receipt ? Omit<R, keyof ReceiptBase> : never) : never;

/** A receipt with its hash. It is signed when the service has a signing key. */
export interface SealedReceipt {
	request_id: string;
	kind: ReceiptKind;
	/** Canonical JSON of the receipt. */
	receipt: string;
	proof_hash: string;
	/** Ed25519 over the `proof_hash` string, base64; null without a signing key. */
	signature: string | null;
	key_id: string | null;
	created_at: string;
}

/** A tool call with the id that the client gets. */
interface DeliveredCall {
	id: string;
	name: string;
	/** JSON text. */
	arguments: string;
}

/**
 * What `output_hash` is over: the text that the client got, or canonical JSON of text and tool calls when there are calls. The same
 * for every entrance.
 * @param text null when the answer has none.
 */
export function toHashedOutput(text: string | null, calls: readonly DeliveredCall[]): string {
	if (calls.length === 0) return text ?? "";
	const tool_calls = calls.map(({ id, name, arguments: args }) => ({
		id,
		type: "function",
		function: { name, arguments: args },
	}));
	return canonicalJson({ type: "svc.output.v1", content: text, tool_calls });
}

/** A receipt of which nothing was delivered: its output is the empty text. */
export function withEmptyOutput(receipt: Receipt, salt: string): Receipt {
	return { ...receipt, output_hash: textHash(salt)("") };
}

/** Hashes a receipt and signs the hash. */
export async function sealReceipt(receipt: Receipt, signer: Signer | null): Promise<SealedReceipt> {
	const text = canonicalJson(receipt);
	const proof_hash = hashText(text);
	return {
		request_id: receipt.request_id,
		kind: receipt.kind,
		receipt: text,
		proof_hash,
		signature: signer ? await signer.sign(proof_hash) : null,
		key_id: signer?.keyId ?? null,
		created_at: receipt.timestamp,
	};
}

const storedReceiptSchema = z.lazy(() => z.looseObject({ type: z.enum(RECEIPT_TYPES) }));

/** The result of checking a stored receipt. */
interface ReceiptVerdict {
	/** The recomputed hash equals the stored one and, if signed, the signature is valid under a known key. */
	valid: boolean;
	recomputed_hash: string;
	receipt: Record<string, unknown>;
}

/**
 * Recomputes the hash of a stored receipt and checks its signature.
 * @throws when the stored text is not a receipt.
 */
export async function verifyReceipt(
	stored: Pick<SealedReceipt, "receipt" | "proof_hash" | "signature" | "key_id">,
	keys: readonly PublicKeyEntry[],
): Promise<ReceiptVerdict> {
	const receipt = storedReceiptSchema.parse(JSON.parse(stored.receipt));
	const recomputed_hash = hashObject(receipt);
	const intact = recomputed_hash === stored.proof_hash;
	if (stored.signature === null) return { valid: intact, recomputed_hash, receipt };
	const key = fromBase64(keys.find((entry) => entry.key_id === stored.key_id)?.public_key ?? "");
	const signed = key?.length === 32 && (await verifySignature(key, stored.proof_hash, stored.signature));
	return { valid: intact && signed, recomputed_hash, receipt };
}
