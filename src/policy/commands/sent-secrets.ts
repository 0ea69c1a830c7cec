// Secrets that a command sends or shows: the environment, and variables named like secrets. Files that are secrets by their names are
// judged wherever they are read.
import type { WorkBudget } from "../work-budget.ts";
import type { CommandCheck } from "./command-check.ts";
import type { CommandFrame } from "./frames.ts";
import { parseArguments } from "./grammar.ts";
import { type CommandWords, commandName } from "./patterns.ts";
import { isInterpreter, REQUEST_SENDERS, SENDERS } from "./program-tables.ts";
import { findVariableNames } from "./scope.ts";
import { isSecretVariable } from "./secret-names.ts";
import secretsFile from "./sent-secrets.json" with { type: "json" };
import { findSubstitutions } from "./shell/expand.ts";
import { isOneText } from "./shell/plain-words.ts";
import { type PlacedCommand, type SimpleCommand, type Word, type WordPart, wordsAndTargets } from "./shell/script.ts";

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

const CREDENTIAL = "a token or key that its program keeps";
const SHOWN_CREDENTIALS: ReadonlyMap<string, readonly (readonly string[])[]> = Map.groupBy(
	secretsFile.shown_credentials.map((phrase) => phrase.split(" ")),
	([name = ""]) => name,
);

/** Whether a program prints a token or key that it keeps: `gh auth token`. */
function showsCredential(name: string, words: readonly string[]): boolean {
	return (SHOWN_CREDENTIALS.get(name) ?? []).some(([, ...phrase]) => {
		const said = words.filter((word) => !word.startsWith("-") || phrase.includes(word));
		return phrase.every((wanted, at) => said[at] === wanted);
	});
}

/** What of the environment, or which credential, a command prints. Null for other commands. */
function findPrintedSecret(check: CommandCheck, command: SimpleCommand): string | null {
	const name = literalName(command);
	if (showsCredential(name, command.words.slice(1).map(leadingText))) return CREDENTIAL;
	if (isInterpreter(name)) return findNamedSecret(command.words.map(leadingText));
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

/** Programs that print what they read, or a part of it. */
const PASSING_PROGRAMS: ReadonlySet<string> = new Set([...TEXT_PRINTERS, ...secretsFile.passing_programs]);
const SHOWING_PROGRAMS: ReadonlySet<string> = new Set(secretsFile.showing_programs);

/** A variable as its value. `${#X}` is a length, and `${X:+y}` says only that there is one. */
function isValue(part: WordPart): boolean {
	return part.kind === "variable" && !part.name.startsWith("#") && !/^:?\+/.test(part.operation);
}

/** The variable that code prints as it is: `print(os.environ["X"])`, `puts ENV["X"]`, `process.env.X` behind `-p`. */
const PRINTED_IN_CODE =
	/(?:\b(?:print|println|console\.log|puts|echo|write)\b[\s(]{0,4}|^\s*)(?:os\.(?:environ|getenv)|process\.env|ENV|getenv)\b[^\w]{0,8}(?:get\W{1,4}|fetch\W{1,4})?(\w{1,80})/g;

/** What secret a command prints, by its words. */
function findPrintedValue(check: CommandCheck, { name, words }: CommandWords, command: SimpleCommand): string | null {
	if (showsCredential(name, words)) return CREDENTIAL;
	if (ENVIRONMENT_PRINTERS.has(name)) {
		const variable = words.find(isSecretVariable);
		return variable === undefined ? null : `$${variable}`;
	}
	if (SHOWING_PROGRAMS.has(name))
		return findSecretVariable(
			check,
			command.words.map((word) => word.filter(isValue)),
		);
	if (!isInterpreter(name)) return null;
	const variables = words.flatMap((word) => [...word.matchAll(PRINTED_IN_CODE)].map(([, variable = ""]) => variable));
	const secret = variables.find(isSecretVariable);
	return secret === undefined ? null : `$${secret}`;
}

/** Whether something takes what a command prints, so that nobody reads it: a word, a file, or a command that prints nothing of it. */
function isTaken({ scope, script, command }: CommandFrame, work: WorkBudget): boolean {
	if (scope.isTaken || command.redirects.some(({ operator }) => operator.startsWith(">"))) return true;
	if (!work.charge(script.commands.length)) return true;
	const at = script.commands.indexOf(command);
	const readers = script.commands.filter(({ reads }) => reads !== null && reads.from <= at && at < reads.to);
	return readers.some((reader) => !PASSING_PROGRAMS.has(literalName(reader)));
}

/** What secret a command shows to whoever reads its output. Null where it shows none. */
export function findShownSecret(check: CommandCheck, words: CommandWords, frame: CommandFrame): string | null {
	if (literalName(frame.command) !== words.name) return null;
	const secret = findPrintedValue(check, words, frame.command);
	return secret === null || isTaken(frame, check.work) ? null : secret;
}
