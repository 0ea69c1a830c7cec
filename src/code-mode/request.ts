// The body of a code request: its schema, and the task and options that it becomes. Pure.
import * as z from "zod";
import { nameFields } from "../account/request-names.ts";
import { taskTextSchema } from "../inference/task-text.ts";
import { reasoningEffortField } from "../orchestration/request.ts";
import { type EffortPolicy, POLICIES } from "../orchestration/strategy.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { type DetectedLanguage, detectLanguage, findLanguage } from "./language.ts";

const MAX_ITERATIONS = 10;
/** Cycles of writing and reviewing where the client sets none (docs/reference/code.md, "Code"). */
const DEFAULT_ITERATIONS = 3;
/** Output limit of each call where the client sets none (docs/reference/conventions.md, "Limits"). */
const DEFAULT_CODE_MAX_TOKENS = 2_048;
const DEFAULT_CODE_TEMPERATURE = 0.2;

/** Fields of the body; a `null` counts as absent. */
export const codeRequestSchema = z.lazy(() =>
	z.object({
		task: taskTextSchema()
			.refine((task) => task.trim() !== "", "is empty")
			.describe("What the code is to do; at most 256 KiB."),
		language: z
			.string()
			.max(40, "takes at most 40 characters")
			.regex(/^[A-Za-z0-9+#./ _-]*$/, "is no name of a language")
			.nullish()
			.describe("Such as `python`; by default that of the task."),
		policy: z
			.enum(POLICIES)
			.nullish()
			.describe("`balanced` by default; `efficiency` has one cheap coder, `depth` several."),
		coder_model: z.string().min(1).max(256).nullish().describe("The model that writes; an id of list_models."),
		reviewer_model: z.string().min(1).max(256).nullish().describe("The model that reviews; an id of list_models."),
		max_iters: z
			.int()
			.min(1)
			.max(MAX_ITERATIONS)
			.nullish()
			.describe(`Most drafts, the first included; ${DEFAULT_ITERATIONS} by default.`),
		review: z.boolean().nullish().describe("False: one draft and no reviewer. True by default."),
		max_tokens: z
			.int()
			.positive()
			.nullish()
			.describe(`Most tokens of each call; ${DEFAULT_CODE_MAX_TOKENS} by default.`),
		temperature: z.number().min(0).max(2).nullish().describe(`${DEFAULT_CODE_TEMPERATURE} by default.`),
		reasoning_effort: reasoningEffortField(),
		max_cost_usd: z.number().positive().nullish().describe("USD to stay near: repairs stop there."),
		...ruleFields(),
		...nameFields(),
		include_trace: z.boolean().nullish().describe("Whether `svc.stages` is shown; true by default."),
		stream: z.boolean().nullish().describe("Progress as Server-Sent Events, then the answer."),
	}),
);

export type CodeRequest = z.output<typeof codeRequestSchema>;

/** The code to write. */
export interface CodeTask {
	text: string;
	language: DetectedLanguage;
	/** Of each draft. */
	maxTokens: number;
	temperature: number;
	/** Marks the texts of others in its prompts (inference/material.ts). */
	nonce: string;
}

/** How the client wants it written and reviewed. */
export interface CodeOptions {
	policy: EffortPolicy;
	review: boolean;
	/** Cycles at most. */
	iterations: number;
	/** Preferred models; null leaves it to the service. */
	coderModel: string | null;
	reviewerModel: string | null;
}

export function toCodeTask({ task, language, max_tokens, temperature }: CodeRequest, nonce: string): CodeTask {
	return {
		text: task,
		language: detectLanguage(task, language ?? null),
		maxTokens: max_tokens ?? DEFAULT_CODE_MAX_TOKENS,
		temperature: temperature ?? DEFAULT_CODE_TEMPERATURE,
		nonce,
	};
}

/** The options of a body. Without a review nothing can be repaired, so there is one cycle. */
export function toCodeOptions(
	{ policy, review, max_iters }: CodeRequest,
	preferred: Pick<CodeOptions, "coderModel" | "reviewerModel">,
): CodeOptions {
	const isReviewed = review ?? true;
	return {
		policy: policy ?? "balanced",
		review: isReviewed,
		iterations: isReviewed ? (max_iters ?? DEFAULT_ITERATIONS) : 1,
		...preferred,
	};
}

/** A language's name for people. */
export function languageDisplay({ id }: DetectedLanguage): string {
	return findLanguage(id)?.display ?? id;
}
