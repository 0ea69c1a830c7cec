// Renders a model call as a request of Amazon Bedrock's Converse API, whole or streamed. Answers are read in bedrock-answer.ts and
// bedrock-stream.ts; the signature is made where the request is sent (aws-signer.edge.ts). Source: Amazon Bedrock API reference,
// Converse and ConverseStream, and @aws-sdk/client-bedrock-runtime 3.1164.0 (2026-11-28).
import type { Model, Provider } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import type { JsonObject } from "../json.ts";
import {
	anthropicOutputFields,
	anthropicSamplingFields,
	JSON_INSTRUCTION,
	needsJsonInstruction,
	TOOL_PROMPT_TOKEN_BOUND,
	toAnthropicToolChoice,
} from "./anthropic-request.ts";
import { compileAnthropicSchema } from "./anthropic-schema.ts";
import { parseDataUrl, parseToolInput, type TurnForm, toBlockTurns } from "./block-turns.ts";
import { fitCacheMarks } from "./cache-marks.ts";
import { ANTHROPIC_IDS, callIdFor, MISTRAL_IDS } from "./call-ids.ts";
import { pairToolResults, placeSystem } from "./conversation.ts";
import {
	type AssistantPart,
	type CacheMark,
	callMedia,
	type FilePart,
	type ImagePart,
	type ModelCall,
	type OutputFormat,
	partsOfType,
	type ShownPart,
	type TextPart,
	type ToolCallPart,
	type ToolDefinition,
	type ToolResultPart,
	type UserPart,
	type Warning,
} from "./model-call.ts";
import { BEDROCK_REASONING } from "./returned-blocks.ts";
import { grammarWarnings, toParameters } from "./text-tools.ts";
import {
	droppedParameterWarning,
	type PreparedPrompt,
	type RequestOptions,
	toCallUrl,
	toPrompt,
	toSentStops,
	toUpstreamBody,
	type UpstreamRequest,
	unsentFieldWarnings,
} from "./wire.ts";

/** What a prompt for a model may hold besides what every model takes. */
interface PromptForm {
	/** Claude takes some of Anthropic's own fields. */
	isClaude: boolean;
	/** The model takes the status of a tool's result. */
	takesStatus: boolean;
	/** The model has a cache: others refuse a request with a cache point. */
	hasCache: boolean;
	idRule: typeof ANTHROPIC_IDS;
	/** The documents so far. */
	documents: number;
}

function isClaude({ upstream_model, reasoning }: Model): boolean {
	return reasoning?.control === "anthropic_effort" || upstream_model.includes("anthropic.");
}

function toPromptForm({ tool_call_ids }: Provider, model: Model): PromptForm {
	return {
		isClaude: isClaude(model),
		takesStatus: isClaude(model) || model.upstream_model.includes("amazon.nova"),
		hasCache: model.prices.some(({ cached_input }) => cached_input !== null),
		idRule: tool_call_ids === "nine_alphanumerics" ? MISTRAL_IDS : ANTHROPIC_IDS,
		documents: 0,
	};
}

/** Models of one variant are sent the same prompt. */
export function bedrockVariant(provider: Provider, model: Model): string {
	const { isClaude: claude, takesStatus, hasCache } = toPromptForm(provider, model);
	return [claude, takesStatus, hasCache, provider.tool_call_ids].join(" ");
}

/** A cache point, which ends a cached prefix. It stands behind what was marked. */
interface CachePoint extends JsonObject {
	cachePoint: { type: "default"; ttl?: "1h" };
}

function toCachePoint({ ttl }: CacheMark): CachePoint {
	return { cachePoint: { type: "default", ...(ttl === "1h" ? { ttl } : {}) } };
}

function isCachePoint(block: JsonObject): block is CachePoint {
	return "cachePoint" in block;
}

/** A block, with the cache point of its mark. */
function marked(block: JsonObject, cache: CacheMark | undefined): JsonObject[] {
	return cache ? [block, toCachePoint(cache)] : [block];
}

/** Text blocks. Bedrock refuses blank ones. */
function toTexts(parts: readonly TextPart[]): JsonObject[] {
	return parts.filter(({ text }) => text.trim() !== "").flatMap(({ text, cache }) => marked({ text }, cache));
}

/** An image by its bytes, in base64. Other addresses than `data:` do not come here. */
function toImage({ url }: ImagePart): JsonObject {
	const { mediaType = "", base64 = "" } = parseDataUrl(url) ?? {};
	return { image: { format: mediaType.replace(/^image\//, ""), source: { bytes: base64 } } };
}

/** The longest name of a document, with its number. */
const MAX_DOCUMENT_NAME_CHARS = 200;

/** Names of documents are unique, and made of few characters (API reference, DocumentBlock). */
function toDocument({ base64, name = "" }: FilePart, form: PromptForm): JsonObject {
	form.documents++;
	const readable = name.replace(/[^A-Za-z0-9()[\]-]+/g, " ").trim();
	const numbered = `${form.documents} ${readable || "document"}`.slice(0, MAX_DOCUMENT_NAME_CHARS).trim();
	return { document: { format: "pdf", name: numbered, source: { bytes: base64 } } };
}

/** The blocks of what a user and a tool may both show, without a cache point. */
function toShown(part: ShownPart, form: PromptForm): JsonObject[] {
	if (part.type === "image") return [toImage(part)];
	if (part.type === "file") return [toDocument(part, form)];
	return part.text.trim() === "" ? [] : [{ text: part.text }];
}

function toToolUse({ id, name, arguments: args, cache }: ToolCallPart, { idRule }: PromptForm): JsonObject[] {
	return marked({ toolUse: { toolUseId: callIdFor(id, idRule), name, input: parseToolInput(args) } }, cache);
}

/** Says in words what only Claude and Nova have a status for (API reference, ToolResultBlock). */
const FAILED_TOOL = "The tool failed:";
/** Stands for an output without content, which Bedrock requires. */
const EMPTY_OUTPUT = "(The tool gave no output.)";

function toToolResult({ callId, content, isError, cache }: ToolResultPart, form: PromptForm): JsonObject[] {
	const shown = content.flatMap((part) => toShown(part, form));
	const blocks = isError && !form.takesStatus ? [{ text: FAILED_TOOL }, ...shown] : shown;
	const toolResult = {
		toolUseId: callIdFor(callId, form.idRule),
		content: blocks.length > 0 ? blocks : [{ text: EMPTY_OUTPUT }],
		// Without it, success is assumed.
		status: isError && form.takesStatus ? "error" : undefined,
	};
	// There is no place for a cache point inside of a result.
	return marked({ toolResult }, cache ?? content.findLast((part) => part.cache)?.cache);
}

/** A block of Bedrock's own, as it came. */
function toOwnBlock({ type, ...block }: JsonObject): JsonObject {
	if (type !== BEDROCK_REASONING) return { ...block };
	const { data, ...reasoningText } = block;
	return { reasoningContent: data === undefined ? { reasoningText } : { redactedContent: data } };
}

/** The blocks of one part. Bedrock's own blocks return unchanged, because signatures cover them. */
function toBedrockBlocks(part: UserPart | AssistantPart, form: PromptForm): JsonObject[] {
	switch (part.type) {
		case "text":
		case "image":
		case "file":
			return toShown(part, form).flatMap((block) => marked(block, part.cache));
		case "refusal":
			return toTexts([{ type: "text", text: part.text }]);
		case "tool_call":
			return toToolUse(part, form);
		case "tool_result":
			return toToolResult(part, form);
		case "provider":
			return part.wire === "bedrock" ? [toOwnBlock(part.block)] : [];
		case "reasoning":
		case "audio":
			// Signed reasoning returns in the block beside it. Models without signatures do not ask for it.
			return [];
	}
}

function toToolSpec(tool: ToolDefinition): JsonObject {
	const { name, description } = tool;
	const inputSchema = { json: { type: "object", ...(toParameters(tool) ?? { properties: {} }) } };
	return { toolSpec: { name, description: description?.trim() ? description : undefined, inputSchema } };
}

/** The tools that a conversation has calls of, for a request that defines none: Bedrock refuses calls without definitions. */
function formerTools({ messages }: ModelCall): ToolDefinition[] {
	const calls = messages.flatMap(({ role, content }) =>
		role === "assistant" ? partsOfType(content, "tool_call") : [],
	);
	return [...new Set(calls.map(({ name }) => name))].map((name) => ({ name }));
}

/** Whether Claude is told its choice of tools in Anthropic's own words: Converse's have neither "none" nor "one at a time". */
function choosesInClaudesWords(call: ModelCall, form: PromptForm): boolean {
	if (!form.isClaude) return false;
	return call.toolChoice === "none" || call.tools.length === 0 || call.parallelToolCalls === false;
}

function toBedrockToolChoice(choice: ModelCall["toolChoice"]): JsonObject | undefined {
	if (choice === undefined || choice === "none") return undefined;
	if (typeof choice === "object") return { tool: { name: choice.name } };
	return choice === "required" ? { any: {} } : { auto: {} };
}

/** The tools of a request, with their cache points and the choice among them; undefined without tools. */
function toToolConfig(call: ModelCall, form: PromptForm): { tools: JsonObject[]; toolChoice?: unknown } | undefined {
	const former = formerTools(call);
	// A model that cannot be told to call none is not shown any, unless the conversation has calls of them.
	const isHidden = call.toolChoice === "none" && !form.isClaude && former.length === 0;
	const defined = isHidden ? [] : call.tools;
	const tools = defined.length > 0 || former.length === 0 ? defined : former;
	if (tools.length === 0) return undefined;
	return {
		// Only Claude takes cache points among tools.
		tools: tools.flatMap((tool) => marked(toToolSpec(tool), form.isClaude ? tool.cache : undefined)),
		toolChoice: choosesInClaudesWords(call, form) ? undefined : toBedrockToolChoice(call.toolChoice),
	};
}

/**
 * Leaves out the cache points that may not be sent, and shortens those that may not be for an hour.
 * @param lists of blocks of the whole request, in the order of its prompt. Their content changes.
 * @returns whether the request writes a cache that is kept for an hour.
 */
function limitCachePoints(lists: readonly JsonObject[][], { hasCache }: PromptForm): boolean {
	const points = lists.flatMap((blocks) => blocks.filter(isCachePoint));
	const marks = points.map(({ cachePoint: { ttl } }): CacheMark => (ttl ? { ttl } : {}));
	const kept = new Map(fitCacheMarks(hasCache ? marks : []).map((mark, index) => [points[index], mark]));
	for (const blocks of lists) {
		const fitting = blocks.flatMap((block): JsonObject[] => {
			if (!isCachePoint(block)) return [block];
			const mark = kept.get(block);
			return mark ? [toCachePoint(mark)] : [];
		});
		blocks.length = 0;
		for (const block of fitting) blocks.push(block);
	}
	return [...kept.values()].some((mark) => mark?.ttl === "1h");
}

const DOCUMENT_TEXT = "(A document is attached.)";

/** Serializes tools, system text and messages as members of the request's JSON, in the order in which they are cached. */
export function prepareBedrockPrompt(call: ModelCall, provider: Provider, model: Model): PreparedPrompt {
	const form = toPromptForm(provider, model);
	const blockForm: TurnForm = {
		toBlocks: (part) => toBedrockBlocks(part, form),
		isThinking: (block) => "reasoningContent" in block,
		isResult: (block) => "toolResult" in block,
	};
	const placed = placeSystem(pairToolResults(call.messages));
	const messages = toBlockTurns(placed.conversation, blockForm);
	// A document needs a text beside it.
	for (const { content } of messages)
		if (content.some((block) => "document" in block) && !content.some((block) => "text" in block))
			content.push({ text: DOCUMENT_TEXT });
	const system = toTexts(placed.system);
	// Bedrock requires a message. A prompt of system messages alone is sent as the user's.
	if (messages.length === 0 && system.length > 0) messages.push({ role: "user", content: system.splice(0) });
	if (needsJsonInstruction(call.output)) system.push({ text: JSON_INSTRUCTION });
	const toolConfig = toToolConfig(call, form);
	const lists = [toolConfig?.tools ?? [], system, ...messages.map(({ content }) => content)];
	const writesHourCache = limitCachePoints(lists, form);
	const fields: JsonObject = { toolConfig, system: system.length > 0 ? system : undefined, messages };
	const json = JSON.stringify(fields).slice(1, -1);
	const media = callMedia(call).filter(({ type }) => type !== "audio");
	const texts = media.map((part) => (part.type === "image" ? (parseDataUrl(part.url)?.base64 ?? "") : part.base64));
	const prompt = toPrompt(json, media, texts);
	const hidden = toolConfig ? TOOL_PROMPT_TOKEN_BOUND : 0;
	return { ...prompt, tokenBound: prompt.tokenBound + hidden, writesHourCache };
}

/** The member by which an answer is held to a schema, and the keywords that it cannot be held to. */
function toOutputConfig(output: OutputFormat): { outputConfig?: JsonObject; dropped: string[] } {
	if (output.type !== "json_schema" || !output.schema) return { dropped: [] };
	const { schema, dropped } = compileAnthropicSchema(output.schema);
	const { name, description } = output;
	const jsonSchema = { schema: JSON.stringify(schema), name, description };
	return { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } }, dropped };
}

/** How an effort is told: Claude's as Anthropic's fields, others' as OpenAI's. */
function effortFields(model: Model, effort: EffortChoice): JsonObject {
	if (model.reasoning?.control === "anthropic_effort") return anthropicOutputFields(null, model, effort);
	const isSent = model.reasoning && effort !== null && effort !== "default";
	return { reasoning_effort: isSent ? effort : undefined };
}

/** An object without members that are undefined; undefined without any other. */
function withMembers(fields: JsonObject): JsonObject | undefined {
	return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}

/** @param refusesParallel the model, or its provider, does not take whether tools are called at once. */
function choiceWarnings(call: ModelCall, model: Model, refusesParallel: boolean): Warning[] {
	if (call.tools.length === 0) return [];
	const warnings: Warning[] = [];
	const isUnsaid = refusesParallel || !isClaude(model);
	if (call.parallelToolCalls === false && isUnsaid)
		warnings.push(droppedParameterWarning(model, "parallel_tool_calls"));
	if (!isClaude(model) && call.toolChoice === "none" && formerTools(call).length > 0) {
		const message = `${model.id} cannot be told to call no tool in a conversation with calls; it may call one`;
		warnings.push({ code: "parameter_changed", param: "tools", message });
	}
	return warnings;
}

function outputWarnings(call: ModelCall, model: Model, dropped: readonly string[]): Warning[] {
	const changes = [
		...(needsJsonInstruction(call.output)
			? [`${model.id} has no JSON mode without a schema; it was asked for JSON in the system prompt`]
			: []),
		...(dropped.length > 0
			? [`${model.id} does not enforce ${dropped.join(", ")} in a schema; they were left out`]
			: []),
	];
	return changes.map((message) => ({ code: "parameter_changed", param: "output", message }));
}

/** The exact request, without its signature. A parameter without an equivalent is left out, with a warning when the client set it. */
export function renderBedrockRequest(options: RequestOptions): UpstreamRequest {
	const { call, prompt, model, access, effort, isWhole = false } = options;
	const form = toPromptForm(access.provider, model);
	const refused = new Set([...model.request.rejects, ...access.provider.drops]);
	const { fields: sampling, warnings } = anthropicSamplingFields(call, model, refused);
	const stops = toSentStops(model, call.stop, { takesBlank: false });
	const { outputConfig, dropped } = toOutputConfig(call.output);
	const refusesParallel = refused.has("parallel_tool_calls");
	warnings.push(
		...unsentFieldWarnings(model, Object.keys(call.unknownFields)),
		...choiceWarnings(call, model, refusesParallel),
		...outputWarnings(call, model, dropped),
		...grammarWarnings(model, call.tools),
		...stops.warnings,
	);
	const verb = isWhole ? "converse" : "converse-stream";
	const choice = call.tools.length === 0 ? "none" : call.toolChoice;
	const hasClaudesChoice = choosesInClaudesWords(call, form) && (call.tools.length > 0 || formerTools(call).length > 0);
	const settings: JsonObject = {
		inferenceConfig: {
			maxTokens: call.maxTokens,
			temperature: sampling["temperature"],
			topP: sampling["top_p"],
			stopSequences: stops.stop,
		},
		additionalModelRequestFields: withMembers({
			...effortFields(model, effort),
			tool_choice: hasClaudesChoice
				? toAnthropicToolChoice(choice, refusesParallel ? undefined : call.parallelToolCalls)
				: undefined,
		}),
		// Which of several stop sequences matched is Claude's to say.
		additionalModelResponseFieldPaths:
			stops.stop && form.isClaude ? [isWhole ? "/stop_sequence" : "/delta/stop_sequence"] : undefined,
		outputConfig,
	};
	return {
		url: toCallUrl(options, `/model/${encodeURIComponent(model.upstream_model)}/${verb}`),
		headers: {
			"content-type": "application/json",
			accept: isWhole ? "application/json" : "application/vnd.amazon.eventstream",
		},
		...toUpstreamBody({}, prompt, settings),
		maxOutputTokens: call.maxTokens,
		warnings,
	};
}
