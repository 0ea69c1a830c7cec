// Applies the rules in force to a request: routing config and compliance policy, the request's own and the server's.
import { fail, ok, type Result } from "../failure.ts";
import { type LongRequest, runInTurnsOnceLong } from "../http/long-work.edge.ts";
import { findSchemaExcessInSteps } from "../providers/schema-limits.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import { type RulesContext, rulesInForce } from "../routing-config/in-force.edge.ts";
import { gateFor } from "./call-gate.edge.ts";
import { maskCall } from "./masked-call.ts";
import { withConfiguredLimit } from "./output-ceiling.ts";
import type { InferenceRequest } from "./plan.ts";

/**
 * The call and options of a body, with the gate of its compliance policy. What the policy masks is masked in the call.
 * @param rules the body's members that limit it.
 * @param toRequest the body's call under the routing config in force, without a gate.
 */
export async function applyRules(
	rules: Parameters<typeof rulesInForce>[0],
	toRequest: (config: CompiledConfig | null) => Result<InferenceRequest>,
	context: RulesContext & LongRequest & { account: { userId: string }; signal: AbortSignal },
): Promise<Result<InferenceRequest>> {
	const inForce = await rulesInForce(rules, context);
	if (!inForce.ok) return inForce;
	const { config, levels } = inForce.value;
	const request = toRequest(config);
	if (!request.ok) return request;
	const { call, options } = withConfiguredLimit(request.value);
	const excess = await runInTurnsOnceLong(context, findSchemaExcessInSteps(call));
	if (excess) return fail({ reason: "invalid_request", issues: [excess] });
	const { settings, account, signal } = context;
	const gate = await gateFor(call, levels, settings, { user: account.userId, signal });
	return ok({ call: maskCall(call, gate?.mask ?? null), options: { ...options, gate } });
}
