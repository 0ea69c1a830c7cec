// An unstreamed chat completion.
import type { KeyContext } from "../account/context.ts";
import { fail } from "../failure.ts";
import type { Answer } from "../http/endpoint.ts";
import { callerOf } from "../inference/caller.edge.ts";
import { infer } from "../inference/infer.edge.ts";
import { type ChatCompletion, completionOf } from "./completion.ts";
import { inChatFields } from "./field-names.ts";
import { governedRequest } from "./governed.edge.ts";
import { chatPurpose } from "./inference-request.ts";
import type { ChatRequest } from "./request.ts";

/** Answers a chat request whole. */
export async function completeChat(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const request = await governedRequest(body, context, context.rawBody);
	if (!request.ok) return request;
	const answered = await infer(request.value, chatPurpose(request.value, context.rawBody), callerOf(context));
	if (!answered.ok) return fail(inChatFields(answered.failure));
	const headers: Record<string, string> = answered.value.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: completionOf(answered.value), headers };
}
