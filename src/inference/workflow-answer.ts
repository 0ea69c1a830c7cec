// The parts that all answers of workflows share: usage, cost, stages, proof (docs/reference/orchestration.md, "Orchestration"). Pure.
import * as z from "zod";
import { attestationSchema } from "../compliance/attestation.ts";
import { usd } from "../proof/money.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import type { Warning } from "../providers/model-call.ts";
import type { ClientWarning } from "./client-fields.ts";
import { toClientWarning } from "./client-fields.ts";
import { confidenceBasisSchema } from "./confidence-basis.ts";
import type { Trace } from "./trace.ts";
import type { WorkflowTotals } from "./workflow.ts";

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
					confidence_basis: confidenceBasisSchema.nullable().describe("Null where nothing was rated."),
				}),
			),
			detail: z.record(z.string(), z.unknown()),
		}),
	),
);

export const workflowUsageSchema = z.lazy(() =>
	z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
);

export const workflowCostSchema = z.lazy(() =>
	z.object({
		total_usd: z.number(),
		estimated: z.literal(true),
		/** `bound`: some call reported no usage, so its cost is its bound. */
		basis: z.enum(["provider_usage", "bound"]),
		bound_usd: z.number(),
	}),
);

/** The fields of a proof, without those of its kind. */
export const workflowProofSchema = z.lazy(() =>
	z.object({
		request_id: z.string(),
		timestamp: z.string(),
		proof_hash: z.string(),
		verifiable: z.literal(true),
		compliance: attestationSchema.optional().describe("When a compliance policy was in force."),
		signature: z.string().nullable(),
		key_id: z.string().nullable(),
		salt: z.string().describe("Salt of the receipt's hashes of texts: for their owner, who may give it away."),
	}),
);

/** A workflow that was settled. */
export interface SettledWorkflow {
	requestId: string;
	startedAtMs: number;
	latencyMs: number;
	boundNanoUsd: number;
	totals: WorkflowTotals;
	trace: Trace;
	/** Of the calls that were billed; each once. */
	warnings: readonly Warning[];
	receipt: SealedReceipt;
	/** Of the receipt's hashes. */
	salt: string;
	attestation: Attestation | null;
}

/** A client's settings that the service chooses itself where they are left out. */
const CHOSEN_FIELDS = ["temperature", "effort", "output"] as const;
type ChosenField = (typeof CHOSEN_FIELDS)[number];

/** Those of the settings that the client chose. */
export function findSetFields(values: Readonly<Partial<Record<ChosenField, unknown>>>): ReadonlySet<ChosenField> {
	return new Set(CHOSEN_FIELDS.filter((field) => values[field] != null));
}

/**
 * `svc.warnings`: of the body, and of the calls. What the service chose for a call itself is no ground for a warning.
 * @param isSet the settings that the client chose.
 */
export function toWorkflowWarnings(
	ofBody: readonly ClientWarning[],
	{ warnings }: SettledWorkflow,
	isSet: ReadonlySet<ChosenField>,
): ClientWarning[] {
	const own = new Set<Warning["param"]>(CHOSEN_FIELDS.filter((field) => !isSet.has(field)));
	return [...ofBody, ...warnings.filter((warning) => !own.has(warning.param)).map(toClientWarning)];
}

/** Tokens of all calls. */
export function toWorkflowUsage({
	promptTokens,
	completionTokens,
}: WorkflowTotals): z.output<typeof workflowUsageSchema> {
	return {
		prompt_tokens: promptTokens,
		completion_tokens: completionTokens,
		total_tokens: promptTokens + completionTokens,
	};
}

/** Cost of all calls, in USD. */
export function toWorkflowCost({ totals, boundNanoUsd }: SettledWorkflow): z.output<typeof workflowCostSchema> {
	return {
		total_usd: usd(totals.costNanoUsd),
		estimated: true,
		basis: totals.estimated ? "bound" : "provider_usage",
		bound_usd: usd(boundNanoUsd),
	};
}

/** The proof, without the fields of its kind. */
export function toWorkflowProof({ receipt, salt, attestation }: SettledWorkflow): z.output<typeof workflowProofSchema> {
	return {
		request_id: receipt.request_id,
		timestamp: receipt.created_at,
		proof_hash: receipt.proof_hash,
		verifiable: true,
		...(attestation ? { compliance: attestation } : {}),
		signature: receipt.signature,
		key_id: receipt.key_id,
		salt,
	};
}
