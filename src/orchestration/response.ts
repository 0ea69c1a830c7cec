// The answer of an orchestration (docs/reference/orchestration.md, "Orchestration"). Pure.
import * as z from "zod";
import { type ClientWarning, formatMetSchema, warningsSchema } from "../inference/client-fields.ts";
import { confidenceBasisSchema, type Rating } from "../inference/confidence-basis.ts";
import { roundShare } from "../inference/trace.ts";
import {
	type SettledWorkflow,
	shareSchema,
	stagesSchema,
	toWorkflowCost,
	toWorkflowProof,
	toWorkflowUsage,
	workflowCostSchema,
	workflowProofSchema,
	workflowUsageSchema,
} from "../inference/workflow-answer.ts";
import { STRATEGIES, type StrategyName } from "./strategies.ts";
import { type EffortPolicy, POLICIES, type StrategyResult } from "./strategy.ts";

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
		usage: workflowUsageSchema,
		svc: z.object({
			orchestration: z.object({
				policy: z.enum(POLICIES),
				strategy: z.enum(STRATEGIES),
				reason: z.string(),
				models_used: z.array(z.string()),
				confidence: shareSchema,
				confidence_basis: confidenceBasisSchema,
				agreement: shareSchema,
				escalated: z.boolean(),
				latency_ms: z.int(),
			}),
			cost: workflowCostSchema,
			proof: workflowProofSchema.unwrap().extend({
				policy: z.enum(POLICIES),
				strategy: z.enum(STRATEGIES),
				models_used: z.array(z.string()),
				confidence: shareSchema,
				agreement: shareSchema,
			}),
			truncated: z
				.literal(true)
				.optional()
				.describe("The output limit ended the answer, and nobody could complete it."),
			format_met: formatMetSchema.optional(),
			refused: z
				.literal(true)
				.optional()
				.describe("Every model that was asked refused; the text is one of their refusals."),
			warnings: warningsSchema,
			stages: stagesSchema.optional(),
			compliance: z.record(z.string(), z.unknown()).optional().describe("What the policy in force decided."),
		}),
	}),
);

export type Orchestration = z.output<typeof orchestrationSchema>;

/** An orchestration while it goes on and at its end. Its shares are rounded. */
export interface OrchestrationProgress
	extends Pick<StrategyResult, keyof Rating | "agreement" | "escalated" | "isCut" | "instead"> {
	policy: EffortPolicy;
	strategy: StrategyName;
	reason: string;
}

/** The progress at the end. This is where confidence and agreement are rounded, once. */
export function withStrategyResult(
	progress: OrchestrationProgress,
	{ confidence, confidenceBasis, agreement, escalated, isCut, instead }: StrategyResult,
): OrchestrationProgress {
	return {
		...progress,
		confidence: roundShare(confidence),
		confidenceBasis,
		agreement: roundShare(agreement),
		escalated,
		isCut,
		instead,
	};
}

interface SettledOrchestration extends SettledWorkflow {
	/** What the compliance policy in force decided; null without one. */
	decision: Record<string, unknown> | null;
	clientWarnings: ClientWarning[];
	/** Null where there is no form to check. */
	formatMet: boolean | null;
}

/** The output limit of a workflow's calls. */
export interface CallLimit {
	maxTokens: number;
	/** By the client. */
	isNamed: boolean;
}

/** Says that what is delivered was cut. @param what reached its limit, and what did not follow. */
export function truncatedWarning({ maxTokens, isNamed }: CallLimit, what: string, consequence: string): ClientWarning {
	const cure = isNamed ? "raise max_tokens or max_cost_usd" : "set max_tokens";
	const limit = isNamed ? "its output limit" : `${maxTokens} tokens, the default`;
	return {
		code: "truncated",
		param: "max_tokens",
		message: `${what} was cut at ${limit}, and ${consequence}: ${cure}`,
	};
}

/** The answer that the client gets. */
export function toOrchestration(
	progress: OrchestrationProgress,
	text: string,
	done: SettledOrchestration,
	{ limit, includeTrace }: { limit: CallLimit; includeTrace: boolean },
): Orchestration {
	const { policy, strategy, reason, confidence, agreement, escalated } = progress;
	const { trace, decision, clientWarnings } = done;
	const models_used = trace.modelsUsed();
	return {
		id: done.requestId,
		object: "orchestration",
		created: Math.floor(done.startedAtMs / 1000),
		policy,
		strategy,
		reason,
		choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
		usage: toWorkflowUsage(done.totals),
		svc: {
			orchestration: {
				policy,
				strategy,
				reason,
				models_used,
				confidence,
				confidence_basis: progress.confidenceBasis,
				agreement,
				escalated,
				latency_ms: done.latencyMs,
			},
			cost: toWorkflowCost(done),
			proof: {
				...toWorkflowProof(done),
				policy,
				strategy,
				models_used,
				confidence,
				agreement,
			},
			...(progress.isCut ? { truncated: true as const } : {}),
			...(done.formatMet === null ? {} : { format_met: done.formatMet }),
			...(progress.instead === "refusal" ? { refused: true as const } : {}),
			warnings: progress.isCut
				? [...clientWarnings, truncatedWarning(limit, "the answer", "could not be continued")]
				: clientWarnings,
			...(includeTrace ? { stages: trace.answerStages() } : {}),
			...(decision ? { compliance: decision } : {}),
		},
	};
}
