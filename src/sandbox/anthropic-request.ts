// Checks an Anthropic Messages request: its shape, and the rules between messages.
import * as z from "zod";
import { shortHash } from "./answer.ts";
import { jsonFields, Refusal } from "./format.ts";

const cacheControl = z.looseObject({ type: z.literal("ephemeral") }).nullish();
const textBlockSchema = z.strictObject({
	type: z.literal("text"),
	text: z.string().min(1, "text content blocks must be non-empty"),
	cache_control: cacheControl,
	citations: z.unknown().optional(),
});
const imageBlockSchema = z.strictObject({
	type: z.literal("image"),
	source: z.discriminatedUnion("type", [
		z.strictObject({
			type: z.literal("base64"),
			media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
			data: z.base64().min(1),
		}),
		z.strictObject({ type: z.literal("url"), url: z.url() }),
	]),
	cache_control: cacheControl,
});
const documentBlockSchema = z.strictObject({
	type: z.literal("document"),
	source: z.discriminatedUnion("type", [
		z.strictObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: z.base64().min(1) }),
		z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
	]),
	title: z.string().max(500).nullish(),
	context: z.string().nullish(),
	citations: z.strictObject({ enabled: z.boolean().optional() }).nullish(),
	cache_control: cacheControl,
});
const shownBlock = [textBlockSchema, imageBlockSchema, documentBlockSchema] as const;
const toolUseIdSchema = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const toolNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const toolUse = z.strictObject({
	type: z.literal("tool_use"),
	id: toolUseIdSchema,
	name: toolNameSchema,
	input: jsonFields,
	cache_control: cacheControl,
});
const toolResult = z.strictObject({
	type: z.literal("tool_result"),
	tool_use_id: toolUseIdSchema,
	content: z.union([z.string(), z.array(z.discriminatedUnion("type", shownBlock))]).optional(),
	is_error: z.boolean().nullish(),
	cache_control: cacheControl,
});
const thinkingBlockSchema = z.strictObject({
	type: z.literal("thinking"),
	thinking: z.string(),
	signature: z.string(),
});
const redactedBlockSchema = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() });
const userBlock = z.discriminatedUnion("type", [...shownBlock, toolResult]);
const assistantBlock = z.discriminatedUnion("type", [
	textBlockSchema,
	toolUse,
	thinkingBlockSchema,
	redactedBlockSchema,
]);

const blockContent = <Block extends z.ZodType>(block: Block) =>
	z.union([z.string().min(1, "messages must have non-empty content"), z.array(block).min(1)]);
const turnSchema = z.discriminatedUnion(
	"role",
	[
		z.strictObject({ role: z.literal("user"), content: blockContent(userBlock) }),
		z.strictObject({ role: z.literal("assistant"), content: blockContent(assistantBlock) }),
		z.strictObject({ role: z.literal("system"), content: blockContent(textBlockSchema) }),
	],
	{ error: "Input should be 'user', 'assistant' or 'system'" },
);

const parallelSetting = { disable_parallel_tool_use: z.boolean().optional() };
const anthropicRequest = z.strictObject({
	model: z.string().min(1),
	max_tokens: z.int().positive(),
	messages: z.array(turnSchema).min(1, "at least one message is required"),
	system: z.union([z.string(), z.array(textBlockSchema)]).optional(),
	stream: z.boolean().optional(),
	temperature: z.number().min(0).max(1).optional(),
	top_p: z.number().min(0).max(1).optional(),
	top_k: z.int().min(0).optional(),
	stop_sequences: z.array(z.string().regex(/\S/, "each stop sequence must contain non-whitespace")).optional(),
	tools: z
		.array(
			z.strictObject({
				type: z.literal("custom").nullish(),
				name: toolNameSchema,
				description: z.string().optional(),
				input_schema: z.looseObject({ type: z.literal("object") }),
				strict: z.boolean().optional(),
				cache_control: cacheControl,
			}),
		)
		.optional(),
	tool_choice: z
		.discriminatedUnion("type", [
			z.strictObject({ type: z.literal("auto"), ...parallelSetting }),
			z.strictObject({ type: z.literal("any"), ...parallelSetting }),
			z.strictObject({ type: z.literal("tool"), name: toolNameSchema, ...parallelSetting }),
			z.strictObject({ type: z.literal("none") }),
		])
		.optional(),
	thinking: z
		.discriminatedUnion("type", [
			z.strictObject({
				type: z.literal("enabled"),
				budget_tokens: z.int().min(1024),
				display: z.enum(["summarized", "omitted"]).optional(),
			}),
			z.strictObject({ type: z.literal("adaptive"), display: z.enum(["summarized", "omitted"]).optional() }),
			z.strictObject({ type: z.literal("disabled") }),
		])
		.optional(),
	output_config: z
		.strictObject({
			effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
			format: z.strictObject({ type: z.literal("json_schema"), schema: jsonFields }).nullish(),
		})
		.optional(),
	metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
	service_tier: z.enum(["auto", "standard_only"]).optional(),
	cache_control: cacheControl,
});
export type AnthropicRequest = z.infer<typeof anthropicRequest>;
type MessageBlock = z.infer<typeof userBlock> | z.infer<typeof assistantBlock>;

/** A message's content as blocks. */
export function messageBlocks({ content }: AnthropicRequest["messages"][number]): MessageBlock[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The signature of a thinking text. The sandbox takes the text back only with it. */
export function signThinking(thinkingText: string): string {
	return btoa(`svc-sandbox-signature-${shortHash(thinkingText)}`);
}

const blocksOfType = <Type extends MessageBlock["type"]>(blocks: MessageBlock[], type: Type) =>
	blocks.filter((block): block is Extract<MessageBlock, { type: Type }> => block.type === type);

function refuseAnthropic(text: string): never {
	throw new Refusal(400, text);
}

/** The most blocks that may end a cached prefix. */
const MAX_CACHE_MARKS = 4;

function checkCacheMarks({ system = [], tools = [], messages }: AnthropicRequest): void {
	const blocks = [...(typeof system === "string" ? [] : system), ...tools, ...messages.flatMap(messageBlocks)];
	const marks = blocks.filter((block) => "cache_control" in block && block.cache_control).length;
	if (marks > MAX_CACHE_MARKS)
		refuseAnthropic(`A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`);
}

/** Roles must alternate, system messages aside, and every tool call must have its result in the next message. */
function checkAnthropicTurns({ messages: all }: AnthropicRequest): void {
	if (all[0]?.role === "system") refuseAnthropic("messages.0.role: Input should be 'user' or 'assistant'");
	const messages = all.filter(({ role }) => role !== "system");
	if (messages[0]?.role !== "user") refuseAnthropic('messages: first message must use the "user" role');
	if (messages.at(-1)?.role !== "user")
		refuseAnthropic(
			"This model does not support assistant message prefill. The conversation must end with a user message.",
		);
	let open: string[] = [];
	for (const [index, message] of messages.entries()) {
		if (message.role === messages[index - 1]?.role)
			refuseAnthropic(
				`messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`,
			);
		const blocks = messageBlocks(message);
		const results = blocksOfType(blocks, "tool_result").map((block) => block.tool_use_id);
		const stray = results.find((result) => !open.includes(result));
		if (stray !== undefined)
			refuseAnthropic(
				`messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
			);
		if (new Set(results).size < results.length)
			refuseAnthropic(
				`messages.${index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks`,
			);
		const missing = open.filter((call) => !results.includes(call));
		const late = blocks.slice(0, results.length).some(({ type }) => type !== "tool_result");
		if (missing.length > 0 || (results.length > 0 && late))
			refuseAnthropic(
				`messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(missing.length > 0 ? missing : open).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
			);
		open = blocksOfType(blocks, "tool_use").map((block) => block.id);
		if (new Set(open).size < open.length) refuseAnthropic("messages: `tool_use` ids must be unique");
	}
}

/** Thinking must come back unchanged, and must not be missing while tools are in use. */
function checkThinking({ messages, thinking: mode, tool_choice, temperature, max_tokens }: AnthropicRequest): void {
	for (const [index, message] of messages.entries())
		for (const [at, block] of messageBlocks(message).entries())
			if (block.type === "thinking" && block.signature !== signThinking(block.thinking))
				refuseAnthropic(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`);
	if (!mode || mode.type === "disabled") return;
	if (tool_choice?.type === "any" || tool_choice?.type === "tool")
		refuseAnthropic("Thinking may not be enabled when tool_choice forces tool use.");
	if (temperature !== undefined && temperature !== 1)
		refuseAnthropic("`temperature` may only be set to 1 when thinking is enabled.");
	if (mode.type !== "enabled") return;
	if (mode.budget_tokens >= max_tokens) refuseAnthropic("`max_tokens` must be greater than `thinking.budget_tokens`.");
	const turn = messages.findLastIndex((message) => message.role === "assistant");
	const [first, ...rest] = messages[turn] ? messageBlocks(messages[turn]) : [];
	const first_type = first?.type ?? "thinking";
	if (rest.concat(first ?? []).some(({ type }) => type === "tool_use") && !/thinking$/.test(first_type))
		refuseAnthropic(
			`messages.${turn}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first_type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
		);
}

/** Keywords that structured outputs do not support. */
const REFUSED_KEYWORDS = [
	"minimum",
	"maximum",
	"exclusiveMinimum",
	"exclusiveMaximum",
	"multipleOf",
	"minLength",
	"maxLength",
	"maxItems",
];

/** Checks a schema of an answer as Anthropic does. */
export function checkOutputSchema(schema: unknown): void {
	if (Array.isArray(schema)) for (const part of schema) checkOutputSchema(part);
	const parsed = jsonFields.safeParse(schema);
	if (!parsed.success) return;
	const { type, additionalProperties, properties, minItems, ...rest } = parsed.data;
	if (type === "object" && additionalProperties !== false)
		refuseAnthropic(
			"output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
		);
	const keyword = REFUSED_KEYWORDS.find((key) => key in rest);
	if (keyword)
		refuseAnthropic(`output_config.format.schema: For '${String(type)}' type, property '${keyword}' is not supported`);
	if (typeof minItems === "number" && minItems > 1)
		refuseAnthropic(
			"output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported",
		);
	for (const part of Object.values(jsonFields.safeParse(properties).data ?? {})) checkOutputSchema(part);
	for (const key of ["items", "anyOf", "allOf"]) checkOutputSchema(rest[key]);
	for (const key of ["$defs", "definitions"])
		for (const part of Object.values(jsonFields.safeParse(rest[key]).data ?? {})) checkOutputSchema(part);
}

/**
 * Checks a request as Anthropic does.
 * @throws {Refusal} status 400, or 401 without a key.
 */
export function parseAnthropic(headers: Headers, body: unknown): AnthropicRequest {
	if (!headers.get("x-api-key")) throw new Refusal(401, "x-api-key header is required");
	if (!headers.get("anthropic-version")) refuseAnthropic("anthropic-version: header is required");
	const parsed = anthropicRequest.safeParse(body);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		if (issue?.code === "unrecognized_keys")
			refuseAnthropic(`${[...issue.path, issue.keys[0]].join(".")}: Extra inputs are not permitted`);
		refuseAnthropic(`${issue?.path.join(".")}: ${issue?.message}`);
	}
	checkAnthropicTurns(parsed.data);
	checkCacheMarks(parsed.data);
	checkThinking(parsed.data);
	checkOutputSchema(parsed.data.output_config?.format?.schema);
	return parsed.data;
}
