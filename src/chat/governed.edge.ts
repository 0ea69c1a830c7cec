// A chat body under the rules in force for it: routing config and compliance policy, its own and the server's.

import { ok, type Result } from "../failure.ts";
import { gateFor } from "../inference/call-gate.edge.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import type { DefaultConfigContext } from "../routing-config/default-config.store.ts";
import { rulesInForce } from "../routing-config/in-force.edge.ts";
import { toInferenceRequest } from "./inference-request.ts";
import type { ChatRequest } from "./request.ts";

/**
 * Call and options of a chat body.
 * @param rawBody the body before validation.
 */
export async function governedRequest(
	body: ChatRequest,
	context: DefaultConfigContext,
	rawBody?: unknown,
): Promise<Result<InferenceRequest>> {
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const { settings } = context;
	const { call, options } = toInferenceRequest(body, settings.catalog, rules.value.config, rawBody);
	return ok({ call, options: { ...options, gate: await gateFor(call, rules.value.policy, settings) } });
}
