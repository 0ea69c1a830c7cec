// The spans of one request: its own, and those of its attempts, stages, steps and tools. Names and attributes are those of the table
// (span-table.ts). Pure.
import { usd } from "../proof/money.ts";
import { renderMessages, renderParts, renderToolText } from "./content.ts";
import { errorClass, requestErrorType } from "./error-class.ts";
import { toOperation } from "./metric-sums.ts";
import { toProviderName } from "./provider-names.ts";
import type {
	AttemptTelemetry,
	PolicyCheckTelemetry,
	RequestTelemetry,
	StageTelemetry,
	StepTelemetry,
	ToolTelemetry,
} from "./request-telemetry.ts";
import type { Attributes, AttributeValue, Span, SpanEvent } from "./span.ts";
import { type TracePlace, toSpanId, toTracePlace } from "./span-ids.ts";
import { type AttributeName, METADATA_PREFIX, SPANS, type SpanEventName, type SpanType } from "./span-table.ts";
import { isSampled } from "./trace-context.ts";

/** By name; null for what does not apply. */
type NamedValues = Partial<Record<AttributeName, AttributeValue | null>>;

function toAttributes(values: NamedValues): Attributes {
	const known = Object.entries(values).filter((entry): entry is [string, AttributeValue] => entry[1] !== null);
	return Object.fromEntries(known);
}

/** True or absent. */
function flag(isSet: boolean): true | null {
	return isSet ? true : null;
}

function seconds(ms: number | null): number | null {
	return ms === null ? null : ms / 1000;
}

function provider(id: string | null): string | null {
	return id === null ? null : toProviderName(id);
}

/** A part of the request: where it stands, and its own attributes. */
interface SpanPart {
	type: SpanType;
	spanId: string;
	parentSpanId: string | null;
	name: string;
	startedAtMs: number;
	endedAtMs: number;
	values: NamedValues;
	events?: readonly SpanEvent[];
	error?: { message: string | null } | undefined;
}

function toSpan(place: TracePlace, isParentRemote: boolean, part: SpanPart): Span {
	const { type, spanId, parentSpanId, name, startedAtMs, endedAtMs, values, events = [], error } = part;
	return {
		traceId: place.traceId,
		spanId,
		parentSpanId,
		isParentRemote,
		flags: place.flags,
		traceState: place.state,
		name,
		kind: SPANS[type].kind,
		startedAtMs,
		endedAtMs: Math.max(startedAtMs, endedAtMs),
		attributes: toAttributes(values),
		events,
		...(error ? { error } : {}),
	};
}

function toEvent(name: SpanEventName, atMs: number, attributes: Attributes = {}): SpanEvent {
	return { name, atMs, attributes };
}

/** The operation of the request's own span. */
function requestOperation({ kind }: RequestTelemetry): string {
	if (kind === "agent") return "invoke_agent";
	if (kind === "orchestration" || kind === "code") return "invoke_workflow";
	return toOperation(kind);
}

/** The model that was asked for; where the client named none, the one that was chosen. */
function askedModel({ asked, fallbackFrom, model }: RequestTelemetry): string | null {
	return asked?.model ?? fallbackFrom ?? model;
}

/** Whether the request asks one model, so that its span has one. */
function asksOneModel({ kind }: RequestTelemetry): boolean {
	return kind === "chat" || kind === "skill" || kind === "embeddings";
}

function requestName(request: RequestTelemetry): string {
	const operation = requestOperation(request);
	const of = asksOneModel(request) ? askedModel(request) : request.workflow;
	return of === null ? operation : `${operation} ${of}`;
}

/**
 * The words of a span's error. Those of what the client sent and of what an upstream answered may quote texts, so they are only said
 * where texts are.
 */
function errorMessage({ error, content }: RequestTelemetry): string | null {
	if (!error) return null;
	const mayQuote = ["client", "upstream"].includes(errorClass(error.code));
	return mayQuote && content === null ? error.code : error.message;
}

function contentValues({ content }: RequestTelemetry): NamedValues {
	if (!content) return {};
	const system = content.system.length > 0 ? renderParts(content.system) : null;
	const input = content.input.length > 0 ? renderMessages(content.input) : null;
	const output = content.output.length > 0 ? renderMessages(content.output) : null;
	return {
		"gen_ai.system_instructions": system?.text ?? null,
		"gen_ai.input.messages": input?.text ?? null,
		"gen_ai.output.messages": output?.text ?? null,
		"svc.content.clipped": flag([system, input, output].some((part) => part?.isClipped)),
	};
}

function askedValues({ asked }: RequestTelemetry): NamedValues {
	if (!asked) return {};
	return {
		"gen_ai.request.max_tokens": asked.maxTokens,
		"gen_ai.request.temperature": asked.temperature,
		"gen_ai.request.top_p": asked.topP,
		"gen_ai.request.reasoning.level": asked.effort,
		"gen_ai.request.previous_response.id": asked.previousResponseId,
	};
}

/** What was used. A request that no model answered used nothing, and says nothing of it. */
function usageValues({ tokens, costNanoUsd, isEstimated, usage, model }: RequestTelemetry): NamedValues {
	if (model === null && usage.length === 0 && costNanoUsd === 0) return {};
	return {
		"gen_ai.usage.input_tokens": tokens.input,
		"gen_ai.usage.output_tokens": tokens.output,
		"gen_ai.usage.cache_read.input_tokens": tokens.cacheRead,
		"gen_ai.usage.cache_write.input_tokens": tokens.cacheWrite,
		"gen_ai.usage.reasoning.output_tokens": tokens.reasoning,
		"svc.cost.total_usd": usd(costNanoUsd),
		"svc.cost.estimated": flag(isEstimated),
	};
}

function endpointValues({ endpoint, status }: RequestTelemetry): NamedValues {
	const [method = null, route = null] = endpoint?.split(" ") ?? [];
	return { "http.request.method": method, "http.route": route, "http.response.status_code": status };
}

/** Each answer's reason; one that was cut off ended with an error. */
function finishReasons({ finishReasons, outcome }: RequestTelemetry): readonly string[] | null {
	if (finishReasons.length > 0) return finishReasons;
	return outcome === "cut" || outcome === "client_closed" ? ["error"] : null;
}

function requestValues(request: RequestTelemetry): NamedValues {
	const isOfOneModel = asksOneModel(request);
	const { sessionId, error, firstTokenMs, isStream } = request;
	return {
		"gen_ai.operation.name": requestOperation(request),
		"gen_ai.workflow.name": request.workflow,
		"gen_ai.provider.name": provider(request.provider),
		"gen_ai.request.model": isOfOneModel ? askedModel(request) : null,
		"gen_ai.request.stream": flag(isStream),
		...askedValues(request),
		"gen_ai.response.id": request.model === null ? null : request.requestId,
		"gen_ai.response.model": isOfOneModel ? request.model : null,
		"gen_ai.response.finish_reasons": finishReasons(request),
		"gen_ai.response.time_to_first_chunk": isStream ? seconds(firstTokenMs) : null,
		...usageValues(request),
		"gen_ai.conversation.id": sessionId,
		"session.id": sessionId,
		"user.id": request.endUser,
		...contentValues(request),
		"error.type": error && requestErrorType(error.code),
		...endpointValues(request),
		"svc.request.id": request.requestId,
		"svc.request.kind": request.kind,
		"svc.request.outcome": request.outcome,
		"svc.request.count": request.count > 1 ? request.count : null,
		"svc.user.id": request.userId,
		"svc.key.id": request.keyId,
	};
}

function metadataAttributes({ metadata }: RequestTelemetry): Attributes {
	return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${METADATA_PREFIX}${name}`, value]));
}

/** Why the model that served was chosen, and what was passed over on the way. */
function choiceEvents(request: RequestTelemetry): SpanEvent[] {
	const { startedAtMs, attempts, reason, mode, model, provider: served, fallbackFrom } = request;
	const [first] = attempts;
	const lost = attempts.findLast(({ error }) => error !== null);
	const serving = attempts.findLast(({ error }) => error === null);
	const choice =
		reason === null
			? []
			: [
					toEvent("svc.choice", startedAtMs + (first?.startedMs ?? 0), {
						...(mode === null ? {} : { "svc.choice.mode": mode }),
						...(model === null ? {} : { "svc.choice.model": model }),
						...(served === null ? {} : { "svc.choice.provider": served }),
						"svc.choice.reason": reason,
					}),
				];
	if (fallbackFrom === null) return choice;
	const fallback = toEvent("svc.fallback", startedAtMs + (serving?.startedMs ?? 0), {
		"svc.fallback.from": fallbackFrom,
		...(model === null ? {} : { "svc.fallback.to": model }),
		...(lost?.error ? { "svc.fallback.reason": lost.error } : {}),
	});
	return [...choice, fallback];
}

/** Tools of the client's: this service sees that they were called, not how they ran. */
function toolEvents({ startedAtMs, latencyMs, tools }: RequestTelemetry): SpanEvent[] {
	return tools
		.filter((tool) => tool.startedMs === null)
		.map(({ name, callId }) =>
			toEvent("svc.tool_call", startedAtMs + latencyMs, {
				"gen_ai.tool.name": name,
				...(callId === null ? {} : { "gen_ai.tool.call.id": callId }),
			}),
		);
}

function requestEvents(request: RequestTelemetry): SpanEvent[] {
	const { startedAtMs, firstTokenMs } = request;
	const firstToken = firstTokenMs === null ? [] : [toEvent("svc.first_token", startedAtMs + firstTokenMs)];
	return [...choiceEvents(request), ...firstToken, ...toolEvents(request)];
}

/** What has a place in time within the request, ms from its arrival. */
interface TimedPart {
	startedMs: number;
	ms: number;
	spanId: string;
}

/** The last of the parts that a moment lies in; null for none. */
function findAround(parts: readonly TimedPart[], atMs: number): TimedPart | null {
	return parts.findLast(({ startedMs, ms }) => startedMs <= atMs && atMs <= startedMs + ms) ?? null;
}

function toAttempt(
	request: RequestTelemetry,
	attempt: AttemptTelemetry,
	index: number,
	parentSpanId: string,
): SpanPart {
	const { model, status, error, startedMs, ms, firstTokenMs } = attempt;
	const operation = toOperation(request.kind);
	const startedAtMs = request.startedAtMs + startedMs;
	return {
		type: "attempt",
		spanId: attempt.spanId ?? toSpanId(request.requestId, `attempt ${index}`),
		parentSpanId,
		name: `${operation} ${model}`,
		startedAtMs,
		endedAtMs: startedAtMs + ms,
		values: {
			"gen_ai.operation.name": operation,
			"gen_ai.provider.name": toProviderName(attempt.provider),
			"gen_ai.request.model": model,
			"gen_ai.request.stream": flag(request.isStream),
			"gen_ai.response.model": error === null ? model : null,
			"gen_ai.response.time_to_first_chunk": request.isStream ? seconds(firstTokenMs) : null,
			"error.type": error,
			"http.response.status_code": status,
			"svc.request.id": request.requestId,
			"svc.attempt.index": index,
		},
		error: error === null ? undefined : { message: error },
	};
}

function toStage(request: RequestTelemetry, stage: StageTelemetry, spanId: string, parentSpanId: string): SpanPart {
	const startedAtMs = request.startedAtMs + (stage.startedMs ?? 0);
	return {
		type: "stage",
		spanId,
		parentSpanId,
		name: `stage ${stage.name}`,
		startedAtMs,
		endedAtMs: startedAtMs + (stage.ms ?? request.latencyMs - (stage.startedMs ?? 0)),
		values: {
			"svc.request.id": request.requestId,
			"svc.stage.name": stage.name,
			"svc.stage.calls": stage.calls,
			"svc.stage.served": stage.served,
			"svc.cost.stage_usd": usd(stage.costNanoUsd),
		},
	};
}

function toStep(request: RequestTelemetry, step: StepTelemetry, spanId: string, parentSpanId: string): SpanPart {
	const startedAtMs = request.startedAtMs + step.startedMs;
	return {
		type: "step",
		spanId,
		parentSpanId,
		name: `step ${step.role}`,
		startedAtMs,
		endedAtMs: startedAtMs + step.ms,
		values: {
			"gen_ai.provider.name": provider(step.provider),
			"gen_ai.request.model": step.model,
			"error.type": step.error && requestErrorType(step.error),
			"svc.request.id": request.requestId,
			"svc.step.index": step.index,
			"svc.step.role": step.role,
			"svc.step.input_tokens": step.inputTokens,
			"svc.step.output_tokens": step.outputTokens,
			"svc.cost.step_usd": usd(step.costNanoUsd),
		},
		error: step.error === null ? undefined : { message: step.error },
	};
}

function toTool(
	request: RequestTelemetry,
	tool: ToolTelemetry & { startedMs: number },
	index: number,
	parentSpanId: string,
): SpanPart {
	const startedAtMs = request.startedAtMs + tool.startedMs;
	const [args, result] = [tool.arguments, tool.result].map((text) => (text === null ? null : renderToolText(text)));
	return {
		type: "tool",
		spanId: toSpanId(request.requestId, `tool ${index}`),
		parentSpanId,
		name: `execute_tool ${tool.name}`,
		startedAtMs,
		endedAtMs: startedAtMs + (tool.ms ?? 0),
		values: {
			"gen_ai.operation.name": "execute_tool",
			"gen_ai.tool.name": tool.name,
			"gen_ai.tool.call.id": tool.callId,
			"gen_ai.tool.type": tool.type,
			"gen_ai.tool.call.arguments": args?.text ?? null,
			"gen_ai.tool.call.result": result?.text ?? null,
			"svc.content.clipped": flag([args, result].some((part) => part?.isClipped)),
			"error.type": tool.error && requestErrorType(tool.error),
			"svc.request.id": request.requestId,
		},
		error: tool.error === null ? undefined : { message: tool.error },
	};
}

function isTimed(tool: ToolTelemetry): tool is ToolTelemetry & { startedMs: number } {
	return tool.startedMs !== null;
}

/** Stages, steps, attempts and tools. Each stands in the step or the stage around its beginning, where there is one. */
function innerParts(request: RequestTelemetry, rootId: string): SpanPart[] {
	const { requestId, stages, steps, attempts, tools, latencyMs } = request;
	const stageParts = stages.map((stage, i) => ({ stage, spanId: toSpanId(requestId, `stage ${i}`) }));
	const timedStages = stageParts.flatMap(({ stage, spanId }) =>
		stage.startedMs === null
			? []
			: [{ startedMs: stage.startedMs, ms: stage.ms ?? latencyMs - stage.startedMs, spanId }],
	);
	const timedSteps = steps.map((step) => ({
		startedMs: step.startedMs,
		ms: step.ms,
		spanId: toSpanId(requestId, `step ${step.index}`),
		step,
	}));
	const around = (atMs: number) => (findAround(timedSteps, atMs) ?? findAround(timedStages, atMs))?.spanId ?? rootId;
	return [
		...stageParts.map(({ stage, spanId }) => toStage(request, stage, spanId, rootId)),
		...timedSteps.map(({ step, spanId }) => toStep(request, step, spanId, rootId)),
		...attempts.map((attempt, i) => toAttempt(request, attempt, i, around(attempt.startedMs))),
		...tools.filter(isTimed).map((tool, i) => toTool(request, tool, i, around(tool.startedMs))),
	];
}

/** The spans of a request, its own first. None where its caller does not record the trace. */
export function toRequestSpans(request: RequestTelemetry): Span[] {
	const { requestId, startedAtMs, latencyMs, parent, error } = request;
	if (!isSampled(parent)) return [];
	const place = toTracePlace(requestId, parent);
	const rootId = toSpanId(requestId, "request");
	const root = toSpan(place, parent !== null, {
		type: "request",
		spanId: rootId,
		parentSpanId: parent?.spanId ?? null,
		name: requestName(request),
		startedAtMs,
		endedAtMs: startedAtMs + latencyMs,
		values: requestValues(request),
		events: requestEvents(request),
		error: error ? { message: errorMessage(request) } : undefined,
	});
	const withMetadata = { ...root, attributes: { ...root.attributes, ...metadataAttributes(request) } };
	return [withMetadata, ...innerParts(request, rootId).map((part) => toSpan(place, false, part))];
}

/** The span of a policy check; none where its caller does not record the trace. */
export function toPolicySpans(check: PolicyCheckTelemetry): Span[] {
	const { checkId, atMs, ms, sessionId, parent } = check;
	if (!isSampled(parent)) return [];
	const span = toSpan(toTracePlace(checkId, parent), parent !== null, {
		type: "policy_check",
		spanId: toSpanId(checkId, "request"),
		parentSpanId: parent?.spanId ?? null,
		name: "policy_check",
		startedAtMs: atMs - (ms ?? 0),
		endedAtMs: atMs,
		values: {
			"gen_ai.conversation.id": sessionId,
			"session.id": sessionId,
			"gen_ai.agent.name": check.agent,
			"gen_ai.tool.name": check.tool,
			"svc.request.id": checkId,
			"svc.user.id": check.userId,
			"svc.key.id": check.keyId,
			"svc.policy.decision": check.decision,
			"svc.policy.tier": check.tier,
			"svc.policy.factors": check.factors,
			"svc.policy.workspace_id": check.workspaceId,
		},
	});
	return [span];
}
