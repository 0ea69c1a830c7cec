// Applies the rules in force to a chat body: routing config and compliance policy, the request's own and the server's.
import { ok, type Result } from "../failure.ts";
import { gateFor } from "../inference/call-gate.edge.ts";
import { maskCall } from "../inference/masked-call.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { type RulesContext, rulesInForce } from "../routing-config/in-force.edge.ts";
import { toInferenceRequest } from "./inference-request.ts";
import type { ChatRequest } from "./request.ts";

/**
 * The call and options of a chat body, with the gate of its compliance policy. What the policy masks is masked in the call.
 * @param rawBody the body before validation.
 */
export async function applyRules(
	body: ChatRequest,
	context: RulesContext & { account: { userId: string }; signal: AbortSignal },
	rawBody?: unknown,
): Promise<Result<InferenceRequest>> {
	const rules = await rulesInForce(body, context);
	if (!rules.ok) return rules;
	const { settings, account, signal } = context;
	const owner = { user: account.userId, signal };
	const { call, options } = toInferenceRequest(body, settings.catalog, rules.value.config, rawBody);
	const gate = await gateFor(call, rules.value.levels, settings, owner);
	return ok({ call: maskCall(call, gate?.mask ?? null), options: { ...options, gate } });
}
