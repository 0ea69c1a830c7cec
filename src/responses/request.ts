// The body of POST /v1/responses: its schema. to-call.ts makes the model call of it. Pure.
import * as z from "zod";
import { endUserField, metadataField } from "../account/request-names.ts";
import { EFFORTS } from "../catalog/vocabulary.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { inputField } from "./items.ts";
import { responseToolChoiceSchema, responseToolList } from "./tools.ts";

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

/** A Responses body. A null counts as absent. Unknown fields are kept, because a provider may take them. */
export const responsesRequestSchema = z.lazy(() =>
	z.looseObject({
		input: inputField().nullish().describe("The conversation: a text of the user's, or items, oldest first."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("`auto` (default), an id of list_models, or a tier: `laser-1`, `halo-1`, `foton-1`."),
		instructions: z.string().nullish().describe("Precedes the conversation, as a system message."),
		previous_response_id: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("A stored response that this one goes on from."),
		store: z.boolean().nullish().describe("Keep the response for 30 days; true by default."),
		stream: z.boolean().nullish().describe("Answer as Server-Sent Events."),
		stream_options: z
			.object({ include_obfuscation: z.boolean().nullish() })
			.nullish()
			.describe("Accepted and not used."),
		max_output_tokens: z
			.int()
			.positive()
			.nullish()
			.describe("Most tokens of the answer, reasoning included; 32,000 by default: a ceiling."),
		max_tool_calls: z.int().positive().nullish().describe("Without effect."),
		temperature: z.number().min(0).max(2).nullish().describe("Sampling temperature."),
		top_p: z.number().min(0).max(1).nullish().describe("Nucleus sampling."),
		top_logprobs: z.int().min(0).max(20).nullish().describe("Alternatives of each token."),
		include: z
			.array(z.string().max(100))
			.max(50)
			.nullish()
			.describe(
				"`reasoning.encrypted_content`, `message.output_text.logprobs`; names of tools that run elsewhere have no effect.",
			),
		tools: responseToolList().nullish().describe("Functions, custom tools and namespaces."),
		tool_choice: responseToolChoiceSchema.nullish().describe("Whether the model must call a tool, and which."),
		parallel_tool_calls: z.boolean().nullish().describe("Whether one turn may hold several calls."),
		text: z
			.object({ format: textFormatSchema.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
			.nullish()
			.describe("`format` as `response_format` of chat; `verbosity` goes to providers that take it."),
		reasoning: z
			.object({
				effort: z.enum(EFFORTS).nullish(),
				summary: z.string().max(64).nullish(),
				generate_summary: z.string().max(64).nullish(),
				/** All reasoning that comes back is sent on. */
				context: z.string().max(64).nullish(),
			})
			.nullish()
			.describe("`effort` as in chat; `summary` asks for the reasoning as a summary."),
		truncation: z
			.enum(["auto", "disabled"])
			.nullish()
			.describe("`auto` leaves out the oldest turns where the conversation does not fit."),
		metadata: metadataField()
			.nullish()
			.describe("At most 16 pairs that the Response repeats, and that are kept with the request."),
		user: endUserField()
			.nullish()
			.describe("Id of your user, kept with the request, and sent to providers that take one."),
		safety_identifier: endUserField().nullish().describe("Kept as the user where `user` is absent; not sent on."),
		prompt_cache_key: z
			.string()
			.max(512)
			.nullish()
			.describe("Names the conversation, so that it stays with its model."),
		prompt_cache_retention: z.string().max(64).nullish().describe("Without effect."),
		service_tier: z.string().max(64).nullish().describe("Without effect."),
		/** What Codex says of itself. */
		client_metadata: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe("What a client says of itself: `session_id` names the session."),
		background: z.boolean().nullish().describe("Refused if true."),
		conversation: z.unknown().optional().describe("Refused."),
		prompt: z.unknown().optional().describe("Refused."),
		routing_mode: z.enum(ROUTING_MODES).nullish().describe("What `auto` prefers; by the prompt by default."),
		...ruleFields(),
	}),
);

export type ResponsesRequest = z.output<typeof responsesRequestSchema>;
