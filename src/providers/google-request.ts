// Renders a model call as a request to Gemini's generateContent. The other google files read the answer.
import type { Model, Provider } from "../catalog/schema.ts";
import type { Effort, EffortChoice } from "../catalog/vocabulary.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import type { ProviderAccess } from "../settings.ts";
import { OPENING_TEXT, type PlacedSystem, pairToolResults, placeSystem } from "./conversation.ts";
import { compileGoogleParameters, compileGoogleSchema } from "./google-schema.ts";
import {
	type AssistantPart,
	type CallField,
	callMedia,
	DEFAULT_TEMPERATURE,
	type ImagePart,
	type MediaPart,
	type Message,
	type ModelCall,
	type ProviderPart,
	type SamplingParameter,
	samplingParameters,
	type TextPart,
	type ToolCallPart,
	type ToolChoice,
	type ToolDefinition,
	type ToolResultPart,
	type UserPart,
	type Warning,
} from "./model-call.ts";
import { THOUGHT_SIGNATURE } from "./returned-blocks.ts";
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

interface GoogleTurn {
	role: "user" | "model";
	parts: JsonObject[];
}

/** Google's documented placeholder for the signature of a call that Gemini did not make. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** The object in a JSON text; null when it holds none. */
function parseJsonObject(text: string): JsonObject | null {
	const value = parseJson(text);
	return isJsonObject(value) ? value : null;
}

/** Text parts. Empty ones are left out, because Gemini refuses them. */
function toGoogleTextParts(parts: readonly TextPart[]): JsonObject[] {
	return parts.filter(({ text }) => text !== "").map(({ text }) => ({ text }));
}

/** An image's type and base64 text; null when its address is not `data:`. */
function toInlineData({ url }: ImagePart): { mimeType: string; data: string } | null {
	const comma = url.indexOf(",");
	const match = /^data:([^;,]+);base64$/i.exec(url.slice(0, comma));
	return match?.[1] ? { mimeType: match[1], data: url.slice(comma + 1) } : null;
}

function toGoogleImagePart(image: ImagePart): JsonObject {
	const inlineData = toInlineData(image);
	return inlineData ? { inlineData } : { fileData: { fileUri: image.url } };
}

function toFunctionCallPart({ id, name, arguments: args, signature }: ToolCallPart, first: boolean): JsonObject {
	const object = args.trim() === "" ? {} : (parseJsonObject(args) ?? { arguments: args });
	const thoughtSignature = signature ?? (first ? FOREIGN_SIGNATURE : undefined);
	return { functionCall: { id, name, args: object }, thoughtSignature };
}

/** Media as parts. Inline data has no name, so that of a file goes before it. */
function toGoogleMediaParts(part: MediaPart): JsonObject[] {
	if (part.type === "image") return [toGoogleImagePart(part)];
	const mimeType = part.type === "file" ? part.mediaType : `audio/${part.format}`;
	const name = part.type === "file" && part.name !== undefined ? [{ text: `File: ${part.name}` }] : [];
	return [...name, { inlineData: { mimeType, data: part.base64 } }];
}

/** A tool result. Gemini takes it as an object and without media, so they follow as parts of their own. */
function toFunctionResponseParts(
	{ callId: id, content, isError }: ToolResultPart,
	names: Map<string, string>,
): JsonObject[] {
	const result = content.map((part) => (part.type === "text" ? part.text : "")).join("");
	const response = isError ? { error: parseJsonObject(result) ?? result } : (parseJsonObject(result) ?? { result });
	const media = content.flatMap((part) => (part.type === "text" ? [] : toGoogleMediaParts(part)));
	return [{ functionResponse: { id, name: names.get(id) ?? id, response } }, ...media];
}

/** The signature of a text, on an empty text as in Gemini's own streams. */
function toSignatureParts({ wire, block }: ProviderPart): JsonObject[] {
	const { type, thoughtSignature } = block;
	const isSignature = wire === "google" && type === THOUGHT_SIGNATURE && typeof thoughtSignature === "string";
	return isSignature ? [{ text: "", thoughtSignature }] : [];
}

/** Adds a message to its turn. `names` maps the ids of tool calls to function names and grows with every call. */
function addParts(message: Exclude<Message, { role: "system" }>, turn: GoogleTurn, names: Map<string, string>): void {
	const parts: readonly (UserPart | AssistantPart)[] = message.content;
	for (const part of parts) {
		switch (part.type) {
			case "text":
				turn.parts.push(...toGoogleTextParts([part]));
				break;
			case "refusal":
				if (part.text !== "") turn.parts.push({ text: part.text });
				break;
			case "image":
			case "file":
			case "audio":
				turn.parts.push(...toGoogleMediaParts(part));
				break;
			case "tool_call":
				names.set(part.id, part.name);
				turn.parts.push(toFunctionCallPart(part, !turn.parts.some((earlier) => "functionCall" in earlier)));
				break;
			case "tool_result":
				turn.parts.push(...toFunctionResponseParts(part, names));
				break;
			case "provider":
				turn.parts.push(...toSignatureParts(part));
				break;
			case "reasoning":
				// Gemini takes back the signatures of thoughts, not the thoughts.
				break;
		}
	}
}

/** Calls and their results without ids, which are matched by their order then. */
function withoutCallIds(turns: GoogleTurn[]): GoogleTurn[] {
	const bare = (part: JsonObject, name: "functionCall" | "functionResponse"): JsonObject => {
		const member = part[name];
		if (!isJsonObject(member)) return part;
		const { id: _, ...rest } = member;
		return { ...part, [name]: rest };
	};
	const parts = (turn: GoogleTurn) => turn.parts.map((part) => bare(bare(part, "functionCall"), "functionResponse"));
	return turns.map((turn) => ({ ...turn, parts: parts(turn) }));
}

/** The conversation's turns: neighbours of one role are merged. */
function toGoogleTurns(conversation: PlacedSystem["conversation"]): GoogleTurn[] {
	const names = new Map<string, string>();
	const turns: GoogleTurn[] = [];
	for (const message of conversation) {
		const role = message.role === "assistant" ? "model" : "user";
		const last = turns.at(-1);
		const turn: GoogleTurn = last?.role === role ? last : { role, parts: [] };
		addParts(message, turn, names);
		if (turn !== last && turn.parts.length > 0) turns.push(turn);
	}
	// Gemini refuses calls that follow nothing.
	if (turns[0]?.parts.some((part) => "functionCall" in part))
		turns.unshift({ role: "user", parts: [{ text: OPENING_TEXT }] });
	return turns;
}

interface CompiledTools {
	declarations: JsonObject[];
	/** Schema keywords that could not be expressed. */
	dropped: string[];
}

function toDeclaration(tool: ToolDefinition, dropped: Set<string>): JsonObject {
	const { name, description } = tool;
	const parameters = toParameters(tool);
	if (!parameters) return { name, description };
	const compiled = compileGoogleParameters(parameters);
	// The schema of a text tool is not the client's.
	if (tool.input !== "text") for (const keyword of compiled.dropped) dropped.add(keyword);
	// A function without arguments gets no parameters at all: Gemini refuses an object without properties here.
	return { name, description, parameters: "properties" in compiled.schema ? compiled.schema : undefined };
}

/** Compiled once per call and its copies: the prompt needs the declarations, and each model's warnings need the dropped keywords. */
const compiledByTools = new WeakMap<ModelCall["tools"], CompiledTools>();

function compileTools(call: ModelCall): CompiledTools {
	const known = compiledByTools.get(call.tools);
	if (known) return known;
	const dropped = new Set<string>();
	const compiled = {
		declarations: call.tools.map((tool) => toDeclaration(tool, dropped)),
		dropped: [...dropped].sort(),
	};
	compiledByTools.set(call.tools, compiled);
	return compiled;
}

/** Serializes what is the same for every Gemini model: `tools`, `systemInstruction` and `contents`, as they are cached. */
export function prepareGooglePrompt(
	call: ModelCall,
	{ tool_call_ids }: Pick<Provider, "tool_call_ids">,
): PreparedPrompt {
	const placed = placeSystem(pairToolResults(call.messages));
	const system = toGoogleTextParts(placed.system);
	const turns = toGoogleTurns(placed.conversation);
	const contents = tool_call_ids === "none" ? withoutCallIds(turns) : turns;
	// Gemini needs a turn to answer. System messages that stand alone become that turn.
	const alone = contents.length === 0;
	const json = JSON.stringify({
		tools: call.tools.length > 0 ? [{ functionDeclarations: compileTools(call).declarations }] : undefined,
		systemInstruction: system.length > 0 && !alone ? { parts: system } : undefined,
		contents: alone ? [{ role: "user", parts: system.length > 0 ? system : [{ text: "" }] }] : contents,
	}).slice(1, -1);
	const media = callMedia(call);
	const texts = media.map((part) => (part.type === "image" ? (toInlineData(part)?.data ?? part.url) : part.base64));
	return toPrompt(json, media, texts);
}

/** Thinking tokens by effort, on Google's own scale. */
const THINKING_BUDGETS: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 512,
	low: 1_024,
	medium: 8_192,
	high: 24_576,
	xhigh: 24_576,
	max: 24_576,
};
/** The lowest budget other than 0 that Flash-Lite takes. */
const MIN_THINKING_BUDGET = 512;
/** Thoughts count inside the output limit. This is the share of it that they may take. */
const MAX_THINKING_SHARE = 0.75;

function thinkingFields(
	call: ModelCall,
	model: Model,
	effort: EffortChoice,
): { config?: JsonObject; warnings: Warning[] } {
	if (!model.reasoning || effort === null || effort === "default") return { warnings: [] };
	// A client that sets an effort also gets the thoughts.
	const visibility = call.effort === undefined ? {} : { includeThoughts: true };
	if (model.reasoning.control === "google_thinking_level") {
		return { config: { thinkingLevel: effort, ...visibility }, warnings: [] };
	}
	if (model.reasoning.control !== "google_thinking_budget") return { warnings: [] };
	const budget = Math.min(THINKING_BUDGETS[effort], Math.floor(call.maxTokens * MAX_THINKING_SHARE));
	if (budget >= MIN_THINKING_BUDGET) return { config: { thinkingBudget: budget, ...visibility }, warnings: [] };
	const message = `${model.id} has no room to reason in ${call.maxTokens} tokens; none was sent`;
	return {
		config: { thinkingBudget: 0 },
		warnings:
			effort === "none" || call.effort === undefined ? [] : [{ code: "parameter_changed", param: "effort", message }],
	};
}

/** Google's names for the sampling parameters it has. */
const GOOGLE_SAMPLING: Readonly<Partial<Record<SamplingParameter, string>>> = {
	temperature: "temperature",
	top_p: "topP",
	presence_penalty: "presencePenalty",
	frequency_penalty: "frequencyPenalty",
	seed: "seed",
};

/**
 * Sampling parameters under Google's names. Those that Google, the provider or the model does not take are left out
 * with a warning.
 */
function googleSamplingFields(
	call: ModelCall,
	model: Model,
	{ provider }: ProviderAccess,
): { fields: JsonObject; warnings: Warning[] } {
	const refused = new Set([...model.request.rejects, ...provider.drops]);
	const fields: JsonObject = {};
	const dropped: CallField[] = [];
	for (const [param, value] of samplingParameters(call)) {
		const name = GOOGLE_SAMPLING[param];
		if (name !== undefined && !refused.has(param)) fields[name] = value;
		else dropped.push(param);
	}
	if (call.sampling.temperature === undefined && !refused.has("temperature"))
		fields["temperature"] = DEFAULT_TEMPERATURE;
	if (call.logprobs) dropped.push("logprobs");
	// Gemini always makes parallel calls; it has no switch for them.
	if (call.parallelToolCalls === false && call.tools.length > 0) dropped.push("parallel_tool_calls");
	return { fields, warnings: dropped.map((param) => droppedParameterWarning(model, param)) };
}

function googleOutputFields({ output }: ModelCall): { fields: JsonObject; dropped: string[] } {
	if (output.type === "text") return { fields: {}, dropped: [] };
	const responseMimeType = "application/json";
	if (output.type === "json_object" || !output.schema) return { fields: { responseMimeType }, dropped: [] };
	const { schema, dropped } = compileGoogleSchema(output.schema);
	const described =
		output.description === undefined || "description" in schema
			? schema
			: { ...schema, description: output.description };
	const fields =
		Object.keys(schema).length > 0 ? { responseMimeType, responseSchema: described } : { responseMimeType };
	return { fields, dropped };
}

function toCallingConfig(choice: ToolChoice): JsonObject {
	if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] };
	return { mode: { auto: "AUTO", none: "NONE", required: "ANY" }[choice] };
}

function schemaWarnings(model: Model, param: CallField, dropped: readonly string[]): Warning[] {
	if (dropped.length === 0) return [];
	const message = `${model.id} takes a subset of JSON Schema; left out or simplified: ${dropped.join(", ")}`;
	return [{ code: "parameter_changed", param, message }];
}

/** ai.google.dev/api/generate-content#generationconfig */
const MAX_GOOGLE_STOPS = 5;

/** The request for one model. Thoughts count inside `maxOutputTokens`, so that limit bounds all output. */
export function renderGoogleRequest(options: RequestOptions): UpstreamRequest {
	const { call, prompt, model, access, effort, isWhole = false } = options;
	const verb = isWhole ? "generateContent" : "streamGenerateContent?alt=sse";
	const sampling = googleSamplingFields(call, model, access);
	const stops = toSentStops(model, call.stop, { atMost: MAX_GOOGLE_STOPS });
	const output = googleOutputFields(call);
	const thinking = thinkingFields(call, model, effort);
	const settings: JsonObject = {
		generationConfig: {
			maxOutputTokens: call.maxTokens,
			...sampling.fields,
			stopSequences: stops.stop,
			...output.fields,
			thinkingConfig: thinking.config,
		},
		toolConfig:
			call.toolChoice === undefined || call.tools.length === 0
				? undefined
				: { functionCallingConfig: toCallingConfig(call.toolChoice) },
	};
	return {
		url: toCallUrl(options, `/models/${model.upstream_model}:${verb}`),
		headers: { "content-type": "application/json" },
		...toUpstreamBody({}, prompt, settings),
		maxOutputTokens: call.maxTokens,
		warnings: [
			...sampling.warnings,
			...stops.warnings,
			...unsentFieldWarnings(model, Object.keys(call.unknownFields)),
			...thinking.warnings,
			...schemaWarnings(model, "tools", compileTools(call).dropped),
			...grammarWarnings(model, call.tools),
			...schemaWarnings(model, "output", output.dropped),
		],
	};
}
