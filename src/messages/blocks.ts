// Anthropic's content blocks as clients send them: their schemas, and a table of those that no model is sent. content.ts turns
// them into parts of a call. Pure.
import * as z from "zod";
import { entryList } from "../http/entry-list.ts";
import { jsonObjectSchema } from "../http/json-object.ts";
import { MAX_JSON_ENTRIES } from "../http/json-shape.ts";
import { imageAddressSchema } from "../inference/image-address.ts";
import { readSentFile } from "../inference/sent-file.ts";
import { callIdSchema, sealedTextSchema } from "../inference/tool-call-ids.ts";

/** Members that this service accepts and has no use for: they change nothing in what a model is asked. */
const accepted = z.unknown().optional();

export const cacheControlSchema = z.lazy(() =>
	z.object({
		type: z.literal("ephemeral"),
		ttl: z.enum(["5m", "1h"]).nullish(),
		/** Who shares the cached prefix. */
		scope: accepted,
	}),
);
export type CacheControl = z.output<typeof cacheControlSchema>;
const cache_control = cacheControlSchema.nullish();

/** The longest part of a client's word that a message quotes. */
const MAX_QUOTED_CHARS = 60;

/** Names the type that a union of blocks does not have. */
export function unknownTypeMessage(what: string, { input }: { input?: unknown }): string {
	const type = typeof input === "object" && input !== null && "type" in input ? input.type : undefined;
	if (typeof type !== "string") return `must be a ${what} with a type`;
	return `${JSON.stringify(type.slice(0, MAX_QUOTED_CHARS))} is no ${what}`;
}

/** Content as a string, which stands for one text block, or as blocks. */
export function contentSchema<Block extends z.ZodType>(block: Block) {
	return z
		.union([z.string(), entryList(block, MAX_JSON_ENTRIES)], {
			error: "must be a string or an array of content blocks",
		})
		.transform((content) => (typeof content === "string" ? [block.parse({ type: "text", text: content })] : content));
}

export const textBlockSchema = z.lazy(() =>
	z.object({ type: z.literal("text"), text: z.string(), cache_control, citations: accepted }),
);

const imageSourceSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[
			z.object({
				type: z.literal("base64"),
				media_type: z.string().regex(/^image\/[\w.+-]+$/, "must be a media type of images"),
				data: z.string().min(1),
			}),
			z.object({ type: z.literal("url"), url: imageAddressSchema }),
		],
		{
			error: ({ input }) =>
				sourceType(input) === "file"
					? "file: this service keeps no files; send the image as base64"
					: unknownTypeMessage("source of an image", { input }),
		},
	),
);
const imageBlockSchema = z.lazy(() =>
	z.object({ type: z.literal("image"), source: imageSourceSchema, cache_control, transformations: accepted }),
);

function sourceType(source: unknown): unknown {
	return typeof source === "object" && source !== null && "type" in source ? source.type : undefined;
}

/** What a document's source would need that this service does not do. */
const REFUSED_SOURCES: Readonly<Record<string, string>> = {
	url: "url: this service fetches no addresses; send the document as base64, or its text",
	file: "file: this service keeps no files; send the document as base64, or its text",
};

const documentSourceSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[
			z.object({ type: z.literal("text"), media_type: z.string().nullish(), data: z.string() }),
			z.object({
				type: z.literal("content"),
				content: contentSchema(
					z.discriminatedUnion("type", [textBlockSchema, imageBlockSchema], {
						error: (issue) => unknownTypeMessage("block of a document", issue),
					}),
				),
			}),
			z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }).transform((source, context) => {
				const read = readSentFile({ content: source.data, name: null, mediaType: source.media_type });
				if (read.ok) return { ...source, part: read.part };
				context.addIssue({ code: "custom", message: read.message });
				return z.NEVER;
			}),
		],
		{
			error: ({ input }) => {
				const type = sourceType(input);
				const refused = typeof type === "string" && Object.hasOwn(REFUSED_SOURCES, type) && REFUSED_SOURCES[type];
				return refused || unknownTypeMessage("source of a document", { input });
			},
		},
	),
);

const citationsSchema = z.lazy(() => z.looseObject({ enabled: z.boolean().nullish() }).nullish());
const documentBlockSchema = z.lazy(() =>
	z.object({
		type: z.literal("document"),
		source: documentSourceSchema,
		title: z.string().nullish(),
		context: z.string().nullish(),
		citations: citationsSchema,
		cache_control,
	}),
);
const searchResultBlockSchema = z.lazy(() =>
	z.object({
		type: z.literal("search_result"),
		source: z.string(),
		title: z.string(),
		content: z.array(textBlockSchema),
		citations: citationsSchema,
		cache_control,
	}),
);

const thinkingBlockSchema = z.lazy(() =>
	z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: sealedTextSchema.nullish() }),
);
const redactedThinkingBlockSchema = z.lazy(() =>
	z.looseObject({ type: z.literal("redacted_thinking"), data: sealedTextSchema }),
);

const toolUseBlockSchema = z.lazy(() =>
	z.object({
		type: z.literal("tool_use"),
		id: callIdSchema,
		name: z.string().min(1).max(128),
		input: jsonObjectSchema.nullish(),
		cache_control,
		caller: accepted,
		toolset_name: accepted,
	}),
);

/** Found by a search for tools. All tools are sent anyway, so its name is enough. */
const toolReferenceBlockSchema = z.lazy(() =>
	z.object({ type: z.literal("tool_reference"), tool_name: z.string().min(1).max(256), cache_control }),
);
/** What a browser has open, in the form of a toolset that only Anthropic has. */
const browserStateBlockSchema = z.lazy(() => z.looseObject({ type: z.literal("browser_state") }));

/** What a user and a tool may both show a model. */
const SHOWN_BLOCK_SCHEMAS = [textBlockSchema, imageBlockSchema, documentBlockSchema, searchResultBlockSchema] as const;

const resultBlockSchema = z.lazy(() =>
	z.discriminatedUnion("type", [...SHOWN_BLOCK_SCHEMAS, toolReferenceBlockSchema, browserStateBlockSchema], {
		error: (issue) => unknownTypeMessage("block of a tool result", issue),
	}),
);
export type ResultBlock = z.output<typeof resultBlockSchema>;

const toolResultBlockSchema = z.lazy(() =>
	z.object({
		type: z.literal("tool_result"),
		tool_use_id: callIdSchema,
		content: contentSchema(resultBlockSchema).nullish(),
		is_error: z.boolean().nullish(),
		cache_control,
		toolset_name: accepted,
	}),
);

/** A summary that the provider wrote of the turns before it. */
const compactionBlockSchema = z.lazy(() =>
	z.looseObject({ type: z.literal("compaction"), content: z.string().nullish() }),
);

/** Traces of what Anthropic ran itself. No model of this service can continue them, and their results are in the text. */
const LEFT_OUT_BLOCKS = [
	"server_tool_use",
	"web_search_tool_result",
	"web_fetch_tool_result",
	"code_execution_tool_result",
	"bash_code_execution_tool_result",
	"text_editor_code_execution_tool_result",
	"tool_search_tool_result",
	"advisor_tool_result",
	"mcp_tool_use",
	"mcp_tool_result",
	"mcp_tool_listing",
	"container_upload",
	"fallback",
] as const;
const leftOutBlockSchema = z.lazy(() => z.looseObject({ type: z.literal(LEFT_OUT_BLOCKS) }));

const userBlockSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[...SHOWN_BLOCK_SCHEMAS, toolResultBlockSchema, compactionBlockSchema, leftOutBlockSchema],
		{ error: (issue) => unknownTypeMessage("block of a user message", issue) },
	),
);
export type UserBlock = z.output<typeof userBlockSchema>;

const assistantBlockSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[
			textBlockSchema,
			thinkingBlockSchema,
			redactedThinkingBlockSchema,
			toolUseBlockSchema,
			compactionBlockSchema,
			leftOutBlockSchema,
		],
		{ error: (issue) => unknownTypeMessage("block of an assistant message", issue) },
	),
);
export type AssistantBlock = z.output<typeof assistantBlockSchema>;

/** Text alone, as the top-level `system` has it. */
export const systemTextSchema = z.lazy(() =>
	contentSchema(
		z.discriminatedUnion("type", [textBlockSchema], { error: (issue) => unknownTypeMessage("block of system", issue) }),
	),
);

export const userContentSchema = z.lazy(() => contentSchema(userBlockSchema));
export const assistantContentSchema = z.lazy(() => contentSchema(assistantBlockSchema));
