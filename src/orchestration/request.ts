// The body of an orchestration: its schema, and the task that it becomes. Pure.
import * as z from "zod";
import { nameFields } from "../account/request-names.ts";
import { EFFORTS } from "../catalog/vocabulary.ts";
import { clipMiddle } from "../clip.ts";
import type { Mask } from "../compliance/mask/mask.ts";
import { maskMessages } from "../inference/masked-call.ts";
import { responseFormatSchema, toOutputFormat } from "../inference/response-format.ts";
import { DEFAULT_TEMPERATURE, type Message, type ModelCall, partsOfType } from "../providers/model-call.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import { detectSignals, lastUserText, type Signals } from "../routing/signals.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { detectAnswerKind, readDemand } from "./answer-kind.ts";
import type { EffortRule } from "./effort-rule.ts";
import { STRATEGIES, STRATEGY } from "./strategies.ts";
import { POLICIES, type Question, type Task } from "./strategy.ts";

const MAX_TASK_MESSAGES = 2_000;
/** Output limit of each call where the client sets none (docs/reference/conventions.md, "Limits"). */
const DEFAULT_TASK_MAX_TOKENS = 1_024;
const MAX_WIDTH = 8;
/** The plan looks at this much of each end of the last user message; a longer middle adds size, but changes no kind. */
const PROMPT_END_CHARS = 4_000;

const taskContentSchema = z.lazy(() =>
	z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() })).min(1)], {
		error: "must be a string or an array of text parts; images and files are for chat, responses and messages",
	}),
);

const taskMessageSchema = z.lazy(() =>
	z.object({
		role: z.enum(["system", "developer", "user", "assistant"]),
		content: taskContentSchema,
	}),
);

/** The strategies that take `k`, as a sentence lists them. */
function namesWithK(): string {
	const names = STRATEGIES.filter((name) => STRATEGY[name].takesK).map((name) => `\`${name}\``);
	return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** `reasoning_effort` of a workflow's request. */
export function reasoningEffortField() {
	return z.enum(EFFORTS).nullish().describe("How much each call reasons; by policy and role by default.");
}

/** Fields of the body; a `null` counts as absent. */
export const orchestrationRequestSchema = z.lazy(() =>
	z.object({
		messages: z
			.array(taskMessageSchema)
			.min(1)
			.max(MAX_TASK_MESSAGES)
			.describe("The conversation; its last user message is worked on."),
		policy: z
			.enum(POLICIES)
			.nullish()
			.describe("`balanced` by default; `efficiency` is cheapest, `depth` asks several models."),
		strategy: z.enum(STRATEGIES).nullish().describe("Chosen by policy and prompt by default."),
		k: z.int().min(1).max(MAX_WIDTH).nullish().describe(`How many answers ${namesWithK()} compare.`),
		max_tokens: z
			.int()
			.positive()
			.nullish()
			.describe(`Most tokens of each call; ${DEFAULT_TASK_MAX_TOKENS} by default.`),
		temperature: z.number().min(0).max(2).nullish().describe(`${DEFAULT_TEMPERATURE} by default.`),
		response_format: responseFormatSchema.nullish().describe("Form of the final answer, as in chat; text by default."),
		reasoning_effort: reasoningEffortField(),
		max_cost_usd: z.number().positive().nullish().describe("USD to stay near; one cheapest call always runs."),
		judge_model: z.string().min(1).max(256).nullish().describe("Who ranks or judges: an id of list_models."),
		...ruleFields(),
		...nameFields(),
		include_trace: z.boolean().nullish().describe("Whether `svc.stages` is shown; true by default."),
		stream: z.boolean().nullish().describe("Progress as Server-Sent Events, then the answer."),
	}),
);

export type OrchestrationRequest = z.output<typeof orchestrationRequestSchema>;

function toTaskMessage({ role, content }: OrchestrationRequest["messages"][number]): Message {
	const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
	return { role: role === "developer" ? "system" : role, content: parts };
}

/** A question as a model call. @param effort how much it reasons; by default as little as each model can. */
export function toQuestionCall(
	{ messages, maxTokens, temperature, json, output = { type: "text" } }: Omit<Question, "stage" | "role" | "member">,
	effort: ReturnType<EffortRule> = {},
): ModelCall {
	return {
		...effort,
		messages: [...messages],
		tools: [],
		output: json ? { type: "json_object" } : output,
		maxTokens,
		stop: [],
		sampling: temperature === undefined ? {} : { temperature },
		unknownFields: {},
	};
}

/** The task of a body, and the signals of its prompt. @param nonce marks the texts of others in its prompts. */
export function toTask(body: OrchestrationRequest, nonce: string): { task: Task; signals: Signals } {
	const messages = body.messages.map(toTaskMessage);
	const maxTokens = body.max_tokens ?? DEFAULT_TASK_MAX_TOKENS;
	const temperature = body.temperature ?? undefined;
	const output = toOutputFormat(body.response_format);
	const call = toQuestionCall({ messages, maxTokens, temperature, output, json: false });
	const signals = detectSignals(call);
	const prompt = clipMiddle(lastUserText(call), PROMPT_END_CHARS);
	const kind = detectAnswerKind(prompt, signals, body.strategy === "self_consistency");
	const checksForm = output.type !== "text";
	const demand = readDemand(prompt, signals);
	return { task: { messages, prompt, kind, ...demand, maxTokens, temperature, output, checksForm, nonce }, signals };
}

/** A task with placeholders for what is masked. */
export function maskTask(task: Task, mask: Mask): Task {
	const messages = maskMessages(task.messages, mask);
	const call = toQuestionCall({ ...task, messages, json: false });
	return { ...task, messages, prompt: clipMiddle(lastUserText(call), PROMPT_END_CHARS) };
}

/** Whether no message has any text. */
export function hasNoPrompt({ messages }: Pick<Task, "messages">): boolean {
	return messages.every(({ content }) =>
		partsOfType<(typeof content)[number], "text">(content, "text").every(({ text }) => text.trim() === ""),
	);
}

/** The parts of a routing config that hold for every call of a panel. Its model, mode, fallbacks and rules are for single answers. */
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
