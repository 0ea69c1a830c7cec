// The Response object: its schema, and how it is made of a request's body and a settled answer (docs/reference/responses.md, "Responses"). Pure.
import * as z from "zod";
import { type BilledCall, lastBilledCall } from "../inference/accounting.ts";
import { answerId, type StreamError, type StreamHead } from "../inference/answer-form.ts";
import type { SettledAnswer } from "../inference/infer.edge.ts";
import { type SvcBlock, svcBlockSchema } from "../inference/svc-block.ts";
import { toTokenCounts } from "../inference/token-counts.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { FinishReason, ModelAnswer } from "../providers/model-call.ts";
import { type AnsweredItem, answeredItemSchema } from "./output-schema.ts";

const responseUsageSchema = z.lazy(() =>
	z.object({
		input_tokens: z.int(),
		input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
		output_tokens: z.int(),
		output_tokens_details: z.object({ reasoning_tokens: z.int() }),
		total_tokens: z.int(),
	}),
);

export const responseObjectSchema = z.lazy(() =>
	z.looseObject({
		id: z.string(),
		object: z.literal("response"),
		created_at: z.int(),
		completed_at: z.int().nullable(),
		status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
		error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
		incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
		model: z.string(),
		output: z.array(answeredItemSchema),
		usage: responseUsageSchema.nullable(),
		store: z.boolean(),
		svc: svcBlockSchema.optional(),
	}),
);
export type ResponseObject = z.output<typeof responseObjectSchema>;

/** A Response without what it repeats of the request. */
type AnswerMembers = Pick<
	ResponseObject,
	| "id"
	| "object"
	| "created_at"
	| "completed_at"
	| "status"
	| "error"
	| "incomplete_details"
	| "model"
	| "output"
	| "usage"
	| "store"
	| "svc"
>;

/** What a Response says of a member that the request leaves out. */
const ECHO_DEFAULTS: Readonly<JsonObject> = {
	access_programs: null,
	background: false,
	instructions: null,
	max_output_tokens: null,
	max_tool_calls: null,
	metadata: {},
	parallel_tool_calls: true,
	previous_response_id: null,
	prompt_cache_key: null,
	reasoning: { effort: null, summary: null },
	safety_identifier: null,
	service_tier: "default",
	temperature: null,
	text: { format: { type: "text" } },
	tool_choice: "auto",
	tools: [],
	top_logprobs: 0,
	top_p: null,
	truncation: "disabled",
	user: null,
};

/** A service tier is not the client's to choose. */
const UNECHOED = new Set(["access_programs", "background", "service_tier"]);

/** A member as received, with the defaults of those that it leaves out. */
function withDefaults(received: unknown, fallback: unknown): unknown {
	if (isJsonObject(received) && isJsonObject(fallback)) return { ...fallback, ...received };
	return received ?? fallback;
}

/** What a Response repeats of its request, as received. */
export function toEchoes(rawBody: JsonObject): JsonObject {
	const echoed = Object.entries(ECHO_DEFAULTS).map(([name, fallback]): [string, unknown] => [
		name,
		UNECHOED.has(name) ? fallback : withDefaults(rawBody[name], fallback),
	]);
	return Object.fromEntries(echoed);
}

function toUnixSeconds(ms: number): number {
	return Math.floor(ms / 1000);
}

/** A Response that has just begun. @param store whether it is to be stored. */
export function toBegunResponse(
	{ requestId, startedAtMs, modelId }: Omit<StreamHead, "account">,
	store: boolean,
): AnswerMembers {
	return {
		id: answerId("resp_", requestId),
		object: "response",
		created_at: toUnixSeconds(startedAtMs),
		completed_at: null,
		status: "in_progress",
		error: null,
		incomplete_details: null,
		model: modelId,
		output: [],
		usage: null,
		store,
	};
}

/** The usage of the call that served. */
function toResponseUsage(answer: Pick<ModelAnswer, "usage">, billed: readonly BilledCall[]): ResponseObject["usage"] {
	const { input, cacheRead, cacheWrite, output, reasoning } = toTokenCounts(answer, billed);
	return {
		input_tokens: input,
		input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: reasoning },
		total_tokens: input + output,
	};
}

/** Why an answer is not complete; null for one that is. */
export function toIncompleteReason(reason: FinishReason): "max_output_tokens" | "content_filter" | null {
	if (reason === "length") return "max_output_tokens";
	return reason === "content_filter" ? reason : null;
}

/** Fields of the upstream's body and message that this service does not know. They are passed on; ours win. */
function passedFields({ bodyFields, extra }: ModelAnswer): JsonObject {
	const isFree = (name: string) => !Object.hasOwn(ECHO_DEFAULTS, name);
	return Object.fromEntries(Object.entries({ ...bodyFields, ...extra }).filter(([name]) => isFree(name)));
}

/** The Response of a settled answer, without what it repeats of the request. */
export function toEndedResponse(
	{ record, answer, billed, latencyMs }: SettledAnswer,
	output: AnsweredItem[],
	svc: SvcBlock,
	store: boolean,
): AnswerMembers {
	const { requestId, startedAtMs } = record;
	const modelId = lastBilledCall(billed).candidate.model.id;
	const reason = toIncompleteReason(answer.finishReason);
	const ending =
		reason === null
			? { status: "completed" as const, completed_at: toUnixSeconds(startedAtMs + latencyMs) }
			: { status: "incomplete" as const, incomplete_details: { reason } };
	return {
		...passedFields(answer),
		...toBegunResponse({ requestId, startedAtMs, modelId }, store),
		...ending,
		output,
		usage: toResponseUsage(answer, billed),
		svc,
	};
}

/** The Response of a stream that broke off. @param output what was delivered. */
export function toFailedResponse(
	head: StreamHead,
	{ type, code, message }: StreamError,
	output: AnsweredItem[],
	billed: readonly BilledCall[] | null,
	svc: SvcBlock | null,
): AnswerMembers {
	return {
		...toBegunResponse(head, false),
		status: "failed",
		error: { code, message, type, param: null },
		output,
		usage: billed && toResponseUsage({ usage: null }, billed),
		...(svc ? { svc } : {}),
	};
}
