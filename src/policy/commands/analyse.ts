// The command engine's public face: what command lines would do, held against a workspace's rules. What lies behind it
// (the shell's grammar, the programs' descriptions, the judging of effects) is imported by nothing outside this folder.
import type { WorkBudget } from "../work-budget.ts";
import { type CommandRules, FindingCollector, type Findings } from "./findings.ts";
import { type ForbiddenCommand, parseForbiddenCommand } from "./patterns.ts";
import { CommandWalk } from "./walk.ts";

export type { CommandRules, Findings, ForbiddenCommand };

/** Parses `forbidden_commands` of a manifest; entries that hold no command are left out. */
export function parseForbiddenCommands(written: readonly string[], work: WorkBudget): readonly ForbiddenCommand[] {
	return written.flatMap((entry) => parseForbiddenCommand(entry, work) ?? []);
}

/**
 * Finds what the commands would do that the rules speak of. Deterministic; never throws.
 * @param work what may be done, shared with whatever else the check looks at. Once it is spent nothing is ruled out.
 */
export function analyse(commands: readonly string[], rules: CommandRules, work: WorkBudget): Findings {
	const findings = new FindingCollector(rules, work);
	const walk = new CommandWalk(findings, work);
	for (const command of commands) walk.followLine(command);
	return findings.toFindings();
}
