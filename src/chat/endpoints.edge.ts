// Chat completions: the endpoint that creates one, and the preview of its route.

import { endpoint } from "../account/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { withClientFieldNames } from "../inference/client-fields.ts";
import { respond } from "../inference/respond.edge.ts";
import { toSvcBlock } from "../inference/svc-block.ts";
import { applyChatRules } from "./apply-rules.edge.ts";
import { chatEntrance } from "./chat-form.ts";
import { chatCompletionSchema } from "./completion.ts";
import { UNLISTED_CHAT_FIELDS } from "./field-names.ts";
import { toChatPurpose } from "./purpose.edge.ts";
import { chatRequestSchema } from "./request.ts";
import { previewRouteEndpoint } from "./route-preview.edge.ts";

export const createChatCompletionEndpoint = endpoint({
	id: "create_chat_completion",
	unlistedArguments: UNLISTED_CHAT_FIELDS,
	method: "POST",
	path: "/v1/chat/completions",
	access: "key",
	admission: "handler",
	requestKind: "chat",
	bodyLimit: "chat",
	toolGroup: "chat",
	isDefaultTool: true,
	command: "chat",
	page: "playground",
	summary:
		"A chat completion, whole or streamed, by the model that routing picks or the one named, with cost and receipt.",
	description:
		"For one answer by one model; it costs what the model's tokens cost. `model` is `auto` or an id of list_models; `svc.routing` says which ran and why, `svc.proof` holds the receipt.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: chatRequestSchema,
	result: chatCompletionSchema,
	eventStream: "With `stream: true`: `chat.completion.chunk` objects, one an event, then `[DONE]`.",
	ids: "none",
	example: { body: { model: "auto", messages: [{ role: "user", content: "Say hello" }] } },
	async handle({ body, context }) {
		const request = await applyChatRules(body, context, context.rawBody);
		if (!request.ok) return request;
		const purpose = await toChatPurpose(request.value, context.rawBody, context);
		const entrance = chatEntrance(
			{
				request: request.value,
				purpose,
				toSvcBlock: (settled) => toSvcBlock(settled),
				withClientFields: withClientFieldNames,
			},
			body,
		);
		return respond(entrance, body.stream === true, context);
	},
});

export const chatEndpoints: readonly Endpoint[] = [createChatCompletionEndpoint, previewRouteEndpoint];
