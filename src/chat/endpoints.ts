// Chat completions.
import { endpoint } from "../http/endpoint.ts";
import { chatCompletionSchema } from "./answer.ts";
import { completeChat } from "./complete.ts";
import { chatRequestSchema } from "./request.ts";

export const createChatCompletionEndpoint = endpoint({
	id: "create_chat_completion",
	method: "POST",
	path: "/v1/chat/completions",
	access: "key",
	admission: "handler",
	bodyLimit: "chat",
	summary: "A chat completion by the model that routing picks, or by the one named, with cost and signed receipt.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: chatRequestSchema,
	result: chatCompletionSchema,
	handle: ({ body, context }) => completeChat(body, context),
});
