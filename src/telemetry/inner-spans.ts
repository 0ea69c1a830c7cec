// What happened within a request, as spans: stages, steps, attempts and tools. Pure.
import { usd } from "../proof/money.ts";
import { renderToolText } from "./content.ts";
import { attemptErrorType, requestErrorType } from "./error-class.ts";
import { toOperation } from "./operations.ts";
import type { PlacedUsage } from "./placed-usage.ts";
import { toProviderName } from "./provider-names.ts";
import type {
	AttemptTelemetry,
	RequestTelemetry,
	StageTelemetry,
	StepTelemetry,
	TokenTelemetry,
	ToolTelemetry,
} from "./request-telemetry.ts";
import { toSpanId } from "./span-ids.ts";
import { commonValues, contentValues, flag, type SpanPart, seconds, tokenValues, toProvider } from "./span-part.ts";

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
	tokens: TokenTelemetry | undefined,
	parentSpanId: string,
): SpanPart {
	const { model, status, error, startedMs, ms, firstTokenMs } = attempt;
	const operation = toOperation(request.kind);
	const errorType = attemptErrorType(error, status);
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
			...(tokens ? tokenValues(tokens) : {}),
			"error.type": errorType,
			"http.response.status_code": status,
			...commonValues(request),
			"svc.attempt.index": index,
		},
		error: errorType === null ? undefined : { message: error },
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
			...commonValues(request),
			"svc.stage.name": stage.name,
			"svc.stage.calls": stage.calls,
			"svc.stage.served": stage.served,
			"svc.cost.stage_usd": usd(stage.costNanoUsd),
			...contentValues(stage.content),
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
			"gen_ai.provider.name": toProvider(step.provider),
			"gen_ai.request.model": step.model,
			"error.type": step.error && requestErrorType(step.error),
			...commonValues(request),
			"svc.step.index": step.index,
			"svc.step.role": step.role,
			"svc.step.input_tokens": step.inputTokens,
			"svc.step.output_tokens": step.outputTokens,
			"svc.cost.step_usd": usd(step.costNanoUsd),
			...contentValues(step.content),
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
			"error.type": tool.error,
			...commonValues(request),
			"svc.policy.decision": tool.decision ?? null,
			"svc.policy.decided_by": tool.decidedBy ?? null,
		},
		error: tool.error === null ? undefined : { message: tool.error },
	};
}

function isTimed(tool: ToolTelemetry): tool is ToolTelemetry & { startedMs: number } {
	return tool.startedMs !== null;
}

/**
 * Stages, steps, attempts and tools. Each stands in the step or the stage around its beginning, where there is one; a tool in the step
 * before it, which may have ended with its last attempt.
 */
export function innerParts(request: RequestTelemetry, { ofAttempts }: PlacedUsage, rootId: string): SpanPart[] {
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
	const begunStep = (atMs: number) => timedSteps.findLast(({ startedMs }) => startedMs <= atMs)?.spanId;
	return [
		...stageParts.map(({ stage, spanId }) => toStage(request, stage, spanId, rootId)),
		...timedSteps.map(({ step, spanId }) => toStep(request, step, spanId, rootId)),
		...attempts.map((attempt, i) => toAttempt(request, attempt, i, ofAttempts.get(i), around(attempt.startedMs))),
		...tools
			.filter(isTimed)
			.map((tool, i) => toTool(request, tool, i, begunStep(tool.startedMs) ?? around(tool.startedMs))),
	];
}
