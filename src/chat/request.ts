// The OpenAI-compatible request body: its schema, and its way into the model call. Pure.
import * as z from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import { EFFORTS } from "../catalog/vocabulary.ts";
import { readCallId } from "../inference/tool-call-ids.ts";
import {
	type AssistantPart,
	type Message,
	type ModelCall,
	type OutputFormat,
	type ProviderPart,
	SAMPLING_PARAMETERS,
	type TextPart,
	type ToolChoice,
} from "../providers/model-call.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { providerPartOf } from "./provider-blocks.ts";

const MAX_MESSAGES = 2_000;
const MAX_TOOLS = 512;
/** More than any client sends; each is named in a warning, those beyond are counted in one. */
const MAX_UNKNOWN_FIELDS = 50;
/** Output limit where the client sets none (docs/reference.md, "Limits"). */
const DEFAULT_MAX_TOKENS = 1_000;

const textPart = z.lazy(() => z.object({ type: z.literal("text"), text: z.string() }));
const imagePart = z.lazy(() =>
	z.object({
		type: z.literal("image_url"),
		image_url: z.object({
			url: z
				.string()
				.regex(
					/^(?:https:\/\/|data:image\/[\w.+-]+;base64,)/,
					"must be an https address or a data:image/…;base64 address",
				),
			detail: z.string().max(16).optional(),
		}),
	}),
);
const texts = z.lazy(() =>
	z.union([z.string(), z.array(textPart)], { error: "must be a string or an array of text parts" }),
);
const name = z.string().max(128).optional();

const toolCall = z.lazy(() =>
	z.object({
		id: z.string().min(1).max(256),
		type: z.literal("function"),
		function: z.object({ name: z.string().min(1).max(128), arguments: z.string() }),
		/** Gemini's thought signature, as the answer carried it. */
		extra_content: z.object({ google: z.object({ thought_signature: z.string().optional() }).optional() }).nullish(),
	}),
);

const messageSchema = z.lazy(() =>
	z.discriminatedUnion(
		"role",
		[
			z.object({ role: z.literal("system"), content: texts, name }),
			z.object({ role: z.literal("developer"), content: texts, name }),
			z.object({
				role: z.literal("user"),
				content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textPart, imagePart])).min(1)], {
					error: "must be a string or an array of text and image_url parts",
				}),
				name,
			}),
			z
				.object({
					role: z.literal("assistant"),
					content: texts.nullish(),
					refusal: z.string().nullish(),
					reasoning_content: z.string().nullish(),
					/** Other clients' word for it. */
					reasoning: z.string().nullish(),
					/** Anthropic's signed thinking, as the answer carried it. */
					thinking_blocks: z.array(z.record(z.string(), z.unknown())).max(256).nullish(),
					tool_calls: z.array(toolCall).max(256).nullish(),
					name,
				})
				.refine(
					(message) => message.content != null || message.refusal != null || (message.tool_calls?.length ?? 0) > 0,
					"needs content, refusal or tool_calls",
				),
			z.object({ role: z.literal("tool"), content: texts, tool_call_id: z.string().min(1).max(256) }),
		],
		{ error: "role must be one of system, developer, user, assistant, tool" },
	),
);

const tool = z.lazy(() =>
	z.object({
		type: z.literal("function"),
		function: z.object({
			name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . or -"),
			description: z.string().optional(),
			parameters: z.record(z.string(), z.unknown()).optional(),
			strict: z.boolean().nullish(),
		}),
	}),
);

const toolChoice = z.lazy(() =>
	z.union([
		z.enum(["auto", "none", "required"]),
		z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
	]),
);

const responseFormat = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.object({ type: z.literal("text") }),
		z.object({ type: z.literal("json_object") }),
		z.object({
			type: z.literal("json_schema"),
			json_schema: z.object({
				name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"),
				description: z.string().optional(),
				schema: z.record(z.string(), z.unknown()).optional(),
				strict: z.boolean().nullish(),
			}),
		}),
	]),
);

const limit = z.int().positive();
const penalty = z.number().min(-2).max(2);

/** Fields of a chat body; a `null` counts as absent, as OpenAI clients send it. Unknown ones are kept: a provider may be sent some. */
export const chatRequestSchema = z.lazy(() =>
	z.looseObject({
		messages: z.array(messageSchema).min(1).max(MAX_MESSAGES).describe("The conversation so far, oldest first."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("`auto` (the default), an id of list_models, or `laser-1`, `halo-1`, `foton-1` for a tier."),
		max_tokens: limit.nullish().describe("Most tokens of the answer."),
		max_completion_tokens: limit.nullish(),
		temperature: z.number().min(0).max(2).nullish(),
		top_p: z.number().min(0).max(1).nullish(),
		presence_penalty: penalty.nullish(),
		frequency_penalty: penalty.nullish(),
		seed: z.int().nullish(),
		logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
		logprobs: z.boolean().nullish(),
		top_logprobs: z.int().min(0).max(20).nullish(),
		stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
		n: z.literal(1, { error: "only n = 1 is served" }).nullish(),
		stream: z.boolean().nullish(),
		stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
		tools: z.array(tool).max(MAX_TOOLS).nullish(),
		tool_choice: toolChoice.nullish(),
		parallel_tool_calls: z.boolean().nullish(),
		response_format: responseFormat.nullish(),
		reasoning_effort: z.enum(EFFORTS).nullish().describe("The lowest that the model has by default."),
		user: z.string().max(512).nullish(),
		metadata: z.record(z.string(), z.unknown()).nullish(),
		routing_mode: z.enum(ROUTING_MODES).nullish().describe("What `auto` prefers; by the prompt by default."),
		...ruleFields(),
	}),
);

export type ChatRequest = z.output<typeof chatRequestSchema>;

function textParts(content: string | TextPart[]): TextPart[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** An optional member, present only when it has a value. */
function maybe<K extends string, V>(key: K, value: V | null | undefined): { [key in K]?: V } {
	return value === null || value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}

/** A text that may be absent, as a part; an empty one says nothing. */
function maybeText(type: "reasoning" | "refusal", text: string | null | undefined): AssistantPart[] {
	return text ? [{ type, text }] : [];
}

type AssistantMessage = Extract<ChatRequest["messages"][number], { role: "assistant" }>;

/**
 * The parts of an assistant's turn in the order that a model says them: what it thought, what it said, what it called.
 * Gemini's signatures belong to the text before them.
 */
function assistantParts(message: AssistantMessage, catalog: Catalog): AssistantPart[] {
	const blocks: ProviderPart[] = (message.thinking_blocks ?? []).flatMap((block) => providerPartOf(block) ?? []);
	const calls = (message.tool_calls ?? []).map(
		({ id, function: { name, arguments: args }, extra_content }): AssistantPart => ({
			type: "tool_call",
			id: readCallId(id, catalog).id,
			name,
			arguments: args,
			...maybe("signature", extra_content?.google?.thought_signature),
		}),
	);
	return [
		...maybeText("reasoning", message.reasoning_content ?? message.reasoning),
		...blocks.filter(({ wire }) => wire !== "google"),
		...(message.content == null ? [] : textParts(message.content)),
		...maybeText("refusal", message.refusal),
		...blocks.filter(({ wire }) => wire === "google"),
		...calls,
	];
}

function toMessage(message: ChatRequest["messages"][number], catalog: Catalog): Message {
	switch (message.role) {
		case "system":
		case "developer":
			return { role: "system", content: textParts(message.content), ...maybe("name", message.name) };
		case "tool": {
			const callId = readCallId(message.tool_call_id, catalog).id;
			return { role: "user", content: [{ type: "tool_result", callId, content: textParts(message.content) }] };
		}
		case "user": {
			const parts = typeof message.content === "string" ? textParts(message.content) : message.content;
			const content = parts.map((part) =>
				part.type === "text"
					? part
					: { type: "image" as const, url: part.image_url.url, ...maybe("detail", part.image_url.detail) },
			);
			return { role: "user", content, ...maybe("name", message.name) };
		}
		case "assistant":
			return { role: "assistant", content: assistantParts(message, catalog), ...maybe("name", message.name) };
	}
}

function toOutput(format: ChatRequest["response_format"]): OutputFormat {
	if (format?.type !== "json_schema") return { type: format?.type ?? "text" };
	const { name, description, schema, strict } = format.json_schema;
	return {
		type: "json_schema",
		name,
		...maybe("description", description),
		...maybe("schema", schema),
		...maybe("strict", strict),
	};
}

function toToolChoice(choice: NonNullable<ChatRequest["tool_choice"]>): ToolChoice {
	return typeof choice === "string" ? choice : { name: choice.function.name };
}

/** The model whose tool calls are being answered: the request ends with their results. */
function toolLoopModel(messages: ChatRequest["messages"], catalog: Catalog): string | undefined {
	if (messages.at(-1)?.role !== "tool") return undefined;
	const asking = messages.findLast(({ role }) => role === "assistant");
	const calls = asking?.role === "assistant" ? (asking.tool_calls ?? []) : [];
	return calls.map(({ id }) => readCallId(id, catalog).modelId).find((modelId) => modelId !== null) ?? undefined;
}

let knownFields: ReadonlySet<string> | undefined;

/** Fields that this service does not know, and paths of those within known ones; a null counts as absent. */
function unknownFieldsOf(request: ChatRequest, dropped: readonly string[]): Record<string, unknown> {
	knownFields ??= new Set(Object.keys(chatRequestSchema.unwrap().shape));
	const known = knownFields;
	const fields = Object.entries(request).filter(([name, value]) => !known.has(name) && value != null);
	const entries = [...fields, ...dropped.map((path): [string, unknown] => [path, true])];
	const more = entries.length - MAX_UNKNOWN_FIELDS;
	const rest: [string, unknown][] = more > 0 ? [[`${more} more fields`, true]] : [];
	return Object.fromEntries([...entries.slice(0, MAX_UNKNOWN_FIELDS), ...rest]);
}

/**
 * The model call of a chat body. `max_completion_tokens` wins over `max_tokens`.
 * @param dropped paths of unknown members within known fields.
 */
export function toModelCall(request: ChatRequest, catalog: Catalog, dropped: readonly string[] = []): ModelCall {
	const sampling = Object.fromEntries(
		SAMPLING_PARAMETERS.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])),
	);
	const { stop, logprobs, top_logprobs } = request;
	return {
		messages: request.messages.map((message) => toMessage(message, catalog)),
		tools: (request.tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
			name,
			...maybe("description", description),
			...maybe("parameters", parameters),
			...maybe("strict", strict),
		})),
		output: toOutput(request.response_format),
		maxTokens: request.max_completion_tokens ?? request.max_tokens ?? DEFAULT_MAX_TOKENS,
		stop: stop == null ? [] : typeof stop === "string" ? [stop] : stop,
		sampling,
		unknownFields: unknownFieldsOf(request, dropped),
		...(logprobs ? { logprobs: { ...maybe("top", top_logprobs) } } : {}),
		...maybe("toolChoice", request.tool_choice && toToolChoice(request.tool_choice)),
		...maybe("parallelToolCalls", request.parallel_tool_calls),
		...maybe("effort", request.reasoning_effort),
		...maybe("user", request.user),
		...maybe("toolLoopModel", toolLoopModel(request.messages, catalog)),
	};
}
