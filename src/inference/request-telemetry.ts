// A settled request as telemetry is told of it: what its row says, and what only the engine knows. Pure.
import { type ToldSettlement, toSettledTelemetry } from "../meter/settled-telemetry.ts";
import {
	type AssistantPart,
	type Message,
	type ModelAnswer,
	type ModelCall,
	partsOfType,
	type UserPart,
} from "../providers/model-call.ts";
import type {
	AskedTelemetry,
	ContentTelemetry,
	RequestTelemetry,
	SingleAnswerTelemetry,
	StageTelemetry,
	ToolTelemetry,
	TracedMessage,
	TracedPart,
} from "../telemetry/request-telemetry.ts";
import type { TraceParent } from "../telemetry/trace-context.ts";
import type { BilledCall } from "./accounting.ts";
import type { CallOptions } from "./plan.ts";
import { renderMedia } from "./rendered-texts.ts";
import type { StageTimes } from "./trace.ts";

/** What is known of a request when it is settled. */
export interface SettledExchange extends ToldSettlement {
	/** What only the engine knows of an answer of one model; null for one of several. */
	single: SingleAnswerTelemetry | null;
	/** Method and path of its endpoint; null where that is not known. */
	endpoint: string | null;
	/** What the model wrote, before the mask is taken off; null for an answer of several models. */
	written: ModelAnswer | null;
	/** What several models wrote together, with placeholders for what is masked; null for an answer of one. */
	writtenText: string | null;
	/** Stages of a workflow in time. */
	stageTimes: readonly StageTimes[];
	/** What models were sent, after masking; null where it is not told. */
	sent: readonly Message[] | null;
	parent: TraceParent | null;
}

function toNumber(value: unknown): number | null {
	return typeof value === "number" ? value : null;
}

function toAsked(
	{ sampling, maxTokens, effort }: ModelCall,
	{ model, defaultMaxTokens, previousResponseId }: CallOptions,
): AskedTelemetry {
	return {
		model: model === "auto" ? null : model,
		maxTokens: defaultMaxTokens === undefined ? maxTokens : null,
		temperature: toNumber(sampling.temperature),
		topP: toNumber(sampling.top_p),
		effort: effort ?? null,
		previousResponseId: previousResponseId ?? null,
	};
}

function toTracedPart(part: UserPart | AssistantPart): TracedPart | null {
	switch (part.type) {
		case "text":
		case "refusal":
			return { type: "text", content: part.text };
		case "reasoning":
			return { type: "reasoning", content: part.text };
		case "image":
			return { type: "uri", modality: "image", uri: part.url };
		case "file":
		case "audio":
			return { type: "text", content: renderMedia(part) };
		case "tool_call":
			return { type: "tool_call", id: part.id, name: part.name, arguments: part.arguments };
		case "tool_result":
			return {
				type: "tool_call_response",
				id: part.callId,
				response: part.content
					.map((inner) => (inner.type === "text" ? inner.text : inner.type === "file" ? renderMedia(inner) : "[image]"))
					.join(""),
			};
		case "provider":
			return null;
	}
}

function toTracedParts(content: readonly (UserPart | AssistantPart)[]): TracedPart[] {
	return content.flatMap((part) => toTracedPart(part) ?? []);
}

/** A user's message that holds results of tools is one of theirs. */
function toTracedMessage({ role, content }: Message): TracedMessage {
	const isOfTools = role === "user" && content.some(({ type }) => type === "tool_result");
	return { role: isOfTools ? "tool" : role, parts: toTracedParts(content) };
}

function toOutput({ content, finishReason }: ModelAnswer): TracedMessage {
	return { role: "assistant", parts: toTracedParts(content), finish_reason: finishReason };
}

/** A text that came about by itself. */
export function toTextMessage(role: "user" | "assistant", content: string): TracedMessage {
	const message = { role, parts: [{ type: "text" as const, content }] };
	return role === "assistant" ? { ...message, finish_reason: "stop" } : message;
}

function toContent({ sent, written, writtenText }: SettledExchange): ContentTelemetry | null {
	if (sent === null || (written === null && writtenText === null)) return null;
	return {
		system: sent.flatMap(({ role, content }) => (role === "system" ? toTracedParts(content) : [])),
		input: sent.filter(({ role }) => role !== "system").map(toTracedMessage),
		output: [written ? toOutput(written) : toTextMessage("assistant", writtenText ?? "")],
	};
}

function toTools(written: ModelAnswer, hasContent: boolean): ToolTelemetry[] {
	return partsOfType(written.content, "tool_call").map(({ name, id, arguments: text }) => ({
		name,
		callId: id,
		type: "function",
		startedMs: null,
		ms: null,
		error: null,
		arguments: hasContent ? text : null,
		result: null,
	}));
}

/** Stages with their times, and what their calls wrote. */
function withTimes(
	stages: readonly StageTelemetry[],
	{ stageTimes, usage, sent }: SettledExchange,
): readonly StageTelemetry[] {
	const byName = new Map(stageTimes.map((times) => [times.name, times]));
	return stages.map((stage) => {
		const times = byName.get(stage.name);
		if (!times) return stage;
		const { startedAtMs, endedAtMs, written } = times;
		const content = sent !== null && written.length > 0 ? { input: [], output: written.map(toOutput) } : null;
		return { ...stage, startedMs: startedAtMs - Date.parse(usage.created_at), ms: endedAtMs - startedAtMs, content };
	});
}

/** What telemetry is told of one model's answer. @param hasContent texts are told, too. */
export function tellSingleAnswer(
	{ plan }: BilledCall,
	written: ModelAnswer | null,
	hasContent: boolean,
): SingleAnswerTelemetry {
	return {
		isStream: plan.options.mustStream === true,
		asked: toAsked(plan.call, plan.options),
		finishReasons: written ? [written.finishReason] : [],
		tools: written ? toTools(written, hasContent) : [],
	};
}

export function toRequestTelemetry(settled: SettledExchange): RequestTelemetry {
	const told = toSettledTelemetry(settled, settled);
	return {
		...told,
		stages: withTimes(told.stages, settled),
		content: toContent(settled),
		...settled.single,
	};
}
