// The OpenAI-compatible request body: its schema, and the model call that it stands for. Pure.
import * as z from "zod";
import { endUserField, metadataField } from "../account/request-names.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { EFFORTS } from "../catalog/vocabulary.ts";
import { entryList } from "../http/entry-list.ts";
import { MAX_JSON_ENTRIES } from "../http/json-shape.ts";
import { imageAddressSchema, imageDetailSchema } from "../inference/image-address.ts";
import { responseFormatSchema, toOutputFormat } from "../inference/response-format.ts";
import { FILE_ID_MESSAGE, readSentAudio, readSentFile } from "../inference/sent-file.ts";
import { callIdSchema, findCallingModel, readCallId, sealedTextSchema } from "../inference/tool-call-ids.ts";
import { findUnknownFields, knownFields } from "../inference/unknown-fields.ts";
import { optionalMember } from "../json.ts";
import {
	type AssistantPart,
	type Message,
	type ModelCall,
	type ProviderPart,
	SAMPLING_PARAMETERS,
	type TextPart,
	type ToolChoice,
	type UserPart,
} from "../providers/model-call.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { toProviderPart } from "./provider-blocks.ts";

const MAX_CHAT_MESSAGES = 2_000;
const MAX_TOOLS = 512;
/** The output limit when the client sets none (docs/reference/conventions.md, "Limits"). */
export const DEFAULT_CHAT_MAX_TOKENS = 1_000;

const textPartSchema = z.lazy(() => z.object({ type: z.literal("text"), text: z.string() }));
const imagePartSchema = z.lazy(() =>
	z.object({
		type: z.literal("image_url"),
		image_url: z.object({
			url: imageAddressSchema,
			detail: imageDetailSchema.optional(),
		}),
	}),
);
/** Keeps the client's members beside the part: whatever is not in the body as it was read counts as left out. */
const filePartSchema = z.lazy(() =>
	z.object({
		type: z.literal("file"),
		file: z
			.object({
				file_data: z.string().nullish(),
				file_id: z.string().nullish(),
				filename: z.string().max(1_024).nullish(),
			})
			.transform((file, context) => {
				const { file_data: content, file_id, filename = null } = file;
				const refuse = (path: string, message: string) => {
					context.addIssue({ code: "custom", path: [path], message });
					return z.NEVER;
				};
				if (file_id != null) return refuse("file_id", FILE_ID_MESSAGE);
				if (content == null) return refuse("file_data", "is missing");
				const read = readSentFile({ content, name: filename, mediaType: null });
				return read.ok ? { ...file, part: read.part } : refuse("file_data", read.message);
			}),
	}),
);
const audioPartSchema = z.lazy(() =>
	z.object({
		type: z.literal("input_audio"),
		input_audio: z.object({ data: z.string(), format: z.string().max(16) }).transform((audio, context) => {
			const read = readSentAudio(audio.data, audio.format);
			if (read.ok) return { ...audio, part: read.part };
			context.addIssue({ code: "custom", message: read.message });
			return z.NEVER;
		}),
	}),
);
const userPartSchema = z.lazy(() =>
	z.discriminatedUnion("type", [textPartSchema, imagePartSchema, filePartSchema, audioPartSchema], {
		error: "must be one of text, image_url, file and input_audio",
	}),
);
const chatTextSchema = z.lazy(() =>
	z.union([z.string(), z.array(textPartSchema)], {
		error: "must be a string or an array of text parts; images, files and recordings are for user messages",
	}),
);
const participantName = z.string().max(128).optional();

const thinkingBlockSchema = z.lazy(() =>
	z.looseObject({
		signature: sealedTextSchema.nullish(),
		data: sealedTextSchema.nullish(),
		encrypted_content: sealedTextSchema.nullish(),
		thought_signature: sealedTextSchema.nullish(),
		thoughtSignature: sealedTextSchema.nullish(),
	}),
);

const toolCallSchema = z.lazy(() =>
	z.object({
		id: callIdSchema,
		type: z.literal("function"),
		function: z.object({ name: z.string().min(1).max(128), arguments: z.string() }),
		/** Gemini's thought signature, as the answer carried it. */
		extra_content: z
			.object({ google: z.object({ thought_signature: sealedTextSchema.optional() }).optional() })
			.nullish(),
	}),
);

const chatMessageSchema = z.lazy(() =>
	z.discriminatedUnion(
		"role",
		[
			z.object({ role: z.literal("system"), content: chatTextSchema, name: participantName }),
			z.object({ role: z.literal("developer"), content: chatTextSchema, name: participantName }),
			z.object({
				role: z.literal("user"),
				content: z.union(
					[
						z.string(),
						entryList(userPartSchema, MAX_JSON_ENTRIES).refine((parts) => parts.length > 0, {
							error: "must not be empty",
							when: ({ issues }) => issues.length === 0,
						}),
					],
					{ error: "must be a string or an array of text, image_url, file and input_audio parts" },
				),
				name: participantName,
			}),
			z
				.object({
					role: z.literal("assistant"),
					content: chatTextSchema.nullish(),
					refusal: z.string().nullish(),
					reasoning_content: z.string().nullish(),
					/** The name that other clients use. */
					reasoning: z.string().nullish(),
					/** Anthropic's signed thinking, as the answer carried it. */
					thinking_blocks: z.array(thinkingBlockSchema).max(256).nullish(),
					tool_calls: z.array(toolCallSchema).max(256).nullish(),
					name: participantName,
				})
				.refine(
					(message) => message.content != null || message.refusal != null || (message.tool_calls?.length ?? 0) > 0,
					"needs content, refusal or tool_calls",
				),
			z.object({ role: z.literal("tool"), content: chatTextSchema, tool_call_id: callIdSchema }),
		],
		{ error: "role must be one of system, developer, user, assistant, tool" },
	),
);

const toolSchema = z.lazy(() =>
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

const toolChoiceSchema = z.lazy(() =>
	z.union([
		z.enum(["auto", "none", "required"]),
		z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
	]),
);

const tokenLimit = z.int().positive();
const penalty = z.number().min(-2).max(2);

/** A chat body. OpenAI clients send `null` for absent fields. Unknown fields are kept, because a provider may take them. */
export const chatRequestSchema = z.lazy(() =>
	z.looseObject({
		messages: z.array(chatMessageSchema).min(1).max(MAX_CHAT_MESSAGES).describe("The conversation, oldest first."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("`auto` (default), an id of list_models, or a tier: `laser-1`, `halo-1`, `foton-1`."),
		max_tokens: tokenLimit.nullish().describe("Most tokens, reasoning included."),
		max_completion_tokens: tokenLimit.nullish().describe("The same as `max_tokens`, and wins over it."),
		temperature: z.number().min(0).max(2).nullish().describe("0.7 by default."),
		top_p: z.number().min(0).max(1).nullish().describe("Nucleus sampling."),
		presence_penalty: penalty.nullish().describe("Penalty on tokens that have occurred."),
		frequency_penalty: penalty.nullish().describe("Penalty on tokens by how often they have occurred."),
		seed: z.int().nullish().describe("Seed for providers that take one."),
		logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish().describe("Bias by token id."),
		logprobs: z
			.boolean()
			.nullish()
			.describe("Log probabilities of the answer's tokens; only models that have them are chosen."),
		top_logprobs: z.int().min(0).max(20).nullish().describe("Alternatives of each token."),
		stop: z
			.union([z.string(), z.array(z.string()).max(4)])
			.nullish()
			.describe("Ends the answer."),
		n: z.literal(1, { error: "only n = 1 is served" }).nullish().describe("Number of answers: one."),
		stream: z.boolean().nullish().describe("Answer as Server-Sent Events."),
		stream_options: z
			.object({ include_usage: z.boolean().nullish() })
			.nullish()
			.describe("`include_usage`: a last chunk carries `usage` and `svc`."),
		tools: z.array(toolSchema).max(MAX_TOOLS).nullish().describe("Functions it may call."),
		tool_choice: toolChoiceSchema.nullish().describe("Whether it must call one, and which."),
		parallel_tool_calls: z.boolean().nullish().describe("Whether one turn may hold several calls."),
		response_format: responseFormatSchema.nullish().describe("Text by default."),
		reasoning_effort: z.enum(EFFORTS).nullish().describe("The lowest by default."),
		user: endUserField()
			.nullish()
			.describe("Id of your user, kept with the request, and sent to providers that take one."),
		metadata: metadataField().nullish().describe("At most 16 pairs that are kept with the request."),
		routing_mode: z.enum(ROUTING_MODES).nullish().describe("What `auto` prefers; by the prompt by default."),
		...ruleFields(),
	}),
);

export type ChatRequest = z.output<typeof chatRequestSchema>;

function contentTextParts(content: string | TextPart[]): TextPart[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The part of an optional text; none when the text is empty. */
function optionalTextPart(type: "reasoning" | "refusal", text: string | null | undefined): AssistantPart[] {
	return text ? [{ type, text }] : [];
}

type AssistantMessage = Extract<ChatRequest["messages"][number], { role: "assistant" }>;

/**
 * The parts of an assistant's turn in the order in which models produce them: reasoning, text, refusal, tool calls. Gemini's
 * signatures belong to the text before them.
 */
function toAssistantParts(message: AssistantMessage, catalog: Catalog): AssistantPart[] {
	const blocks: ProviderPart[] = (message.thinking_blocks ?? []).flatMap((block) => toProviderPart(block) ?? []);
	const calls = (message.tool_calls ?? []).map(
		({ id, function: { name, arguments: args }, extra_content }): AssistantPart => ({
			type: "tool_call",
			id: readCallId(id, catalog).id,
			name,
			arguments: args,
			...optionalMember("signature", extra_content?.google?.thought_signature),
		}),
	);
	const content = message.content == null ? [] : contentTextParts(message.content);
	// A refusal in words is answered as content and as refusal; the model said it once.
	const isContent = content.some(({ text }) => text === message.refusal);
	return [
		...optionalTextPart("reasoning", message.reasoning_content ?? message.reasoning),
		...blocks.filter(({ wire }) => wire !== "google"),
		...content,
		...optionalTextPart("refusal", isContent ? null : message.refusal),
		...blocks.filter(({ wire }) => wire === "google"),
		...calls,
	];
}

type ChatUserPart = Exclude<Extract<ChatRequest["messages"][number], { role: "user" }>["content"], string>[number];

function toUserPart(part: ChatUserPart): UserPart {
	switch (part.type) {
		case "text":
			return part;
		case "image_url":
			return { type: "image", url: part.image_url.url, ...optionalMember("detail", part.image_url.detail) };
		case "file":
			return part.file.part;
		case "input_audio":
			return part.input_audio.part;
	}
}

function toCallMessage(message: ChatRequest["messages"][number], catalog: Catalog): Message {
	switch (message.role) {
		case "system":
		case "developer":
			return { role: "system", content: contentTextParts(message.content), ...optionalMember("name", message.name) };
		case "tool": {
			const callId = readCallId(message.tool_call_id, catalog).id;
			return { role: "user", content: [{ type: "tool_result", callId, content: contentTextParts(message.content) }] };
		}
		case "user": {
			const parts = typeof message.content === "string" ? contentTextParts(message.content) : message.content;
			return { role: "user", content: parts.map(toUserPart), ...optionalMember("name", message.name) };
		}
		case "assistant":
			return {
				role: "assistant",
				content: toAssistantParts(message, catalog),
				...optionalMember("name", message.name),
			};
	}
}

function toToolChoice(choice: NonNullable<ChatRequest["tool_choice"]>): ToolChoice {
	return typeof choice === "string" ? choice : { name: choice.function.name };
}

/** The model whose tool calls the request answers: its last messages are their results. */
function toolLoopModel(messages: ChatRequest["messages"], catalog: Catalog): string | undefined {
	if (messages.at(-1)?.role !== "tool") return undefined;
	const caller = messages.findLast(({ role }) => role === "assistant");
	const calls = caller?.role === "assistant" ? (caller.tool_calls ?? []) : [];
	return findCallingModel(
		calls.map(({ id }) => id),
		catalog,
	);
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
		messages: request.messages.map((message) => toCallMessage(message, catalog)),
		tools: (request.tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
			name,
			...optionalMember("description", description),
			...optionalMember("parameters", parameters),
			...optionalMember("strict", strict),
		})),
		output: toOutputFormat(request.response_format),
		maxTokens: request.max_completion_tokens ?? request.max_tokens ?? DEFAULT_CHAT_MAX_TOKENS,
		stop: stop == null ? [] : typeof stop === "string" ? [stop] : stop,
		sampling,
		unknownFields: findUnknownFields(request, knownFields(chatRequestSchema), dropped),
		...(logprobs ? { logprobs: { ...optionalMember("top", top_logprobs) } } : {}),
		...optionalMember("toolChoice", request.tool_choice && toToolChoice(request.tool_choice)),
		...optionalMember("parallelToolCalls", request.parallel_tool_calls),
		...optionalMember("effort", request.reasoning_effort),
		...optionalMember("user", request.user),
		...optionalMember("toolLoopModel", toolLoopModel(request.messages, catalog)),
	};
}
