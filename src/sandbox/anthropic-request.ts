// What the sandbox takes as an Anthropic Messages request: shapes, and the rules between messages.
import * as z from "zod";
import { digest } from "./answer.ts";
import { Refusal } from "./format.ts";

const cacheControl = z.looseObject({ type: z.literal("ephemeral") }).nullish();
const text = z.strictObject({
	type: z.literal("text"),
	text: z.string().min(1, "text content blocks must be non-empty"),
	cache_control: cacheControl,
	citations: z.unknown().optional(),
});
const image = z.strictObject({
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
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const record = z.record(z.string(), z.unknown());
const toolUse = z.strictObject({
	type: z.literal("tool_use"),
	id,
	name,
	input: record,
	cache_control: cacheControl,
});
const toolResult = z.strictObject({
	type: z.literal("tool_result"),
	tool_use_id: id,
	content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image]))]).optional(),
	is_error: z.boolean().nullish(),
	cache_control: cacheControl,
});
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() });
const userBlock = z.discriminatedUnion("type", [text, image, toolResult]);
const assistantBlock = z.discriminatedUnion("type", [text, toolUse, thinking, redacted]);

const contentOf = <Block extends z.ZodType>(block: Block) =>
	z.union([z.string().min(1, "messages must have non-empty content"), z.array(block).min(1)]);
const message = z.discriminatedUnion(
	"role",
	[
		z.strictObject({ role: z.literal("user"), content: contentOf(userBlock) }),
		z.strictObject({ role: z.literal("assistant"), content: contentOf(assistantBlock) }),
	],
	{ error: "Input should be 'user' or 'assistant'" },
);

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
export const anthropicRequest = z.strictObject({
	model: z.string().min(1),
	max_tokens: z.int().positive(),
	messages: z.array(message).min(1, "at least one message is required"),
	system: z.union([z.string(), z.array(text)]).optional(),
	stream: z.boolean().optional(),
	temperature: z.number().min(0).max(1).optional(),
	top_p: z.number().min(0).max(1).optional(),
	top_k: z.int().min(0).optional(),
	stop_sequences: z.array(z.string().regex(/\S/, "each stop sequence must contain non-whitespace")).optional(),
	tools: z
		.array(
			z.strictObject({
				type: z.literal("custom").nullish(),
				name,
				description: z.string().optional(),
				input_schema: z.looseObject({ type: z.literal("object") }),
				strict: z.boolean().optional(),
				cache_control: cacheControl,
			}),
		)
		.optional(),
	tool_choice: z
		.discriminatedUnion("type", [
			z.strictObject({ type: z.literal("auto"), ...parallel }),
			z.strictObject({ type: z.literal("any"), ...parallel }),
			z.strictObject({ type: z.literal("tool"), name, ...parallel }),
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
			format: z.strictObject({ type: z.literal("json_schema"), schema: record }).nullish(),
		})
		.optional(),
	metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
	service_tier: z.enum(["auto", "standard_only"]).optional(),
	cache_control: cacheControl,
});
export type AnthropicRequest = z.infer<typeof anthropicRequest>;
type Block = z.infer<typeof userBlock> | z.infer<typeof assistantBlock>;

/** A message's content as blocks. */
export function blocksOf({ content }: AnthropicRequest["messages"][number]): Block[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The signature the sandbox gives a thinking text, and the only one it takes back with it. */
export function signatureOf(thinkingText: string): string {
	return btoa(`svc-sandbox-signature-${digest(thinkingText)}`);
}

const of = <Type extends Block["type"]>(blocks: Block[], type: Type) =>
	blocks.filter((block): block is Extract<Block, { type: Type }> => block.type === type);

function refuse(text: string): never {
	throw new Refusal(400, text);
}

/** Roles alternate, and every tool call has its result in the very next message. */
function checkTurns(messages: AnthropicRequest["messages"]): void {
	if (messages[0]?.role !== "user") refuse('messages: first message must use the "user" role');
	if (messages.at(-1)?.role !== "user")
		refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
	let open: string[] = [];
	for (const [index, message] of messages.entries()) {
		if (message.role === messages[index - 1]?.role)
			refuse(
				`messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`,
			);
		const blocks = blocksOf(message);
		const results = of(blocks, "tool_result").map((block) => block.tool_use_id);
		const stray = results.find((result) => !open.includes(result));
		if (stray !== undefined)
			refuse(
				`messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
			);
		if (new Set(results).size < results.length)
			refuse(
				`messages.${index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks`,
			);
		const missing = open.filter((call) => !results.includes(call));
		const late = blocks.slice(0, results.length).some(({ type }) => type !== "tool_result");
		if (missing.length > 0 || (results.length > 0 && late))
			refuse(
				`messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${(missing.length > 0 ? missing : open).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
			);
		open = of(blocks, "tool_use").map((block) => block.id);
		if (new Set(open).size < open.length) refuse("messages: `tool_use` ids must be unique");
	}
}

/** Thinking comes back as it was given, and is there where tools are in use. */
function checkThinking({ messages, thinking: mode, tool_choice, temperature, max_tokens }: AnthropicRequest): void {
	for (const [index, message] of messages.entries())
		for (const [at, block] of blocksOf(message).entries())
			if (block.type === "thinking" && block.signature !== signatureOf(block.thinking))
				refuse(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`);
	if (!mode || mode.type === "disabled") return;
	if (tool_choice?.type === "any" || tool_choice?.type === "tool")
		refuse("Thinking may not be enabled when tool_choice forces tool use.");
	if (temperature !== undefined && temperature !== 1)
		refuse("`temperature` may only be set to 1 when thinking is enabled.");
	if (mode.type !== "enabled") return;
	if (mode.budget_tokens >= max_tokens) refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
	const turn = messages.findLastIndex((message) => message.role === "assistant");
	const [first, ...rest] = messages[turn] ? blocksOf(messages[turn]) : [];
	const first_type = first?.type ?? "thinking";
	if (rest.concat(first ?? []).some(({ type }) => type === "tool_use") && !/thinking$/.test(first_type))
		refuse(
			`messages.${turn}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first_type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
		);
}

/** Keywords that structured outputs refuse. */
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

function checkOutputSchema(schema: unknown): void {
	if (Array.isArray(schema)) for (const part of schema) checkOutputSchema(part);
	const parsed = record.safeParse(schema);
	if (!parsed.success) return;
	const { type, additionalProperties, properties, minItems, ...rest } = parsed.data;
	if (type === "object" && additionalProperties !== false)
		refuse("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false");
	const keyword = REFUSED_KEYWORDS.find((key) => key in rest);
	if (keyword)
		refuse(`output_config.format.schema: For '${String(type)}' type, property '${keyword}' is not supported`);
	if (typeof minItems === "number" && minItems > 1)
		refuse("output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported");
	for (const part of Object.values(record.safeParse(properties).data ?? {})) checkOutputSchema(part);
	for (const key of ["items", "anyOf", "allOf"]) checkOutputSchema(rest[key]);
	for (const key of ["$defs", "definitions"])
		for (const part of Object.values(record.safeParse(rest[key]).data ?? {})) checkOutputSchema(part);
}

/**
 * Checks a request as Anthropic does.
 * @throws {Refusal} status 400, or 401 without a key.
 */
export function parseAnthropic(headers: Headers, body: unknown): AnthropicRequest {
	if (!headers.get("x-api-key")) throw new Refusal(401, "x-api-key header is required");
	if (!headers.get("anthropic-version")) refuse("anthropic-version: header is required");
	const parsed = anthropicRequest.safeParse(body);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		if (issue?.code === "unrecognized_keys")
			refuse(`${[...issue.path, issue.keys[0]].join(".")}: Extra inputs are not permitted`);
		refuse(`${issue?.path.join(".")}: ${issue?.message}`);
	}
	checkTurns(parsed.data.messages);
	checkThinking(parsed.data);
	checkOutputSchema(parsed.data.output_config?.format?.schema);
	return parsed.data;
}
