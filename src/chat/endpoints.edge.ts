// Chat completions.
import { endpoint } from "../account/endpoint.ts";
import { chatCompletionSchema } from "./completion.ts";
import { chatRequestSchema } from "./request.ts";
import { streamChat } from "./stream.edge.ts";
import { completeChat } from "./whole.edge.ts";

export const createChatCompletionEndpoint = endpoint({
	id: "create_chat_completion",
	method: "POST",
	path: "/v1/chat/completions",
	access: "key",
	admission: "handler",
	bodyLimit: "chat",
	summary:
		"A chat completion, whole or streamed, by the model that routing picks or the one named, with cost and receipt.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: chatRequestSchema,
	result: chatCompletionSchema,
	eventStream: "With `stream: true`: `chat.completion.chunk` objects, one an event, then `[DONE]`.",
	handle: ({ body, context }) => (body.stream ? streamChat(body, context) : completeChat(body, context)),
});
