// The sandbox in Anthropic's Messages format: request to prompt, answer to message and events, error body.

import { countTokens, type SandboxAnswer, shortHash, toPieces } from "./answer.ts";
import { type AnthropicRequest, messageBlocks, parseAnthropic, signThinking } from "./anthropic-request.ts";
import {
	type AcceptedRequest,
	DISLIKED,
	isFramed,
	type JsonFields,
	OVERFLOW,
	Refusal,
	type SandboxFormat,
	sse,
	type WireRequest,
} from "./format.ts";
import { readSandboxPdf, sumMediaTokens } from "./media.ts";
import type { SandboxMedia, SandboxPrompt } from "./reply.ts";

/** The text of the last user message that has one, and the tool results after it. */
function lastUserTurn(messages: AnthropicRequest["messages"]): Pick<SandboxPrompt, "userText" | "toolResults"> {
	let userText = "";
	let toolResults: string[] = [];
	for (const message of messages) {
		if (message.role !== "user") continue;
		const texts: string[] = [];
		const blocks = messageBlocks(message);
		const hasResults = blocks.some(({ type }) => type === "tool_result");
		for (const block of blocks) {
			if (block.type === "text" && !(hasResults && isFramed(block.text))) texts.push(block.text);
			if (block.type !== "tool_result") continue;
			const { content = "" } = block;
			const parts = typeof content === "string" ? [content] : content.map((part) => ("text" in part ? part.text : ""));
			toolResults.push(parts.join("\n"));
		}
		if (texts.length === 0) continue;
		userText = texts.join("\n");
		toolResults = [];
	}
	return { userText, toolResults };
}

/** All instructions: before the messages and among them. */
function toSystemText({ system = "", messages }: AnthropicRequest): string {
	const first = typeof system === "string" ? [system] : system.map(({ text }) => text);
	const later = messages
		.filter(({ role }) => role === "system")
		.flatMap(messageBlocks)
		.map((block) => (block.type === "text" ? block.text : ""));
	return [...first, ...later].join("\n");
}

/** A page has text and an image, as measured for a page of plain text; a request may have so many. */
const ANTHROPIC_PDF = { tokensPerPage: 2_347, maxPages: 600 };

function readAnthropicMedia(messages: AnthropicRequest["messages"]): SandboxMedia[] {
	const blocks = messages.flatMap(messageBlocks);
	const shown = blocks.flatMap((block) =>
		block.type === "tool_result" && Array.isArray(block.content) ? block.content : [block],
	);
	return shown.flatMap((block) =>
		block.type === "document" && block.source.type === "base64"
			? [readSandboxPdf(block.source.data, { name: block.title ?? undefined, ...ANTHROPIC_PDF })]
			: [],
	);
}

/** Media count by what they show: their bytes stay out of the count of texts. */
function withoutSources(name: string, value: unknown): unknown {
	return name === "source" ? undefined : value;
}

function toAnyToolChoice(choice: AnthropicRequest["tool_choice"]): SandboxPrompt["toolChoice"] {
	if (choice?.type === "tool") return { name: choice.name };
	if (choice?.type === "any") return "required";
	return choice?.type === "none" ? "none" : "auto";
}

function toAnthropicPrompt(request: AnthropicRequest): SandboxPrompt {
	const { thinking, output_config, tool_choice } = request;
	return {
		model: request.model,
		systemText: toSystemText(request),
		...lastUserTurn(request.messages),
		tools: (request.tools ?? []).map(({ name, description, input_schema }) => ({
			name,
			description: description ?? "",
			parameters: input_schema,
		})),
		toolChoice: toAnyToolChoice(tool_choice),
		parallelToolCalls: !(
			tool_choice &&
			"disable_parallel_tool_use" in tool_choice &&
			tool_choice.disable_parallel_tool_use
		),
		json: output_config?.format?.schema ?? null,
		reasoning: thinking ? thinking.type !== "disabled" : Boolean(output_config?.effort),
		media: readAnthropicMedia(request.messages),
	};
}

const STOP_REASONS = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", refusal: "refusal" };

/** Why a refusal was made, as Anthropic says it beside the stop reason. */
function stopDetails({ refusal }: SandboxAnswer): JsonFields {
	return refusal === null ? {} : { stop_details: { type: "refusal", category: null, explanation: refusal } };
}

/** Anthropic counts cached input beside `input_tokens`, and thinking inside `output_tokens`. */
function renderAnthropicUsage({ usage }: SandboxAnswer): JsonFields | null {
	if (!usage) return null;
	return {
		input_tokens: usage.uncachedInput,
		cache_creation_input_tokens: 0,
		cache_read_input_tokens: usage.cacheRead,
		output_tokens: usage.outputText + usage.reasoning,
		...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
	};
}

type OutputBlock =
	| { type: "thinking"; thinking: string; signature: string }
	| { type: "text"; text: string }
	| { type: "tool_use"; id: string; name: string; input: JsonFields };

function contentBlocks(answer: SandboxAnswer, showThinking: boolean): OutputBlock[] {
	const thinking = showThinking ? (answer.reasoning ?? "") : "";
	return [
		...(answer.reasoning === null ? [] : [{ type: "thinking" as const, thinking, signature: signThinking(thinking) }]),
		...(answer.text ? [{ type: "text" as const, text: answer.text }] : []),
		...answer.toolCalls.map(({ name, arguments: input }, index) => ({
			type: "tool_use" as const,
			id: `toolu_${answer.id}_${index}`,
			name,
			input,
		})),
	];
}

function messageBody(answer: SandboxAnswer, showThinking: boolean): JsonFields {
	const usage = renderAnthropicUsage(answer);
	return {
		id: `msg_${answer.id}`,
		type: "message",
		role: "assistant",
		model: answer.model,
		content: contentBlocks(answer, showThinking),
		stop_reason: STOP_REASONS[answer.finish],
		stop_sequence: null,
		...stopDetails(answer),
		...(usage ? { usage } : {}),
	};
}

/** The deltas that fill a block, which starts empty. */
function* blockDeltas(block: OutputBlock): Generator<JsonFields> {
	switch (block.type) {
		case "thinking":
			for (const thinking of toPieces(block.thinking)) yield { type: "thinking_delta", thinking };
			yield { type: "signature_delta", signature: block.signature };
			return;
		case "text":
			for (const text of toPieces(block.text)) yield { type: "text_delta", text };
			return;
		case "tool_use":
			yield { type: "input_json_delta", partial_json: "" };
			for (const partial_json of toPieces(JSON.stringify(block.input)))
				yield { type: "input_json_delta", partial_json };
	}
}

function emptyBlock(block: OutputBlock): OutputBlock {
	if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
	return block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
}

function* events(answer: SandboxAnswer, showThinking: boolean): Generator<JsonFields & { type: string }> {
	const usage = renderAnthropicUsage(answer);
	const { output_tokens_details: _, ...atStart } = { output_tokens_details: null, ...usage, output_tokens: 1 };
	const message = { ...messageBody(answer, showThinking), content: [], stop_reason: null };
	yield { type: "message_start", message: usage ? { ...message, usage: atStart } : message };
	yield { type: "ping" };
	for (const [index, block] of contentBlocks(answer, showThinking).entries()) {
		yield { type: "content_block_start", index, content_block: emptyBlock(block) };
		for (const delta of blockDeltas(block)) yield { type: "content_block_delta", index, delta };
		yield { type: "content_block_stop", index };
	}
	const delta = { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null, ...stopDetails(answer) };
	yield { type: "message_delta", delta, ...(usage ? { usage } : {}) };
	yield { type: "message_stop" };
}

function* eventFrames(answer: SandboxAnswer, showThinking: boolean): Generator<string> {
	for (const event of events(answer, showThinking)) yield sse(event, event.type);
}

function readAnthropic({ headers, body }: WireRequest): AcceptedRequest {
	const request = parseAnthropic(headers, body);
	const { thinking } = request;
	const showThinking = !(thinking && "display" in thinking && thinking.display === "omitted");
	const prompt = toAnthropicPrompt(request);
	const texts = JSON.stringify([request.system ?? "", request.tools ?? "", request.messages], withoutSources);
	const promptTokens = countTokens(texts) + sumMediaTokens(prompt.media);
	return {
		request: { request, prompt, maxTokens: request.max_tokens, promptTokens },
		body: (answer) => messageBody(answer, showThinking),
		stream: request.stream
			? {
					contentType: "text/event-stream; charset=utf-8",
					frames: (answer) => eventFrames(answer, showThinking),
					garbage: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
					error: sse(anthropicErrorBody(529, "Overloaded"), "error"),
					ping: sse({ type: "ping" }, "ping"),
				}
			: null,
	};
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
	401: "authentication_error",
	402: "billing_error",
	403: "permission_error",
	404: "not_found_error",
	409: "conflict_error",
	413: "request_too_large",
	429: "rate_limit_error",
	504: "timeout_error",
	529: "overloaded_error",
};

function anthropicErrorBody(status: number, message: string): JsonFields {
	const type = ERROR_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
	return { type: "error", error: { type, message }, request_id: `req_${shortHash([status, message])}` };
}

export const anthropicFormat: SandboxFormat = {
	read: readAnthropic,
	failure: (status, message, retryAfterSeconds) => ({
		body: anthropicErrorBody(status, message),
		headers: {
			"request-id": `req_${shortHash([status, message])}`,
			...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
		},
	}),
	overflow: () => {
		const { promptTokens, windowTokens } = OVERFLOW;
		return new Refusal(400, `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`);
	},
	refusals: {
		unserved: (model) => new Refusal(404, `model: ${model}`),
		forbidden: () => new Refusal(403, "Your API key does not have permission to use the specified resource"),
		disliked: () => new Refusal(403, DISLIKED),
	},
	overloaded: 529,
};
