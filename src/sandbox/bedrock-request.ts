// Checks a request of Bedrock's Converse: its shape, and the rules between messages.
import * as z from "zod";
import { checkOutputSchema, signThinking } from "./anthropic-request.ts";
import { jsonFields, Refusal } from "./format.ts";

const cachePoint = z.strictObject({ type: z.literal("default"), ttl: z.enum(["5m", "1h"]).optional() });
const cacheBlock = z.strictObject({ cachePoint });
const textBlock = z.strictObject({ text: z.string() });
const imageBlock = z.strictObject({
	image: z.strictObject({
		format: z.enum(["png", "jpeg", "gif", "webp"]),
		source: z.strictObject({ bytes: z.base64().min(1) }),
	}),
});
/** A document by its bytes. */
export const documentBlock = z.strictObject({
	document: z.strictObject({
		format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
		name: z.string().regex(/^(?!.*\s\s)[A-Za-z0-9\s()[\]-]{1,200}$/),
		source: z.strictObject({ bytes: z.base64().min(1) }),
	}),
});
const toolUseId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolUseBlock = z.strictObject({
	toolUse: z.strictObject({ toolUseId, name: toolName, input: jsonFields }),
});
const toolResultBlock = z.strictObject({
	toolResult: z.strictObject({
		toolUseId,
		content: z
			.array(z.union([textBlock, imageBlock, documentBlock, z.strictObject({ json: z.unknown() })]))
			.min(1, "toolResult.content must not be empty"),
		status: z.enum(["success", "error"]).optional(),
	}),
});
const reasoningBlock = z.strictObject({
	reasoningContent: z.union([
		z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
		z.strictObject({ redactedContent: z.base64() }),
	]),
});

const converseTurn = z.discriminatedUnion("role", [
	z.strictObject({
		role: z.literal("user"),
		content: z.array(z.union([textBlock, imageBlock, documentBlock, toolResultBlock, cacheBlock])).min(1),
	}),
	z.strictObject({
		role: z.literal("assistant"),
		content: z.array(z.union([textBlock, toolUseBlock, reasoningBlock, cacheBlock])).min(1),
	}),
]);

const toolSpec = z.strictObject({
	toolSpec: z.strictObject({
		name: toolName,
		description: z.string().min(1).optional(),
		inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
		strict: z.boolean().optional(),
	}),
});

/** Fields of Claude's and of gpt-oss's own. */
const modelFieldsSchema = z.strictObject({
	thinking: z.looseObject({ type: z.enum(["adaptive", "enabled", "disabled"]) }).optional(),
	output_config: z.strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]) }).optional(),
	tool_choice: z
		.strictObject({
			type: z.enum(["auto", "any", "tool", "none"]),
			name: toolName.optional(),
			disable_parallel_tool_use: z.boolean().optional(),
		})
		.optional(),
	reasoning_effort: z.enum(["low", "medium", "high"]).optional(),
});

const converseRequest = z.strictObject({
	messages: z.array(converseTurn).min(1),
	system: z.array(z.union([textBlock, cacheBlock])).optional(),
	toolConfig: z
		.strictObject({
			tools: z.array(z.union([toolSpec, cacheBlock])).min(1),
			toolChoice: z
				.union([
					z.strictObject({ auto: z.strictObject({}) }),
					z.strictObject({ any: z.strictObject({}) }),
					z.strictObject({ tool: z.strictObject({ name: toolName }) }),
				])
				.optional(),
		})
		.optional(),
	inferenceConfig: z
		.strictObject({
			maxTokens: z.int().positive().optional(),
			temperature: z.number().min(0).max(1).optional(),
			topP: z.number().min(0).max(1).optional(),
			stopSequences: z.array(z.string().regex(/\S/)).max(2_500).optional(),
		})
		.optional(),
	additionalModelRequestFields: modelFieldsSchema.optional(),
	additionalModelResponseFieldPaths: z.array(z.string().regex(/^\//)).max(10).optional(),
	outputConfig: z
		.strictObject({
			textFormat: z.strictObject({
				type: z.literal("json_schema"),
				structure: z.strictObject({
					jsonSchema: z.strictObject({
						schema: z.string(),
						name: z.string().optional(),
						description: z.string().optional(),
					}),
				}),
			}),
		})
		.optional(),
});
export type ConverseRequest = z.infer<typeof converseRequest>;
export type ConverseBlock = ConverseRequest["messages"][number]["content"][number];

function refuse(text: string): never {
	throw new Refusal(400, text);
}

/** The most cache points of a request. */
const MAX_CACHE_POINTS = 4;

function checkBlocks({ system = [], toolConfig, messages }: ConverseRequest): void {
	const lists = [toolConfig?.tools ?? [], system, ...messages.map(({ content }) => content)];
	const points = lists.flatMap((blocks) => blocks.filter((block) => "cachePoint" in block));
	if (points.length > MAX_CACHE_POINTS)
		refuse(`The number of cache points is ${points.length}. At most ${MAX_CACHE_POINTS} are allowed.`);
	if (lists.some(([first]) => first && "cachePoint" in first))
		refuse("A cachePoint must follow the content that it caches.");
	for (const [index, { content }] of messages.entries()) {
		const blank = content.findIndex((block) => "text" in block && block.text.trim() === "");
		if (blank >= 0)
			refuse(
				`The text field in the ContentBlock object at messages.${index}.content.${blank} is blank. Add text to the text field, and try again.`,
			);
		if (content.some((block) => "document" in block) && !content.some((block) => "text" in block))
			refuse("A text block must be included when a document block is.");
	}
	const names = messages.flatMap(({ content }) =>
		content.flatMap((block) => ("document" in block ? [block.document.name] : [])),
	);
	if (new Set(names).size < names.length) refuse("Messages contain duplicate document names.");
}

/** Roles alternate, and every call has its result in the next message. */
function checkConverseTurns({ messages, toolConfig }: ConverseRequest): void {
	if (messages[0]?.role !== "user")
		refuse(
			"A conversation must start with a user message. Try again with a conversation that starts with a user message.",
		);
	if (messages.at(-1)?.role !== "user")
		refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
	let open: string[] = [];
	for (const [index, { role, content }] of messages.entries()) {
		if (role === messages[index - 1]?.role)
			refuse(
				`A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.`,
			);
		const results = content.flatMap((block) => ("toolResult" in block ? [block.toolResult.toolUseId] : []));
		const missing = open.filter((id) => !results.includes(id));
		if (missing.length > 0)
			refuse(`Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(", ")}`);
		if (results.length > open.length || new Set(results).size < results.length)
			refuse(
				`The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
			);
		open = content.flatMap((block) => ("toolUse" in block ? [block.toolUse.toolUseId] : []));
		if (new Set(open).size < open.length)
			refuse(`The toolUse blocks at messages.${index}.content contain duplicate Ids.`);
		if (open.length > 0 && !toolConfig)
			refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
	}
}

/** Signed reasoning comes back unchanged, and choices of tools are made once. */
function checkModelFields({ messages, toolConfig, additionalModelRequestFields: fields }: ConverseRequest): void {
	for (const [index, { content }] of messages.entries()) {
		const last = content.at(-1);
		if (last && "reasoningContent" in last)
			refuse(
				`The model returned the following errors: messages.${index}: The final block in an assistant message cannot be \`thinking\`.`,
			);
		for (const [at, block] of content.entries()) {
			if (!("reasoningContent" in block) || !("reasoningText" in block.reasoningContent)) continue;
			const { text, signature } = block.reasoningContent.reasoningText;
			if (signature !== signThinking(text))
				refuse(
					`The model returned the following errors: messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`,
				);
		}
	}
	if (fields?.tool_choice && toolConfig?.toolChoice)
		refuse(
			`The additional field tool_choice/type conflicts with the existing field toolConfig.toolChoice.${Object.keys(toolConfig.toolChoice)[0]}. Remove tool_choice/type and try again.`,
		);
	if (fields?.tool_choice && !toolConfig)
		refuse("The model returned the following errors: tool_choice may only be specified while providing tools.");
}

/** The schema that an answer is held to; null for an answer in text. */
export function findOutputSchema({ outputConfig }: ConverseRequest): Record<string, unknown> | null {
	if (!outputConfig) return null;
	try {
		return jsonFields.parse(JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema));
	} catch {
		return refuse("The schema in outputConfig.textFormat.structure.jsonSchema.schema is not valid JSON.");
	}
}

/**
 * Checks a request as Bedrock does.
 * @throws {Refusal} status 400.
 */
export function parseConverse(body: unknown): ConverseRequest {
	const parsed = converseRequest.safeParse(body);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		if (issue?.code === "unrecognized_keys")
			refuse(`extraneous key [${issue.keys[0]}] is not permitted at ${issue.path.join(".")}`);
		refuse(
			`Malformed input request: #/${issue?.path.join("/")}: ${issue?.message}, please reformat your input and try again.`,
		);
	}
	checkBlocks(parsed.data);
	checkConverseTurns(parsed.data);
	checkModelFields(parsed.data);
	checkOutputSchema(findOutputSchema(parsed.data));
	return parsed.data;
}
