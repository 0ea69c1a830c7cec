// The `svc` block of an answer of an encoder model: chat's, without what only a choice among models has. Pure.
import * as z from "zod";
import { totalNanoUsd } from "../inference/accounting.ts";
import { type ClientWarning, fieldNamer, renameWarning, warningsSchema } from "../inference/client-fields.ts";
import { proofSummarySchema, toProofSummary } from "../inference/proof-summary.ts";
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
		proof: proofSummarySchema(z.literal("direct")),
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
		proof: toProofSummary({ receipt, salt, attestation, model, mode: "direct", reason }),
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
