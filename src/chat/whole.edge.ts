// An unstreamed chat completion.
import type { KeyContext } from "../account/context.ts";
import { configInForce } from "../brain/in-force.edge.ts";
import { fail } from "../failure.ts";
import type { Answer } from "../http/endpoint.ts";
import { callerOf } from "../inference/caller.edge.ts";
import { infer } from "../inference/infer.edge.ts";
import { type ChatCompletion, completionOf } from "./completion.ts";
import { inChatFields } from "./field-names.ts";
import { chatPurpose, toInferenceRequest } from "./inference-request.ts";
import type { ChatRequest } from "./request.ts";

/** Answers a chat request whole. */
export async function completeChat(body: ChatRequest, context: KeyContext): Promise<Answer<ChatCompletion>> {
	const config = await configInForce(body.brain_config, context);
	if (!config.ok) return config;
	const request = toInferenceRequest(body, context.settings.catalog, config.value);
	const answered = await infer(request, chatPurpose(request, context.rawBody), callerOf(context));
	if (!answered.ok) return fail(inChatFields(answered.failure));
	const headers: Record<string, string> = answered.value.sandbox ? { "x-svc-sandbox": "1" } : {};
	return { ok: true, value: completionOf(answered.value), headers };
}
