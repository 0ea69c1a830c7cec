// What follows from the words of a command by their roles (grammar.ts): effects on paths, commands and code that run, and
// words of unknown meaning. What a word of unknown meaning breaks is in judge.ts.

import { isPlainName } from "../paths.ts";
import {
	codeEffect,
	type Effect,
	type Invocation,
	raiseEffect,
	readEffect,
	riskyEffect,
	runEffect,
	scriptEffect,
	suspectEffect,
	wordEffect,
	writeEffect,
} from "./effects.ts";
import { type Argument, findProgramUse, parseArguments } from "./grammar.ts";
import { isInputFile, resolvePath } from "./locations.ts";
import { firstOperandIndexes } from "./options.ts";
import {
	type ArgumentRole,
	findInterpretedLanguage,
	findRoleLanguage,
	findScriptLanguage,
	isCommandRole,
} from "./program-tables.ts";
import executorsFile from "./programs/executors.json" with { type: "json" };
import { isShownOnly } from "./programs/publishing.ts";
import { findUploadEffects } from "./uploads.ts";
import verbsFile from "./verbs.json" with { type: "json" };

/** Whether something besides the tables knows the program. */
export interface ProgramKnowledge {
	/** It has a rule of its own in programs/. */
	readonly hasRule: boolean;
	/** Its words are another command's, which judges them. */
	readonly runsItsWords: boolean;
}

/** Finds the effects that a command's words have by their roles. */
export function* findWordEffects(
	command: Invocation,
	{ hasRule, runsItsWords }: ProgramKnowledge,
	readsAsCommand: (name: string) => boolean,
): Iterable<Effect> {
	const use = findProgramUse(command);
	if (!use && runsItsWords) return;
	const words = use?.words ?? parseArguments(command);
	const folder = words.find(({ role }) => role === "folder")?.text ?? "";
	// What stands behind a script is the script's, which no table lists.
	const isListed = use !== null && findInterpretedLanguage(command.name) === null;
	for (const argument of words) {
		const path = folder === "" ? argument.text : resolvePath(folder, argument.text);
		const effect = pathEffect(argument, path);
		if (effect !== null) yield effect;
		else if (!EFFECTLESS_ROLES.has(argument.role)) yield* argumentEffects(argument, folder, command, isListed);
	}
	if (command.piped && !words.some(({ role }) => isCommandRole(role) || findScriptLanguage(role) !== null))
		yield* inputEffects(use?.input ?? null);
	yield* findUploadEffects(command, words);
	if (use || hasRule) return;
	yield* findSuspects(words, command.words, readsAsCommand);
	yield* findVerbEffects(words, command.words);
}

/** Verbs that end what they are about, whatever the program is. */
const ENDING_VERBS: ReadonlySet<string> = new Set(verbsFile.ending_verbs);

/** Verbs that give something to others, whatever the program is. */
const PUBLISHING_VERBS: ReadonlySet<string> = new Set(verbsFile.publishing_verbs);

/** Whether a word of an unknown program would ask where it stands among the first ones. */
export function isAskingVerb(word: string): boolean {
	const verb = word.toLowerCase();
	return ENDING_VERBS.has(verb) || PUBLISHING_VERBS.has(verb);
}

/** Words of an unknown program in which its verb stands: `frob purge`, `frob cache purge`, `frob --purge`. */
const VERB_WORDS = 2;

/** Finds a verb of a program that nobody knows which says that something is taken away, or given to others. */
function findVerbEffects(known: readonly Argument[], words: readonly string[]): readonly Effect[] {
	const operands = known.filter(({ option }) => option === null).slice(0, VERB_WORDS);
	const verb = operands.find(({ text }) => isAskingVerb(text))?.text;
	if (verb === undefined) return [];
	const because = `an unknown program may ${verb} something`;
	if (ENDING_VERBS.has(verb.toLowerCase())) return [riskyEffect(because)];
	return isShownOnly(words) ? [] : [raiseEffect("deploy_action", because)];
}

function inputEffects(input: string | null): readonly Effect[] {
	const language = input === "shell" ? input : findRoleLanguage(input ?? "");
	return language === null ? [] : [{ kind: "interpret", language }];
}

/** Programs whose commands run in a container. */
const CONTAINER_CLIENTS: ReadonlySet<string> = new Set(executorsFile.container_clients);

/** Roles from which no effect follows by themselves. */
const EFFECTLESS_ROLES: ReadonlySet<ArgumentRole> = new Set([
	"text",
	"name",
	"address",
	"inspect",
	"folder",
	"method",
	"tasks",
]);

/** Whether a word of the role may be anything, or hold anything. */
const isOpenRole = (role: ArgumentRole) => /^(?:unknown|upload|body|settings)$/.test(role);

/** The effect of a word whose role says all about it. Nearly all words of a long command are such ones. */
function pathEffect({ text, role }: Argument, path: string): Effect | null {
	if (role === "read") return readEffect(path);
	if (role === "write") return writeEffect(path);
	if (role === "remove") return { kind: "remove", path, recursive: true };
	return isOpenRole(role) && role !== "settings" && isPlainName(text) ? wordEffect(text) : null;
}

/** The effects of a word of which {@link pathEffect} says nothing. */
function* argumentEffects(
	argument: Argument,
	folder: string,
	{ name, words }: Invocation,
	isListed: boolean,
): Iterable<Effect> {
	const { text, role, at, doubts } = argument;
	if (isOpenRole(role))
		yield* findPieces(text, isListed).map((piece) =>
			wordEffect(isPlainName(piece) ? piece : resolvePath(folder, piece)),
		);
	else if (role === "revision") yield* findRevisionFile(text).map(readEffect);
	else if (role === "line" || role === "shell") yield scriptEffect(text);
	else if (role === "program") yield runEffect([text]);
	else if (role === "run") yield* findReadings(words, at, doubts, CONTAINER_CLIENTS.has(name));
	else if (findScriptLanguage(role) !== null) yield* scriptFileEffects(argument, words);
	const language = findRoleLanguage(role);
	if (language !== null) yield codeEffect(language, text);
	if (role === "settings") yield riskyEffect(`${name} reads its options from a file`);
}

/** Scripts that are clients: `php artisan …`, `python manage.py …`. */
const CLIENT_SCRIPT = /(?:^|\/)(?:artisan|manage\.py|console)$/;

/** The effects of the name of a file that is run, besides what its content does. Most modules are commands of the same name. */
function scriptFileEffects({ text, role, option, at }: Argument, words: readonly string[]): readonly Effect[] {
	const language = findScriptLanguage(role);
	if (language !== null && (text === "-" || isInputFile(text))) return [{ kind: "interpret", language }];
	if (role === "module:python" || (option === null && CLIENT_SCRIPT.test(text))) return [runEffect(words.slice(at))];
	return [option === null ? wordEffect(text) : readEffect(text)];
}

/** The file that a revision names: `.env` of `HEAD:.env`, `:.env` and `:2:.env`. `:/text` searches for a commit (gitrevisions). */
function findRevisionFile(text: string): readonly string[] {
	const file = /^(?::[0-3]:|[^:]*:)(.+)$/s.exec(text)?.[1];
	return file === undefined || text.startsWith(":/") ? [] : [file];
}

/**
 * The commands that the words from `at` on may be. An option that no table has may have taken a word before, and then the
 * command begins at a later one that is no option.
 */
function* findReadings(words: readonly string[], at: number, doubts: number, isInContainer: boolean): Iterable<Effect> {
	yield { kind: "run", fields: words.slice(at), isInContainer };
	let last = at;
	for (let doubt = 0; doubt < doubts; doubt++) {
		const starts = firstOperandIndexes(words, last + 1);
		for (const start of starts) yield { kind: "run", fields: words.slice(start), isInContainer };
		last = starts.at(-1) ?? words.length;
	}
}

/** What parts the words of an unknown option: `a=b`, `host:path`, `one,two`, `@file`. */
const PIECE_MARKS = /[=:,;@]/;

/** A path on another machine or in a container, behind what it is brought there from: `db:/var/lib/db`, `./a:/b:ro`. */
const PATH_ELSEWHERE = /^([^:]*):\/[^:]*(?::[A-Za-z,]*)?$/;

/** A place in a container: `target=/b` of `type=bind,source=./a,target=/b`. */
const TARGET_ELSEWHERE = /(?:^|,)(?:target|dst|destination)=[^,]*/g;

/** Whether a word is a regular expression by its anchors. No path begins or ends with one. */
function isPattern(word: string): boolean {
	return /^\^.|[^$]\$$/s.test(word) && /[*+?|([\\]/.test(word);
}

/** A word of unknown meaning, and its parts that may be paths. An address is none. */
function findPieces(text: string, isListed: boolean): readonly string[] {
	const word = isListed ? (PATH_ELSEWHERE.exec(text)?.[1] ?? text.replace(TARGET_ELSEWHERE, "")) : text;
	if (/^file:\/\//i.test(word)) return [word.slice(7)];
	if (/^[a-z][a-z0-9+.-]{0,31}:\/\//i.test(word) || isPattern(word)) return [];
	const isDrive = /^[A-Za-z]:[\\/]/.test(word);
	if (isDrive || /\s/.test(word) || !PIECE_MARKS.test(word)) return [word];
	const pieces = word.split(PIECE_MARKS).filter((piece) => /[./~]|^id_/.test(piece));
	return pieces.length > 0 && !/^[./~]/.test(word) ? pieces : [word, ...pieces];
}

/**
 * Finds what reads as a command among the words of a program that nobody knows: a quoted line, and the words from the
 * first of each name on that a rule knows.
 */
function* findSuspects(
	known: readonly Argument[],
	words: readonly string[],
	readsAsCommand: (name: string) => boolean,
): Iterable<Effect> {
	const tried = new Set<string>();
	for (const { text, role, at } of known) {
		if (role !== "unknown") continue;
		const isName = isPlainName(text);
		if (!isName && /\s/.test(text.trim())) yield suspectEffect(text);
		else if (!tried.has(text) && readsAsCommand(text)) {
			tried.add(text);
			yield suspectEffect([text, ...words.slice(at + 1)]);
		}
	}
}
