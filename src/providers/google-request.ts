// The request to Gemini's generateContent. Reading what comes back is left to the other google files.
import type { Model } from "../catalog/schema.ts";
import type { Effort, EffortChoice } from "../catalog/vocabulary.ts";
import type { ProviderAccess } from "../settings.ts";
import { compileGoogleParameters, compileGoogleSchema } from "./google-schema.ts";
import { isJsonObject, type JsonObject, parseJson } from "./json.ts";
import {
	type AssistantPart,
	type CallField,
	callImages,
	DEFAULT_TEMPERATURE,
	type ImagePart,
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
import {
	droppedParameterWarning,
	type PreparedPrompt,
	promptTokenBound,
	type RequestOptions,
	type UpstreamRequest,
	unknownFieldWarning,
	utf8Length,
} from "./wire.ts";

interface GoogleTurn {
	role: "user" | "model";
	parts: JsonObject[];
}

/** Our name for a block that holds the signature of a text. */
export const THOUGHT_SIGNATURE = "google.thought_signature";

/** Documented stand-in for the signature of a call that Gemini did not make itself. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** The object a JSON text holds, or null. */
function parseJsonObject(text: string): JsonObject | null {
	const value = parseJson(text);
	return isJsonObject(value) ? value : null;
}

/** Empty texts are left out: Gemini refuses a part that says nothing. */
function toGoogleTextParts(parts: readonly TextPart[]): JsonObject[] {
	return parts.filter(({ text }) => text !== "").map(({ text }) => ({ text }));
}

/** An image's type and base64 text, or null when it is not a `data:` address. */
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

/** A result as an object, which is all that Gemini takes; it has no images in results, so they follow as parts. */
function toFunctionResponseParts(
	{ callId: id, content, isError }: ToolResultPart,
	names: Map<string, string>,
): JsonObject[] {
	const result = content.map((part) => (part.type === "text" ? part.text : "")).join("");
	const response = isError ? { error: parseJsonObject(result) ?? result } : (parseJsonObject(result) ?? { result });
	const images = content.flatMap((part) => (part.type === "image" ? [toGoogleImagePart(part)] : []));
	return [{ functionResponse: { id, name: names.get(id) ?? id, response } }, ...images];
}

/** Signatures that came on text and no call, as Gemini's own streams carry them: on an empty text. */
function toSignatureParts({ wire, block }: ProviderPart): JsonObject[] {
	const { type, thoughtSignature } = block;
	const isSignature = wire === "google" && type === THOUGHT_SIGNATURE && typeof thoughtSignature === "string";
	return isSignature ? [{ text: "", thoughtSignature }] : [];
}

/** Adds a message to its turn. `names` maps tool call ids to function names and grows with every call. */
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
				turn.parts.push(toGoogleImagePart(part));
				break;
			case "tool_call":
				names.set(part.id, part.name);
				turn.parts.push(toFunctionCallPart(part, !turn.parts.some((written) => "functionCall" in written)));
				break;
			case "tool_result":
				turn.parts.push(...toFunctionResponseParts(part, names));
				break;
			case "provider":
				turn.parts.push(...toSignatureParts(part));
				break;
			case "reasoning":
				// Thoughts are not taken back; their signatures are.
				break;
		}
	}
}

/** Turns of a conversation: neighbours of one role are one turn. */
function toGoogleTurns(messages: readonly Message[]): GoogleTurn[] {
	const names = new Map<string, string>();
	const turns: GoogleTurn[] = [];
	for (const message of messages) {
		if (message.role === "system") continue;
		const role = message.role === "assistant" ? "model" : "user";
		const last = turns.at(-1);
		const turn: GoogleTurn = last?.role === role ? last : { role, parts: [] };
		addParts(message, turn, names);
		if (turn !== last && turn.parts.length > 0) turns.push(turn);
	}
	return turns;
}

interface CompiledTools {
	declarations: JsonObject[];
	/** Schema keywords that found no place. */
	dropped: string[];
}

function toDeclaration({ name, description, parameters }: ToolDefinition, dropped: Set<string>): JsonObject {
	if (!parameters) return { name, description };
	const compiled = compileGoogleParameters(parameters);
	for (const keyword of compiled.dropped) dropped.add(keyword);
	// A function without arguments has no parameters at all: Gemini refuses an object without properties here.
	return { name, description, parameters: "properties" in compiled.schema ? compiled.schema : undefined };
}

/** Compiled once per call: the prompt needs the declarations, every model's warnings what they left out. */
const toolsByCall = new WeakMap<ModelCall, CompiledTools>();

function compileTools(call: ModelCall): CompiledTools {
	const known = toolsByCall.get(call);
	if (known) return known;
	const dropped = new Set<string>();
	const compiled = {
		declarations: call.tools.map((tool) => toDeclaration(tool, dropped)),
		dropped: [...dropped].sort(),
	};
	toolsByCall.set(call, compiled);
	return compiled;
}

/** Serializes what is the same for every Gemini model: `systemInstruction`, `contents` and `tools`. */
export function prepareGooglePrompt(call: ModelCall): PreparedPrompt {
	const system = call.messages.flatMap((message) =>
		message.role === "system" ? toGoogleTextParts(message.content) : [],
	);
	const contents = toGoogleTurns(call.messages);
	// Gemini needs a turn to answer; where there are instructions alone, they are it.
	const alone = contents.length === 0;
	const json = JSON.stringify({
		systemInstruction: system.length > 0 && !alone ? { parts: system } : undefined,
		contents: alone ? [{ role: "user", parts: system.length > 0 ? system : [{ text: "" }] }] : contents,
		tools: call.tools.length > 0 ? [{ functionDeclarations: compileTools(call).declarations }] : undefined,
	}).slice(1, -1);
	const images = callImages(call).map((image) => toInlineData(image)?.data ?? image.url);
	return { json, tokenBound: promptTokenBound(json, images) };
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
/** The least budget other than 0 that Flash-Lite takes. */
const MIN_THINKING_BUDGET = 512;
/** Thoughts count inside the output limit; this much of it they may take. */
const MAX_THINKING_SHARE = 0.75;

function thinkingFields(
	call: ModelCall,
	model: Model,
	effort: EffortChoice,
): { config?: JsonObject; warnings: Warning[] } {
	if (!model.reasoning || effort === null || effort === "default") return { warnings: [] };
	// Who asks for an effort wants to see what came of it.
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

/** Sampling parameters under Google's names; what it, the provider or the model does not take is left out and named. */
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
	// Parallel calls are what Gemini does anyway; it cannot be kept from them.
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

/** The request for one model. Thoughts count inside `maxOutputTokens`, so that limit bounds all output. */
export function renderGoogleRequest({ call, prompt, model, access, effort }: RequestOptions): UpstreamRequest {
	const sampling = googleSamplingFields(call, model, access);
	const output = googleOutputFields(call);
	const thinking = thinkingFields(call, model, effort);
	const head = JSON.stringify({
		generationConfig: {
			maxOutputTokens: call.maxTokens,
			...sampling.fields,
			stopSequences: call.stop.length > 0 ? call.stop : undefined,
			...output.fields,
			thinkingConfig: thinking.config,
		},
		toolConfig:
			call.toolChoice === undefined || call.tools.length === 0
				? undefined
				: { functionCallingConfig: toCallingConfig(call.toolChoice) },
	}).slice(0, -1);
	return {
		url: `${access.baseUrl}/models/${model.upstream_model}:streamGenerateContent?alt=sse`,
		headers: { "x-goog-api-key": access.apiKey, "content-type": "application/json" },
		body: `${head},${prompt.json}}`,
		maxInputTokens: utf8Length(head) + prompt.tokenBound,
		maxOutputTokens: call.maxTokens,
		warnings: [
			...sampling.warnings,
			...Object.keys(call.unknownFields).map(unknownFieldWarning),
			...thinking.warnings,
			...schemaWarnings(model, "tools", compileTools(call).dropped),
			...schemaWarnings(model, "output", output.dropped),
		],
	};
}
