// What every answer to work of several calls says in the same way: usage, cost, stages, receipt (docs/reference.md,
// "Orchestration"). Pure.
import * as z from "zod";
import { attestationSchema } from "../compliance/attestation.ts";
import { usd } from "../proof/money.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import type { Trace } from "./trace.ts";
import type { WorkTotals } from "./work.ts";

/** 0 to 1. */
export const shareSchema = z.number().min(0).max(1);

export const stagesSchema = z.lazy(() =>
	z.array(
		z.object({
			name: z.string(),
			results: z.array(
				z.object({
					model: z.string(),
					ok: z.boolean(),
					role: z.string(),
					in_tokens: z.int(),
					out_tokens: z.int(),
					latency_ms: z.int(),
					cost_usd: z.number(),
					confidence: shareSchema,
				}),
			),
			detail: z.record(z.string(), z.unknown()),
		}),
	),
);

export const workUsageSchema = z.lazy(() =>
	z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
);

export const workCostSchema = z.lazy(() =>
	z.object({
		total_usd: z.number(),
		estimated: z.literal(true),
		/** `bound`: of some call no usage was reported, and its cost is what was reserved for it. */
		basis: z.enum(["provider_usage", "bound"]),
		bound_usd: z.number(),
	}),
);

/** What a proof has beside the members of its kind. */
export const workProofSchema = z.lazy(() =>
	z.object({
		request_id: z.string(),
		timestamp: z.string(),
		proof_hash: z.string(),
		verifiable: z.literal(true),
		compliance: attestationSchema.optional().describe("When a compliance policy was in force."),
		signature: z.string().nullable(),
		key_id: z.string().nullable(),
	}),
);

/** What was accounted for. */
export interface AccountedWork {
	requestId: string;
	startedAtMs: number;
	latencyMs: number;
	boundNanoUsd: number;
	totals: WorkTotals;
	trace: Trace;
	receipt: SealedReceipt;
	attestation: Attestation | null;
}

/** Tokens of all calls. */
export function workUsage({ promptTokens, completionTokens }: WorkTotals): z.output<typeof workUsageSchema> {
	return {
		prompt_tokens: promptTokens,
		completion_tokens: completionTokens,
		total_tokens: promptTokens + completionTokens,
	};
}

/** Cost of all calls, in USD. */
export function workCost({ totals, boundNanoUsd }: AccountedWork): z.output<typeof workCostSchema> {
	return {
		total_usd: usd(totals.costNanoUsd),
		estimated: true,
		basis: totals.estimated ? "bound" : "provider_usage",
		bound_usd: usd(boundNanoUsd),
	};
}

/** The proof without the members of its kind. */
export function workProof({ receipt, attestation }: AccountedWork): z.output<typeof workProofSchema> {
	return {
		request_id: receipt.request_id,
		timestamp: receipt.created_at,
		proof_hash: receipt.proof_hash,
		verifiable: true,
		...(attestation ? { compliance: attestation } : {}),
		signature: receipt.signature,
		key_id: receipt.key_id,
	};
}
