// The tools of a Responses request as clients send them. tool-table.ts makes definitions of them. Pure.
import * as z from "zod";
import { entryList } from "../http/entry-list.ts";
import { isJsonObject } from "../json.ts";

const MAX_LISTED_TOOLS = 512;

/** A name of a tool or a namespace. What a provider does not take is renamed on the way. */
export const responseToolName = z.lazy(() =>
	z.string().regex(/^[\w.:/-]{1,128}$/, "must be 1 to 128 letters, digits and _ . : / -"),
);

const toolFormatSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.object({ type: z.literal("text") }),
		z.object({ type: z.literal("grammar"), syntax: z.string().max(64), definition: z.string() }),
	]),
);

const functionToolSchema = z.lazy(() =>
	z.object({
		type: z.literal("function"),
		name: responseToolName,
		description: z.string().nullish(),
		parameters: z.record(z.string(), z.unknown()).nullish(),
		strict: z.boolean().nullish(),
		/** Every tool is loaded from the start. */
		defer_loading: z.boolean().nullish(),
	}),
);

const customToolSchema = z.lazy(() =>
	z.object({
		type: z.literal("custom"),
		name: responseToolName,
		description: z.string().nullish(),
		format: toolFormatSchema.nullish(),
		defer_loading: z.boolean().nullish(),
	}),
);

const namespacedToolSchema = z.lazy(() =>
	z.discriminatedUnion("type", [functionToolSchema, customToolSchema], {
		error: "must be a tool of type function or custom",
	}),
);

const namespaceToolSchema = z.lazy(() =>
	z.object({
		type: z.literal("namespace"),
		name: responseToolName,
		description: z.string().nullish(),
		tools: entryList(namespacedToolSchema, MAX_LISTED_TOOLS),
	}),
);

const usableToolSchema = z.lazy(() =>
	z.discriminatedUnion("type", [functionToolSchema, customToolSchema, namespaceToolSchema], {
		error: "must be an object with a type",
	}),
);

/** A tool that OpenAI's service would run, or that no model here knows. */
const otherToolSchema = z.lazy(() => z.looseObject({ type: z.string().min(1).max(100) }));

export type FunctionTool = z.output<typeof functionToolSchema>;
export type CustomTool = z.output<typeof customToolSchema>;
export type UsableTool = z.output<typeof usableToolSchema>;
export type ResponseTool = UsableTool | z.output<typeof otherToolSchema>;

/** Types of the tools that a model can be given; the client runs them. */
const USABLE_TYPES: readonly unknown[] = ["function", "custom", "namespace"];

/** Whether a model can be given a tool. */
export function isUsableTool(tool: ResponseTool): tool is UsableTool {
	return USABLE_TYPES.includes(tool.type);
}

/** The tools of a request, or of an item that adds some. */
export function responseToolList() {
	return entryList(usableToolSchema, MAX_LISTED_TOOLS, {
		schema: otherToolSchema,
		isMeant: (value) =>
			isJsonObject(value) && typeof value["type"] === "string" && !USABLE_TYPES.includes(value["type"]),
	});
}

/** `tool_choice` as a whole. What it demands of the tools is checked with them. */
export const responseToolChoiceSchema = z.lazy(() =>
	z.union(
		[
			z.enum(["none", "auto", "required"]),
			z.looseObject({
				type: z.string().min(1).max(100),
				name: z.string().max(256).nullish(),
				namespace: z.string().max(256).nullish(),
				mode: z.enum(["auto", "required"]).nullish(),
				tools: z
					.array(z.looseObject({ type: z.string().max(100) }))
					.max(MAX_LISTED_TOOLS)
					.nullish(),
			}),
		],
		{ error: "must be none, auto, required or an object with a type" },
	),
);
export type ResponseToolChoice = z.output<typeof responseToolChoiceSchema>;
