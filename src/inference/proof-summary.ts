// `svc.proof` of an answer of one model: its receipt in short. Pure.
import * as z from "zod";
import type { Model } from "../catalog/schema.ts";
import { attestationSchema } from "../compliance/attestation.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";

/** @param mode the modes that an answer can have. */
export function proofSummarySchema<Mode extends z.ZodType<string>>(mode: Mode) {
	return z
		.object({
			request_id: z.string(),
			timestamp: z.string(),
			proof_hash: z.string(),
			model: z.string(),
			provider: z.string(),
			mode,
			reason: z.string(),
			verifiable: z.literal(true),
			signature: z.string().nullable(),
			key_id: z.string().nullable(),
			salt: z.string().describe("Salt of the receipt's hashes of texts: for their owner, who may give it away."),
			compliance: attestationSchema.optional().describe("When a compliance policy was in force."),
		})
		.describe("The receipt in short; `verifiable` is always true.");
}

/** What a receipt is shown with, and who answered why. */
interface Proven<Mode extends string> {
	receipt: SealedReceipt;
	salt: string;
	attestation: Attestation | null;
	model: Pick<Model, "id" | "provider">;
	mode: Mode;
	reason: string;
}

export function toProofSummary<Mode extends string>({ receipt, salt, attestation, model, mode, reason }: Proven<Mode>) {
	return {
		request_id: receipt.request_id,
		timestamp: receipt.created_at,
		proof_hash: receipt.proof_hash,
		model: model.id,
		provider: model.provider,
		mode,
		reason,
		verifiable: true as const,
		signature: receipt.signature,
		key_id: receipt.key_id,
		salt,
		...(attestation ? { compliance: attestation } : {}),
	};
}
