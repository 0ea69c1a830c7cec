// Secrets that a command sends: the environment, variables named like secrets, files that got them. Files that are secrets by
// their names are judged wherever they are read.
import type { WorkBudget } from "../work-budget.ts";
import type { FileState } from "./file-state.ts";
import { type CommandWords, commandName } from "./patterns.ts";
import { findInterpreter, findPrintedByInterpreter } from "./programs/code.ts";
import { findVariableNames, type Scope } from "./scope.ts";
import { isSecretVariable } from "./secret-names.ts";
import secretsFile from "./sent-secrets.json" with { type: "json" };
import { findSubstitutions } from "./shell/expand.ts";
import { isOneText } from "./shell/plain-words.ts";
import { type PlacedCommand, type SimpleCommand, type Word, wordsAndTargets } from "./shell/script.ts";
import { REQUEST_SENDERS, SENDERS } from "./transfers.ts";

const ENVIRONMENT_PRINTERS: ReadonlySet<string> = new Set(secretsFile.environment_printers);
const LONE_PRINTERS: ReadonlySet<string> = new Set(secretsFile.environment_printers_without_words);
/** Programs whose filters can print the environment: `jq -n env`. */
const ENVIRONMENT_FILTERS: ReadonlySet<string> = new Set(secretsFile.environment_filters);
/** The environment in such a filter, which is no field (`.env`) and no text. */
const ENVIRONMENT_IN_FILTER = /(?:^|[^.\w$"-])env(?![\w"(:-])|\$ENV\b|\bstrenv\(|\benv\(/;

/** Commands that print their words, or what they make of their input. */
const TEXT_PRINTERS: ReadonlySet<string> = new Set(secretsFile.text_printers);
const ENVIRONMENT = "the environment";

/** The commands whose output a command gets by its pipe or in its words. */
function* findFeeders(
	{ script, command }: PlacedCommand,
	work: WorkBudget,
	words?: readonly Word[],
): Iterable<SimpleCommand> {
	// Most commands get nothing, and a list may hold a hundred thousand values.
	if (!command.reads && command.plain !== null) return;
	const own = words ?? wordsAndTargets(command);
	if (!command.reads && own.every(isOneText)) return;
	const seen = new Set<SimpleCommand>();
	const open: PlacedCommand[] = [{ script, command }];
	for (let next = open.pop(); next; next = open.pop()) {
		const { reads } = next.command;
		const read = reads ? next.script.commands.slice(reads.from, reads.to) : [];
		const nested = (next.command === command ? own : wordsAndTargets(next.command)).flatMap(findSubstitutions);
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

function literalText(word: Word | undefined): string {
	const part = word?.[0];
	return part?.kind === "text" ? part.text : "";
}

function literalName({ plain, words }: SimpleCommand): string {
	return commandName(plain === null ? literalText(words[0]) : (/^[^ \t]*/.exec(plain)?.[0] ?? ""));
}

/** Phrases of at most three words. */
class Phrases {
	readonly #phrases: ReadonlySet<string>;
	/** Their first words. */
	readonly names: ReadonlySet<string>;

	constructor(phrases: readonly string[]) {
		this.#phrases = new Set(phrases);
		this.names = new Set(phrases.map((phrase) => phrase.split(" ", 1)[0] ?? ""));
	}

	/** Whether a command begins with one of them. */
	begin(name: string, words: readonly string[]): boolean {
		if (!this.names.has(name)) return false;
		const [first = "", second = ""] = words;
		return [name, `${name} ${first}`, `${name} ${first} ${second}`].some((phrase) => this.#phrases.has(phrase));
	}
}

const CREDENTIAL_PRINTERS = new Phrases(secretsFile.credential_printers);
const SENDING_SUBCOMMANDS = new Phrases(secretsFile.sending_subcommands);
/** Programs that may print a secret that is not in their words. */
const SECRET_PRINTERS: ReadonlySet<string> = new Set([
	...ENVIRONMENT_PRINTERS,
	...LONE_PRINTERS,
	...CREDENTIAL_PRINTERS.names,
	...ENVIRONMENT_FILTERS,
]);

/** The filter of `jq`: its first operand. `--arg` and its like take a name and a value. */
function findFilter(words: readonly Word[]): string {
	for (let at = 0; at < words.length; at++) {
		const text = literalText(words[at]);
		if (/^--(?:arg|argjson|slurpfile|rawfile)$/.test(text)) at += 2;
		else if (!/^-./.test(text)) return text;
	}
	return "";
}

/** What of the environment, or which credential, a command prints. Null for other commands. */
function findPrintedSecret(command: SimpleCommand, variables: SecretVariables, work: WorkBudget): string | null {
	const first = literalName(command);
	const at = /^(?:sudo|command|builtin|busybox)$/.test(first) ? 1 : 0;
	const name = at === 0 ? first : commandName(literalText(command.words[at]));
	if (TEXT_PRINTERS.has(name)) return command.plain === null ? variables.find(wordsAndTargets(command)) : null;
	if (findInterpreter(name) !== null)
		return findPrintedByInterpreter(name, command.words.slice(at + 1).map(literalText), work);
	if (!SECRET_PRINTERS.has(name)) return null;
	const words = command.words.slice(at + 1, at + 3).map(literalText);
	if (ENVIRONMENT_PRINTERS.has(name)) return variables.find(wordsAndTargets(command)) ?? ENVIRONMENT;
	if (LONE_PRINTERS.has(name)) return words.length === 0 || /^-[px]+$/.test(words[0] ?? "") ? ENVIRONMENT : null;
	if (ENVIRONMENT_FILTERS.has(name))
		return ENVIRONMENT_IN_FILTER.test(findFilter(command.words.slice(at + 1))) ? ENVIRONMENT : null;
	return CREDENTIAL_PRINTERS.begin(name, words) ? `what ${name} prints` : null;
}

/** The variables of one check that hold secrets: by their names, or because a command put one there. */
export class SecretVariables {
	readonly #given = new Map<string, string>();
	readonly #work: WorkBudget;

	constructor(work: WorkBudget) {
		this.#work = work;
	}

	/** What secret the variables among the words hold. Null without one. */
	find(words: readonly Word[]): string | null {
		for (const word of words)
			for (const name of findVariableNames(word)) {
				const given = this.#given.get(name) ?? (isSecretVariable(name) ? `$${name}` : undefined);
				if (given !== undefined) return given;
			}
		return null;
	}

	/** Records the variables that a command gives a secret. */
	record(placed: PlacedCommand): void {
		const { command } = placed;
		for (const { name, value } of command.assignments) this.#give(name, this.#findIn(placed, [value]));
		const name = literalName(command);
		if (!/^(?:export|declare|typeset|local|readonly|for|read|mapfile|readarray)$/.test(name)) return;
		const secret = this.#findIn({ script: placed.script, command }, wordsAndTargets(command).slice(1));
		if (secret === null) return;
		for (const word of command.words.slice(1)) {
			const given = /^([A-Za-z_]\w*)(?:=|$)/.exec(literalText(word))?.[1];
			if (given !== undefined) this.#give(given, secret);
		}
	}

	#findIn(placed: PlacedCommand, words: readonly Word[]): string | null {
		const own = this.find(words);
		if (own !== null) return own;
		for (const feeder of findFeeders(placed, this.#work, words)) {
			const secret = findPrintedSecret(feeder, this, this.#work);
			if (secret !== null) return secret;
		}
		return null;
	}

	#give(name: string, secret: string | null): void {
		if (secret === null || this.#given.has(name)) return;
		this.#given.set(name, secret);
		this.#work.learn();
	}
}

/** Options of requests whose value is a client's own key to the service that it is for. */
const LOGIN_OPTION = /^(?:-H|-u|-b|-A|-E|--header|--user|--cookie|--oauth2-bearer|--cert|--key|--auth|-a|--bearer)$/;
const LOGIN_WORD = /^(?:-[Hub].|--(?:header|user|cookie|oauth2-bearer|auth|bearer)=)|^[\w-]+:(?!\/\/)/;

/** The words of a request without those that log in. */
function findRequestWords(command: SimpleCommand): readonly Word[] {
	const words = command.words.filter((word, at) => {
		const before = literalText(command.words[at - 1]);
		return !LOGIN_OPTION.test(before) && !LOGIN_WORD.test(literalText(word));
	});
	return [...words, ...command.redirects.map(({ target }) => target)];
}

/**
 * The words of a request that are sent as they are. Headers, users and addresses carry a client's own key to the service
 * that it is for, so a variable in them is no finding.
 */
function findSentWords({ words }: SimpleCommand): readonly Word[] {
	return words.filter((_, at) => {
		const option = literalText(words[at - 1]);
		const attached = literalText(words[at]);
		return (
			/^(?:-d|-F|--data(?:-\w+)?|--form|--json|--post-data)$/.test(option) ||
			/^--(?:data|form|post-data|json)/.test(attached)
		);
	});
}

/** Options whose value is a file that a program reads for itself: keys, settings, other programs. */
const OWN_FILE_OPTION = /^(?:-[iFeoEKH]|--(?:cert|key|cacert|config|identity|rsh|header))$/;

/** The file with secrets that a command sends by naming it. Requests mark the files that they send. */
function findSentFile(
	{ name, words }: CommandWords,
	placed: PlacedCommand,
	{ folders }: Scope,
	files: FileState,
): string | null {
	const isRequest = REQUEST_SENDERS.has(name);
	for (const [at, word] of words.entries()) {
		const before = words[at - 1] ?? "";
		const isMarked = /^(?:[^@=]*=)?[@<]|^--(?:post|body|upload)-file=/.test(word) || UPLOAD_OPTION.test(before);
		if (OWN_FILE_OPTION.test(before) || (isRequest && !isMarked)) continue;
		const path = word.replace(/^(?:[^@=]*=)?[@<]|^--[a-z-]+=/, "");
		if (name !== "ssh" && files.find(path, folders)?.origin === "secret") return path;
	}
	const read = placed.command.redirects.find(({ operator }) => operator === "<");
	const path = read ? literalText(read.target) : "";
	return path !== "" && files.find(path, folders)?.origin === "secret" ? path : null;
}

const UPLOAD_OPTION = /^(?:-T|--upload-file|--post-file|--body-file|-infile)$/i;

/** What secret a command sends. Null where it sends none. */
export function findSentSecret(
	words: CommandWords,
	placed: PlacedCommand,
	scope: Scope,
	files: FileState,
	variables: SecretVariables,
	work: WorkBudget,
): string | null {
	const { name } = words;
	if (!SENDERS.has(name) && !SENDING_SUBCOMMANDS.begin(name, words.words)) return null;
	const path = findSentFile(words, placed, scope, files);
	if (path !== null) return `${path}, which holds secrets`;
	const isRequest = REQUEST_SENDERS.has(name);
	const sent = isRequest ? findRequestWords(placed.command) : wordsAndTargets(placed.command);
	for (const feeder of findFeeders(placed, work, sent)) {
		const secret = findPrintedSecret(feeder, variables, work);
		if (secret !== null) return secret;
	}
	if (literalName(placed.command) !== name) return null;
	const whole = variables.find(sent);
	return isRequest && whole !== ENVIRONMENT ? variables.find(findSentWords(placed.command)) : whole;
}

/** Whether a command, or one that feeds it, prints a secret. */
export function printsSecrets(placed: PlacedCommand, variables: SecretVariables, work: WorkBudget): boolean {
	if (findPrintedSecret(placed.command, variables, work) !== null) return true;
	for (const feeder of findFeeders(placed, work)) if (findPrintedSecret(feeder, variables, work) !== null) return true;
	return false;
}
