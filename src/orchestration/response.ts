// What an orchestration answers (docs/reference.md, "Orchestration"). Pure.
import * as z from "zod";
import { attestationSchema } from "../compliance/attestation.ts";
import { rounded, type Trace } from "../inference/trace.ts";
import type { WorkTotals } from "../inference/work.ts";
import { usd } from "../proof/money.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import { type Conclusion, POLICIES, type Policy, STRATEGIES, type StrategyName } from "./strategy.ts";

const share = z.number().min(0).max(1);

const stage = z.lazy(() =>
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
				confidence: share,
			}),
		),
		detail: z.record(z.string(), z.unknown()),
	}),
);

export const orchestrationSchema = z.lazy(() =>
	z.object({
		id: z.string(),
		object: z.literal("orchestration"),
		created: z.int(),
		policy: z.enum(POLICIES),
		strategy: z.enum(STRATEGIES),
		reason: z.string(),
		choices: z.tuple([
			z.object({
				index: z.literal(0),
				message: z.object({ role: z.literal("assistant"), content: z.string() }),
				finish_reason: z.literal("stop"),
			}),
		]),
		usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
		svc: z.object({
			orchestration: z.object({
				policy: z.enum(POLICIES),
				strategy: z.enum(STRATEGIES),
				reason: z.string(),
				models_used: z.array(z.string()),
				confidence: share,
				agreement: share,
				escalated: z.boolean(),
				latency_ms: z.int(),
			}),
			cost: z.object({
				total_usd: z.number(),
				estimated: z.literal(true),
				/** `bound`: of some call no usage was reported, and its cost is what was reserved for it. */
				basis: z.enum(["provider_usage", "bound"]),
				bound_usd: z.number(),
			}),
			proof: z.object({
				request_id: z.string(),
				timestamp: z.string(),
				proof_hash: z.string(),
				policy: z.enum(POLICIES),
				strategy: z.enum(STRATEGIES),
				models_used: z.array(z.string()),
				confidence: share,
				agreement: share,
				verifiable: z.literal(true),
				compliance: attestationSchema.optional().describe("When a compliance policy was in force."),
				signature: z.string().nullable(),
				key_id: z.string().nullable(),
			}),
			stages: z.array(stage).optional(),
			compliance: z.record(z.string(), z.unknown()).optional().describe("What the policy in force decided."),
		}),
	}),
);

export type Orchestration = z.output<typeof orchestrationSchema>;

/** What is known of an orchestration while it goes on and at its end; its shares are rounded. */
export interface Progress extends Pick<Conclusion, "confidence" | "agreement" | "escalated"> {
	policy: Policy;
	strategy: StrategyName;
	reason: string;
}

/** Progress at its end: the producer's one rounding of confidence and agreement. */
export function concluded(progress: Progress, { confidence, agreement, escalated }: Conclusion): Progress {
	return { ...progress, confidence: rounded(confidence), agreement: rounded(agreement), escalated };
}

/** What was accounted for. */
export interface Accounted {
	requestId: string;
	startedAtMs: number;
	latencyMs: number;
	boundNanoUsd: number;
	totals: WorkTotals;
	trace: Trace;
	receipt: SealedReceipt;
	attestation: Attestation | null;
	/** What the compliance policy in force decided; null without one. */
	decision: Record<string, unknown> | null;
}

/** The answer that the client gets. */
export function orchestrationOf(
	progress: Progress,
	text: string,
	done: Accounted,
	includeTrace: boolean,
): Orchestration {
	const { policy, strategy, reason, confidence, agreement, escalated } = progress;
	const { totals, receipt, trace, attestation, decision } = done;
	const models_used = trace.modelsUsed();
	const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = totals;
	return {
		id: done.requestId,
		object: "orchestration",
		created: Math.floor(done.startedAtMs / 1000),
		policy,
		strategy,
		reason,
		choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
		usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
		svc: {
			orchestration: {
				policy,
				strategy,
				reason,
				models_used,
				confidence,
				agreement,
				escalated,
				latency_ms: done.latencyMs,
			},
			cost: {
				total_usd: usd(totals.costNanoUsd),
				estimated: true,
				basis: totals.estimated ? "bound" : "provider_usage",
				bound_usd: usd(done.boundNanoUsd),
			},
			proof: {
				request_id: receipt.request_id,
				timestamp: receipt.created_at,
				proof_hash: receipt.proof_hash,
				policy,
				strategy,
				models_used,
				confidence,
				agreement,
				verifiable: true,
				...(attestation ? { compliance: attestation } : {}),
				signature: receipt.signature,
				key_id: receipt.key_id,
			},
			...(includeTrace ? { stages: trace.shown() } : {}),
			...(decision ? { compliance: decision } : {}),
		},
	};
}
