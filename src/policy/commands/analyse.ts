// The public face of the command analysis: what command lines would do, held against a workspace's rules. Nothing
// outside this folder imports what lies behind it.
import { runSteps, type Steps } from "../../turns/steps.ts";
import { WorkBudget } from "../work-budget.ts";
import { type AllowedCommand, parseAllowedCommands } from "./allowed.ts";
import { beginCheck, type CommandRules } from "./command-check.ts";
import { type Findings, toFindings } from "./findings.ts";
import { type ForbiddenCommand, parseForbiddenCommand } from "./patterns.ts";
import { followLine } from "./walk.ts";

export type { AllowedCommand, CommandRules, Findings, ForbiddenCommand };
export { parseAllowedCommands };

/** Parses `forbidden_commands` of a manifest. Entries without a command are left out. */
export function parseForbiddenCommands(written: readonly string[], work: WorkBudget): readonly ForbiddenCommand[] {
	return written.flatMap((entry) => parseForbiddenCommand(entry, work) ?? []);
}

/** Parses entries once for many checks. Each of them pays as if it parsed them. @returns what gives them to a check */
export function parseForbiddenCommandsOnce(
	written: readonly string[],
): (work: WorkBudget) => readonly ForbiddenCommand[] {
	const parsing = new WorkBudget();
	const before = parsing.left;
	const commands = parseForbiddenCommands(written, parsing);
	const units = before - parsing.left;
	return (work) => (work.charge(units) ? commands : []);
}

/**
 * Finds what commands would do that the rules speak of. Deterministic. Never throws. Pauses after each command of each line.
 * @param work Shared by everything that one check looks at. Once it is spent, nothing is ruled out.
 */
export function* analyseInSteps(commands: readonly string[], rules: CommandRules, work: WorkBudget): Steps<Findings> {
	const check = beginCheck(rules, work);
	for (const command of commands) yield* followLine(check, command);
	return toFindings(check);
}

/** Finds what commands would do without a pause. */
export function analyse(...analysed: Parameters<typeof analyseInSteps>): Findings {
	return runSteps(analyseInSteps(...analysed));
}
