// The Messages entrance: the endpoint that creates a message, whole or streamed; count-tokens.edge.ts counts a prompt.
import { endpoint } from "../account/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { respond } from "../inference/respond.edge.ts";
import { countMessageTokensEndpoint } from "./count-tokens.edge.ts";
import { toMessagesEntrance } from "./create-message.edge.ts";
import { answeredMessageSchema } from "./message.ts";
import { messagesRequestSchema } from "./request.ts";

const createMessageEndpoint = endpoint({
	id: "create_message",
	method: "POST",
	path: "/v1/messages",
	access: "key",
	admission: "handler",
	requestKind: "chat",
	bodyLimit: "chat",
	errorDialect: "anthropic",
	acceptsApiKeyHeader: true,
	toolGroup: null,
	summary: "A message in Anthropic's form, whole or streamed, by the model that routing picks or the one named.",
	description:
		"The same engine as chat's, for clients of Anthropic's Messages API: routing, limits, compliance, receipts and prices are the same. `model` is `auto`, an id of list_models or a family name; `anthropic-version` is needed nowhere.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: messagesRequestSchema,
	result: answeredMessageSchema,
	eventStream:
		"With `stream: true`: Anthropic's events from `message_start` to `message_stop`, `svc` on `message_delta`, or an `error`.",
	ids: "none",
	example: { body: { model: "auto", max_tokens: 1_024, messages: [{ role: "user", content: "Say hello" }] } },
	async handle({ body, context }) {
		const entrance = await toMessagesEntrance(body, context);
		return entrance.ok ? respond(entrance.value, body.stream ?? false, context) : entrance;
	},
});

export const messagesEndpoints: readonly Endpoint[] = [createMessageEndpoint, countMessageTokensEndpoint];
