// The items of a Responses conversation as clients send them: their schemas. to-messages.ts makes messages of them. Pure.
import * as z from "zod";
import { entryList } from "../http/entry-list.ts";
import { imageAddressSchema, imageDetailSchema } from "../inference/image-address.ts";
import { callIdSchema } from "../inference/tool-call-ids.ts";
import { responseToolList, responseToolName } from "./tools.ts";

export const MAX_INPUT_ITEMS = 2_000;
const MAX_CONTENT_PARTS = 1_000;

/** Ids of items are the client's own. None is sent on. */
const itemId = () => z.string().max(512).nullish();
/** Answers give their items one. A later request need not say it again, so it is not read. */
const itemStatus = () => z.string().max(64).nullish();

const textContentSchema = z.lazy(() =>
	z.object({
		type: z.enum(["input_text", "output_text", "text"]),
		text: z.string(),
		/** Clients send them back as the answer had them. No model reads them. */
		annotations: z.array(z.unknown()).nullish(),
		logprobs: z.array(z.unknown()).nullish(),
	}),
);
const refusalContentSchema = z.lazy(() => z.object({ type: z.literal("refusal"), refusal: z.string() }));
const imageContentSchema = z.lazy(() =>
	z.object({
		type: z.literal("input_image"),
		image_url: imageAddressSchema.nullish(),
		file_id: z.string().nullish(),
		detail: imageDetailSchema.nullish(),
	}),
);
const fileContentSchema = z.lazy(() =>
	z.object({
		type: z.literal("input_file"),
		file_data: z.string().nullish(),
		file_id: z.string().nullish(),
		file_url: z.string().nullish(),
		filename: z.string().max(1_024).nullish(),
		detail: z.string().max(16).nullish(),
	}),
);

const audioContentSchema = z.lazy(() =>
	z.object({
		type: z.literal("input_audio"),
		input_audio: z.object({ data: z.string(), format: z.string().max(16) }),
	}),
);

/** The kind of an entry, for the message of one whose kind is not known. */
function kindText(entry: unknown): string {
	const type = typeof entry === "object" && entry !== null && "type" in entry ? entry.type : undefined;
	return typeof type === "string"
		? `unknown type ${JSON.stringify(type.slice(0, 100))}`
		: "must be an object with a type";
}

const contentPartSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[textContentSchema, refusalContentSchema, imageContentSchema, fileContentSchema, audioContentSchema],
		{ error: ({ input }) => kindText(input) },
	),
);
export type ContentItem = z.output<typeof contentPartSchema>;

function contentField() {
	return z.union([z.string(), entryList(contentPartSchema, MAX_CONTENT_PARTS)], {
		error: "must be a string or an array of content parts",
	});
}

const messageItemSchema = z.lazy(() =>
	z.object({
		type: z.literal("message").nullish(),
		id: itemId(),
		role: z.enum(["user", "assistant", "system", "developer"]),
		content: contentField(),
		status: itemStatus(),
		/** Tells commentary from the final answer, for OpenAI's own models. */
		phase: z.string().max(64).nullish(),
	}),
);

const functionCallItemSchema = z.lazy(() =>
	z.object({
		type: z.literal("function_call"),
		id: itemId(),
		call_id: callIdSchema,
		name: responseToolName,
		namespace: responseToolName.nullish(),
		arguments: z.string(),
		status: itemStatus(),
	}),
);

const customCallItemSchema = z.lazy(() =>
	z.object({
		type: z.literal("custom_tool_call"),
		id: itemId(),
		call_id: callIdSchema,
		name: responseToolName,
		namespace: responseToolName.nullish(),
		input: z.string(),
		status: itemStatus(),
	}),
);

const callOutputSchema = z.lazy(() =>
	z.object({
		type: z.enum(["function_call_output", "custom_tool_call_output"]),
		id: itemId(),
		call_id: callIdSchema,
		output: contentField(),
		status: itemStatus(),
		/** Of the tool, as some clients repeat them. The call has them. */
		name: z.string().max(256).nullish(),
		namespace: z.string().max(256).nullish(),
	}),
);

const reasoningItemSchema = z.lazy(() =>
	z.object({
		type: z.literal("reasoning"),
		id: itemId(),
		summary: z
			.array(z.object({ type: z.literal("summary_text"), text: z.string() }))
			.max(MAX_CONTENT_PARTS)
			.nullish(),
		content: z
			.array(z.object({ type: z.enum(["reasoning_text", "text"]), text: z.string() }))
			.max(MAX_CONTENT_PARTS)
			.nullish(),
		encrypted_content: z.string().nullish(),
		status: itemStatus(),
	}),
);

const additionalToolsSchema = z.lazy(() =>
	z.object({
		type: z.literal("additional_tools"),
		id: itemId(),
		role: z.literal("developer").nullish(),
		tools: responseToolList(),
	}),
);

const itemReferenceSchema = z.lazy(() =>
	z.object({ type: z.literal("item_reference"), id: z.string().min(1).max(512) }),
);

/** What another service left in a conversation, and no model here can be sent. */
export const FOREIGN_ITEM_TYPES = [
	"web_search_call",
	"file_search_call",
	"code_interpreter_call",
	"image_generation_call",
	"computer_call",
	"computer_call_output",
	"mcp_list_tools",
	"mcp_call",
	"mcp_approval_request",
	"mcp_approval_response",
	"tool_search_call",
	"tool_search_output",
	"local_shell_call",
	"local_shell_call_output",
	"shell_call",
	"shell_call_output",
	"apply_patch_call",
	"apply_patch_call_output",
	"program",
	"program_output",
	"configuration_update",
] as const;
const foreignItemSchema = z.lazy(() => z.looseObject({ type: z.enum(FOREIGN_ITEM_TYPES), id: itemId() }));

/** A conversation that OpenAI's service has compacted, readable by it alone. */
const compactionItemSchema = z.lazy(() =>
	z.looseObject({ type: z.literal("compaction"), id: itemId(), encrypted_content: z.string().nullish() }),
);

/** One item of `input`. An item with a role and no type is a message. */
export const inputItemSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[
			messageItemSchema,
			functionCallItemSchema,
			customCallItemSchema,
			callOutputSchema,
			reasoningItemSchema,
			additionalToolsSchema,
			itemReferenceSchema,
			foreignItemSchema,
			compactionItemSchema,
		],
		{ error: ({ input }) => kindText(input) },
	),
);
export type InputItem = z.output<typeof inputItemSchema>;
/** The items of one type. */
export type InputItemWith<T extends InputItem["type"]> = Extract<InputItem, { type?: T }>;
export type MessageItem = z.output<typeof messageItemSchema>;
export type CallItem = z.output<typeof functionCallItemSchema> | z.output<typeof customCallItemSchema>;
export type CallOutputItem = z.output<typeof callOutputSchema>;
export type ReasoningItem = z.output<typeof reasoningItemSchema>;

/** `input`: a text of the user's, or items. */
export function inputField() {
	return z.union([z.string(), entryList(inputItemSchema, MAX_INPUT_ITEMS)], {
		error: "must be a string or an array of items",
	});
}

/** The items that `input` stands for. */
export function toInputItems(input: string | readonly InputItem[] | null | undefined): readonly InputItem[] {
	if (input === null || input === undefined || input === "") return [];
	return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
}
