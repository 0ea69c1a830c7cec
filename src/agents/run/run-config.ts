// What a routing config says of a run: of every call, and of the run as a whole. Pure.
import { panelConfig, toQuestionCall } from "../../orchestration/request.ts";
import { nanoUsd, usd } from "../../proof/money.ts";
import type { CompiledConfig } from "../../routing/routing-config.ts";
import { matchRule } from "../../routing/rules.ts";
import { detectSignals } from "../../routing/signals.ts";
import type { RunLimits } from "./limits.ts";
import type { RunSpec } from "./run.ts";

/** The config's rule for a goal. */
function matchGoalRule(config: CompiledConfig, goal: string): ReturnType<typeof matchRule> {
	const call = toQuestionCall({
		messages: [{ role: "user", content: [{ type: "text", text: goal }] }],
		maxTokens: 1,
		temperature: undefined,
		json: false,
	});
	return matchRule(config, call, detectSignals(call));
}

/** What a routing config says of every call of a run, and its limit on the run as a whole, nano-USD; null without one. */
export function splitConfig(
	config: CompiledConfig,
	goal: string,
): { callConfig: RunSpec["config"]; maxCostNanoUsd: number | null } {
	const { max_cost, ...rest } = panelConfig(config.config, matchGoalRule(config, goal)?.use.max_cost);
	return { callConfig: { ...rest, max_cost: null }, maxCostNanoUsd: max_cost === null ? null : nanoUsd(max_cost) };
}

/** Lowers a run's limits to the routing config's `max_cost`, and takes from the config what applies to every call. */
export function applyConfig(
	limits: RunLimits,
	config: CompiledConfig | null,
	goal: string,
): { limits: RunLimits; callConfig: RunSpec["config"] } {
	if (!config) return { limits, callConfig: null };
	const { callConfig, maxCostNanoUsd } = splitConfig(config, goal);
	if (maxCostNanoUsd === null) return { limits, callConfig };
	const capNanoUsd = Math.min(limits.capNanoUsd, maxCostNanoUsd);
	const stepCapNanoUsd = Math.min(limits.stepCapNanoUsd, capNanoUsd);
	const budget = { ...limits.budget, max_cost_usd: usd(capNanoUsd) };
	return { limits: { ...limits, capNanoUsd, stepCapNanoUsd, budget }, callConfig };
}
