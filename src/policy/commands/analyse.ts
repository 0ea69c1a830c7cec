// The command engine's public face: what command lines would do, held against a workspace's rules. What lies behind it
// (the shell's grammar, the programs' descriptions, the judging of effects) is imported by nothing outside this folder.
import { Analysis, type CommandRules, type Findings } from "./analysis.ts";
import { type ForbiddenCommand, parseForbiddenCommand } from "./patterns.ts";

export type { CommandRules, Findings, ForbiddenCommand };

/** Parses `forbidden_commands` of a manifest; entries that hold no command are left out. */
export function parseForbiddenCommands(written: readonly string[]): readonly ForbiddenCommand[] {
	return written.flatMap((entry) => parseForbiddenCommand(entry) ?? []);
}

/** Finds what the commands would do that the rules speak of. Deterministic; bounded in time and memory; never throws. */
export function analyse(commands: readonly string[], rules: CommandRules): Findings {
	const analysis = new Analysis(rules);
	for (const command of commands) analysis.line(command);
	return analysis.finish();
}
