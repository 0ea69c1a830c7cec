// Counts the tokens of a Messages body, without a model: the estimate that routing goes by.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { fail, ok } from "../failure.ts";
import { runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { findSchemaExcessInSteps } from "../providers/schema-limits.ts";
import { detectSignals } from "../routing/signals.ts";
import { rulesInForce } from "../routing-config/in-force.edge.ts";
import { withMessagesFields } from "./field-names.ts";
import { readMessagesCall } from "./read-call.edge.ts";
import { messagesRequestSchema } from "./request.ts";

export const countMessageTokensEndpoint = endpoint({
	id: "count_message_tokens",
	method: "POST",
	path: "/v1/messages/count_tokens",
	access: "key",
	countsTowardsDay: false,
	bodyLimit: "chat",
	effect: "none",
	errorDialect: "anthropic",
	acceptsApiKeyHeader: true,
	toolGroup: null,
	summary: "How many input tokens a Messages body has, estimated at four characters a token; no model is called.",
	description:
		"Takes the body of create_message and refuses what that would refuse before it plans a call. It costs nothing and counts towards the minute only.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: messagesRequestSchema,
	result: z.lazy(() =>
		z.object({
			input_tokens: z.int(),
			svc: z.object({
				estimated: z.literal(true).describe("Each model's own tokenizer counts differently."),
				method: z
					.literal("characters")
					.describe("Four characters a token, fewer in scripts that take more, 1,000 an image, 1,500 a page of a PDF."),
			}),
		}),
	),
	ids: "none",
	example: { body: { model: "auto", messages: [{ role: "user", content: "Say hello" }] } },
	async handle({ body, context }) {
		const rules = await rulesInForce(body, context);
		if (!rules.ok) return rules;
		const read = await readMessagesCall(body, context);
		if (!read.ok) return read;
		const { call, origins } = read.value;
		const excess = await runInTurnsOnceLong(context, findSchemaExcessInSteps(call));
		if (excess) return fail(withMessagesFields({ reason: "invalid_request", issues: [excess] }, origins));
		const { contextTokens } = detectSignals(call);
		return ok({ input_tokens: contextTokens, svc: { estimated: true as const, method: "characters" as const } });
	},
});
