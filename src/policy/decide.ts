// A policy decision (docs/reference.md, "Policy") from an action's files, commands and cost; ids, times and storage are the endpoint's.

import type { Decision, RiskTier } from "../audit/event.ts";
import { analyse, type ForbiddenCommand, parseForbiddenCommands } from "./commands/analyse.ts";
import { findCues } from "./cues.ts";
import { DEFAULT_FORBIDDEN_COMMANDS, DEFAULT_PROTECTED_PATHS } from "./defaults.ts";
import { combineFactors, type Factor, type FactorId, RISK_THRESHOLDS } from "./factors.ts";
import { compileProtectedPaths, type ProtectedPaths } from "./paths.ts";
import { shortenForReason } from "./placeholders.ts";
import { type Risk, toRisk, WIDE_CHANGE_FILES } from "./risk.ts";
import { WorkBudget } from "./work-budget.ts";

/** What is checked (docs/reference.md, "Policy"), with the lists that may be absent made empty. */
export interface PolicyInput {
	readonly action: string;
	readonly action_kind?: "edit" | "refactor" | "deploy" | "review" | "setup" | "delete" | undefined;
	readonly files_affected: readonly string[];
	readonly commands: readonly string[];
	readonly estimated_cost_usd?: number | undefined;
}

/** A workspace's rules. The built-in ones hold beneath them, whether or not they are listed again. */
export interface PolicyRules {
	readonly protectedPaths: readonly string[];
	readonly forbiddenCommands: readonly string[];
	/** Infinity where there is no budget. */
	readonly budgetUsd: number;
}

/** A decision with every factor in the order of the table, and a sentence for people. */
export interface PolicyDecision {
	readonly decision: Decision;
	readonly risk_score: number;
	readonly risk_tier: RiskTier;
	readonly factors: readonly (Factor & { readonly triggered: boolean })[];
	readonly reason: string;
}

/** Patterns of both lists; a manifest's `!` takes back its own protection, never a built-in one. */
function compileWithBuiltInPaths(patterns: readonly string[], work: WorkBudget): ProtectedPaths {
	const builtIn = compileProtectedPaths(DEFAULT_PROTECTED_PATHS, work);
	const own = compileProtectedPaths(
		patterns.filter((pattern) => !DEFAULT_PROTECTED_PATHS.includes(pattern)),
		work,
	);
	return { find: (path, reach) => builtIn.find(path, reach) ?? own.find(path, reach) };
}

function parseWithBuiltInCommands(patterns: readonly string[], work: WorkBudget): readonly ForbiddenCommand[] {
	return parseForbiddenCommands([...new Set([...DEFAULT_FORBIDDEN_COMMANDS, ...patterns])], work);
}

/** Why each factor fired; a factor without reasons is explained by its label. */
type FactorReasons = Map<FactorId, readonly string[]>;

const MAX_FILE_REASONS = 3;

function protectedFileReasons(
	files: readonly string[],
	reach: "itself" | "below",
	paths: ProtectedPaths,
): readonly string[] {
	const reasons: string[] = [];
	for (const file of files) {
		if (reasons.length === MAX_FILE_REASONS) break;
		const pattern = paths.find(file, reach);
		if (pattern !== null) reasons.push(`${shortenForReason(file)} is protected by ${shortenForReason(pattern)}`);
	}
	return reasons;
}

/** What the kind says; without one, the clearest words of the action count as the kind they name. */
function kindFactors(input: PolicyInput): readonly FactorId[] {
	if (input.action_kind === "delete") return ["delete_action"];
	if (input.action_kind === "deploy") return ["deploy_action"];
	if (input.action_kind !== undefined) return [];
	return [...findCues(input.action)].filter((cue) => cue !== "sensitive_subject");
}

const DECISION_PHRASES: Readonly<Record<Decision, string>> = {
	allow: "Allowed",
	confirm: "Needs confirmation",
	approve: "Needs approval",
	deny: "Denied",
};

/** The score against its tier's threshold, and what triggered it; what is merely not ruled out is not claimed. */
function explainDecision(
	decision: Decision,
	tier: RiskTier,
	score: number,
	factors: PolicyDecision["factors"],
	reasons: FactorReasons,
): string {
	const triggered = factors.filter((factor) => factor.triggered);
	if (triggered.length === 0) return "Allowed: no risk factor was triggered.";
	const from = RISK_THRESHOLDS.find((row) => row.tier === tier)?.from ?? 0;
	const against =
		decision === "allow" ? `risk score ${score}` : `risk score ${score} reaches the ${tier} threshold of ${from}`;
	const because = triggered.flatMap(({ id, label }) => {
		const found = reasons.get(id);
		if (!found) return [];
		return found.length > 0 ? `${label} (${found.join("; ")})` : label;
	});
	return `${DECISION_PHRASES[decision]}: ${against}. ${because.join(". ")}.`;
}

/**
 * Decides on an action: same input and rules, same decision. Never throws.
 * @param work what may be done; commands and files that it does not suffice for count as all that they could be.
 */
export function decide(input: PolicyInput, rules: PolicyRules, work = new WorkBudget()): PolicyDecision {
	const protectedPaths = compileWithBuiltInPaths(rules.protectedPaths, work);
	const forbidden = parseWithBuiltInCommands(rules.forbiddenCommands, work);
	const findings = analyse(input.commands, { protectedPaths, forbidden }, work);
	const reasons: FactorReasons = new Map(findings.reasons);
	const reach = input.action_kind === "delete" ? "below" : "itself";
	// What is not ruled out needs no reasons, and nothing is left to find them.
	const files = work.spent ? [] : protectedFileReasons(input.files_affected, reach, protectedPaths);
	if (files.length > 0)
		reasons.set("protected_path", [...new Set([...files, ...(reasons.get("protected_path") ?? [])])]);
	for (const factor of kindFactors(input)) reasons.set(factor, reasons.get(factor) ?? []);
	const cost = input.estimated_cost_usd;
	if (cost !== undefined && cost > rules.budgetUsd)
		reasons.set("over_budget", [`${cost} USD of ${rules.budgetUsd} USD`]);
	const { score, tier, decision, factors } = combineFactors(new Set([...reasons.keys(), ...findings.notRuledOut]));
	return {
		decision,
		risk_score: score,
		risk_tier: tier,
		factors,
		reason: explainDecision(decision, tier, score, factors, reasons),
	};
}

/** What `POST /v1/risk/score` is asked about (docs/reference.md, "Risk score"). */
export type RiskKind = "edit" | "deploy" | "delete" | "exec" | "network" | "read";

/** What a kind raises by itself. A `read` and an `edit` are judged by their targets only. */
const KIND_FACTORS: Readonly<Record<RiskKind, readonly FactorId[]>> = {
	edit: [],
	deploy: ["deploy_action"],
	delete: ["delete_action"],
	exec: ["exec_action"],
	network: ["network_action"],
	read: [],
};

/**
 * The risk of doing something of a kind to targets: paths, for `exec` command lines, for `network` addresses or command
 * lines. A read of a credential is analysed as the command that would show it.
 */
export function scoreRisk(
	input: { readonly kind: RiskKind; readonly targets: readonly string[] },
	rules: Pick<PolicyRules, "protectedPaths" | "forbiddenCommands"> = { protectedPaths: [], forbiddenCommands: [] },
	work = new WorkBudget(),
): Risk {
	const { kind, targets } = input;
	const triggered = new Set<FactorId>(KIND_FACTORS[kind]);
	const protectedPaths = compileWithBuiltInPaths(rules.protectedPaths, work);
	const commands = kind === "exec" || kind === "network" ? targets : [];
	const asCommands = toEquivalentCommands(kind, targets);
	const forbidden = parseWithBuiltInCommands(rules.forbiddenCommands, work);
	const findings = analyse([...commands, ...asCommands], { protectedPaths, forbidden }, work);
	for (const factor of [...findings.reasons.keys(), ...findings.notRuledOut]) triggered.add(factor);
	if (kind === "edit" || kind === "delete" || kind === "deploy") {
		if (protectedFileReasons(targets, kind === "delete" ? "below" : "itself", protectedPaths).length > 0)
			triggered.add("protected_path");
	}
	if (targets.length > WIDE_CHANGE_FILES) triggered.add("wide_change");
	return toRisk(triggered);
}

/** Paths as the command that does to them what the kind says, so that one place knows what a path means. */
function toEquivalentCommands(kind: RiskKind, targets: readonly string[]): readonly string[] {
	const verb = kind === "read" ? "cat --" : kind === "delete" ? "rm -r --" : kind === "edit" ? "tee --" : null;
	return verb === null ? [] : targets.map((path) => `${verb} '${path.replaceAll("'", `'\\''`)}'`);
}
