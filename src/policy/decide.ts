// Policy decisions (docs/reference/policy.md, "Policy") on an action's files, commands and cost. Ids, times and storage are
// left to the endpoint.

import type { Decision, RiskTier } from "../audit/event.ts";
import { quoteShellWord } from "../text/shell-word.ts";
import { runSteps, type Steps } from "../turns/steps.ts";
import {
	analyseInSteps,
	type ForbiddenCommand,
	parseAllowedCommands,
	parseForbiddenCommands,
	parseForbiddenCommandsOnce,
} from "./commands/analyse.ts";
import { meansOrdinaryFiles } from "./commands/locations.ts";
import { findCues } from "./cues.ts";
import { DEFAULT_FORBIDDEN_COMMANDS, DEFAULT_PROTECTED_PATHS } from "./defaults.ts";
import { combineFactors, FACTORS, type Factor, type FactorId, TOOL_FACTORS } from "./factors.ts";
import type { FindHiddenSpans } from "./hidden-secrets.ts";
import { compileProtectedPaths, type ProtectedPaths, parseProtectedPaths } from "./paths.ts";
import { shortenForReason } from "./placeholders.ts";
import { describeProtection, explainDecision, type FactorReason } from "./reasons.ts";
import { type Risk, toRisk, WIDE_CHANGE_FILES } from "./risk.ts";
import { judgeTool, type NamedTool, NO_TOOL_RULES, type ToolJudgement, type ToolRules } from "./tool-rules.ts";
import { WorkBudget } from "./work-budget.ts";

/** The action to decide on (docs/reference/policy.md, "Policy"). Lists that a request may leave out are empty here. */
export interface PolicyInput {
	readonly action: string;
	readonly action_kind?: "edit" | "refactor" | "deploy" | "review" | "setup" | "delete" | undefined;
	readonly files_affected: readonly string[];
	readonly commands: readonly string[];
	readonly estimated_cost_usd?: number | undefined;
	/** Absent where no tool is called. */
	readonly tool?: PolicyTool | undefined;
}

/** The call of an agent's tool, besides what it does to files and with commands. */
export interface PolicyTool extends NamedTool {
	/** Why a person is asked although the rules about tools do not ask. */
	readonly asks: readonly string[];
	/** Its input does not say what it would do, although it is a known tool. */
	readonly isUnreadable: boolean;
}

/** A workspace's rules. The built-in rules hold beneath them, whether or not a manifest repeats them. */
export interface PolicyRules {
	readonly protectedPaths: readonly string[];
	readonly forbiddenCommands: readonly string[];
	/** Commands that need not ask. Absent, there are none. */
	readonly allowedCommands?: readonly string[] | undefined;
	/** Absent, the manifest says nothing of tools. */
	readonly tools?: ToolRules | undefined;
	/** Infinity where there is no budget. */
	readonly budgetUsd: number;
}

/** A decision with every factor in the order of the table, and its reason as a sentence. */
export interface PolicyDecision {
	readonly decision: Decision;
	readonly risk_score: number;
	readonly risk_tier: RiskTier;
	readonly factors: readonly (Factor & { readonly triggered: boolean })[];
	readonly reason: string;
}

const compileBuiltInPaths = parseProtectedPaths(DEFAULT_PROTECTED_PATHS);

/**
 * Compiles a manifest's patterns and the built-in ones. A manifest's `!` exempts from its own patterns only. A glob that
 * means ordinary files is held against the manifest's alone: that `src/*` might mean `src/a.pem` is no finding.
 */
function compileWithBuiltInPaths(patterns: readonly string[], work: WorkBudget): ProtectedPaths {
	const builtIn = compileBuiltInPaths(work);
	const ownPaths = compileProtectedPaths(
		patterns.filter((pattern) => !DEFAULT_PROTECTED_PATHS.includes(pattern)),
		work,
	);
	return {
		find: (path, reach, normalized) =>
			(meansOrdinaryFiles(path) ? null : builtIn.find(path, reach, normalized)) ??
			ownPaths.find(path, reach, normalized),
		mayTouch: (name) => builtIn.mayTouch(name) || ownPaths.mayTouch(name),
	};
}

/** A built-in pattern that a rule holds in every spelling, except for dry runs, which a pattern cannot tell. */
const HELD_BY_RULE = "git push --force";

const BUILT_IN_COMMANDS = DEFAULT_FORBIDDEN_COMMANDS.filter((pattern) => pattern !== HELD_BY_RULE);
const takeBuiltInCommands = parseForbiddenCommandsOnce(BUILT_IN_COMMANDS);

function parseWithBuiltInCommands(patterns: readonly string[], work: WorkBudget): readonly ForbiddenCommand[] {
	const own = new Set(patterns.filter((pattern) => !BUILT_IN_COMMANDS.includes(pattern)));
	return [...takeBuiltInCommands(work), ...parseForbiddenCommands([...own], work)];
}

/** Why each factor fired. The label explains a factor without reasons. */
type FactorReasons = Map<FactorId, readonly FactorReason[]>;

const MAX_FILE_REASONS = 3;

/** Pauses after each file. */
function* protectedFileReasons(
	files: readonly string[],
	reach: "itself" | "below",
	paths: ProtectedPaths,
	work: WorkBudget,
): Steps<readonly FactorReason[]> {
	const reasons: FactorReason[] = [];
	for (const file of files) {
		if (reasons.length === MAX_FILE_REASONS) break;
		const pattern = paths.find(file, reach);
		if (pattern !== null) reasons.push({ because: describeProtection(file, pattern, reach) });
		yield work.pause();
	}
	return reasons;
}

/**
 * The factors of the action's kind, and why each fired. Without a kind, clear words of the description count as the kind
 * they name.
 */
function kindFactors(input: PolicyInput): readonly (readonly [FactorId, string])[] {
	if (input.action_kind === "delete") return [["delete_action", "the action is of kind delete"]];
	if (input.action_kind === "deploy") return [["deploy_action", "the action is of kind deploy"]];
	if (input.action_kind !== undefined) return [];
	return [...findCues(input.action)]
		.filter((cue) => cue !== "sensitive_subject")
		.map((cue) => [cue, "the description of the action says so"]);
}

/** Why a tool's call is asked about or refused. */
function toolReasons(
	tool: PolicyTool,
	{ verdict, pattern }: ToolJudgement,
): readonly (readonly [FactorId, string[]])[] {
	const name = shortenForReason(tool.names[0]);
	const rule =
		pattern === null
			? `no pattern in tools names ${name}, and unknown tools are ${verdict === "ask" ? "asked about" : "denied"}`
			: `${name} is named by ${shortenForReason(pattern)} in tools.${verdict}`;
	const reasons: [FactorId, string[]][] = [
		["forbidden_tool", verdict === "deny" ? [rule] : []],
		["unreadable_tool", tool.isUnreadable ? [name] : []],
		["asked_tool", [...(verdict === "ask" ? [rule] : []), ...tool.asks]],
	];
	return reasons.filter(([, texts]) => texts.length > 0);
}

/**
 * Decides on an action. Equal inputs and rules give equal decisions. Never throws. Pauses where a large action has taken time.
 * @param work The work that may be done. Commands and files beyond it count as the worst they could be.
 * @param findSecrets Finds what the reason must not repeat, besides the usual shapes of passwords and tokens.
 */
export function* decideInSteps(
	input: PolicyInput,
	rules: PolicyRules,
	work = new WorkBudget(),
	findSecrets: FindHiddenSpans = () => [],
): Steps<PolicyDecision> {
	const protectedPaths = compileWithBuiltInPaths(rules.protectedPaths, work);
	const forbidden = parseWithBuiltInCommands(rules.forbiddenCommands, work);
	const allowed = parseAllowedCommands(rules.allowedCommands ?? [], work);
	yield work.pause();
	const findings = yield* analyseInSteps(input.commands, { protectedPaths, forbidden, allowed }, work);
	const reasons: FactorReasons = new Map(findings.reasons);
	const reach = input.action_kind === "delete" ? "below" : "itself";
	// A protected path is not ruled out then, and there is no work left to find one.
	const files = work.spent ? [] : yield* protectedFileReasons(input.files_affected, reach, protectedPaths, work);
	if (files.length > 0) reasons.set("protected_path", [...files, ...(reasons.get("protected_path") ?? [])]);
	const judgement = input.tool && judgeTool(input.tool, rules.tools ?? NO_TOOL_RULES);
	// Who lists a tool knows what its name says.
	const kinds = judgement?.verdict === "allow" && judgement.pattern !== null ? [] : kindFactors(input);
	for (const [factor, because] of kinds) reasons.set(factor, reasons.get(factor) ?? [{ because }]);
	for (const [factor, texts] of input.tool && judgement ? toolReasons(input.tool, judgement) : [])
		reasons.set(
			factor,
			texts.map((because) => ({ because })),
		);
	const cost = input.estimated_cost_usd;
	if (cost !== undefined && cost > rules.budgetUsd)
		reasons.set("over_budget", [{ because: `${cost} USD, with a budget of ${rules.budgetUsd} USD` }]);
	const { score, tier, decision, factors } = combineFactors(
		new Set([...reasons.keys(), ...findings.notRuledOut]),
		input.tool ? [...TOOL_FACTORS, ...FACTORS] : FACTORS,
	);
	return {
		decision,
		risk_score: score,
		risk_tier: tier,
		factors,
		reason: explainDecision(
			{ decision, score, tier, factors, reasons, unseenFiles: findings.unseenFiles },
			{ isOneCommand: input.commands.length === 1, findSecrets },
		),
	};
}

/** Decides on an action without a pause. */
export function decide(...decided: Parameters<typeof decideInSteps>): PolicyDecision {
	return runSteps(decideInSteps(...decided));
}

/** The kinds of action that `POST /v1/risk/score` scores (docs/reference/policy.md, "Risk score"). */
type RiskKind = "edit" | "deploy" | "delete" | "exec" | "network" | "read";

/** The factors that a kind raises by itself. A `read` and an `edit` are judged by their targets only. */
const KIND_FACTORS: Readonly<Record<RiskKind, readonly FactorId[]>> = {
	edit: [],
	deploy: ["deploy_action"],
	delete: ["delete_action"],
	exec: ["exec_action"],
	network: ["network_action"],
	read: [],
};

/**
 * Scores an action by its kind and targets: paths, command lines for `exec`, addresses or command lines for `network`.
 * Reading a credential is analysed as the command that would show it. Pauses as {@link decideInSteps} does.
 */
export function* scoreRiskInSteps(
	input: { readonly kind: RiskKind; readonly targets: readonly string[] },
	rules: Pick<PolicyRules, "protectedPaths" | "forbiddenCommands"> = { protectedPaths: [], forbiddenCommands: [] },
	work = new WorkBudget(),
): Steps<Risk> {
	const { kind, targets } = input;
	const triggered = new Set<FactorId>(KIND_FACTORS[kind]);
	const protectedPaths = compileWithBuiltInPaths(rules.protectedPaths, work);
	const commands = kind === "exec" || kind === "network" ? targets : [];
	const asCommands = toEquivalentCommands(kind, targets);
	const forbidden = parseWithBuiltInCommands(rules.forbiddenCommands, work);
	const findings = yield* analyseInSteps(
		[...commands, ...asCommands],
		{ protectedPaths, forbidden, allowed: [] },
		work,
	);
	for (const factor of [...findings.reasons.keys(), ...findings.notRuledOut]) triggered.add(factor);
	if (kind === "edit" || kind === "delete" || kind === "deploy") {
		const reach = kind === "delete" ? "below" : "itself";
		if ((yield* protectedFileReasons(targets, reach, protectedPaths, work)).length > 0) triggered.add("protected_path");
	}
	if (targets.length > WIDE_CHANGE_FILES) triggered.add("wide_change");
	return toRisk(triggered);
}

/** Scores an action without a pause. */
export function scoreRisk(...scored: Parameters<typeof scoreRiskInSteps>): Risk {
	return runSteps(scoreRiskInSteps(...scored));
}

/** Writes an action on paths as commands that do the same, so only the command analysis needs to judge paths. */
function toEquivalentCommands(kind: RiskKind, targets: readonly string[]): readonly string[] {
	const verb = kind === "read" ? "cat --" : kind === "delete" ? "rm -r --" : kind === "edit" ? "tee --" : null;
	return verb === null ? [] : targets.map((path) => `${verb} ${quoteShellWord(path)}`);
}
