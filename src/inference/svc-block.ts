// The `svc` block of an answer: the decision, its cost and the receipt. Every entrance has the same one. Pure.
import * as z from "zod";
import { INTENTS, TIERS } from "../catalog/vocabulary.ts";
import { usd } from "../proof/money.ts";
import type { Warning } from "../providers/model-call.ts";
import { MODES } from "../routing/mode.ts";
import { observedSchema } from "../routing/observed.ts";
import { toIntentShares, toSignalFlags } from "../routing/signals.ts";
import { type BilledCall, callWarnings, explainServingModel, fallbackFrom, lastBilledCall } from "./accounting.ts";
import { type ClientWarning, formatMetSchema, toClientWarning, warningsSchema } from "./client-fields.ts";
import type { SettledRequest } from "./infer.edge.ts";
import { proofSummarySchema, toProofSummary } from "./proof-summary.ts";

export const svcBlockSchema = z.lazy(() =>
	z.object({
		routing: z
			.object({
				mode: z.enum(MODES),
				model_display: z.string(),
				provider: z.string(),
				reason: z.string(),
				tier: z.enum(TIERS),
				signals_detected: z.record(z.string(), z.boolean()),
				intents: z.record(z.enum(INTENTS), z.number()).describe("How likely the prompt has each intent."),
				observed: observedSchema.describe(
					"Observations that the choice was made with; POST /v1/route takes them and repeats it.",
				),
			})
			.describe("The choice of the model, and why."),
		cost: z
			.object({ input_usd: z.number(), output_usd: z.number(), total_usd: z.number(), estimated: z.boolean() })
			.describe("Cost of all calls; `estimated` if some usage was not reported."),
		latency_ms: z.int().describe("Time from the arrival of the request to its receipt."),
		proof: proofSummarySchema(z.enum(MODES)),
		fallback: z.boolean().describe("Another model served than the intended one."),
		fallback_from: z.string().nullable().describe("The intended model, or the id that was sent."),
		fallback_to: z.string().nullable().describe("The model that served in its place."),
		format_met: formatMetSchema.optional(),
		refused: z
			.literal(true)
			.optional()
			.describe("The answer refuses: by the provider's own sign, or in words, as far as these can be told."),
		warnings: warningsSchema,
	}),
);

export type SvcBlock = z.output<typeof svcBlockSchema>;

function totalCostFields(billed: readonly BilledCall[]): SvcBlock["cost"] {
	const sum = (part: "inputNanoUsd" | "outputNanoUsd" | "totalNanoUsd") =>
		usd(billed.reduce((total, { bill }) => total + bill.cost[part], 0));
	return {
		input_usd: sum("inputNanoUsd"),
		output_usd: sum("outputNanoUsd"),
		total_usd: sum("totalNanoUsd"),
		estimated: billed.some(({ bill }) => bill.estimated),
	};
}

/**
 * The `svc` block of a settled request. Its costs are those of the receipt.
 * @param toWarning words a warning under the names of the client's body; default: those of chat.
 */
export function toSvcBlock(
	{ billed, receipt, salt, latencyMs, attestation, answerWarnings, refusal, formatMet }: SettledRequest,
	toWarning: (warning: Warning) => ClientWarning = toClientWarning,
): SvcBlock {
	const last = lastBilledCall(billed);
	const { plan, candidate } = last;
	const { model } = candidate;
	const { mode } = plan.selection;
	const reason = explainServingModel(last);
	const from = fallbackFrom(last);
	return {
		routing: {
			mode,
			model_display: model.display_name,
			provider: model.provider,
			reason,
			tier: model.tier,
			signals_detected: toSignalFlags(plan.signals),
			intents: toIntentShares(plan.signals),
			observed: plan.observed,
		},
		cost: totalCostFields(billed),
		latency_ms: latencyMs,
		proof: toProofSummary({ receipt, salt, attestation, model, mode, reason }),
		fallback: from !== null,
		fallback_from: from,
		fallback_to: from === null ? null : model.id,
		...(formatMet === null ? {} : { format_met: formatMet }),
		...(refusal ? { refused: true as const } : {}),
		warnings: [...(plan.options.warnings ?? []), ...callWarnings(last), ...answerWarnings].map(toWarning),
	};
}
