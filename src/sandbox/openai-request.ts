// Checks a request in OpenAI's chat completions format and its dialects, and reads its prompt.
import * as z from "zod";
import { Refusal } from "./format.ts";
import { readSandboxAudio, readSandboxPdf } from "./media.ts";
import type { SandboxMedia, SandboxPrompt } from "./reply.ts";

const namedTool = z.looseObject({ name: z.string(), description: z.string().optional() });
const customFormat = z.discriminatedUnion("type", [
	z.strictObject({ type: z.literal("text") }),
	z.strictObject({
		type: z.literal("grammar"),
		grammar: z.strictObject({ syntax: z.enum(["lark", "regex"]), definition: z.string() }),
	}),
]);

const contentForm = z
	.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
	.nullish();
const filePart = z.object({
	type: z.literal("file"),
	file: z.strictObject({
		filename: z.string({ error: "Missing required parameter: 'file.filename'." }),
		file_data: z.string().regex(/^data:application\/pdf;base64,/, "Invalid file data: expected a PDF."),
	}),
});
const audioPart = z.object({
	type: z.literal("input_audio"),
	input_audio: z.strictObject({ data: z.string(), format: z.enum(["wav", "mp3"]) }),
});
/** OpenAI publishes neither; a page has the tokens of its text and of an image. */
const OPENAI_PDF = { tokensPerPage: 1_500, maxPages: 1_000 };

/** As strict as an upstream: an unacceptable request is an error. */
const openaiRequest = z.looseObject({
	model: z.string(),
	messages: z
		.array(
			z.looseObject({
				role: z.enum(["system", "developer", "user", "assistant", "tool"]),
				content: contentForm,
				tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
				tool_call_id: z.string().optional(),
			}),
		)
		.min(1),
	max_tokens: z.int().positive().optional(),
	max_completion_tokens: z.int().positive().optional(),
	tools: z
		.array(
			z.discriminatedUnion("type", [
				z.object({
					type: z.literal("function"),
					function: namedTool.extend({ parameters: z.record(z.string(), z.unknown()).optional() }),
				}),
				z.object({ type: z.literal("custom"), custom: namedTool.extend({ format: customFormat.optional() }) }),
			]),
		)
		.optional(),
	tool_choice: z
		.union([
			z.enum(["auto", "none", "required"]),
			z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
			z.object({ type: z.literal("custom"), custom: z.object({ name: z.string() }) }),
		])
		.optional(),
	parallel_tool_calls: z.boolean().optional(),
	response_format: z
		.looseObject({
			type: z.string(),
			json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }).optional(),
		})
		.optional(),
	stream: z.boolean().nullish(),
	stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
	reasoning_effort: z.string().nullish(),
	/** DeepSeek, Moonshot and Z.ai. */
	thinking: z.looseObject({ type: z.string() }).optional(),
	/** Alibaba. */
	enable_thinking: z.boolean().optional(),
});
export type OpenaiRequest = z.infer<typeof openaiRequest>;

export interface Dialect {
	/** Where a stream reports usage: on request in a chunk of its own, in the last chunk, or there as `x_groq.usage`. */
	streamUsage: "asked" | "last_chunk" | "x_groq";
	takesStreamOptions: boolean;
	/** Mistral writes reasoning as parts of the content. */
	thinkingParts: boolean;
	/** Tools of one text, without a schema: OpenAI's own. */
	customTools: boolean;
	/** The ids of tool calls that it accepts, and its error message for others. */
	callId: { pattern: RegExp; rule: string };
}

const COMMON_DIALECT: Dialect = {
	streamUsage: "asked",
	takesStreamOptions: true,
	thinkingParts: false,
	customTools: false,
	callId: { pattern: /^.{1,40}$/s, rule: "must have at most 40 characters" },
};
const DIALECTS: Readonly<Record<string, Dialect>> = {
	openai: { ...COMMON_DIALECT, customTools: true },
	mistral: {
		...COMMON_DIALECT,
		streamUsage: "last_chunk",
		takesStreamOptions: false,
		thinkingParts: true,
		callId: { pattern: /^[A-Za-z0-9]{9}$/, rule: "must be a-z, A-Z, 0-9, with a length of 9." },
	},
	zai: { ...COMMON_DIALECT, streamUsage: "last_chunk" },
	groq: { ...COMMON_DIALECT, streamUsage: "x_groq" },
};

export function contentText(value: z.infer<typeof contentForm>): string {
	if (typeof value === "string") return value;
	return (value ?? []).map(({ text }) => text ?? "").join("\n");
}

function toJsonMode(format: OpenaiRequest["response_format"]): SandboxPrompt["json"] {
	if (format?.type === "json_schema") return format.json_schema?.schema ?? true;
	return format?.type === "json_object" ? true : null;
}

function toOpenAiTool(tool: NonNullable<OpenaiRequest["tools"]>[number]): SandboxPrompt["tools"][number] {
	if (tool.type === "custom")
		return { name: tool.custom.name, description: tool.custom.description ?? "", parameters: {}, input: "text" };
	const { name, description = "", parameters = {} } = tool.function;
	return { name, description, parameters };
}

function toOpenAiToolChoice(choice: OpenaiRequest["tool_choice"] = "auto"): SandboxPrompt["toolChoice"] {
	if (typeof choice === "string") return choice;
	return { name: choice.type === "custom" ? choice.custom.name : choice.function.name };
}

/** Files and recordings of all messages. */
function readOpenAiMedia(messages: OpenaiRequest["messages"]): SandboxMedia[] {
	const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content ?? [])));
	return parts.flatMap((part) => {
		if (part.type === "file") {
			const { filename, file_data } = checkPart(filePart, part).file;
			return [readSandboxPdf(file_data.slice(file_data.indexOf(",") + 1), { name: filename, ...OPENAI_PDF })];
		}
		if (part.type !== "input_audio") return [];
		const { data, format } = checkPart(audioPart, part).input_audio;
		return [readSandboxAudio(data, format)];
	});
}

function checkPart<Schema extends z.ZodType>(schema: Schema, part: unknown): z.output<Schema> {
	const parsed = schema.safeParse(part);
	if (parsed.success) return parsed.data;
	throw new Refusal(400, `sandbox: ${parsed.error.issues[0]?.message}`);
}

export function toOpenAiPrompt(request: OpenaiRequest): SandboxPrompt {
	const lastUser = request.messages.findLastIndex(({ role }) => role === "user");
	const effort = request.reasoning_effort ?? "none";
	const thinking = request.thinking?.type ?? "disabled";
	return {
		model: request.model,
		systemText: request.messages
			.filter(({ role }) => role === "system" || role === "developer")
			.map((message) => contentText(message.content))
			.join("\n"),
		userText: contentText(request.messages[lastUser]?.content),
		toolResults: request.messages
			.slice(lastUser + 1)
			.filter(({ role }) => role === "tool")
			.map((message) => contentText(message.content)),
		tools: (request.tools ?? []).map(toOpenAiTool),
		toolChoice: toOpenAiToolChoice(request.tool_choice),
		parallelToolCalls: request.parallel_tool_calls ?? true,
		json: toJsonMode(request.response_format),
		reasoning: effort !== "none" || thinking !== "disabled" || request.enable_thinking === true,
		media: readOpenAiMedia(request.messages),
	};
}

/** Every result must answer a call of the assistant's last turn, under an id that the provider accepts. */
function checkCallIds(messages: OpenaiRequest["messages"], { pattern, rule }: Dialect["callId"]): void {
	let open: string[] = [];
	for (const { role, tool_calls, tool_call_id = "" } of messages) {
		const ids = role === "assistant" ? (tool_calls ?? []).map(({ id }) => id) : [];
		const misshapen = [...ids, ...(role === "tool" ? [tool_call_id] : [])].find((id) => !pattern.test(id));
		if (misshapen !== undefined) throw new Refusal(400, `Tool call id was ${misshapen} but ${rule}`);
		if (role === "tool" && !open.includes(tool_call_id))
			throw new Refusal(400, `'tool_call_id' of a message with role 'tool' not found in 'tool_calls': ${tool_call_id}`);
		if (role !== "tool") open = ids;
	}
}

/** Mistral's error for an unknown field. */
function extraForbidden(field: string, input: unknown): Refusal {
	const detail = [{ type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs are not permitted", input }];
	const message = "Extra inputs are not permitted";
	return new Refusal(400, message, {
		object: "error",
		message: { detail },
		type: "invalid_request_error",
		param: null,
		code: null,
	});
}

/**
 * Checks a request as a provider does.
 * @throws {Refusal} status 400.
 */
export function parseOpenAi(provider: string, body: unknown): { request: OpenaiRequest; dialect: Dialect } {
	const parsed = openaiRequest.safeParse(body);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		throw new Refusal(400, `sandbox: ${issue?.path.join(".")}: ${issue?.message}`);
	}
	const request = parsed.data;
	const dialect = DIALECTS[provider] ?? COMMON_DIALECT;
	const options = request.stream_options;
	if ("stream_options" in request && !dialect.takesStreamOptions) throw extraForbidden("stream_options", options);
	if (options && !request.stream)
		throw new Refusal(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
	if (!dialect.customTools && request.tools?.some(({ type }) => type === "custom"))
		throw new Refusal(400, "Invalid value: 'custom'. Supported values are: 'function'.");
	checkCallIds(request.messages, dialect.callId);
	return { request, dialect };
}
