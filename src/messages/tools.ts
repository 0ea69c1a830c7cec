// Tools as Anthropic's clients send them: their schemas. tool-definitions.ts makes of them what a model gets. Pure.
import * as z from "zod";
import { jsonObjectSchema } from "../http/json-object.ts";
import { cacheControlSchema } from "./blocks.ts";

const ownToolSchema = z.lazy(() =>
	z.object({
		kind: z.literal("own"),
		type: z.literal("custom").nullish(),
		name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, "must be 1 to 128 letters, digits, _, . or -"),
		description: z.string().nullish(),
		input_schema: jsonObjectSchema,
		strict: z.boolean().nullish(),
		cache_control: cacheControlSchema.nullish(),
		/** All tools are sent whole, so none has to be loaded later. */
		defer_loading: z.unknown().optional(),
		eager_input_streaming: z.unknown().optional(),
		input_examples: z.unknown().optional(),
		allowed_callers: z.unknown().optional(),
	}),
);
const typedToolSchema = z.lazy(() =>
	z.looseObject({
		kind: z.literal("typed"),
		type: z.string(),
		name: z.string().max(256).nullish(),
		cache_control: cacheControlSchema.nullish(),
	}),
);

/** A tool without a type, or of type `custom`, brings its own schema. The type of any other one stands for Anthropic's. */
export const messagesToolSchema = z.lazy(() =>
	z
		.looseObject({
			type: z.string().max(128).nullish(),
			name: z.string().optional(),
			description: z.string().nullish(),
			input_schema: jsonObjectSchema.optional(),
		})
		.transform((tool): unknown => ({ ...tool, kind: (tool.type ?? "custom") === "custom" ? "own" : "typed" }))
		.pipe(z.discriminatedUnion("kind", [ownToolSchema, typedToolSchema])),
);
export type MessagesTool = z.output<typeof messagesToolSchema>;
export type OwnTool = Extract<MessagesTool, { kind: "own" }>;
export type TypedTool = Extract<MessagesTool, { kind: "typed" }>;

export const messagesToolChoiceSchema = z.lazy(() => {
	const disable_parallel_tool_use = z.boolean().nullish();
	return z.discriminatedUnion(
		"type",
		[
			z.object({ type: z.literal(["auto", "any", "none"]), disable_parallel_tool_use }),
			z.object({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use }),
		],
		{ error: "must have a type: auto, any, tool or none" },
	);
});
export type MessagesToolChoice = z.output<typeof messagesToolChoiceSchema>;

/** A tool that a system message adds or takes away (`tool_addition`, `tool_removal`). */
export const toolChangeBlockSchema = z.lazy(() =>
	z.object({
		type: z.literal(["tool_addition", "tool_removal"]),
		tool: z.discriminatedUnion(
			"type",
			[
				z.object({ type: z.literal("tool_reference"), name: z.string() }),
				z.object({ type: z.literal("tool_definition"), definition: messagesToolSchema }),
				z.looseObject({ type: z.literal(["mcp_tool_reference", "mcp_toolset_reference"]) }),
			],
			{ error: "must be a tool_reference or a tool_definition" },
		),
		cache_control: cacheControlSchema.nullish(),
	}),
);
export type ToolChangeBlock = z.output<typeof toolChangeBlockSchema>;
