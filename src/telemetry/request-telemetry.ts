// What telemetry is told of one settled or failed request and of one policy check. It is all that spans and metrics are made of. Pure.
import type { RequestKind } from "../http/request-kind.ts";
import type { TraceParent } from "./trace-context.ts";

/** One upstream call: what the request's row says of it (`CallAttempt`). */
export interface AttemptTelemetry {
	provider: string;
	model: string;
	/** HTTP status of the upstream; null where none came. */
	status: number | null;
	/** Why it did not serve, from the closed list of call failures; null for the one that served. */
	error: string | null;
	/** From the request's arrival to the call's start, ms. */
	startedMs: number;
	/** From the call's start to its first token or body, ms; null where none came. */
	firstTokenMs: number | null;
	/** From the call's start to its end, ms. */
	ms: number;
	/** The id that was sent upstream as the parent's; absent for one that follows from the request and the index. */
	spanId?: string;
}

/** A stage of a workflow, as its receipt lists it. */
export interface StageTelemetry {
	name: string;
	/** From the request's arrival, ms; null where no one noted it: then it stands as long as the request. */
	startedMs: number | null;
	ms: number | null;
	/** Calls of models, and those that served. */
	calls: number;
	served: number;
	costNanoUsd: number;
	content: ExchangedContent | null;
}

/** A step of an agent's run. */
export interface StepTelemetry {
	/** Counts from 0. */
	index: number;
	/** What it was for, such as `plan` or `work`. */
	role: string;
	model: string | null;
	provider: string | null;
	startedMs: number;
	ms: number;
	inputTokens: number;
	outputTokens: number;
	costNanoUsd: number;
	/** A failure's code; null for a step that ended well. */
	error: string | null;
	content: ExchangedContent | null;
}

/** A tool that a model called, or that this service called for it. */
export interface ToolTelemetry {
	name: string;
	/** The id of the call; null where it has none. */
	callId: string | null;
	/** `function` for one that the client executes, `extension` for one that this service executes. */
	type: "function" | "extension";
	startedMs: number | null;
	ms: number | null;
	/** The state in which a run's call ended; null where nothing went wrong. */
	error: string | null;
	/** JSON texts, after masking; null while content is off. */
	arguments: string | null;
	result: string | null;
	/** Of a run's call: what the policy decided on it, and who let it run. */
	decision?: string | null;
	decidedBy?: "policy" | "person";
}

/** A part of a message in the form of the GenAI conventions (`gen-ai-input-messages.json`). */
export type TracedPart =
	| { type: "text"; content: string }
	| { type: "reasoning"; content: string }
	| { type: "tool_call"; id: string | null; name: string; arguments: unknown }
	| { type: "tool_call_response"; id: string | null; response: unknown }
	| { type: "uri"; modality: "image" | "audio" | "video"; uri: string; mime_type?: string };

/** A message in the form of the GenAI conventions. */
export interface TracedMessage {
	role: "system" | "user" | "assistant" | "tool";
	parts: TracedPart[];
	/** Of an output message. */
	finish_reason?: string;
}

/** What was asked and answered, after masking. Given only while `OTLP_CONTENT` is on. */
export interface ExchangedContent {
	input: readonly TracedMessage[];
	output: readonly TracedMessage[];
}

/** The same of a request. */
export interface ContentTelemetry extends ExchangedContent {
	system: readonly TracedPart[];
}

/** Parameters of the request that its call was made with; null where it named none. */
export interface AskedTelemetry {
	/** The id that the client sent; null where it sent none, or none that the catalog knows. */
	model: string | null;
	maxTokens: number | null;
	temperature: number | null;
	topP: number | null;
	/** The effort of reasoning. */
	effort: string | null;
	previousResponseId: string | null;
}

/** Tokens of all calls. Those of caches are part of the input, those of reasoning part of the output. */
export interface TokenTelemetry {
	input: number;
	output: number;
	/** Null where the provider says nothing of it. */
	cacheRead: number | null;
	cacheWrite: number | null;
	reasoning: number | null;
}

/** The calls of one model that a request was billed for. */
export interface ModelUsageTelemetry {
	model: string;
	provider: string;
	/** How many calls. */
	calls: number;
	tokens: TokenTelemetry;
	costNanoUsd: number;
}

export type TelemetryKind = RequestKind;

/** How a request ended: `refused` before any call, `failed` after calls. */
export type TelemetryOutcome = "complete" | "cut" | "client_closed" | "refused" | "failed";

/** A failure's code and its message in our own words, without what a client or an upstream wrote (http/failure-summary.ts). */
export interface ErrorTelemetry {
	code: string;
	message: string;
}

/** One request that ended. */
export interface RequestTelemetry {
	/** That of the request, or of the run. Spans' ids follow from it. */
	requestId: string;
	kind: TelemetryKind;
	/** Method and path pattern of the endpoint, such as `POST /v1/chat/completions`; null where it is not known. */
	endpoint: string | null;
	userId: string;
	keyId: string;
	/** Arrival, Unix time in ms. */
	startedAtMs: number;
	/** From arrival to the end of the answer, ms. */
	latencyMs: number;
	/** From arrival to the first token, ms; null for an answer that came as a whole, or not at all. */
	firstTokenMs: number | null;
	/** What the client got; null where nobody knows. */
	status: number | null;
	outcome: TelemetryOutcome;
	error: ErrorTelemetry | null;
	/** How many equal refusals of one minute this stands for; 1 for any other request. */
	count: number;
	/** Whether the answer was streamed. */
	isStream: boolean;
	asked: AskedTelemetry | null;
	/** What served; null where nothing did. */
	model: string | null;
	provider: string | null;
	mode: string | null;
	/** Why this model, in words; null where nothing was chosen. */
	reason: string | null;
	/** The model that was intended, where another served. */
	fallbackFrom: string | null;
	/** Why each answer ended, such as `stop`. */
	finishReasons: readonly string[];
	/** Of all calls; what stands in no entry of `usage` counts for `model`. */
	tokens: TokenTelemetry;
	costNanoUsd: number;
	/** By model; empty where nothing was billed. */
	usage: readonly ModelUsageTelemetry[];
	/** Usage was not reported, and stands at its bound. */
	isEstimated: boolean;
	attempts: readonly AttemptTelemetry[];
	stages: readonly StageTelemetry[];
	steps: readonly StepTelemetry[];
	/** The strategy of an orchestration, or `code`; null for what is no workflow. */
	workflow: string | null;
	tools: readonly ToolTelemetry[];
	sessionId: string | null;
	endUser: string | null;
	metadata: Readonly<Record<string, string>>;
	/** The caller's place in its trace; null where it sent none. */
	parent: TraceParent | null;
	content: ContentTelemetry | null;
}

/** Of a request of which only its row tells. */
export const UNTOLD = {
	...{ asked: null, mode: null, reason: null, workflow: null, content: null },
	...{ finishReasons: [], stages: [], steps: [], tools: [], isEstimated: false },
} satisfies Partial<RequestTelemetry>;

/** What is told only of an answer of one model. */
export type SingleAnswerTelemetry = Pick<RequestTelemetry, "isStream" | "asked" | "finishReasons" | "tools">;

/** One decision of the policy about what an agent wants to do. Never its text. */
export interface PolicyCheckTelemetry {
	/** Of the audit event. */
	checkId: string;
	userId: string;
	keyId: string;
	/** Unix time in ms. */
	atMs: number;
	/** How long it took to decide, ms; null where no one noted it. */
	ms: number | null;
	workspaceId: string;
	sessionId: string | null;
	/** The coding agent, such as `claude-code`; null where it is not known. */
	agent: string | null;
	/** The tool whose call is decided on; null for a check that is none. */
	tool: string | null;
	/** `allow`, `confirm`, `approve` or `deny`, and the risk band. */
	decision: string;
	tier: string;
	/** Names of the reasons. */
	factors: readonly string[];
	parent: TraceParent | null;
}
