// The factor table, and how factors combine to a score, a tier and a decision. What raises a factor is decided
// elsewhere.
import type { Decision, RiskTier } from "../audit/event.ts";

/** A reason to be careful, with its weight in percent. */
export interface Factor {
	readonly id: FactorId;
	readonly label: string;
	readonly weight: number;
}

/** The ids of all factors, heavy and light. */
export type FactorId =
	| "forbidden_tool"
	| "unreadable_tool"
	| "asked_tool"
	| "forbidden_command"
	| "oversize_command"
	| "protected_path"
	| "over_budget"
	| "delete_action"
	| "risky_command"
	| "deploy_action"
	| "exec_action"
	| "unparsable_command"
	| "sensitive_subject"
	| "network_action"
	| "wide_change";

/**
 * The factors of a policy decision, in the order in which a decision lists them. One of them alone is enough to ask
 * a person or to refuse.
 */
export const FACTORS: readonly Factor[] = [
	{ id: "forbidden_command", label: "Runs a forbidden command", weight: 90 },
	{ id: "oversize_command", label: "A command is too large to be examined", weight: 90 },
	{ id: "protected_path", label: "Touches a protected path", weight: 65 },
	{ id: "over_budget", label: "Costs more than the budget", weight: 40 },
	{ id: "delete_action", label: "Deletes something", weight: 35 },
	{ id: "risky_command", label: "Runs a command that is hard to undo or reaches beyond the workspace", weight: 35 },
	{ id: "deploy_action", label: "Deploys or publishes", weight: 31 },
	{ id: "exec_action", label: "Executes code that the check cannot see", weight: 31 },
	{ id: "unparsable_command", label: "A command cannot be parsed", weight: 31 },
];

/** Factors that only the call of an agent's tool can have. They are listed before the others. */
export const TOOL_FACTORS: readonly Factor[] = [
	{ id: "forbidden_tool", label: "Calls a tool that the manifest denies", weight: 90 },
	{ id: "unreadable_tool", label: "Calls a tool without saying what it would do", weight: 90 },
	{ id: "asked_tool", label: "Calls a tool that a person is asked about", weight: 31 },
];

/** Factors that only a handoff or a risk score can have. With one of them alone, the tier stays `auto`. */
export const LIGHT_FACTORS: readonly Factor[] = [
	{ id: "sensitive_subject", label: "Concerns production, credentials or stored records", weight: 20 },
	{ id: "network_action", label: "Reaches over the network", weight: 20 },
	{ id: "wide_change", label: "Touches many files", weight: 15 },
];

/** Both tables, heavy factors first. A risk lists its factors in this order. */
export const ALL_FACTORS: readonly Factor[] = [...FACTORS, ...LIGHT_FACTORS];

/** The lowest score of each tier, highest first. */
export const RISK_THRESHOLDS: readonly {
	readonly tier: RiskTier;
	readonly from: number;
	readonly decision: Decision;
}[] = [
	{ tier: "block", from: 86, decision: "deny" },
	{ tier: "approve", from: 61, decision: "approve" },
	{ tier: "confirm", from: 31, decision: "confirm" },
	{ tier: "auto", from: 0, decision: "allow" },
];

/** A score, its tier, the tier's decision, and which factors of the table were triggered. */
interface CombinedFactors {
	readonly score: number;
	readonly tier: RiskTier;
	readonly decision: Decision;
	readonly factors: readonly (Factor & { readonly triggered: boolean })[];
}

/** The tier of a score from 0 to 100, and the decision that goes with it. */
export function toRiskTier(score: number): { readonly tier: RiskTier; readonly decision: Decision } {
	const { tier, decision } = RISK_THRESHOLDS.find(({ from }) => score >= from) ?? { tier: "auto", decision: "allow" };
	return { tier, decision };
}

/**
 * Combines factors: 1 − Π(1 − wᵢ/100) over the triggered factors of the table, as an integer percentage. More factors
 * never score less.
 */
export function combineFactors(triggered: ReadonlySet<FactorId>, table: readonly Factor[] = FACTORS): CombinedFactors {
	const fired = table.filter((factor) => triggered.has(factor.id));
	const remaining = fired.reduce((product, factor) => product * (1 - factor.weight / 100), 1);
	const score = Math.round(100 * (1 - remaining));
	return {
		score,
		...toRiskTier(score),
		factors: table.map(({ id, label, weight }) => ({ id, label, weight, triggered: triggered.has(id) })),
	};
}
