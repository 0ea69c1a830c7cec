// The server's rules of today, for a run that goes on after it was interrupted or has waited.
import { ok, type Result } from "../../failure.ts";
import { type RulesContext, rulesInForce } from "../../routing-config/in-force.edge.ts";
import type { ResumeRules } from "./run.ts";
import { splitConfig } from "./run-config.ts";

/** @param context of the key that lets it go on; without rules of a key, those of the server alone. */
export async function resumeRules(context: RulesContext, goal: string): Promise<Result<ResumeRules>> {
	const rules = await rulesInForce({}, context);
	if (!rules.ok) return rules;
	const { config, levels: compliance } = rules.value;
	if (!config) return ok({ compliance, config: null, maxCostNanoUsd: null });
	const { callConfig, maxCostNanoUsd } = splitConfig(config, goal);
	return ok({ compliance, config: callConfig, maxCostNanoUsd });
}
