// The inner call as an Anthropic Messages request. Answers are read in anthropic-answer.ts and anthropic-stream.ts.
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { ProviderAccess } from "../settings.ts";
import { compileAnthropicSchema } from "./anthropic-schema.ts";
import { ANTHROPIC_IDS, callIdFor } from "./call-ids.ts";
import { type JsonObject, jsonObjectSchema } from "./json.ts";
import {
	type AssistantPart,
	callImages,
	DEFAULT_TEMPERATURE,
	type ImagePart,
	type Message,
	type ModelCall,
	type OutputFormat,
	samplingParameters,
	type TextPart,
	type ToolCallPart,
	type ToolChoice,
	type ToolDefinition,
	type ToolResultPart,
	type UserPart,
	type Warning,
} from "./model-call.ts";
import {
	type CompiledSchema,
	droppedParameterWarning,
	type PreparedPrompt,
	promptTokenBound,
	type RequestOptions,
	type UpstreamRequest,
	unknownFieldWarning,
	utf8Length,
} from "./wire.ts";

/** A message as Anthropic wants it: roles alternate, content is blocks. */
interface AnthropicTurn {
	role: "user" | "assistant";
	content: JsonObject[];
}

/** Text blocks; Anthropic refuses those that are empty or white space alone. */
function toTextBlocks(parts: readonly TextPart[]): JsonObject[] {
	return parts.filter(({ text }) => text.trim() !== "").map(({ text }) => ({ type: "text", text }));
}

/** Media type and base64 text of a `data:` address, or null for any other address. */
function parseDataUrl(url: string): { mediaType: string; base64: string } | null {
	if (!url.startsWith("data:")) return null;
	const comma = url.indexOf(",");
	const mediaType = url.slice("data:".length, comma).split(";", 1)[0] ?? "";
	// Clients write image/jpg, which Anthropic does not know.
	return { mediaType: mediaType === "image/jpg" ? "image/jpeg" : mediaType, base64: url.slice(comma + 1) };
}

function toImageBlock({ url }: ImagePart): JsonObject {
	const data = parseDataUrl(url);
	const source = data ? { type: "base64", media_type: data.mediaType, data: data.base64 } : { type: "url", url };
	return { type: "image", source };
}

/** The input object of a call. Anthropic takes objects only, so text that is none is kept for the model to see as `_raw`. */
function parseToolInput(text: string): JsonObject {
	if (text.trim() === "") return {};
	try {
		return jsonObjectSchema.parse(JSON.parse(text));
	} catch {
		return { _raw: text };
	}
}

function toToolUseBlock({ id, name, arguments: args }: ToolCallPart): JsonObject {
	return { type: "tool_use", id: callIdFor(id, ANTHROPIC_IDS), name, input: parseToolInput(args) };
}

function toToolResultBlock({ callId: id, content, isError }: ToolResultPart): JsonObject {
	const blocks = content.flatMap((part) => (part.type === "text" ? toTextBlocks([part]) : [toImageBlock(part)]));
	return {
		type: "tool_result",
		tool_use_id: callIdFor(id, ANTHROPIC_IDS),
		content: blocks.length > 0 ? blocks : undefined,
		is_error: isError,
	};
}

/** Blocks of one part. Anthropic's own stand as they came, since signatures cover them; other providers' stay behind. */
function toAnthropicBlocks(part: UserPart | AssistantPart): JsonObject[] {
	switch (part.type) {
		case "text":
		case "refusal":
			return toTextBlocks([{ type: "text", text: part.text }]);
		case "image":
			return [toImageBlock(part)];
		case "tool_call":
			return [toToolUseBlock(part)];
		case "tool_result":
			return [toToolResultBlock(part)];
		case "provider":
			return part.wire === "anthropic" ? [part.block] : [];
		case "reasoning":
			// What was thought goes back in the signed block beside it, or not at all.
			return [];
	}
}

function isThinking({ type }: JsonObject): boolean {
	return type === "thinking" || type === "redacted_thinking";
}

function toAnthropicTurn(message: Exclude<Message, { role: "system" }>): AnthropicTurn {
	const parts: readonly (UserPart | AssistantPart)[] = message.content;
	const content = parts.flatMap(toAnthropicBlocks);
	// A message that ends with thinking is refused.
	if (message.role === "assistant") while (content.length > 0 && isThinking(content.at(-1) ?? {})) content.pop();
	return { role: message.role, content };
}

/** Tool results go before whatever else a user message holds. */
function putResultsFirst({ role, content }: AnthropicTurn): AnthropicTurn {
	const isResult = (block: JsonObject) => block["type"] === "tool_result";
	return { role, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

/** Stands before a conversation that the assistant began. */
const OPENING_TEXT = "(The assistant begins the conversation.)";

/** Messages without empty ones, neighbours of one role merged. */
function toAnthropicTurns(messages: readonly Message[]): AnthropicTurn[] {
	const turns: AnthropicTurn[] = [];
	for (const message of messages) {
		if (message.role === "system") continue;
		const turn = toAnthropicTurn(message);
		const last = turns.at(-1);
		if (last?.role === turn.role) last.content.push(...turn.content);
		else if (turn.content.length > 0) turns.push(turn);
	}
	// A user speaks first, or the request is refused.
	if (turns[0]?.role === "assistant")
		turns.unshift({ role: "user", content: toTextBlocks([{ type: "text", text: OPENING_TEXT }]) });
	return turns.map(putResultsFirst);
}

function toAnthropicTool({ name, description, parameters }: ToolDefinition): JsonObject {
	// An input_schema without a type is refused.
	const input_schema = { type: "object", ...(parameters ?? { properties: {} }) };
	return { name, description, input_schema };
}

/** What stands for `json_object`, which Anthropic has no parameter for. */
const JSON_INSTRUCTION = "Answer with a single JSON object and nothing else: no prose and no code fence.";

/** JSON is asked for, but no schema is given that would enforce it. */
function needsJsonInstruction(output: OutputFormat): boolean {
	return output.type === "json_object" || (output.type === "json_schema" && !output.schema);
}

/** Anthropic adds a prompt of its own to requests with tools (published: up to 530 tokens) and counts it as input. */
const TOOL_PROMPT_TOKEN_BOUND = 1_024;

/** System, messages and tools as members of the request's JSON. */
export function prepareAnthropicPrompt(call: ModelCall): PreparedPrompt {
	const turns = toAnthropicTurns(call.messages);
	const system = call.messages.flatMap((message) => (message.role === "system" ? toTextBlocks(message.content) : []));
	// At least one message must be there: a prompt of system messages alone is the user's.
	if (turns.length === 0 && system.length > 0) turns.push({ role: "user", content: system.splice(0) });
	if (needsJsonInstruction(call.output)) system.push({ type: "text", text: JSON_INSTRUCTION });
	const fields: JsonObject = {
		system: system.length > 0 ? system : undefined,
		messages: turns,
		tools: call.tools.length > 0 ? call.tools.map(toAnthropicTool) : undefined,
	};
	const json = JSON.stringify(fields).slice(1, -1);
	const images = callImages(call).map(({ url }) => parseDataUrl(url)?.base64 ?? url);
	const hidden = call.tools.length > 0 ? TOOL_PROMPT_TOKEN_BOUND : 0;
	return { json, tokenBound: promptTokenBound(json, images) + hidden };
}

function toAnthropicToolChoice(choice: ToolChoice | undefined, parallel: boolean | undefined): JsonObject | undefined {
	if (choice === "none") return { type: "none" };
	const disable_parallel_tool_use = parallel === false ? true : undefined;
	if (choice === undefined) return disable_parallel_tool_use && { type: "auto", disable_parallel_tool_use };
	if (typeof choice === "object") return { type: "tool", name: choice.name, disable_parallel_tool_use };
	return { type: choice === "required" ? "any" : "auto", disable_parallel_tool_use };
}

/** Output format and effort share one field. */
function anthropicOutputFields(format: CompiledSchema | null, model: Model, effort: EffortChoice): JsonObject {
	const config: JsonObject = {};
	if (format) config["format"] = { type: "json_schema", schema: format.schema };
	let thinking: JsonObject | undefined;
	if (effort === "none") {
		if (model.reasoning?.efforts.includes("none")) thinking = { type: "disabled" };
	} else if (model.reasoning && effort !== null && effort !== "default") config["effort"] = effort;
	return { thinking, output_config: Object.keys(config).length > 0 ? config : undefined };
}

/** Sampling fields that Anthropic has; its temperature ends at 1. */
const ANTHROPIC_SAMPLING = ["temperature", "top_p"];
const MAX_TEMPERATURE = 1;
/** Anthropic's limit; and it may refuse what looks like an e-mail address. */
const USER_ID = /^[^@\s]{1,256}$/;

/** Sampling fields as far as provider and model take them; what they refuse is left out and named. */
function anthropicSamplingFields(
	call: ModelCall,
	model: Model,
	refused: ReadonlySet<string>,
): { fields: JsonObject; warnings: Warning[] } {
	const fields: JsonObject = {};
	const warnings: Warning[] = [];
	for (const [param, value] of samplingParameters(call)) {
		if (!ANTHROPIC_SAMPLING.includes(param) || refused.has(param)) warnings.push(droppedParameterWarning(model, param));
		else if (param === "temperature" && typeof value === "number" && value > MAX_TEMPERATURE) {
			fields[param] = MAX_TEMPERATURE;
			const message = `${model.id} takes temperatures up to ${MAX_TEMPERATURE}; ${MAX_TEMPERATURE} was sent`;
			warnings.push({ code: "parameter_changed", param, message });
		} else fields[param] = value;
	}
	// Newer models take temperature or top_p, not both: our default never stands beside the client's top_p.
	if (call.sampling.temperature === undefined && !("top_p" in fields) && !refused.has("temperature"))
		fields["temperature"] = DEFAULT_TEMPERATURE;
	return { fields, warnings };
}

function anthropicHeaders({ apiKey }: ProviderAccess): Record<string, string> {
	return {
		"x-api-key": apiKey,
		"anthropic-version": "2023-06-01",
		"content-type": "application/json",
		accept: "text/event-stream",
	};
}

/** The exact request; a parameter with no equivalent is left out with a warning when the client set it. */
export function renderAnthropicRequest({ call, prompt, model, access, effort }: RequestOptions): UpstreamRequest {
	const refused = new Set([...model.request.rejects, ...access.provider.drops]);
	const { fields: sampling, warnings } = anthropicSamplingFields(call, model, refused);
	warnings.push(...Object.keys(call.unknownFields).map(unknownFieldWarning));
	const hasTools = call.tools.length > 0;
	const refusesParallel = hasTools && call.parallelToolCalls !== undefined && refused.has("parallel_tool_calls");
	if (refusesParallel) warnings.push(droppedParameterWarning(model, "parallel_tool_calls"));
	if (needsJsonInstruction(call.output)) {
		const message = `${model.id} has no JSON mode without a schema; it was asked for JSON in the system prompt`;
		warnings.push({ code: "parameter_changed", param: "output", message });
	}
	const { user, output } = call;
	const format = output.type === "json_schema" && output.schema ? compileAnthropicSchema(output.schema) : null;
	if (format && format.dropped.length > 0) {
		const message = `${model.id} does not enforce ${format.dropped.join(", ")} in a schema; they were left out`;
		warnings.push({ code: "parameter_changed", param: "output", message });
	}
	const settings: JsonObject = {
		model: model.upstream_model,
		max_tokens: call.maxTokens,
		stream: true,
		...sampling,
		stop_sequences: call.stop.length > 0 ? call.stop : undefined,
		tool_choice: hasTools
			? toAnthropicToolChoice(call.toolChoice, refusesParallel ? undefined : call.parallelToolCalls)
			: undefined,
		metadata: user !== undefined && USER_ID.test(user) && !refused.has("user") ? { user_id: user } : undefined,
		...anthropicOutputFields(format, model, effort),
	};
	const head = JSON.stringify(settings).slice(0, -1);
	return {
		url: `${access.baseUrl}/messages`,
		headers: anthropicHeaders(access),
		body: `${head},${prompt.json}}`,
		maxInputTokens: utf8Length(head) + prompt.tokenBound,
		maxOutputTokens: call.maxTokens,
		warnings,
	};
}
