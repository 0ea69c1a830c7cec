// The one table of spans: their names and attributes. Those under `gen_ai.*`, and how spans are named, are the GenAI conventions' as
// they stand in open-telemetry/semantic-conventions-genai at 024a4f94 (docs/gen-ai/client-inference.md, gen-ai-agent-spans.md,
// docs/registry/attributes/gen-ai.md); `http.*`, `error.type`, `session.id`, `user.id` are OpenTelemetry's general ones; `svc.*` is ours.
// Costs stand under `svc.cost.*`, because the conventions have none. Pure.
import type { SpanKind } from "./span.ts";

/** What a span is of. */
export const SPAN_TYPES = ["request", "attempt", "stage", "step", "tool", "policy_check"] as const;
export type SpanType = (typeof SPAN_TYPES)[number];

interface SpanDefinition {
	kind: SpanKind;
	/** How its name is made, for readers. */
	name: string;
	description: string;
}

export const SPANS: Readonly<Record<SpanType, SpanDefinition>> = {
	request: {
		kind: "server",
		name: "`chat MODEL`, `embeddings MODEL` (so `moderation`, `rerank`), `invoke_workflow NAME` or `invoke_agent`",
		description: "One request or run, from its arrival to the end of its answer.",
	},
	attempt: {
		kind: "client",
		name: "`chat MODEL` or `embeddings MODEL` (so `moderation`, `rerank`)",
		description: "One call of a model, served or not.",
	},
	stage: { kind: "internal", name: "`stage NAME`", description: "A group of a workflow's calls." },
	step: { kind: "internal", name: "`step ROLE`", description: "A step of an agent's run." },
	tool: {
		kind: "internal",
		name: "`execute_tool NAME`",
		description: "A tool that was executed; of a run from its dispatch to its end.",
	},
	policy_check: {
		kind: "internal",
		name: "`policy_check`",
		description: "A decision on what an agent wants to do.",
	},
};

interface AttributeDefinition {
	type: "string" | "int" | "double" | "boolean" | "string[]";
	/** The spans that may have it. */
	on: readonly SpanType[];
	description: string;
	/** Has texts: sent only while `OTLP_CONTENT` is on. */
	isContent?: true;
}

const ALL = SPAN_TYPES;
const REQUEST_SPANS = ["request", "attempt", "stage", "step", "tool"] as const;
const USAGE_SPANS = ["request", "attempt"] as const;
const MODEL_SPANS = ["request", "attempt", "step"] as const;

export const ATTRIBUTES = {
	"gen_ai.operation.name": {
		type: "string",
		on: ["request", "attempt", "tool"],
		description: "`chat`, `embeddings`, `moderation`, `rerank`, `invoke_workflow`, `invoke_agent` or `execute_tool`.",
	},
	"gen_ai.provider.name": {
		type: "string",
		on: MODEL_SPANS,
		description:
			"The provider that served: a well-known value, else its id in the catalog. Clouds are known by ids that follow from their templates.",
	},
	"gen_ai.request.model": {
		type: "string",
		on: MODEL_SPANS,
		description: "The model that was asked for; where the service chose, the one that it chose.",
	},
	"gen_ai.request.stream": {
		type: "boolean",
		on: ["request", "attempt"],
		description: "True for a stream, else absent.",
	},
	"gen_ai.request.max_tokens": { type: "int", on: ["request"], description: "The output limit of the request." },
	"gen_ai.request.temperature": { type: "double", on: ["request"], description: "Of the request." },
	"gen_ai.request.top_p": { type: "double", on: ["request"], description: "Of the request." },
	"gen_ai.request.reasoning.level": { type: "string", on: ["request"], description: "The effort that was asked for." },
	"gen_ai.request.previous_response.id": {
		type: "string",
		on: ["request"],
		description: "The stored response that the request goes on with.",
	},
	"gen_ai.response.id": { type: "string", on: ["request"], description: "The request's id, which the receipt has." },
	"gen_ai.response.model": { type: "string", on: ["request", "attempt"], description: "The model that served." },
	"gen_ai.response.finish_reasons": {
		type: "string[]",
		on: ["request"],
		description: "Why the answer ended; `error` for one that was cut off.",
	},
	"gen_ai.response.time_to_first_chunk": {
		type: "double",
		on: ["request", "attempt"],
		description: "Seconds to the first chunk of a stream: from the arrival, or from the call.",
	},
	"gen_ai.usage.input_tokens": {
		type: "int",
		on: USAGE_SPANS,
		description:
			"Tokens of all calls, cached ones included: on the request where it called one model; else those of each model on its last attempt. No token stands in two spans.",
	},
	"gen_ai.usage.output_tokens": { type: "int", on: USAGE_SPANS, description: "Likewise, reasoning tokens included." },
	"gen_ai.usage.cache_read.input_tokens": {
		type: "int",
		on: USAGE_SPANS,
		description: "The part of the input that came from a provider's cache.",
	},
	"gen_ai.usage.cache_write.input_tokens": {
		type: "int",
		on: USAGE_SPANS,
		description: "The part of the input that was written to a provider's cache.",
	},
	"gen_ai.usage.reasoning.output_tokens": {
		type: "int",
		on: USAGE_SPANS,
		description: "The part of the output that was reasoning.",
	},
	"gen_ai.conversation.id": {
		type: "string",
		on: ["request", "policy_check"],
		description: "The session that the client named.",
	},
	"gen_ai.agent.name": {
		type: "string",
		on: ["policy_check"],
		description: "The coding agent, such as `claude-code`.",
	},
	"gen_ai.workflow.name": {
		type: "string",
		on: ["request"],
		description: "The strategy of an orchestration, or `code`.",
	},
	"gen_ai.tool.name": { type: "string", on: ["tool", "policy_check"], description: "The tool." },
	"gen_ai.tool.call.id": { type: "string", on: ["tool"], description: "The id of its call." },
	"gen_ai.tool.type": {
		type: "string",
		on: ["tool"],
		description: "`extension` for a tool of this service, `function` for one of the client.",
	},
	"gen_ai.system_instructions": {
		type: "string",
		on: ["request"],
		isContent: true,
		description: "JSON in the conventions' form, after masking.",
	},
	"gen_ai.input.messages": { type: "string", on: ["request", "step"], isContent: true, description: "Likewise." },
	"gen_ai.output.messages": {
		type: "string",
		on: ["request", "stage", "step"],
		isContent: true,
		description: "Likewise; of a stage, what each of its calls wrote.",
	},
	"gen_ai.tool.call.arguments": { type: "string", on: ["tool"], isContent: true, description: "JSON, after masking." },
	"gen_ai.tool.call.result": { type: "string", on: ["tool"], isContent: true, description: "JSON, after masking." },
	"error.type": {
		type: "string",
		on: ["request", "attempt", "step", "tool"],
		description:
			"The code of the error, as answers have it; of an attempt why it was lost, or the upstream's status; of a run's tool `failed` or `expired`.",
	},
	"http.request.method": { type: "string", on: ["request"], description: "Of the endpoint." },
	"http.route": { type: "string", on: ["request"], description: "Path of the endpoint." },
	"http.response.status_code": {
		type: "int",
		on: ["request", "attempt"],
		description: "What the client got; what the upstream answered.",
	},
	"session.id": { type: "string", on: ALL, description: "The session that the client named." },
	"user.id": { type: "string", on: REQUEST_SPANS, description: "The client's own user, which it named." },
	"svc.request.id": { type: "string", on: ALL, description: "The request, run or check." },
	"svc.request.kind": {
		type: "string",
		on: ["request"],
		description: "`chat`, `skill`, `orchestration`, `code`, `agent`, `embedding`, `moderation` or `rerank`.",
	},
	"svc.request.outcome": {
		type: "string",
		on: ["request"],
		description: "`complete`, `cut`, `client_closed`, `refused` or `failed`.",
	},
	"svc.request.count": {
		type: "int",
		on: ["request"],
		description: "How many equal refusals of one minute it stands for, where there are several.",
	},
	"svc.user.id": { type: "string", on: ["request", "policy_check"], description: "The account's user." },
	"svc.key.id": { type: "string", on: ["request", "policy_check"], description: "The API key." },
	"svc.cost.total_usd": { type: "double", on: ["request"], description: "Cost of all calls." },
	"svc.cost.estimated": {
		type: "boolean",
		on: ["request"],
		description: "True where usage was not reported and stands at its bound, else absent.",
	},
	"svc.cost.stage_usd": { type: "double", on: ["stage"], description: "Of the total, this stage's part." },
	"svc.cost.step_usd": { type: "double", on: ["step"], description: "Of the total, this step's part." },
	"svc.content.clipped": {
		type: "boolean",
		on: ["request", "stage", "step", "tool"],
		isContent: true,
		description: "True where texts were cut to 64 Ki characters each.",
	},
	"svc.attempt.index": { type: "int", on: ["attempt"], description: "Counts from 0." },
	"svc.stage.name": { type: "string", on: ["stage"], description: "As in the trace of the answer." },
	"svc.stage.calls": { type: "int", on: ["stage"], description: "Calls of models." },
	"svc.stage.served": { type: "int", on: ["stage"], description: "Those that served." },
	"svc.step.index": { type: "int", on: ["step"], description: "Counts from 0." },
	"svc.step.role": { type: "string", on: ["step"], description: "What the step was for." },
	"svc.step.input_tokens": {
		type: "int",
		on: ["step"],
		description: "Of the request's input tokens, this step's part.",
	},
	"svc.step.output_tokens": { type: "int", on: ["step"], description: "Likewise of the output tokens." },
	"svc.policy.decision": {
		type: "string",
		on: ["tool", "policy_check"],
		description: "`allow`, `confirm`, `approve` or `deny`.",
	},
	"svc.policy.decided_by": {
		type: "string",
		on: ["tool"],
		description: "Who let the call run: `policy`, or the `person` who was asked.",
	},
	"svc.policy.tier": { type: "string", on: ["policy_check"], description: "The risk band." },
	"svc.policy.factors": { type: "string[]", on: ["policy_check"], description: "Names of the reasons." },
	"svc.policy.workspace_id": {
		type: "string",
		on: ["policy_check"],
		description: "The workspace whose rules decided.",
	},
} as const satisfies Record<string, AttributeDefinition>;

export type AttributeName = keyof typeof ATTRIBUTES;

/** Attributes whose names have a name of the client's: `svc.metadata.NAME`. */
export const METADATA_PREFIX = "svc.metadata.";

interface EventDefinition {
	on: readonly SpanType[];
	/** Names of its attributes. */
	attributes: readonly string[];
	description: string;
}

/** Events: our reasons. */
export const SPAN_EVENTS = {
	"svc.choice": {
		on: ["request"],
		attributes: ["svc.choice.mode", "svc.choice.model", "svc.choice.provider", "svc.choice.reason"],
		description: "A model was chosen, and why.",
	},
	"svc.fallback": {
		on: ["request"],
		attributes: ["svc.fallback.from", "svc.fallback.to", "svc.fallback.reason"],
		description: "Another model served than the intended one; the reason is the last attempt's error before it.",
	},
	"svc.first_token": { on: ["request"], attributes: [], description: "The first token was there." },
	"svc.tool_call": {
		on: ["request"],
		attributes: ["gen_ai.tool.name", "gen_ai.tool.call.id"],
		description: "The model called a tool that the client executes.",
	},
} as const satisfies Record<string, EventDefinition>;

export type SpanEventName = keyof typeof SPAN_EVENTS;
