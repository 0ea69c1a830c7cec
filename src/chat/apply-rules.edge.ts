// Applies the rules in force to a chat body.
import { fail, ok, type Result } from "../failure.ts";
import { applyRules } from "../inference/apply-rules.edge.ts";
import { withClientFieldNames } from "../inference/client-fields.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import { toInferenceRequest } from "./inference-request.ts";
import type { ChatRequest } from "./request.ts";

/**
 * The call and options of a chat body under the rules in force.
 * @param rawBody the body before validation.
 */
export async function applyChatRules(
	body: ChatRequest,
	context: Parameters<typeof applyRules>[2],
	rawBody?: unknown,
): Promise<Result<InferenceRequest>> {
	const { catalog } = context.settings;
	const ruled = await applyRules(body, (config) => ok(toInferenceRequest(body, catalog, config, rawBody)), context);
	return ruled.ok ? ruled : fail(withClientFieldNames(ruled.failure));
}
