// The body of an orchestration: its schema, and its way into a task. Pure.

import * as z from "zod";
import { clipMiddle } from "../clip.ts";
import { DEFAULT_TEMPERATURE, type Message, type ModelCall, partsOfType } from "../providers/model-call.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import { lastUserText } from "../routing/signals.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { detectAnswerKind } from "./final-answer.ts";
import { POLICIES, type Question, STRATEGIES, type Task } from "./strategy.ts";

const MAX_MESSAGES = 2_000;
/** Output limit of each call where the client sets none (docs/reference.md, "Limits"). */
const DEFAULT_MAX_TOKENS = 1_024;
const MAX_WIDTH = 8;
/** Looked at from each end of what the user said, for the plan; a longer middle changes the size, not the kind. */
const PLANNED_CHARS = 4_000;

const texts = z.lazy(() =>
	z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() })).min(1)], {
		error: "must be a string or an array of text parts",
	}),
);

const messageSchema = z.lazy(() =>
	z.object({
		role: z.enum(["system", "developer", "user", "assistant"]),
		content: texts,
	}),
);

/** Fields of the body; a `null` counts as absent. */
export const orchestrationRequestSchema = z.lazy(() =>
	z.object({
		messages: z
			.array(messageSchema)
			.min(1)
			.max(MAX_MESSAGES)
			.describe("The conversation; its last user message is worked on."),
		policy: z
			.enum(POLICIES)
			.nullish()
			.describe("`balanced` by default; `efficiency` is cheapest, `depth` asks several models."),
		strategy: z.enum(STRATEGIES).nullish().describe("By policy and prompt where it is left out."),
		k: z
			.int()
			.min(1)
			.max(MAX_WIDTH)
			.nullish()
			.describe("How many answers `ensemble_moa`, `rank_fuse` and `self_consistency` compare."),
		max_tokens: z.int().positive().nullish().describe(`Of each model call; ${DEFAULT_MAX_TOKENS} by default.`),
		temperature: z.number().min(0).max(2).nullish().describe(`${DEFAULT_TEMPERATURE} by default.`),
		max_cost_usd: z.number().positive().nullish().describe("USD to stay near; one cheapest call always runs."),
		judge_model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("Who aggregates, ranks or judges, if it is an id of list_models."),
		...ruleFields(),
		include_trace: z.boolean().nullish().describe("Whether `svc.stages` is shown; true by default."),
		stream: z.boolean().nullish(),
	}),
);

export type OrchestrationRequest = z.output<typeof orchestrationRequestSchema>;

function toMessage({ role, content }: OrchestrationRequest["messages"][number]): Message {
	const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
	return { role: role === "developer" ? "system" : role, content: parts };
}

/** What a question is as a model call. */
export function toQuestionCall({
	messages,
	maxTokens,
	temperature,
	json,
}: Omit<Question, "stage" | "role" | "member">): ModelCall {
	return {
		messages: [...messages],
		tools: [],
		output: { type: json ? "json_object" : "text" },
		maxTokens,
		stop: [],
		sampling: temperature === undefined ? {} : { temperature },
		unknownFields: {},
	};
}

/** The task of a body. */
export function toTask(body: OrchestrationRequest): Task {
	const messages = body.messages.map(toMessage);
	const maxTokens = body.max_tokens ?? DEFAULT_MAX_TOKENS;
	const temperature = body.temperature ?? undefined;
	const said = lastUserText(toQuestionCall({ messages, maxTokens, temperature, json: false }));
	const prompt = clipMiddle(said, PLANNED_CHARS);
	return { messages, prompt, kind: detectAnswerKind(prompt), maxTokens, temperature };
}

/** Whether a task says anything at all. */
export function hasNoPrompt({ messages }: Pick<Task, "messages">): boolean {
	return messages.every(({ content }) =>
		partsOfType<(typeof content)[number], "text">(content, "text").every(({ text }) => text.trim() === ""),
	);
}

/** What of a config holds for every call of a panel: which model answers is for single answers to say, and rules with it. */
export function panelConfig(config: RoutingConfig, ruleMaxCost: number | undefined): RoutingConfig {
	const { rules: _, ...rest } = config;
	const limits = [config.max_cost, ruleMaxCost].filter((limit) => limit != null);
	return {
		...rest,
		model: "auto",
		routing_mode: null,
		fallback: [],
		max_cost: limits.length > 0 ? Math.min(...limits) : null,
	};
}
