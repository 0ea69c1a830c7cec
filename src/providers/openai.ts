// The OpenAI chat completions format, as ten of the catalog's providers speak it with small differences: what is sent.
import type { Model, Provider } from "../catalog/schema.ts";
import type { Effort, EffortChoice } from "../catalog/vocabulary.ts";
import type { ProviderAccess } from "../settings.ts";
import {
	type ChatCall,
	DEFAULT_TEMPERATURE,
	imagesOf,
	type Message,
	type OutputFormat,
	type TextPart,
	type Tool,
	type ToolCall,
	type ToolChoice,
	type Warning,
} from "./model-call.ts";
import { answer, error, usage } from "./openai-answer.ts";
import { OpenaiStreamDecoder } from "./openai-stream.ts";
import {
	droppedParameter,
	type PreparedPrompt,
	promptTokenBound,
	type RequestOptions,
	type UpstreamRequest,
	utf8Length,
	type Wire,
} from "./wire.ts";

type Fields = Record<string, unknown>;

function textOf(parts: readonly TextPart[]): string | Fields[] {
	const [first] = parts;
	return parts.length === 1 && first ? first.text : parts.map(({ text }) => ({ type: "text", text }));
}

function toolCallFields({ id, name, arguments: args }: ToolCall): Fields {
	return { id, type: "function", function: { name, arguments: args } };
}

function messageFields(message: Message, provider: Provider): Fields {
	switch (message.role) {
		case "system":
			return { role: "system", content: textOf(message.content), name: message.name };
		case "tool":
			return { role: "tool", tool_call_id: message.toolCallId, content: textOf(message.content) };
		case "assistant":
			return {
				role: "assistant",
				content: message.content.length > 0 ? textOf(message.content) : null,
				refusal: message.refusal,
				reasoning_content: provider.returns_reasoning ? message.reasoning : undefined,
				name: message.name,
				tool_calls: message.toolCalls.length > 0 ? message.toolCalls.map(toolCallFields) : undefined,
			};
		case "user": {
			const texts = message.content.filter((part) => part.type === "text");
			const content =
				texts.length === message.content.length
					? textOf(texts)
					: message.content.map((part) =>
							part.type === "text"
								? { type: "text", text: part.text }
								: { type: "image_url", image_url: { url: part.url, detail: part.detail } },
						);
			return { role: "user", content, name: message.name };
		}
	}
}

function toolFields({ name, description, parameters, strict }: Tool): Fields {
	return { type: "function", function: { name, description, parameters, strict } };
}

function toolChoiceField(choice: ToolChoice): unknown {
	return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function responseFormat(output: OutputFormat): Fields | undefined {
	if (output.type === "text") return undefined;
	if (output.type === "json_object") return { type: "json_object" };
	const { name, description, schema, strict } = output;
	return { type: "json_schema", json_schema: { name, description, schema, strict } };
}

/** Share of the output limit that reasoning may take where a provider counts it beside the limit. */
const THINKING_SHARE: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 0.1,
	low: 0.25,
	medium: 0.5,
	high: 0.75,
	xhigh: 0.75,
	max: 0.75,
};

/** The fields that set a model's effort, and what is left of its output limit for the visible answer. */
function reasoningFields(
	model: Model,
	effort: EffortChoice,
	maxTokens: number,
): { fields: Fields; visibleTokens: number } {
	const whole = (fields: Fields) => ({ fields, visibleTokens: maxTokens });
	if (!model.reasoning || effort === null || effort === "default") return whole({});
	const thinking = { type: effort === "none" ? "disabled" : "enabled" };
	switch (model.reasoning.control) {
		case "thinking_type":
			return whole({ thinking });
		case "thinking_type_and_effort":
			return whole(effort === "none" ? { thinking } : { thinking, reasoning_effort: effort });
		case "thinking_type_and_output_config":
			return whole(effort === "none" ? { thinking } : { thinking, output_config: { effort } });
		case "enable_thinking": {
			const budget = Math.floor(maxTokens * THINKING_SHARE[effort]);
			if (budget === 0) return whole({ enable_thinking: false });
			return { fields: { enable_thinking: true, thinking_budget: budget }, visibleTokens: maxTokens - budget };
		}
		default:
			return whole({ reasoning_effort: effort });
	}
}

/** Optional fields under the provider's names; what it or the model refuses is left out and named. */
function optionalFields(
	call: ChatCall,
	model: Model,
	{ provider }: ProviderAccess,
): { fields: Fields; warnings: Warning[] } {
	const refused = new Set([...model.request.rejects, ...provider.drops]);
	const given: Fields = { ...call.knobs };
	if (call.parallelToolCalls !== undefined && call.tools.length > 0)
		given["parallel_tool_calls"] = call.parallelToolCalls;
	if (call.user !== undefined) given["user"] = call.user;
	const fields: Fields = {};
	const warnings: Warning[] = [];
	for (const [param, value] of Object.entries(given)) {
		if (!refused.has(param)) fields[provider.renames[param] ?? param] = value;
		// The end user's name is for the provider's abuse checks; nobody misses it where it has no place.
		else if (param !== "user") warnings.push(droppedParameter(model, param));
	}
	if (call.knobs.temperature === undefined && !refused.has("temperature")) fields["temperature"] = DEFAULT_TEMPERATURE;
	return { fields, warnings };
}

function prepare(call: ChatCall, provider: Provider): PreparedPrompt {
	const fields: Fields = {
		messages: call.messages.map((message) => messageFields(message, provider)),
		tools: call.tools.length > 0 ? call.tools.map(toolFields) : undefined,
	};
	const json = JSON.stringify(fields).slice(1, -1);
	const urls = imagesOf(call).map(({ url }) => url);
	return { json, tokenBound: promptTokenBound(json, urls) };
}

function streamFields(stream: boolean, { provider }: ProviderAccess): Fields {
	if (!stream) return {};
	return provider.stream_usage === "ask" ? { stream: true, stream_options: { include_usage: true } } : { stream: true };
}

function request({ call, prompt, model, access, effort, stream }: RequestOptions): UpstreamRequest {
	const reasoning = reasoningFields(model, effort, call.maxTokens);
	const optional = optionalFields(call, model, access);
	const settings: Fields = {
		model: model.upstream_model,
		[model.request.max_tokens_field]: reasoning.visibleTokens,
		...streamFields(stream, access),
		...optional.fields,
		...reasoning.fields,
		stop: call.stop.length > 0 ? call.stop : undefined,
		tool_choice:
			call.toolChoice === undefined || call.tools.length === 0 ? undefined : toolChoiceField(call.toolChoice),
		response_format: responseFormat(call.output),
		logprobs: call.logprobs ? true : undefined,
		top_logprobs: call.logprobs?.top,
	};
	const head = JSON.stringify(settings).slice(0, -1);
	return {
		url: `${access.baseUrl}/chat/completions`,
		headers: {
			authorization: `Bearer ${access.apiKey}`,
			"content-type": "application/json",
			accept: stream ? "text/event-stream" : "application/json",
		},
		body: `${head},${prompt.json}}`,
		maxInputTokens: utf8Length(head) + prompt.tokenBound,
		maxOutputTokens: call.maxTokens,
		warnings: optional.warnings,
	};
}

export const openaiWire: Wire = {
	remoteImages: true,
	toolName: /^[A-Za-z0-9_-]{1,64}$/,
	prepare,
	request,
	answer,
	usage,
	error,
	decoder: () => new OpenaiStreamDecoder(),
};
