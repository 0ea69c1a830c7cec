// Texts that commands run: parsed as scripts, read from their input, or not part of the command at all.
import { shortenForReason } from "../placeholders.ts";
import type { CommandCheck } from "./command-check.ts";
import { addFinding, addUnknownRun } from "./findings.ts";
import type { CommandFrame } from "./frames.ts";
import { predictScriptOutput, processSubstitutions, sourceCommandNames } from "./pipes.ts";
import { DOWNLOADERS } from "./program-tables.ts";
import type { Scope } from "./scope.ts";
import { expandWords } from "./shell/expand.ts";
import { DECODERS } from "./shell/output.ts";
import { parseShell } from "./shell/parse.ts";
import { type ShellScript, WALK_PIECE_WORK } from "./shell/script.ts";
import { findEnvironments } from "./shell-state.ts";

/**
 * Parses a text as a script, and gives the scope to follow it in; null once the work is spent. A guess may be no script at
 * all, so it need not parse.
 */
export function parseText(
	check: CommandCheck,
	text: string,
	scope: Scope,
	isGuess: boolean,
): { readonly script: ShellScript; readonly scope: Scope } | null {
	if (check.work.spent) return null;
	const script = parseShell(text, scope.depth, check.work, scope.piecesAround);
	if (script.malformed && !isGuess) addUnparsable(check, script, text, scope);
	if (script.tooDeep) check.work.exhaust();
	return { script, scope: { ...scope, piecesAround: scope.piecesAround + script.size } };
}

/** Adds a finding for a script with an error, unless its only command is allowed. */
function addUnparsable(check: CommandCheck, { commands }: ShellScript, text: string, scope: Scope): void {
	const only = commands.length === 1 && scope.depth === 0 ? commands[0] : undefined;
	const [environment] = only ? findEnvironments(check, only, scope) : [];
	if (only && environment && check.allowed.cover(expandWords(only.words, environment), only.redirects)) return;
	addFinding(check, "unparsable_command", shortenForReason(text));
}

/** What a command reads, and what the files hold that its process substitutions are. Null: it is not known. */
export function findReadTexts(
	check: CommandCheck,
	{ command, scope, input }: CommandFrame,
): readonly (string | null)[] {
	if (!check.work.charge(WALK_PIECE_WORK * command.size)) return [];
	const texts = processSubstitutions(command).map((script) => predictScriptOutput(check, script, scope));
	return texts.length === 0 || input !== null ? [...texts, input] : texts;
}

/** Adds a finding for code that is not in the command. How bad it is depends on where the code comes from. */
export function addUnseenCode(check: CommandCheck, frame: CommandFrame): void {
	const sources = sourceCommandNames(frame, check.work);
	const hidden = sources.find((name) => DOWNLOADERS.has(name) || DECODERS.has(name));
	if (hidden === undefined) addUnknownRun(check, "runs code that is not in the command");
	else addFinding(check, "forbidden_command", `runs what ${hidden} outputs`);
}
