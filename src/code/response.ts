// What a code run answers (docs/reference.md, "Code"). Pure.
import * as z from "zod";
import { rounded, type Trace } from "../inference/trace.ts";
import { POLICIES, type Policy } from "../orchestration/strategy.ts";
import { usd } from "../proof/money.ts";
import type { Attestation, SealedReceipt } from "../proof/receipt.ts";
import type { DeliveredFile } from "./files.ts";
import { CODER_ROLE } from "./prompts.ts";
import type { Review } from "./review.ts";

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
			.object({ passed: z.boolean(), score: share, issues: z.array(z.string()), reviewer: z.string() })
			.nullable(),
		usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
		svc: z.object({
			code: z.object({
				policy: z.enum(POLICIES),
				language: z.string(),
				passed: z.boolean(),
				score: share,
				confidence: share,
				iterations: z.int(),
				coder_models: z.array(z.string()),
				reviewer_model: z.string().nullable(),
				models_used: z.array(z.string()),
				latency_ms: z.int(),
				/** What the static checks found in files that were not reviewed. */
				static_issues: z.array(z.string()).optional(),
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
				language: z.string(),
				passed: z.boolean(),
				models_used: z.array(z.string()),
				confidence: share,
				verifiable: z.literal(true),
				compliance: z.record(z.string(), z.unknown()).optional(),
				signature: z.string().nullable(),
				key_id: z.string().nullable(),
			}),
			stages: z.array(stage).optional(),
		}),
	}),
);

export type CodeAnswer = z.output<typeof codeSchema>;

/** What the run was about and what it came to. */
export interface CodeResult {
	task: string;
	language: string;
	policy: Policy;
	reason: string;
	files: DeliveredFile[];
	review: Review;
	/** Whether a critic took part; what it was not asked about, the static checks refuted. */
	isReviewed: boolean;
	/** Rounded. */
	confidence: number;
	iterations: number;
}

/** What was accounted for. */
export interface Accounted {
	requestId: string;
	startedAtMs: number;
	latencyMs: number;
	boundNanoUsd: number;
	totals: { promptTokens: number; completionTokens: number; costNanoUsd: number; estimated: boolean };
	trace: Trace;
	receipt: SealedReceipt;
	attestation: Attestation | null;
}

/** Who reviewed where no critic was asked about the files that are delivered. */
const STATIC_CHECKS = "static checks";

/** Models that wrote drafts, in the order they did. */
function codersIn(trace: Trace): string[] {
	const coders = trace.calls().filter(({ ok, role }) => ok && role === CODER_ROLE);
	return [...new Set(coders.map(({ model }) => model))];
}

/** The answer that the client gets. */
export function codeAnswerOf(result: CodeResult, done: Accounted, includeTrace: boolean): CodeAnswer {
	const { task, language, policy, reason, files, review, isReviewed, confidence, iterations } = result;
	const { totals, receipt, trace, attestation } = done;
	const { passed, issues, reviewer } = review;
	const score = rounded(review.score);
	const models_used = trace.modelsUsed();
	const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = totals;
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
		usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
		svc: {
			code: {
				policy,
				language,
				passed,
				score,
				confidence,
				iterations,
				coder_models: codersIn(trace),
				reviewer_model: reviewer,
				models_used,
				latency_ms: done.latencyMs,
				...(isReviewed ? {} : { static_issues: issues }),
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
				language,
				passed,
				models_used,
				confidence,
				verifiable: true,
				...(attestation ? { compliance: { ...attestation } } : {}),
				signature: receipt.signature,
				key_id: receipt.key_id,
			},
			...(includeTrace ? { stages: trace.shown() } : {}),
		},
	};
}
