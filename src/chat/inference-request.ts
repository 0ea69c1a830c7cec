// From a chat body to what the engine is asked for: the call and its options, and the receipt's words for them. Pure.

import type { Catalog } from "../catalog/catalog.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { hashObject } from "../proof/hash.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { configDigest } from "../routing-config/config.ts";
import { droppedMembers } from "./dropped-members.ts";
import { type ChatRequest, toModelCall } from "./request.ts";

/**
 * Call and options of a chat body, under the routing config in force; the gate is governed.edge.ts's to add.
 * @param rawBody the body before validation, which leaves out what it does not know inside of members that it does.
 */
export function toInferenceRequest(
	body: ChatRequest,
	catalog: Catalog,
	config: CompiledConfig | null,
	rawBody: unknown = body,
): InferenceRequest {
	return {
		call: toModelCall(body, catalog, droppedMembers(rawBody, body)),
		options: { model: body.model ?? "auto", mode: body.routing_mode ?? null, config, gate: null },
	};
}

/** What a chat's receipt says of its input: the messages as the client sent them, before validation changed anything. */
export function chatPurpose({ options }: InferenceRequest, rawBody: unknown) {
	const { messages } = rawBody as { messages?: unknown };
	return {
		inputHash: hashObject({ type: "svc.input.v1", messages }),
		configDigest: options.config ? configDigest(options.config.config) : null,
		skillId: null,
	};
}
