// Renders a model call as an Anthropic Messages request. Answers are read in anthropic-answer.ts and
// anthropic-stream.ts.
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { clip } from "../clip.ts";
import type { JsonObject } from "../json.ts";
import { compileAnthropicSchema } from "./anthropic-schema.ts";
import { parseDataUrl, parseToolInput, type TurnForm, toBlockTurns } from "./block-turns.ts";
import { limitCacheMarks, toCacheControl } from "./cache-marks.ts";
import { ANTHROPIC_IDS, callIdFor } from "./call-ids.ts";
import { pairToolResults, placeSystem } from "./conversation.ts";
import {
	type AssistantPart,
	callMedia,
	DEFAULT_TEMPERATURE,
	type FilePart,
	type ImagePart,
	type ModelCall,
	type OutputFormat,
	type ShownPart,
	samplingParameters,
	type TextPart,
	type ToolCallPart,
	type ToolChoice,
	type ToolDefinition,
	type ToolResultPart,
	type UserPart,
	type Warning,
} from "./model-call.ts";
import { grammarWarnings, toParameters } from "./text-tools.ts";
import {
	type CompiledSchema,
	droppedParameterWarning,
	type PreparedPrompt,
	type RequestOptions,
	toCallUrl,
	toModelMembers,
	toPrompt,
	toSentStops,
	toUpstreamBody,
	type UpstreamRequest,
	unsentFieldWarnings,
} from "./wire.ts";

/** Text blocks. Anthropic refuses blocks that are empty or only white space. */
function toTextBlocks(parts: readonly TextPart[]): JsonObject[] {
	return parts
		.filter(({ text }) => text.trim() !== "")
		.map((part) => ({ type: "text", text: part.text, ...toCacheControl(part) }));
}

function toImageBlock(part: ImagePart): JsonObject {
	const { url } = part;
	const data = parseDataUrl(url);
	const source = data ? { type: "base64", media_type: data.mediaType, data: data.base64 } : { type: "url", url };
	return { type: "image", source, ...toCacheControl(part) };
}

/** The longest title of a document that Anthropic takes. */
const MAX_TITLE_CHARS = 500;

function toDocumentBlock(part: FilePart): JsonObject {
	const { mediaType: media_type, base64: data, name } = part;
	const title = name === undefined ? undefined : clip(name, MAX_TITLE_CHARS);
	return { type: "document", source: { type: "base64", media_type, data }, title, ...toCacheControl(part) };
}

/** The blocks of what a user and a tool may both show. */
function toShownBlocks(part: ShownPart): JsonObject[] {
	switch (part.type) {
		case "text":
			return toTextBlocks([part]);
		case "image":
			return [toImageBlock(part)];
		case "file":
			return [toDocumentBlock(part)];
	}
}

function toToolUseBlock(call: ToolCallPart): JsonObject {
	const { id, name, arguments: args } = call;
	return {
		type: "tool_use",
		id: callIdFor(id, ANTHROPIC_IDS),
		name,
		input: parseToolInput(args),
		...toCacheControl(call),
	};
}

function toToolResultBlock(result: ToolResultPart): JsonObject {
	const { callId: id, content, isError } = result;
	const blocks = content.flatMap(toShownBlocks);
	return {
		type: "tool_result",
		tool_use_id: callIdFor(id, ANTHROPIC_IDS),
		content: blocks.length > 0 ? blocks : undefined,
		is_error: isError,
		...toCacheControl(result),
	};
}

/**
 * The blocks of one part. Anthropic's own blocks return unchanged, because signatures cover them. Those of other
 * providers are left out.
 */
function toAnthropicBlocks(part: UserPart | AssistantPart): JsonObject[] {
	switch (part.type) {
		case "text":
		case "image":
		case "file":
			return toShownBlocks(part);
		case "refusal":
			return toTextBlocks([{ type: "text", text: part.text }]);
		case "tool_call":
			return [toToolUseBlock(part)];
		case "tool_result":
			return [toToolResultBlock(part)];
		case "provider":
			// A copy, because a mark may be taken off.
			return part.wire === "anthropic" ? [{ ...part.block }] : [];
		case "reasoning":
		case "audio":
			// Thinking returns in the signed block beside it, or not at all. No model here takes recordings.
			return [];
	}
}

const ANTHROPIC_BLOCKS: TurnForm = {
	toBlocks: toAnthropicBlocks,
	isThinking: ({ type }) => type === "thinking" || type === "redacted_thinking",
	isResult: ({ type }) => type === "tool_result",
};

function toAnthropicTool(tool: ToolDefinition): JsonObject {
	const { name, description } = tool;
	// Anthropic refuses an input_schema without a type.
	const input_schema = { type: "object", ...(toParameters(tool) ?? { properties: {} }) };
	return { name, description, input_schema, ...toCacheControl(tool) };
}

/** Replaces `json_object`, for which Anthropic has no parameter. */
export const JSON_INSTRUCTION = "Answer with a single JSON object and nothing else: no prose and no code fence.";

/** Whether JSON is wanted but no schema enforces it. */
export function needsJsonInstruction(output: OutputFormat): boolean {
	return output.type === "json_object" || (output.type === "json_schema" && !output.schema);
}

/** Anthropic adds its own prompt to requests with tools (published: up to 530 tokens) and counts it as input. */
export const TOOL_PROMPT_TOKEN_BOUND = 1_024;

/** Serializes tools, system text and messages as members of the request's JSON, in the order in which they are cached. */
export function prepareAnthropicPrompt(call: ModelCall): PreparedPrompt {
	const placed = placeSystem(pairToolResults(call.messages));
	const turns = toBlockTurns(placed.conversation, ANTHROPIC_BLOCKS);
	const system = toTextBlocks(placed.system);
	// Anthropic requires a message. A prompt of system messages alone is sent as the user's.
	if (turns.length === 0 && system.length > 0) turns.push({ role: "user", content: system.splice(0) });
	if (needsJsonInstruction(call.output)) system.push({ type: "text", text: JSON_INSTRUCTION });
	const tools = call.tools.map(toAnthropicTool);
	const writesHourCache = limitCacheMarks([...tools, ...system, ...turns.flatMap(({ content }) => content)]);
	const fields: JsonObject = {
		tools: tools.length > 0 ? tools : undefined,
		system: system.length > 0 ? system : undefined,
		messages: turns,
	};
	const json = JSON.stringify(fields).slice(1, -1);
	const media = callMedia(call).filter(({ type }) => type !== "audio");
	const texts = media.map((part) =>
		part.type === "image" ? (parseDataUrl(part.url)?.base64 ?? part.url) : part.base64,
	);
	const prompt = toPrompt(json, media, texts);
	const hidden = call.tools.length > 0 ? TOOL_PROMPT_TOKEN_BOUND : 0;
	return { ...prompt, tokenBound: prompt.tokenBound + hidden, writesHourCache };
}

export function toAnthropicToolChoice(
	choice: ToolChoice | undefined,
	parallel: boolean | undefined,
): JsonObject | undefined {
	if (choice === "none") return { type: "none" };
	const disable_parallel_tool_use = parallel === false ? true : undefined;
	if (choice === undefined) return disable_parallel_tool_use && { type: "auto", disable_parallel_tool_use };
	if (typeof choice === "object") return { type: "tool", name: choice.name, disable_parallel_tool_use };
	return { type: choice === "required" ? "any" : "auto", disable_parallel_tool_use };
}

/** Thinking, and `output_config`, which holds both output format and effort. */
export function anthropicOutputFields(format: CompiledSchema | null, model: Model, effort: EffortChoice): JsonObject {
	const config: JsonObject = {};
	if (format) config["format"] = { type: "json_schema", schema: format.schema };
	let thinking: JsonObject | undefined;
	if (effort === "none") {
		if (model.reasoning?.efforts.includes("none")) thinking = { type: "disabled" };
	} else if (model.reasoning && effort !== null && effort !== "default") config["effort"] = effort;
	return { thinking, output_config: Object.keys(config).length > 0 ? config : undefined };
}

/** The sampling fields that Anthropic has. Its temperature ends at 1. */
const ANTHROPIC_SAMPLING = ["temperature", "top_p"];
const MAX_TEMPERATURE = 1;
/** Anthropic's limit. It may also refuse what looks like an e-mail address. */
const USER_ID = /^[^@\s]{1,256}$/;

/** The sampling fields that provider and model take. The others are left out with a warning. */
export function anthropicSamplingFields(
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
	// Newer models take temperature or top_p, not both. Our default is not added to the client's top_p.
	if (call.sampling.temperature === undefined && !("top_p" in fields) && !refused.has("temperature"))
		fields["temperature"] = DEFAULT_TEMPERATURE;
	return { fields, warnings };
}

function anthropicHeaders(isWhole: boolean): Record<string, string> {
	return {
		"anthropic-version": "2023-06-01",
		"content-type": "application/json",
		accept: isWhole ? "application/json" : "text/event-stream",
	};
}

/** The exact request. A parameter without an equivalent is left out, with a warning when the client set it. */
export function renderAnthropicRequest(options: RequestOptions): UpstreamRequest {
	const { call, prompt, model, access, effort, isWhole = false } = options;
	const refused = new Set([...model.request.rejects, ...access.provider.drops]);
	const { fields: sampling, warnings } = anthropicSamplingFields(call, model, refused);
	warnings.push(...unsentFieldWarnings(model, Object.keys(call.unknownFields)));
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
	warnings.push(...grammarWarnings(model, call.tools));
	const stops = toSentStops(model, call.stop, { takesBlank: false });
	warnings.push(...stops.warnings);
	const settings: JsonObject = {
		max_tokens: call.maxTokens,
		stream: isWhole ? undefined : true,
		...sampling,
		stop_sequences: stops.stop,
		tool_choice: hasTools
			? toAnthropicToolChoice(call.toolChoice, refusesParallel ? undefined : call.parallelToolCalls)
			: undefined,
		metadata: user !== undefined && USER_ID.test(user) && !refused.has("user") ? { user_id: user } : undefined,
		...anthropicOutputFields(format, model, effort),
	};
	return {
		url: toCallUrl(options, "/messages"),
		headers: anthropicHeaders(isWhole),
		...toUpstreamBody(toModelMembers(options), prompt, settings),
		maxOutputTokens: call.maxTokens,
		warnings,
	};
}
