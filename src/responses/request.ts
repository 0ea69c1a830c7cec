// The body of POST /v1/responses: its schema. to-call.ts makes the model call of it. Pure.
import * as z from "zod";
import { EFFORTS } from "../catalog/vocabulary.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { inputField } from "./items.ts";
import { responseToolChoiceSchema, responseToolList } from "./tools.ts";

const MAX_METADATA_PAIRS = 16;

/** `text.format`: as chat's response_format, with the schema's members beside its type. */
const textFormatSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.object({ type: z.literal("text") }),
		z.object({ type: z.literal("json_object") }),
		z.object({
			type: z.literal("json_schema"),
			name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"),
			description: z.string().nullish(),
			schema: z.record(z.string(), z.unknown()).nullish(),
			strict: z.boolean().nullish(),
		}),
	]),
);

const metadataField = z.lazy(() =>
	z
		.record(z.string().max(64), z.string().max(512))
		.refine(
			(pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS,
			`must have at most ${MAX_METADATA_PAIRS} pairs`,
		),
);

/** A Responses body. A null counts as absent. Unknown fields are kept, because a provider may take them. */
export const responsesRequestSchema = z.lazy(() =>
	z.looseObject({
		input: inputField().nullish().describe("The conversation: a text of the user's, or items, oldest first."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("`auto` (default), an id of list_models, or `laser-1`, `halo-1`, `foton-1` for a tier."),
		instructions: z.string().nullish().describe("Precedes the conversation, as a system message."),
		previous_response_id: z.string().min(1).max(256).nullish(),
		store: z.boolean().nullish(),
		stream: z.boolean().nullish(),
		stream_options: z.object({ include_obfuscation: z.boolean().nullish() }).nullish(),
		max_output_tokens: z.int().positive().nullish().describe("Most tokens of the answer, reasoning included."),
		max_tool_calls: z.int().positive().nullish(),
		temperature: z.number().min(0).max(2).nullish(),
		top_p: z.number().min(0).max(1).nullish(),
		top_logprobs: z.int().min(0).max(20).nullish(),
		include: z.array(z.string().max(100)).max(50).nullish(),
		tools: responseToolList().nullish(),
		tool_choice: responseToolChoiceSchema.nullish(),
		parallel_tool_calls: z.boolean().nullish(),
		text: z
			.object({ format: textFormatSchema.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
			.nullish(),
		reasoning: z
			.object({
				effort: z.enum(EFFORTS).nullish(),
				summary: z.string().max(64).nullish(),
				generate_summary: z.string().max(64).nullish(),
				/** All reasoning that comes back is sent on. */
				context: z.string().max(64).nullish(),
			})
			.nullish(),
		truncation: z.enum(["auto", "disabled"]).nullish(),
		metadata: metadataField.nullish(),
		user: z.string().max(512).nullish(),
		safety_identifier: z.string().max(512).nullish(),
		prompt_cache_key: z.string().max(512).nullish(),
		prompt_cache_retention: z.string().max(64).nullish(),
		service_tier: z.string().max(64).nullish(),
		/** What Codex says of itself. */
		client_metadata: z.record(z.string(), z.unknown()).nullish(),
		background: z.boolean().nullish(),
		conversation: z.unknown().optional(),
		prompt: z.unknown().optional(),
		routing_mode: z.enum(ROUTING_MODES).nullish().describe("What `auto` prefers; by the prompt by default."),
		...ruleFields(),
	}),
);

export type ResponsesRequest = z.output<typeof responsesRequestSchema>;
