// Secrets that a command sends: the environment, and variables named like secrets. Files that are secrets by their names are
// judged wherever they are read.
import type { WorkBudget } from "../work-budget.ts";
import type { CommandCheck } from "./command-check.ts";
import { parseArguments } from "./grammar.ts";
import { type CommandWords, commandName } from "./patterns.ts";
import { findInterpretedLanguage, REQUEST_SENDERS, SENDERS } from "./program-tables.ts";
import { findVariableNames } from "./scope.ts";
import { isSecretVariable } from "./secret-names.ts";
import secretsFile from "./sent-secrets.json" with { type: "json" };
import { findSubstitutions } from "./shell/expand.ts";
import { isOneText } from "./shell/plain-words.ts";
import { type PlacedCommand, type SimpleCommand, type Word, wordsAndTargets } from "./shell/script.ts";

const ENVIRONMENT_PRINTERS: ReadonlySet<string> = new Set(secretsFile.environment_printers);
const LONE_PRINTERS: ReadonlySet<string> = new Set(secretsFile.environment_printers_without_words);

/** Commands that print their words, or what they make of their input. */
const TEXT_PRINTERS: ReadonlySet<string> = new Set(secretsFile.text_printers);
const ENVIRONMENT = "the environment";

/** The commands whose output a command gets by its pipe or in these words. */
function* findFeeders(
	{ script, command }: PlacedCommand,
	words: readonly Word[],
	work: WorkBudget,
): Iterable<SimpleCommand> {
	// Most commands get nothing, and a list may hold a hundred thousand values.
	if (!command.reads && words.every(isOneText)) return;
	const seen = new Set<SimpleCommand>();
	const open: PlacedCommand[] = [{ script, command }];
	for (let next = open.pop(); next; next = open.pop()) {
		const { reads } = next.command;
		const read = reads ? next.script.commands.slice(reads.from, reads.to) : [];
		const nested = (next.command === command ? words : wordsAndTargets(next.command)).flatMap(findSubstitutions);
		const found = [
			...read.map((feeder) => ({ script: next.script, command: feeder })),
			...nested.flatMap(({ script: inner }) => inner.commands.map((feeder) => ({ script: inner, command: feeder }))),
		];
		if (!work.charge(50 + 20 * found.length + 15 * next.command.size)) return;
		for (const feeder of found) {
			if (seen.has(feeder.command)) continue;
			seen.add(feeder.command);
			open.push(feeder);
			yield feeder.command;
		}
	}
}

function leadingText(word: Word | undefined): string {
	const part = word?.[0];
	return part?.kind === "text" ? part.text : "";
}

function literalName({ plain, words }: SimpleCommand): string {
	return commandName(plain === null ? leadingText(words[0]) : (/^[^ \t]*/.exec(plain)?.[0] ?? ""));
}

/** The secret that the variables among the words hold: by their names, or because they were given one. Null without one. */
function findSecretVariable({ secrets }: CommandCheck, words: readonly Word[]): string | null {
	for (const word of words)
		for (const name of findVariableNames(word)) {
			const secret = secrets.get(name) ?? (isSecretVariable(name) ? `$${name}` : undefined);
			if (secret !== undefined) return secret;
		}
	return null;
}

/** Records the variables that a command gives the value of a secret one. */
export function recordSecrets(check: CommandCheck, { assignments }: SimpleCommand): void {
	for (const { name, value } of assignments) {
		const secret = findSecretVariable(check, [value]);
		if (secret === null || check.secrets.has(name)) continue;
		check.secrets.set(name, secret);
		check.work.learn();
	}
}

/** The environment as a whole, in code of the usual languages. One variable of it is none. */
const ENVIRONMENT_IN_CODE = /\b(?:os\.environ|process\.env|_?ENV)\b(?![[{]|\.(?:get|fetch|[A-Z]))/;

/** What of the environment a command prints. Null for other commands. */
function findPrintedSecret(check: CommandCheck, command: SimpleCommand): string | null {
	const name = literalName(command);
	const language = findInterpretedLanguage(name);
	if (language !== null && language !== "shell") return findNamedSecret(command.words.map(leadingText));
	if (TEXT_PRINTERS.has(name)) return findSecretVariable(check, wordsAndTargets(command));
	const first = leadingText(command.words[1]);
	const printsAll = LONE_PRINTERS.has(name) && (command.words.length === 1 || /^-[px]+$/.test(first));
	// A drive of PowerShell.
	return printsAll || ENVIRONMENT_PRINTERS.has(name) || /^env:/i.test(first) ? ENVIRONMENT : null;
}

/** What of the environment the code in an interpreter's words names. */
function findNamedSecret(words: readonly string[]): string | null {
	if (words.some((word) => ENVIRONMENT_IN_CODE.test(word))) return ENVIRONMENT;
	const variable = words.flatMap((word) => word.match(/\b[A-Z][A-Z\d_]+\b/g) ?? []).find(isSecretVariable);
	return variable === undefined ? null : `$${variable}`;
}

/**
 * The words of a command that are sent as they are. Headers, users and addresses of a request carry a client's own key to the
 * service that it is for.
 */
function findSentWords(name: string, command: SimpleCommand): readonly Word[] {
	if (!REQUEST_SENDERS.has(name)) return wordsAndTargets(command);
	const words = command.words.slice(1);
	const found = parseArguments({ name, words: words.map(leadingText) });
	const sent = new Set(found.flatMap(({ role, at }) => (role === "body" ? [at] : [])));
	return words.filter((_, at) => sent.has(at));
}

/** What secret a command sends. Null where it sends none. */
export function findSentSecret(check: CommandCheck, { name }: CommandWords, placed: PlacedCommand): string | null {
	if (!SENDERS.has(name)) return null;
	const sent = findSentWords(name, placed.command);
	for (const feeder of findFeeders(placed, sent, check.work)) {
		const secret = findPrintedSecret(check, feeder);
		if (secret !== null) return secret;
	}
	return literalName(placed.command) === name ? findSecretVariable(check, sent) : null;
}
