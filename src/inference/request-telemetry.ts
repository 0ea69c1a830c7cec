// A settled request as telemetry is told of it: what its row says, and what only the engine knows. Pure.
import type { Mask } from "../compliance/mask/mask.ts";
import { toCountedRequest, toCountedSettlement } from "../meter/counted-request.ts";
import type { RequestEnd, RequestFacts } from "../meter/request-facts.ts";
import type { UsageRow } from "../meter/settlement.ts";
import { nanoUsd } from "../proof/money.ts";
import type { Receipt } from "../proof/receipt.ts";
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
	StageTelemetry,
	ToolTelemetry,
	TracedMessage,
	TracedPart,
} from "../telemetry/request-telemetry.ts";
import type { TraceParent } from "../telemetry/trace-context.ts";
import { type BilledCall, explainServingModel, fallbackFrom } from "./accounting.ts";
import { maskMessages } from "./masked-call.ts";
import type { CallOptions } from "./plan.ts";

/** The status of a request whose client had gone, in logs of nginx and others. */
const CLIENT_CLOSED = 499;

/** What is known of a request when it is settled. */
export interface SettledExchange {
	usage: UsageRow;
	receipt: Receipt;
	facts: RequestFacts;
	end: RequestEnd;
	billed: readonly BilledCall[];
	/** Method and path of its endpoint; null where that is not known. */
	endpoint: string | null;
	/** What the model wrote, before the mask is taken off; null for an answer of several models. */
	written: ModelAnswer | null;
	parent: TraceParent | null;
	/** Texts are told, too. */
	hasContent: boolean;
}

function toNumber(value: unknown): number | null {
	return typeof value === "number" ? value : null;
}

function toAsked({ sampling, maxTokens, effort }: ModelCall, { model, defaultMaxTokens }: CallOptions): AskedTelemetry {
	return {
		model: model === "auto" ? null : model,
		maxTokens: defaultMaxTokens === undefined ? maxTokens : null,
		temperature: toNumber(sampling.temperature),
		topP: toNumber(sampling.top_p),
		effort: effort ?? null,
		previousResponseId: null,
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
		case "tool_call":
			return { type: "tool_call", id: part.id, name: part.name, arguments: part.arguments };
		case "tool_result":
			return {
				type: "tool_call_response",
				id: part.callId,
				response: part.content.map((inner) => (inner.type === "text" ? inner.text : "[image]")).join(""),
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

function toContent({ messages }: ModelCall, mask: Mask | null, written: ModelAnswer): ContentTelemetry {
	const sent = mask === null || mask.isEmpty ? messages : maskMessages(messages, mask);
	const output: TracedMessage = {
		role: "assistant",
		parts: toTracedParts(written.content),
		finish_reason: written.finishReason,
	};
	return {
		system: sent.flatMap(({ role, content }) => (role === "system" ? toTracedParts(content) : [])),
		input: sent.filter(({ role }) => role !== "system").map(toTracedMessage),
		output: [output],
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

function toStages(receipt: Receipt): StageTelemetry[] {
	if (!("stages" in receipt)) return [];
	return receipt.stages.map(({ name, results }) => ({
		name,
		startedMs: null,
		ms: null,
		calls: results.length,
		served: results.filter(({ ok }) => ok).length,
		costNanoUsd: results.reduce((sum, { cost_usd }) => sum + nanoUsd(cost_usd), 0),
	}));
}

function toWorkflow(receipt: Receipt): string | null {
	if (receipt.kind === "code") return "code";
	return receipt.kind === "orchestration" || receipt.kind === "agent" ? receipt.strategy : null;
}

/** What only the engine knows of an answer of one model. */
function toSingleAnswer(call: BilledCall, written: ModelAnswer | null, hasContent: boolean) {
	const { plan } = call;
	return {
		isStream: plan.options.mustStream === true,
		asked: toAsked(plan.call, plan.options),
		reason: explainServingModel(call),
		fallbackFrom: fallbackFrom(call),
		finishReasons: written ? [written.finishReason] : [],
		tools: written ? toTools(written, hasContent) : [],
		content: written && hasContent ? toContent(plan.call, plan.options.gate?.mask ?? null, written) : null,
	};
}

export function toRequestTelemetry(settled: SettledExchange): RequestTelemetry {
	const { usage, receipt, facts, end, billed, endpoint, written, parent, hasContent } = settled;
	const last = receipt.kind === "chat" || receipt.kind === "skill" ? billed.at(-1) : undefined;
	return {
		...toCountedRequest(toCountedSettlement(settled), usage.user_id),
		requestId: usage.request_id,
		endpoint,
		startedAtMs: Date.parse(usage.created_at),
		status: end.status ?? CLIENT_CLOSED,
		mode: usage.mode,
		isEstimated: usage.estimated,
		attempts: facts.attempts,
		stages: toStages(receipt),
		steps: [],
		workflow: toWorkflow(receipt),
		sessionId: facts.sessionId,
		endUser: facts.endUser,
		metadata: facts.metadata,
		parent,
		...(last
			? toSingleAnswer(last, written, hasContent)
			: {
					isStream: false,
					asked: null,
					reason: null,
					fallbackFrom: null,
					finishReasons: [],
					tools: [],
					content: null,
				}),
	};
}
