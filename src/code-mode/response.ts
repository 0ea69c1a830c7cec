// The answer of a code request (docs/reference/code.md, "Code"). Pure.
import * as z from "zod";
import { type ClientWarning, warningsSchema } from "../inference/client-fields.ts";
import { confidenceBasisSchema, type Rating } from "../inference/confidence-basis.ts";
import { roundShare, type Trace } from "../inference/trace.ts";
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
import { type CallLimit, truncatedWarning } from "../orchestration/response.ts";
import { type EffortPolicy, POLICIES } from "../orchestration/strategy.ts";
import type { DeliveredFile } from "./files.ts";
import { CODER_ROLE } from "./prompts.ts";
import type { Review } from "./review.ts";

export const codeSchema = z.lazy(() =>
	z.object({
		id: z.string(),
		object: z.literal("code"),
		created: z.int(),
		task: z.string(),
		language: z.string(),
		policy: z.enum(POLICIES),
		reason: z.string(),
		passed: z.boolean(),
		iterations: z.int(),
		files: z.array(z.object({ path: z.string(), language: z.string(), content: z.string(), bytes: z.int() })).min(1),
		review: z
			.object({ passed: z.boolean(), score: shareSchema, issues: z.array(z.string()), reviewer: z.string() })
			.nullable(),
		usage: workflowUsageSchema,
		svc: z.object({
			code: z.object({
				policy: z.enum(POLICIES),
				language: z.string(),
				passed: z.boolean(),
				score: shareSchema,
				confidence: shareSchema,
				confidence_basis: confidenceBasisSchema,
				iterations: z.int(),
				coder_models: z.array(z.string()),
				reviewer_model: z.string().nullable(),
				models_used: z.array(z.string()),
				latency_ms: z.int(),
				/** What the static checks found in files that were not reviewed. */
				static_issues: z.array(z.string()).optional(),
			}),
			cost: workflowCostSchema,
			proof: workflowProofSchema.unwrap().extend({
				policy: z.enum(POLICIES),
				language: z.string(),
				passed: z.boolean(),
				models_used: z.array(z.string()),
				confidence: shareSchema,
			}),
			truncated: z
				.literal(true)
				.optional()
				.describe("The output limit ended the answer with these files, so some may be missing."),
			unreviewed: z
				.literal(true)
				.optional()
				.describe("A review was asked for, and no reviewer gave a verdict that can be read."),
			warnings: warningsSchema,
			stages: stagesSchema.optional(),
		}),
	}),
);

export type CodeAnswer = z.output<typeof codeSchema>;

/** The task and the result of a code request. Its confidence is rounded. */
interface CodeResult extends Rating {
	task: string;
	language: string;
	policy: EffortPolicy;
	reason: string;
	files: DeliveredFile[];
	review: Review;
	/** Whether a critic took part. Drafts that it was not asked about had failed the static checks. */
	isReviewed: boolean;
	iterations: number;
	/** The output limit ended the answer that wrote the files. */
	isCut: boolean;
}

/** The reviewer of delivered files that no critic gave a verdict on. */
const STATIC_CHECKS = "static checks";

const UNREVIEWED_WARNING = {
	code: "unreviewed",
	param: "review",
	message: "no reviewer gave a verdict that can be read, so only the static checks have judged the code",
};

/** Models that wrote drafts, in the order of their drafts. */
function codersUsed(trace: Trace): string[] {
	const coders = trace.calls().filter(({ ok, role }) => ok && role === CODER_ROLE);
	return [...new Set(coders.map(({ model }) => model))];
}

/** The answer that the client gets. */
export function toCodeAnswer(
	result: CodeResult,
	done: SettledWorkflow,
	clientWarnings: ClientWarning[],
	{ limit, includeTrace }: { limit: CallLimit; includeTrace: boolean },
): CodeAnswer {
	const { task, language, policy, reason, files, review, isReviewed, confidence, iterations, isCut } = result;
	const { trace } = done;
	const { passed, issues, reviewer } = review;
	const score = roundShare(review.score);
	const models_used = trace.modelsUsed();
	return {
		id: done.requestId,
		object: "code",
		created: Math.floor(done.startedAtMs / 1000),
		task,
		language,
		policy,
		reason,
		passed,
		iterations,
		files,
		review: isReviewed ? { passed, score, issues, reviewer: reviewer ?? STATIC_CHECKS } : null,
		usage: toWorkflowUsage(done.totals),
		svc: {
			code: {
				policy,
				language,
				passed,
				score,
				confidence,
				confidence_basis: result.confidenceBasis,
				iterations,
				coder_models: codersUsed(trace),
				reviewer_model: reviewer,
				models_used,
				latency_ms: done.latencyMs,
				...(isReviewed ? {} : { static_issues: issues }),
			},
			cost: toWorkflowCost(done),
			proof: {
				...toWorkflowProof(done),
				policy,
				language,
				passed,
				models_used,
				confidence,
			},
			...(isCut ? { truncated: true as const } : {}),
			...(review.lacksVerdict ? { unreviewed: true as const } : {}),
			warnings: [
				...clientWarnings,
				...(isCut ? [truncatedWarning(limit, "a draft", "what it left open could not be completed")] : []),
				...(review.lacksVerdict ? [UNREVIEWED_WARNING] : []),
			],
			...(includeTrace ? { stages: trace.answerStages() } : {}),
		},
	};
}
