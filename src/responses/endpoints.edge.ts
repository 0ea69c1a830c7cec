// Responses: the endpoint that creates one, and the count of its input tokens. stored-endpoints.edge.ts reads those that are stored.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { respond } from "../inference/respond.edge.ts";
import { findSchemaExcessInSteps } from "../providers/schema-limits.ts";
import { detectSignals } from "../routing/signals.ts";
import { rulesInForce } from "../routing-config/in-force.edge.ts";
import { readResponsesCall, toResponsesEntrance } from "./create-response.edge.ts";
import { withResponsesFields } from "./field-names.ts";
import { responsesRequestSchema } from "./request.ts";
import { responseObjectSchema } from "./response.ts";
import { storedResponseEndpoints } from "./stored-endpoints.edge.ts";

const createResponseEndpoint = endpoint({
	id: "create_response",
	method: "POST",
	path: "/v1/responses",
	access: "key",
	admission: "handler",
	requestKind: "chat",
	bodyLimit: "chat",
	errorDialect: "openai",
	toolGroup: null,
	summary:
		"A Response as OpenAI's clients read it, whole or streamed, by the model that routing picks or the one named.",
	description:
		"The same as a chat completion in OpenAI's newer form: items instead of messages, and answers that are stored for thirty days unless `store` is false. It costs the same; `svc` stands on the Response.",
	body: responsesRequestSchema,
	result: responseObjectSchema,
	eventStream:
		"With `stream: true`: the events of OpenAI's Responses, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`.",
	ids: { previous_response_id: { answerOf: "create_response", member: "id" } },
	example: { body: { model: "auto", input: "Say hello" } },
	async handle({ body, context }) {
		const entrance = await toResponsesEntrance(body, context);
		return entrance.ok ? respond(entrance.value, body.stream ?? false, context) : entrance;
	},
});

const countInputTokensEndpoint = endpoint({
	id: "count_response_input_tokens",
	method: "POST",
	path: "/v1/responses/input_tokens",
	access: "key",
	countsTowardsDay: false,
	bodyLimit: "chat",
	effect: "none",
	errorDialect: "openai",
	toolGroup: null,
	summary: "How many input tokens a Responses body has, estimated at four characters a token; no model is called.",
	body: responsesRequestSchema,
	result: z.lazy(() =>
		z.object({
			object: z.literal("response.input_tokens"),
			input_tokens: z.int(),
			svc: z.object({ estimated: z.literal(true) }),
		}),
	),
	ids: { previous_response_id: { answerOf: "create_response", member: "id" } },
	example: { body: { model: "auto", input: "Say hello" } },
	async handle({ body, context }) {
		const rules = await rulesInForce(body, context);
		if (!rules.ok) return rules;
		const read = await readResponsesCall(body, context);
		if (!read.ok) return read;
		const { call, places } = read.value;
		const excess = await runInTurnsOnceLong(context, findSchemaExcessInSteps(call));
		if (excess) return fail(withResponsesFields({ reason: "invalid_request", issues: [excess] }, places));
		const { contextTokens } = detectSignals(call);
		return ok({
			object: "response.input_tokens" as const,
			input_tokens: contextTokens,
			svc: { estimated: true as const },
		});
	},
});

export const responseEndpoints: readonly Endpoint[] = [
	createResponseEndpoint,
	countInputTokensEndpoint,
	...storedResponseEndpoints,
];
