// The sandbox in OpenAI's chat completions format and its dialects: request to prompt, answer to body and chunks, error body.
import * as z from "zod";
import { CREATED_SECONDS, countTokens, type SandboxAnswer, shortHash, toPieces } from "./answer.ts";
import { type AcceptedRequest, type JsonFields, Refusal, type SandboxFormat, sse, type WireRequest } from "./format.ts";
import type { SandboxPrompt } from "./reply.ts";

const contentForm = z
	.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
	.nullish();

/** As strict as an upstream: an unacceptable request is an error. */
const openaiRequest = z.looseObject({
	model: z.string(),
	messages: z
		.array(
			z.looseObject({
				role: z.enum(["system", "developer", "user", "assistant", "tool"]),
				content: contentForm,
				tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
				tool_call_id: z.string().optional(),
			}),
		)
		.min(1),
	max_tokens: z.int().positive().optional(),
	max_completion_tokens: z.int().positive().optional(),
	tools: z
		.array(
			z.object({
				type: z.literal("function"),
				function: z.looseObject({
					name: z.string(),
					description: z.string().optional(),
					parameters: z.record(z.string(), z.unknown()).optional(),
				}),
			}),
		)
		.optional(),
	tool_choice: z
		.union([
			z.enum(["auto", "none", "required"]),
			z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
		])
		.optional(),
	parallel_tool_calls: z.boolean().optional(),
	response_format: z
		.looseObject({
			type: z.string(),
			json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }).optional(),
		})
		.optional(),
	stream: z.boolean().nullish(),
	stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
	reasoning_effort: z.string().nullish(),
	/** DeepSeek, Moonshot and Z.ai. */
	thinking: z.looseObject({ type: z.string() }).optional(),
	/** Alibaba. */
	enable_thinking: z.boolean().optional(),
});
type OpenaiRequest = z.infer<typeof openaiRequest>;

interface Dialect {
	/** Where a stream reports usage: on request in a chunk of its own, in the last chunk, or there as `x_groq.usage`. */
	streamUsage: "asked" | "last_chunk" | "x_groq";
	takesStreamOptions: boolean;
	/** Mistral writes reasoning as parts of the content. */
	thinkingParts: boolean;
	/** The ids of tool calls that it accepts, and its error message for others. */
	callId: { pattern: RegExp; rule: string };
}

const COMMON_DIALECT: Dialect = {
	streamUsage: "asked",
	takesStreamOptions: true,
	thinkingParts: false,
	callId: { pattern: /^.{1,40}$/s, rule: "must have at most 40 characters" },
};
const DIALECTS: Readonly<Record<string, Dialect>> = {
	mistral: {
		streamUsage: "last_chunk",
		takesStreamOptions: false,
		thinkingParts: true,
		callId: { pattern: /^[A-Za-z0-9]{9}$/, rule: "must be a-z, A-Z, 0-9, with a length of 9." },
	},
	zai: { ...COMMON_DIALECT, streamUsage: "last_chunk" },
	groq: { ...COMMON_DIALECT, streamUsage: "x_groq" },
};

function contentText(value: z.infer<typeof contentForm>): string {
	if (typeof value === "string") return value;
	return (value ?? []).map(({ text }) => text ?? "").join("\n");
}

function toJsonMode(format: OpenaiRequest["response_format"]): SandboxPrompt["json"] {
	if (format?.type === "json_schema") return format.json_schema?.schema ?? true;
	return format?.type === "json_object" ? true : null;
}

function toOpenAiPrompt(request: OpenaiRequest): SandboxPrompt {
	const lastUser = request.messages.findLastIndex(({ role }) => role === "user");
	const choice = request.tool_choice ?? "auto";
	const effort = request.reasoning_effort ?? "none";
	const thinking = request.thinking?.type ?? "disabled";
	return {
		model: request.model,
		systemText: request.messages
			.filter(({ role }) => role === "system" || role === "developer")
			.map((message) => contentText(message.content))
			.join("\n"),
		userText: contentText(request.messages[lastUser]?.content),
		toolResults: request.messages
			.slice(lastUser + 1)
			.filter(({ role }) => role === "tool")
			.map((message) => contentText(message.content)),
		tools: (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
			name,
			description: description ?? "",
			parameters: parameters ?? {},
		})),
		toolChoice: typeof choice === "string" ? choice : { name: choice.function.name },
		parallelToolCalls: request.parallel_tool_calls ?? true,
		json: toJsonMode(request.response_format),
		reasoning: effort !== "none" || thinking !== "disabled" || request.enable_thinking === true,
	};
}

function renderOpenAiUsage({ usage }: SandboxAnswer): JsonFields | null {
	if (!usage) return null;
	const prompt = usage.uncachedInput + usage.cacheRead;
	const completion = usage.outputText + usage.reasoning;
	return {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
		...(usage.cacheRead > 0 ? { prompt_tokens_details: { cached_tokens: usage.cacheRead } } : {}),
		...(usage.reasoning > 0 ? { completion_tokens_details: { reasoning_tokens: usage.reasoning } } : {}),
	};
}

/** An id of the form that the dialect accepts. */
function toolCallId({ id }: SandboxAnswer, index: number, { callId }: Dialect): string {
	const long = `call_${id}_${index}`;
	return callId.pattern.test(long) ? long : `${id}${index.toString(36)}`;
}

/** Every result must answer a call of the assistant's last turn, under an id that the provider accepts. */
function checkCallIds(messages: OpenaiRequest["messages"], { pattern, rule }: Dialect["callId"]): void {
	let open: string[] = [];
	for (const { role, tool_calls, tool_call_id = "" } of messages) {
		const ids = role === "assistant" ? (tool_calls ?? []).map(({ id }) => id) : [];
		const misshapen = [...ids, ...(role === "tool" ? [tool_call_id] : [])].find((id) => !pattern.test(id));
		if (misshapen !== undefined) throw new Refusal(400, `Tool call id was ${misshapen} but ${rule}`);
		if (role === "tool" && !open.includes(tool_call_id))
			throw new Refusal(400, `'tool_call_id' of a message with role 'tool' not found in 'tool_calls': ${tool_call_id}`);
		if (role !== "tool") open = ids;
	}
}

function completionBody(answer: SandboxAnswer, dialect: Dialect): JsonFields {
	const { thinkingParts } = dialect;
	const { text, reasoning, toolCalls } = answer;
	const parts = reasoning !== null && thinkingParts;
	const usage = renderOpenAiUsage(answer);
	return {
		id: `chatcmpl-${answer.id}`,
		object: "chat.completion",
		created: CREATED_SECONDS,
		model: answer.model,
		choices: [
			{
				index: 0,
				message: {
					role: "assistant",
					content: parts ? [thinkingPart(reasoning), ...(text === null ? [] : [{ type: "text", text }])] : text,
					...(reasoning !== null && !parts ? { reasoning_content: reasoning } : {}),
					refusal: null,
					...(toolCalls.length > 0
						? {
								tool_calls: toolCalls.map((call, index) => ({
									id: toolCallId(answer, index, dialect),
									type: "function",
									function: { name: call.name, arguments: JSON.stringify(call.arguments) },
								})),
							}
						: {}),
				},
				logprobs: null,
				finish_reason: answer.finish,
			},
		],
		...(usage ? { usage } : {}),
	};
}

function thinkingPart(text: string): JsonFields {
	return { type: "thinking", thinking: [{ type: "text", text }] };
}

/** The deltas of the chunks between the first and the last. */
function* deltas(answer: SandboxAnswer, dialect: Dialect): Generator<JsonFields> {
	const { thinkingParts } = dialect;
	for (const piece of toPieces(answer.reasoning ?? ""))
		yield thinkingParts ? { content: [thinkingPart(piece)] } : { reasoning_content: piece };
	for (const piece of toPieces(answer.text ?? "")) yield { content: piece };
	for (const [index, call] of answer.toolCalls.entries()) {
		const id = toolCallId(answer, index, dialect);
		yield { tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: "" } }] };
		for (const piece of toPieces(JSON.stringify(call.arguments)))
			yield { tool_calls: [{ index, function: { arguments: piece } }] };
	}
}

function* chunkFrames(answer: SandboxAnswer, dialect: Dialect, includeUsage: boolean): Generator<string> {
	const usage = renderOpenAiUsage(answer);
	const asked = includeUsage && dialect.streamUsage !== "last_chunk";
	const head = {
		id: `chatcmpl-${answer.id}`,
		object: "chat.completion.chunk",
		created: CREATED_SECONDS,
		model: answer.model,
	};
	const chunk = (delta: JsonFields, finishReason: string | null, more: JsonFields = {}) =>
		sse({
			...head,
			choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
			...(asked ? { usage: null } : {}),
			...more,
		});
	yield chunk({ role: "assistant", content: "", refusal: null }, null);
	for (const delta of deltas(answer, dialect)) yield chunk(delta, null);
	const last: JsonFields = {};
	if (usage && dialect.streamUsage === "last_chunk") last["usage"] = usage;
	if (usage && dialect.streamUsage === "x_groq") last["x_groq"] = { id: `req_${answer.id}`, usage };
	yield chunk({}, answer.finish, last);
	if (asked && usage) yield sse({ ...head, choices: [], usage });
	yield "data: [DONE]\n\n";
}

/** Mistral's error for an unknown field. */
function extraForbidden(field: string, input: unknown): Refusal {
	const detail = [{ type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs are not permitted", input }];
	const message = "Extra inputs are not permitted";
	return new Refusal(400, message, {
		object: "error",
		message: { detail },
		type: "invalid_request_error",
		param: null,
		code: null,
	});
}

function readOpenAi({ provider, body }: WireRequest): AcceptedRequest {
	const parsed = openaiRequest.safeParse(body);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		throw new Refusal(400, `sandbox: ${issue?.path.join(".")}: ${issue?.message}`);
	}
	const request = parsed.data;
	const dialect = DIALECTS[provider] ?? COMMON_DIALECT;
	const options = request.stream_options;
	if ("stream_options" in request && !dialect.takesStreamOptions) throw extraForbidden("stream_options", options);
	if (options && !request.stream)
		throw new Refusal(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
	checkCallIds(request.messages, dialect.callId);
	const promptTokens = request.messages.reduce(
		(sum, message) => sum + countTokens(contentText(message.content)) + 4,
		countTokens(JSON.stringify(request.tools ?? "")),
	);
	const maxTokens = request.max_completion_tokens ?? request.max_tokens;
	return {
		request: { request, prompt: toOpenAiPrompt(request), maxTokens, promptTokens },
		body: (answer) => completionBody(answer, dialect),
		stream: request.stream
			? {
					contentType: "text/event-stream; charset=utf-8",
					frames: (answer) => chunkFrames(answer, dialect, options?.include_usage === true),
					garbage: `data: {"id":"chatcmpl-${shortHash(request)}","choices":[{"delta":{"con\n\n`,
					error: sse(openAiErrorBody(503, "the sandbox was asked for an error", provider)),
					ping: ": keep-alive\n\n",
				}
			: null,
	};
}

function openAiErrorBody(status: number, message: string, provider: string): JsonFields {
	const type = status === 429 ? "rate_limit_exceeded" : status >= 500 ? "server_error" : "invalid_request_error";
	if (provider === "mistral") {
		const limited = status === 429;
		return {
			object: "error",
			message,
			type: limited ? "rate_limited" : type,
			param: null,
			code: limited ? "1300" : null,
		};
	}
	return { error: { message, type, param: null, code: status === 429 ? type : null } };
}

export const openaiFormat: SandboxFormat = {
	read: readOpenAi,
	failure: (status, message, retryAfterSeconds, provider) => ({
		body: openAiErrorBody(status, message, provider),
		headers: { ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }) },
	}),
	overloaded: 503,
};
