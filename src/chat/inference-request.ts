// From a chat body to what the engine is asked for: the call and its wishes, and the receipt's words for them. Pure.
import { configDigest, parseBrainConfig } from "../brain/config.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { ok, type Result } from "../failure.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { hashObject } from "../proof/hash.ts";
import { droppedMembers } from "./dropped-members.ts";
import { type ChatRequest, toModelCall } from "./request.ts";

/**
 * Call and wishes of a chat body; a faulty routing config is a failure.
 * @param rawBody the body before validation, which leaves out what it does not know inside of members that it does.
 */
export function toInferenceRequest(
	body: ChatRequest,
	catalog: Catalog,
	rawBody: unknown = body,
): Result<InferenceRequest> {
	const config = body.brain_config ? parseBrainConfig(body.brain_config, catalog) : ok(null);
	if (!config.ok) return config;
	return ok({
		call: toModelCall(body, catalog, droppedMembers(rawBody, body)),
		wishes: {
			model: body.model ?? "auto",
			mode: body.routing_mode ?? null,
			config: config.value,
		},
	});
}

/** What a chat's receipt says of its input: the messages as the client sent them, before validation changed anything. */
export function chatPurpose({ wishes }: InferenceRequest, rawBody: unknown) {
	const { messages } = rawBody as { messages?: unknown };
	return {
		inputHash: hashObject({ type: "svc.input.v1", messages }),
		configDigest: wishes.config ? configDigest(wishes.config) : null,
		skillId: null,
	};
}
