// Renders a model call in the OpenAI chat completions format, with the small differences of its providers.
import type { Model, Provider } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { JsonObject } from "../json.ts";
import type { ProviderAccess } from "../settings.ts";
import { type CallIdRule, callIdFor, MISTRAL_IDS, OPENAI_IDS } from "./call-ids.ts";
import { pairToolResults } from "./conversation.ts";
import {
	type AssistantPart,
	type CallField,
	callMedia,
	DEFAULT_TEMPERATURE,
	joinText,
	type MediaPart,
	type Message,
	type ModelCall,
	type OutputFormat,
	partsOfType,
	type ShownPart,
	samplingParameters,
	type TextPart,
	type ToolCallPart,
	type ToolChoice,
	type ToolDefinition,
	type ToolResultPart,
	type Warning,
} from "./model-call.ts";
import { grammarWarnings, readTextArguments, toParameters } from "./text-tools.ts";
import {
	droppedParameterWarning,
	type PreparedPrompt,
	REASONING_SHARE,
	type RequestOptions,
	toCallUrl,
	toDataAddress,
	toModelMembers,
	toPrompt,
	toSentStops,
	toUpstreamBody,
	type UpstreamRequest,
	unsentFieldWarnings,
} from "./wire.ts";

/** One text as a string, several as parts. The format has no cache marks, so texts that only such a mark parts are one. */
function toTextContent(parts: readonly TextPart[]): string | JsonObject[] {
	const texts: string[] = [];
	for (const { text, continues } of parts) {
		const before = continues ? texts.pop() : undefined;
		texts.push(before === undefined ? text : before + text);
	}
	const [first] = texts;
	return texts.length === 1 && first !== undefined ? first : texts.map((text) => ({ type: "text", text }));
}

function callIdRule({ tool_call_ids }: Provider): CallIdRule {
	return tool_call_ids === "nine_alphanumerics" ? MISTRAL_IDS : OPENAI_IDS;
}

/** What a prompt is rendered for: a provider, and the text tools that it takes as such. */
interface OpenAiPromptOptions {
	provider: Provider;
	customTools: ReadonlySet<string>;
	/** A model of the conversation has called tools by now. */
	hasCalls?: boolean;
}

/**
 * Stands for reasoning that another provider's model did not show. Once tools are called, DeepSeek and Moonshot refuse an
 * assistant message without any, or with an empty one.
 */
const NO_REASONING = " ";

function toReasoningContent(content: readonly AssistantPart[], { provider, hasCalls }: OpenAiPromptOptions) {
	if (!provider.returns_reasoning) return undefined;
	return joinText(content, "reasoning") || (hasCalls ? NO_REASONING : undefined);
}

/** Names of the text tools that a provider takes as such. Elsewhere they are functions. */
function customToolNames(tools: readonly ToolDefinition[], { custom_tools }: Provider): ReadonlySet<string> {
	return new Set(custom_tools ? tools.filter(({ input }) => input === "text").map(({ name }) => name) : []);
}

function toOpenAiToolCall(
	{ id: givenId, name, arguments: args }: ToolCallPart,
	{ provider, customTools }: OpenAiPromptOptions,
): JsonObject {
	const id = callIdFor(givenId, callIdRule(provider));
	if (customTools.has(name)) return { id, type: "custom", custom: { name, input: readTextArguments(args) ?? args } };
	return { id, type: "function", function: { name, arguments: args } };
}

/** OpenAI refuses a file without a name. */
const DEFAULT_FILE_NAME = "document.pdf";

function toOpenAiPart(part: TextPart | MediaPart): JsonObject {
	switch (part.type) {
		case "text":
			return { type: "text", text: part.text };
		case "image":
			return { type: "image_url", image_url: { url: part.url, detail: part.detail } };
		case "file":
			return { type: "file", file: { filename: part.name ?? DEFAULT_FILE_NAME, file_data: toDataAddress(part) } };
		case "audio":
			return { type: "input_audio", input_audio: { data: part.base64, format: part.format } };
	}
}

/** A single text as a string; several texts, or texts with media, as parts. */
function toOpenAiContent(parts: readonly (TextPart | MediaPart)[]): string | JsonObject[] {
	const texts = partsOfType(parts, "text");
	return texts.length === parts.length ? toTextContent(texts) : parts.map(toOpenAiPart);
}

function textPart(text: string): TextPart {
	return { type: "text", text };
}

function nameMedia(content: readonly ShownPart[]): string {
	const has = (type: ShownPart["type"]) => content.some((part) => part.type === type);
	return [...(has("image") ? ["images"] : []), ...(has("file") ? ["files"] : [])].join(" and ");
}

/** A tool result as a message. The format has no mark for a tool that failed, so the text says it. */
function toToolMessage({ callId, content, isError }: ToolResultPart, rule: CallIdRule): JsonObject {
	const texts = partsOfType(content, "text");
	const parts = [
		...(isError ? [textPart("The tool failed:")] : []),
		...texts,
		...(texts.length < content.length
			? [textPart(`(Its ${nameMedia(content)} follow in the user's next message.)`)]
			: []),
	];
	return { role: "tool", tool_call_id: callIdFor(callId, rule), content: toTextContent(parts) };
}

/** The images and files of a tool result as the user's. Only the user's messages may hold them. */
function toResultMedia({ callId, content }: ToolResultPart): ShownPart[] {
	const media = content.filter(({ type }) => type !== "text");
	const what = nameMedia(content).replace(/^./, (first) => first.toUpperCase());
	return media.length > 0 ? [textPart(`${what} of tool call ${callId}:`), ...media] : [];
}

/** The messages for one message. Tool results become messages of their own and go first. */
function toOpenAiMessages(message: Message, options: OpenAiPromptOptions): JsonObject[] {
	const { provider } = options;
	switch (message.role) {
		case "system":
			return [{ role: "system", content: toTextContent(message.content), name: message.name }];
		case "assistant": {
			const { content } = message;
			const texts = partsOfType(content, "text");
			const calls = partsOfType(content, "tool_call");
			return [
				{
					role: "assistant",
					content: texts.length > 0 ? toTextContent(texts) : null,
					refusal: joinText(content, "refusal") ?? undefined,
					reasoning_content: toReasoningContent(content, options),
					name: message.name,
					tool_calls: calls.length > 0 ? calls.map((call) => toOpenAiToolCall(call, options)) : undefined,
				},
			];
		}
		case "user": {
			const results = partsOfType(message.content, "tool_result");
			const ownParts = [
				...results.flatMap(toResultMedia),
				...message.content.filter((part) => part.type !== "tool_result" && part.type !== "provider"),
			];
			const toolMessages = results.map((result) => toToolMessage(result, callIdRule(provider)));
			// A message of tool results alone has no message of its own.
			if (ownParts.length === 0 && results.length > 0) return toolMessages;
			return [...toolMessages, { role: "user", content: toOpenAiContent(ownParts), name: message.name }];
		}
	}
}

function toOpenAiTool(tool: ToolDefinition, { customTools }: OpenAiPromptOptions): JsonObject {
	const { name, description, strict, grammar } = tool;
	if (!customTools.has(name))
		return { type: "function", function: { name, description, parameters: toParameters(tool), strict } };
	const format = grammar && { type: "grammar", grammar };
	return { type: "custom", custom: { name, description, format } };
}

function toOpenAiToolChoice(choice: ToolChoice, customTools: ReadonlySet<string>): unknown {
	if (typeof choice === "string") return choice;
	const { name } = choice;
	return customTools.has(name) ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
}

/** For providers that know no `json_object`. */
const ANY_OBJECT = { type: "json_schema", json_schema: { name: "json", schema: { type: "object" } } } as const;

function toResponseFormat(output: OutputFormat, { json_mode }: Pick<Provider, "json_mode">): JsonObject | undefined {
	if (output.type === "text") return undefined;
	if (output.type === "json_object") return json_mode === "json_schema" ? ANY_OBJECT : { type: "json_object" };
	const { name, description, schema, strict } = output;
	return { type: "json_schema", json_schema: { name, description, schema, strict } };
}

/** The fields that set a model's effort, and the part of its output limit that is left for the visible answer. */
function reasoningFields(
	model: Model,
	effort: EffortChoice,
	maxTokens: number,
): { fields: JsonObject; visibleTokens: number } {
	const whole = (fields: JsonObject) => ({ fields, visibleTokens: maxTokens });
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
			const budget = Math.floor(maxTokens * REASONING_SHARE[effort]);
			if (budget === 0) return whole({ enable_thinking: false });
			return { fields: { enable_thinking: true, thinking_budget: budget }, visibleTokens: maxTokens - budget };
		}
		default:
			return whole({ reasoning_effort: effort });
	}
}

/** Optional fields under the provider's names. Those that provider or model refuse are left out with a warning. */
function optionalFields(
	call: ModelCall,
	model: Model,
	{ provider }: ProviderAccess,
): { fields: JsonObject; warnings: Warning[] } {
	const refused = new Set([...model.request.rejects, ...provider.drops]);
	const requested: [CallField, unknown][] = samplingParameters(call);
	if (call.parallelToolCalls !== undefined && call.tools.length > 0)
		requested.push(["parallel_tool_calls", call.parallelToolCalls]);
	if (call.user !== undefined) requested.push(["user", call.user]);
	const fields: JsonObject = {};
	const warnings: Warning[] = [];
	for (const [param, value] of requested) {
		if (!refused.has(param)) fields[provider.renames[param] ?? param] = value;
		// A provider uses the end user's id for abuse checks. Leaving it out needs no warning.
		else if (param !== "user") warnings.push(droppedParameterWarning(model, param));
	}
	for (const [param, value] of Object.entries(call.unknownFields))
		if (provider.passes.includes(param)) fields[param] = value;
	warnings.push(
		...unsentFieldWarnings(
			model,
			Object.keys(call.unknownFields).filter((param) => !provider.passes.includes(param)),
		),
	);
	if (call.sampling.temperature === undefined && !refused.has("temperature"))
		fields["temperature"] = DEFAULT_TEMPERATURE;
	return { fields, warnings };
}

/**
 * Identifies the provider differences that change the prompt: reasoning that must return, the form of tool call ids, and
 * custom tools.
 */
export function openAiVariant({ returns_reasoning, tool_call_ids, custom_tools }: Provider): string {
	return `${returns_reasoning} ${tool_call_ids} ${custom_tools}`;
}

/** Serializes tools and messages as members of the request's JSON, in the order in which providers cache them. */
export function prepareOpenAiPrompt(call: ModelCall, provider: Provider): PreparedPrompt {
	const options = { provider, customTools: customToolNames(call.tools, provider) };
	const messages = pairToolResults(call.messages);
	const hasCall = ({ content }: Message) => content.some(({ type }) => type === "tool_call");
	const firstCall = provider.returns_reasoning ? messages.findIndex(hasCall) : -1;
	const fields: JsonObject = {
		tools: call.tools.length > 0 ? call.tools.map((tool) => toOpenAiTool(tool, options)) : undefined,
		messages: messages.flatMap((message, index) =>
			toOpenAiMessages(message, { ...options, hasCalls: firstCall >= 0 && index >= firstCall }),
		),
	};
	const json = JSON.stringify(fields).slice(1, -1);
	const media = callMedia(call);
	const texts = media.map((part) =>
		part.type === "image" ? part.url : part.type === "file" ? toDataAddress(part) : part.base64,
	);
	return toPrompt(json, media, texts);
}

function streamFields({ provider }: ProviderAccess): JsonObject {
	return provider.stream_usage === "ask" ? { stream: true, stream_options: { include_usage: true } } : { stream: true };
}

/** platform.openai.com/docs/api-reference/chat/create#chat-create-stop */
const MAX_OPENAI_STOPS = 4;

/** The exact request. A parameter without an equivalent is left out, with a warning when the client set it. */
export function renderOpenAiRequest(options: RequestOptions): UpstreamRequest {
	const { call, prompt, model, access, effort, isWhole = false } = options;
	const reasoning = reasoningFields(model, effort, call.maxTokens);
	const optional = optionalFields(call, model, access);
	const stops = toSentStops(model, call.stop, { atMost: MAX_OPENAI_STOPS });
	const { provider } = access;
	const settings: JsonObject = {
		[model.request.max_tokens_field]: reasoning.visibleTokens,
		...(isWhole ? {} : streamFields(access)),
		...optional.fields,
		...reasoning.fields,
		stop: stops.stop,
		tool_choice:
			call.toolChoice === undefined || call.tools.length === 0
				? undefined
				: toOpenAiToolChoice(call.toolChoice, customToolNames(call.tools, provider)),
		response_format: toResponseFormat(call.output, provider),
		logprobs: call.logprobs ? true : undefined,
		top_logprobs: call.logprobs?.top,
	};
	return {
		url: toCallUrl(options, "/chat/completions"),
		headers: {
			"content-type": "application/json",
			accept: isWhole ? "application/json" : "text/event-stream",
		},
		...toUpstreamBody(toModelMembers(options), prompt, settings),
		maxOutputTokens: call.maxTokens,
		warnings: [
			...optional.warnings,
			...stops.warnings,
			...(provider.custom_tools ? [] : grammarWarnings(model, call.tools)),
		],
	};
}
