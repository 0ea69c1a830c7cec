// Turns a chat body into a request to the engine. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import { findDroppedMembers } from "../http/dropped-members.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { type ChatRequest, DEFAULT_CHAT_MAX_TOKENS, toModelCall } from "./request.ts";

/**
 * The call and options of a chat body under the routing config in force. The compliance gate is added by apply-rules.edge.ts.
 * @param rawBody the body before validation, which drops unknown fields inside known ones.
 */
export function toInferenceRequest(
	body: ChatRequest,
	catalog: Catalog,
	config: CompiledConfig | null,
	rawBody: unknown = body,
): InferenceRequest {
	const isLimitNamed = (body.max_completion_tokens ?? body.max_tokens) != null;
	const options = { model: body.model ?? "auto", mode: body.routing_mode ?? null, config, gate: null };
	return {
		call: toModelCall(body, catalog, findDroppedMembers(rawBody, body)),
		options: isLimitNamed ? options : { ...options, defaultMaxTokens: DEFAULT_CHAT_MAX_TOKENS },
	};
}
