// The body of POST /v1/messages: its schema. to-call.ts says which call it stands for. Pure.
import * as z from "zod";
import { userMetadataField } from "../account/request-names.ts";
import { EFFORTS } from "../catalog/vocabulary.ts";
import { jsonObjectSchema } from "../http/json-object.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import {
	assistantContentSchema,
	cacheControlSchema,
	contentSchema,
	systemTextSchema,
	textBlockSchema,
	unknownTypeMessage,
	userContentSchema,
} from "./blocks.ts";
import { messagesToolChoiceSchema, messagesToolSchema, toolChangeBlockSchema } from "./tools.ts";

const MAX_MESSAGES = 2_000;
const MAX_MESSAGES_TOOLS = 512;
const MAX_STOP_SEQUENCES = 64;

const effort = z.enum(EFFORTS).nullish();

const systemMessageSchema = z.lazy(() =>
	z.object({
		role: z.literal("system"),
		content: contentSchema(
			z.discriminatedUnion("type", [textBlockSchema, toolChangeBlockSchema], {
				error: (issue) => unknownTypeMessage("block of a system message", issue),
			}),
		).nullish(),
		/** From this message on. */
		output_config: z.object({ effort }).nullish(),
		/** `next_user_message`: models do not see it once the user has spoken again. */
		clear_at: z.enum(["next_user_message", "never"]).nullish(),
	}),
);

const messageSchema = z.lazy(() =>
	z.discriminatedUnion(
		"role",
		[
			z.object({ role: z.literal("user"), content: userContentSchema }),
			z.object({ role: z.literal("assistant"), content: assistantContentSchema }),
			systemMessageSchema,
		],
		{ error: "role must be one of user, assistant, system" },
	),
);

const thinkingSchema = z.lazy(() => {
	/** How much of its thinking a model shows is up to its provider. */
	const display = z.unknown().optional();
	const block_binding = z.unknown().optional();
	return z.discriminatedUnion(
		"type",
		[
			z.object({ type: z.literal("enabled"), budget_tokens: z.int().positive(), display, block_binding }),
			z.object({ type: z.literal(["adaptive", "between_tools"]), display, block_binding }),
			z.object({ type: z.literal("disabled") }),
		],
		{ error: "must have a type: enabled, adaptive or disabled" },
	);
});

const outputFormatSchema = z.lazy(() => z.object({ type: z.literal("json_schema"), schema: jsonObjectSchema }));

/** A body of Anthropic's form. A null counts as absent. Members that are not here stand in the table of beta.ts. */
export const messagesRequestSchema = z.lazy(() =>
	z.looseObject({
		messages: z.array(messageSchema).min(1).max(MAX_MESSAGES).describe("The conversation, oldest first."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("`auto` (default), an id of list_models, a family name, or a tier: `laser-1`, `halo-1`, `foton-1`."),
		max_tokens: z.int().positive().nullish().describe("Most tokens of the answer, 32,000 by default: a ceiling."),
		system: systemTextSchema.nullish().describe("System text."),
		tools: z
			.array(messagesToolSchema)
			.max(MAX_MESSAGES_TOOLS)
			.nullish()
			.describe("Your own tools; most of Anthropic's are left out with a warning."),
		tool_choice: messagesToolChoiceSchema.nullish().describe("Whether the model must call a tool, and which."),
		thinking: thinkingSchema.nullish().describe("Whether the model thinks before it answers."),
		output_config: z
			.object({ effort, format: outputFormatSchema.nullish() })
			.nullish()
			.describe("Effort and form of the answer."),
		output_format: outputFormatSchema.nullish().describe("The earlier name of `output_config.format`."),
		stop_sequences: z.array(z.string()).max(MAX_STOP_SEQUENCES).nullish().describe("Texts that end the answer."),
		temperature: z.number().min(0).max(2).nullish().describe("Sampling temperature."),
		top_p: z.number().min(0).max(1).nullish().describe("Nucleus sampling."),
		metadata: userMetadataField()
			.nullish()
			.describe("`user_id`, sent to providers that take one, and other pairs: at most 16, kept with the request."),
		stream: z.boolean().nullish().describe("Answer as Server-Sent Events."),
		cache_control: cacheControlSchema
			.nullish()
			.describe("Marks for the prompt cache of Anthropic; others cache by themselves."),
		routing_mode: z.enum(ROUTING_MODES).nullish().describe("What `auto` prefers; by the prompt by default."),
		...ruleFields(),
	}),
);

export type MessagesRequest = z.output<typeof messagesRequestSchema>;
