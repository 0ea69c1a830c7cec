// The spans of one request: its own, and those of what happened within it. Names and attributes are those of the table (span-table.ts).
// Pure.
import { usd } from "../proof/money.ts";
import { requestErrorType } from "./error-class.ts";
import { innerParts } from "./inner-spans.ts";
import { askedModel, asksOneModel, requestOperation } from "./operations.ts";
import { placeUsage } from "./placed-usage.ts";
import type { RequestTelemetry, TokenTelemetry } from "./request-telemetry.ts";
import type { Attributes, Span, SpanEvent } from "./span.ts";
import { toSpanId, toTracePlace } from "./span-ids.ts";
import {
	commonValues,
	contentValues,
	flag,
	type NamedValues,
	seconds,
	toEvent,
	tokenValues,
	toProvider,
	toSpan,
} from "./span-part.ts";
import { METADATA_PREFIX } from "./span-table.ts";
import { isSampled } from "./trace-context.ts";

function requestName(request: RequestTelemetry): string {
	const operation = requestOperation(request);
	const of = asksOneModel(request) ? askedModel(request) : request.kind === "agent" ? null : request.workflow;
	return of === null ? operation : `${operation} ${of}`;
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

function costValues({ costNanoUsd, isEstimated, model, usage }: RequestTelemetry): NamedValues {
	if (model === null && usage.length === 0 && costNanoUsd === 0) return {};
	return { "svc.cost.total_usd": usd(costNanoUsd), "svc.cost.estimated": flag(isEstimated) };
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

function requestValues(request: RequestTelemetry, tokens: TokenTelemetry | null): NamedValues {
	const isOfOneModel = asksOneModel(request);
	const { sessionId, error, firstTokenMs, isStream } = request;
	return {
		"gen_ai.operation.name": requestOperation(request),
		"gen_ai.workflow.name": request.workflow,
		"gen_ai.provider.name": toProvider(request.provider),
		"gen_ai.request.model": isOfOneModel ? askedModel(request) : null,
		"gen_ai.request.stream": flag(isStream),
		...askedValues(request),
		"gen_ai.response.id": request.model === null ? null : request.requestId,
		"gen_ai.response.model": isOfOneModel ? request.model : null,
		"gen_ai.response.finish_reasons": finishReasons(request),
		"gen_ai.response.time_to_first_chunk": isStream ? seconds(firstTokenMs) : null,
		...(tokens ? tokenValues(tokens) : {}),
		...costValues(request),
		"gen_ai.conversation.id": sessionId,
		...contentValues(request.content),
		"error.type": error && requestErrorType(error.code),
		...endpointValues(request),
		...commonValues(request),
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

/** The spans of a request, its own first. None where its caller does not record the trace. */
export function toRequestSpans(request: RequestTelemetry): Span[] {
	const { requestId, startedAtMs, latencyMs, parent, error } = request;
	if (!isSampled(parent)) return [];
	const place = toTracePlace(requestId, parent);
	const rootId = toSpanId(requestId, "request");
	const usage = placeUsage(request);
	const root = toSpan(place, parent !== null, {
		type: "request",
		spanId: rootId,
		parentSpanId: parent?.spanId ?? null,
		name: requestName(request),
		startedAtMs,
		endedAtMs: startedAtMs + latencyMs,
		values: requestValues(request, usage.ofRequest),
		events: requestEvents(request),
		error: error ? { message: error.message } : undefined,
	});
	const withMetadata = { ...root, attributes: { ...root.attributes, ...metadataAttributes(request) } };
	return [withMetadata, ...innerParts(request, usage, rootId).map((part) => toSpan(place, false, part))];
}
