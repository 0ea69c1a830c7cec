// The `svc` block of an answer of an encoder model: chat's, without what only a choice among models has. Pure.
import * as z from "zod";
import { attestationSchema } from "../compliance/attestation.ts";
import { totalNanoUsd } from "../inference/accounting.ts";
import { type ClientWarning, fieldNamer, renameWarning, warningsSchema } from "../inference/client-fields.ts";
import { usd } from "../proof/money.ts";
import type { EncoderOutcome } from "./encode.edge.ts";

export const encoderBlockSchema = z.lazy(() =>
	z.object({
		routing: z
			.object({
				mode: z.literal("direct"),
				model_display: z.string(),
				provider: z.string(),
				reason: z.string(),
			})
			.describe("Which model answered, and why: the one that was named, or the same at another host."),
		cost: z
			.object({ input_usd: z.number(), total_usd: z.number(), estimated: z.boolean() })
			.describe("Cost of all calls; `estimated` if some usage was not reported: then it is the upper bound."),
		latency_ms: z.int().describe("Time from the arrival of the request to its receipt."),
		proof: z
			.object({
				request_id: z.string(),
				timestamp: z.string(),
				proof_hash: z.string(),
				model: z.string(),
				provider: z.string(),
				mode: z.literal("direct"),
				reason: z.string(),
				verifiable: z.literal(true),
				signature: z.string().nullable(),
				key_id: z.string().nullable(),
				salt: z.string().describe("Salt of the receipt's hashes: for their owner, who may give it away."),
				compliance: attestationSchema.optional().describe("When a compliance policy was in force."),
			})
			.describe("The receipt in short; `verifiable` is always true."),
		fallback: z.boolean().describe("Another host of the model served than the named one."),
		fallback_from: z.string().nullable().describe("The id that was named, where another host served."),
		warnings: warningsSchema,
	}),
);

type EncoderBlock = z.output<typeof encoderBlockSchema>;

const toOwnName = fieldNamer({});

/** The `svc` block of an outcome. Its costs are those of the receipt. */
export function toEncoderBlock(outcome: EncoderOutcome): EncoderBlock {
	const { model, reason, fallbackFrom, billed, receipt, salt, latencyMs, attestation, warnings } = outcome;
	const costUsd = usd(totalNanoUsd(billed));
	return {
		routing: { mode: "direct", model_display: model.display_name, provider: model.provider, reason },
		cost: { input_usd: costUsd, total_usd: costUsd, estimated: billed.some(({ bill }) => bill.estimated) },
		latency_ms: latencyMs,
		proof: {
			request_id: receipt.request_id,
			timestamp: receipt.created_at,
			proof_hash: receipt.proof_hash,
			model: model.id,
			provider: model.provider,
			mode: "direct",
			reason,
			verifiable: true,
			signature: receipt.signature,
			key_id: receipt.key_id,
			salt,
			...(attestation ? { compliance: attestation } : {}),
		},
		fallback: fallbackFrom !== null,
		fallback_from: fallbackFrom,
		warnings: warnings.map((warning): ClientWarning => renameWarning(warning, toOwnName)),
	};
}

/** Tokens of all calls. */
export function promptTokens({ billed }: Pick<EncoderOutcome, "billed">): number {
	return billed.reduce((sum, { bill }) => sum + bill.promptTokens, 0);
}

/** Says that the answer comes from the sandbox. */
export function sandboxHeaders({ sandbox }: Pick<EncoderOutcome, "sandbox">): Record<string, string> {
	return sandbox ? { "x-svc-sandbox": "1" } : {};
}
