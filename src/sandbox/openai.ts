// The sandbox's answers in OpenAI's chat completions format and its dialects: bodies, chunks, error bodies.
import { CREATED_SECONDS, countTokens, type SandboxAnswer, shortHash, toPieces } from "./answer.ts";
import {
	type AcceptedRequest,
	DISLIKED,
	type JsonFields,
	OVERFLOW,
	Refusal,
	type SandboxFormat,
	sse,
	type WireRequest,
} from "./format.ts";
import { sumMediaTokens } from "./media.ts";
import { contentText, type Dialect, parseOpenAi, toOpenAiPrompt } from "./openai-request.ts";
import type { SandboxCall } from "./sandbox-tool.ts";

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

/** A refusal ends like any message: OpenAI says it by the member `refusal`. */
function toFinishReason({ finish }: SandboxAnswer): string {
	return finish === "refusal" ? "stop" : finish;
}

function customInput({ arguments: { input } }: SandboxCall): string {
	return String(input);
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
					refusal: answer.refusal,
					...(toolCalls.length > 0
						? {
								tool_calls: toolCalls.map((call, index) => ({
									id: toolCallId(answer, index, dialect),
									...(call.custom
										? { type: "custom", custom: { name: call.name, input: customInput(call) } }
										: { type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } }),
								})),
							}
						: {}),
				},
				logprobs: null,
				finish_reason: toFinishReason(answer),
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
	for (const piece of toPieces(answer.refusal ?? "")) yield { refusal: piece };
	for (const [index, call] of answer.toolCalls.entries()) {
		const id = toolCallId(answer, index, dialect);
		if (call.custom) {
			yield { tool_calls: [{ index, id, type: "custom", custom: { name: call.name, input: "" } }] };
			for (const piece of toPieces(customInput(call))) yield { tool_calls: [{ index, custom: { input: piece } }] };
			continue;
		}
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
	yield chunk({}, toFinishReason(answer), last);
	if (asked && usage) yield sse({ ...head, choices: [], usage });
	yield "data: [DONE]\n\n";
}

function readOpenAi({ provider, body }: WireRequest): AcceptedRequest {
	const { request, dialect } = parseOpenAi(provider, body);
	const prompt = toOpenAiPrompt(request);
	const promptTokens = request.messages.reduce(
		(sum, message) => sum + countTokens(contentText(message.content)) + 4,
		countTokens(JSON.stringify(request.tools ?? "")) + sumMediaTokens(prompt.media),
	);
	const maxTokens = request.max_completion_tokens ?? request.max_tokens;
	return {
		request: { request, prompt, maxTokens, promptTokens },
		body: (answer) => completionBody(answer, dialect),
		stream: request.stream
			? {
					contentType: "text/event-stream; charset=utf-8",
					frames: (answer) => chunkFrames(answer, dialect, request.stream_options?.include_usage === true),
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

/** Providers word an overflow alike, and mark it in different fields. */
function openAiOverflow(provider: string): Refusal {
	const { promptTokens, windowTokens } = OVERFLOW;
	if (provider === "mistral") {
		const message = `Prompt contains ${promptTokens} tokens and 0 draft tokens, too large for model with ${windowTokens} maximum context length`;
		const body = { object: "error", message, type: "invalid_request_error", param: null, code: "3051" };
		return new Refusal(400, message, body);
	}
	const message = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`;
	const type = "invalid_request_error";
	const marked =
		provider === "deepseek" ? { param: null, code: type } : { param: "messages", code: "context_length_exceeded" };
	return new Refusal(400, message, { error: { message, type, ...marked } });
}

export const openaiFormat: SandboxFormat = {
	read: readOpenAi,
	failure: (status, message, retryAfterSeconds, provider) => ({
		body: openAiErrorBody(status, message, provider),
		headers: { ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }) },
	}),
	overflow: openAiOverflow,
	refusals: {
		unserved(model, provider) {
			if (provider === "mistral") {
				const message = `Invalid model: ${model}`;
				return new Refusal(400, message, {
					object: "error",
					message,
					type: "invalid_model",
					param: null,
					code: "1500",
				});
			}
			const message = `The model \`${model}\` does not exist or you do not have access to it.`;
			return new Refusal(404, message, {
				error: { message, type: "invalid_request_error", param: null, code: "model_not_found" },
			});
		},
		forbidden: () => new Refusal(403, "This API key does not have permission to call chat completions."),
		disliked: () =>
			new Refusal(403, DISLIKED, {
				code: "The caller does not have permission to execute the specified operation",
				error: DISLIKED,
			}),
	},
	overloaded: 503,
};
