// Follows commands to what they do: through scripts in scripts, wrappers around commands, functions and code in other
// languages. Every part of the analysis finds effects; only this one follows them. What is found on the way is in findings.ts,
// what commands leave behind in shell-state.ts and file-flow.ts.
import type { Steps } from "../../turns/steps.ts";
import { parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { LISTED, shortenForReason, UNKNOWN } from "../placeholders.ts";
import { charactersIn } from "../work-budget.ts";
import { findCodeReader } from "./code-readers.ts";
import type { CommandCheck } from "./command-check.ts";
import { type CodeLanguage, type Effect, expandEffect, type Invocation } from "./effects.ts";
import { findPromptTexts, namesComputedElement } from "./evaluated.ts";
import { findFileRunEffects, findLoadedFileEffects, findRedirectEffects } from "./file-effects.ts";
import { recordCommand, recordFilled } from "./file-flow.ts";
import {
	addFinding,
	concernCommand,
	concernInside,
	concernRedirect,
	concernWords,
	findAside,
	judgePath,
	matchForbidden,
	mayForbid,
} from "./findings.ts";
import { enterFolder } from "./folders.ts";
import { COMMAND_WORK, type CommandFrame, FollowedTexts, innerFrame, MAX_WRAPPING_DEPTH, STEP_WORK } from "./frames.ts";
import { defineAlias, defineFunctions } from "./functions.ts";
import { parseCommandWords } from "./patterns.ts";
import { findInput, sourceCommandNames } from "./pipes.ts";
import { findCommandEffects, TRIED_NAMES } from "./programs/programs.ts";
import { assignsInWords, type Scope } from "./scope.ts";
import { findSentSecret, findShownSecret, recordSecrets } from "./sent-secrets.ts";
import { type Environment, expandCommand, expandText, findSubstitutions } from "./shell/expand.ts";
import { parseExpansions } from "./shell/parse.ts";
import { isOneText } from "./shell/plain-words.ts";
import {
	type CommandRange,
	expandedWords,
	type ShellScript,
	type SimpleCommand,
	WALK_PIECE_WORK,
} from "./shell/script.ts";
import { findAssignedWordEffects, findAssignmentEffects, findEnvironments } from "./shell-state.ts";
import { addUnseenCode, findReadTexts, parseText } from "./texts.ts";

/** Units of work for a piece of code of any length. */
const CODE_WORK = 500;

/** Folders that the commands of a script may run in. */
const MAX_FOLDERS = 128;

/**
 * Longer patterns match none of the tried names: a name of eight characters is matched by at most as many classes, of 66
 * characters each, and runs.
 */
const MAX_TRIED_PATTERN_CHARS = 8 * 67 + 1;

/** Follows one command line as the caller wrote it. Pauses after each of its commands. */
export function* followLine(check: CommandCheck, text: string): Steps<void> {
	// Once the work is spent, the command that spent it stays the current one.
	if (!check.work.spent) check.place = { ...check.place, command: check.place.command + 1 };
	if (!check.work.charge(text.length / 4)) return;
	// No shell can be passed the placeholders. Here they have a meaning, so a caller may not write them.
	const read = parseText(check, text.replaceAll(UNKNOWN, "").replaceAll(LISTED, ""), check.scope, false);
	if (read === null) return;
	const { script, scope } = read;
	yield check.work.pause();
	defineFunctions(check, script, scope);
	for (let at = 0; at < script.commands.length; at++) {
		if (!followAt(check, script, at, scope)) return;
		yield check.work.pause();
	}
}

function followScript(check: CommandCheck, script: ShellScript, scope: Scope): void {
	defineFunctions(check, script, scope);
	followRange(check, script, { from: 0, to: script.commands.length }, scope);
}

function followRange(check: CommandCheck, script: ShellScript, range: CommandRange, scope: Scope): void {
	for (let at = range.from; at < range.to; at++) if (!followAt(check, script, at, scope)) return;
}

/** Follows a command of a script. False when nothing after it is to be followed: there is none, or the work is spent. */
function followAt(check: CommandCheck, script: ShellScript, at: number, scope: Scope): boolean {
	const command = script.commands[at];
	const { work } = check;
	if (!command || !work.charge(STEP_WORK)) return false;
	if (isSettled(check, command, scope) || isHarmless(check, command, scope)) return true;
	if (!work.charge(COMMAND_WORK + WALK_PIECE_WORK * command.size)) return false;
	const { learned } = work;
	concernInside(check, () =>
		check.pipeFlow.follow(
			script,
			command,
			() => followSubstitutions(check, command, scope),
			() => followSimpleCommand(check, script, command, scope),
		),
	);
	if (command.text?.repeated) check.settled.set(command.text, { scope, learned });
	return true;
}

/** Whether nothing follows from a command, whatever was learned. */
function isHarmless(check: CommandCheck, { plain, reads }: SimpleCommand, scope: Scope): boolean {
	const readsNothing = reads === null && scope.input === null && !scope.piped;
	return plain !== null && readsNothing && !check.files.hasLinks && check.harmless.include(plain, scope);
}

/** Whether the same command was followed here before, and nothing was learned since that would change its effects. */
function isSettled(check: CommandCheck, { text }: SimpleCommand, scope: Scope): boolean {
	const settled = text?.repeated ? check.settled.get(text) : undefined;
	return settled !== undefined && settled.scope === scope && settled.learned === check.work.learned;
}

function followSubstitutions(check: CommandCheck, command: SimpleCommand, scope: Scope): void {
	if (command.plain !== null) return;
	// A script that stands in it again adds nothing, unless something was learned meanwhile.
	const followed = new Map<ShellScript, number>();
	for (const word of expandedWords(command)) {
		if (isOneText(word)) continue;
		for (const { script: nested } of findSubstitutions(word)) {
			if (!check.work.charge(1) || followed.get(nested) === check.work.learned) continue;
			followed.set(nested, check.work.learned);
			if (nested.tooDeep) check.work.exhaust();
			followScript(check, nested, takenScope(check, scope));
		}
	}
}

/** The scope of what is substituted. It is the same for each command of a scope, so that those that stand there again are settled. */
function takenScope({ takenScopes }: CommandCheck, scope: Scope): Scope {
	const known = takenScopes.get(scope) ?? { ...scope, isTaken: true };
	takenScopes.set(scope, known);
	return known;
}

function followSimpleCommand(check: CommandCheck, script: ShellScript, command: SimpleCommand, scope: Scope): void {
	recordSecrets(check, command);
	const outer = { scope, script, command, depth: scope.depth };
	if (command.plain === null) {
		const frame = { ...outer, input: null, piped: false, followed: new FollowedTexts() };
		followValues(check, findAssignmentEffects(check, command, scope), frame);
		followPrompts(check, command, frame);
	}
	const input = findInput(check, { script, command }, scope);
	for (const environment of findEnvironments(check, command, scope)) {
		if (!check.work.charge(COMMAND_WORK + WALK_PIECE_WORK * command.redirects.length)) return;
		const frame: CommandFrame = { ...outer, ...input, followed: new FollowedTexts() };
		const fields = expandCommand(command, environment);
		concernWords(check, fields, () => followRedirects(check, fields, environment, frame));
		if (fields.length > 0) followCommand(check, fields, frame, false);
	}
}

/** Follows what runs the values of variables. */
function followValues(check: CommandCheck, effects: Iterable<Effect>, frame: CommandFrame): void {
	for (const effect of effects)
		followEffect(check, effect, { ...innerFrame(frame), followed: new FollowedTexts() }, false);
}

/** Follows the values that a command expands like a prompt. Which one it is may not be known. */
function followPrompts(check: CommandCheck, command: SimpleCommand, frame: CommandFrame): void {
	const texts = findPromptTexts(command, frame.scope, check.work);
	if (texts === null) return;
	addFinding(check, "exec_action", "expands a variable like a prompt, which runs the commands in it");
	followEffects(check, texts.map(expandEffect), frame);
}

function followRedirects(
	check: CommandCheck,
	fields: readonly string[],
	environment: Environment,
	frame: CommandFrame,
): void {
	for (const { operator, target } of frame.command.redirects) {
		if (check.work.spent) return;
		if (operator === "<<") continue;
		const path = expandText(target, environment);
		concernRedirect(check, operator, path, () =>
			followEffects(check, findRedirectEffects(check, operator, path, fields, frame), frame),
		);
	}
}

/** Follows a command with its words expanded. `isListed`: a list that only the run knows completes its words. */
function followCommand(check: CommandCheck, fields: readonly string[], frame: CommandFrame, isListed: boolean): void {
	if (!check.work.charge(2 * charactersIn(fields) + 8 * fields.length)) return;
	if (!frame.followed.add(fields)) return;
	if (frame.depth > MAX_WRAPPING_DEPTH) check.work.exhaust();
	if (!check.work.charge(COMMAND_WORK)) return;
	concernCommand(check, fields, frame.command.redirects, () => followWords(check, fields, frame, isListed));
}

function followWords(check: CommandCheck, fields: readonly string[], frame: CommandFrame, isListed: boolean): void {
	const { work } = check;
	// zsh replaces `=rm` by the path of rm.
	if (/^=./.test(fields[0] ?? ""))
		followCommand(check, [fields[0]?.slice(1) ?? "", ...fields.slice(1)], frame, isListed);
	for (const field of new Set(fields))
		if (namesComputedElement(field)) followEffect(check, expandEffect(field), frame, false);
	followAssignmentsAsWords(check, fields, frame, isListed);
	const words = parseCommandWords(fields, work);
	if (!words) return;
	const { name } = words;
	if (assignsInWords(name)) followValues(check, findAssignedWordEffects(check, name, fields, frame), frame);
	if (name.includes(UNKNOWN) || name.includes(LISTED)) addUnknownName(check, isListed);
	if (/[*?[]/.test(name) && !/^\[\[?$/.test(name)) followWildcardName(check, name, fields, frame, isListed);
	matchForbidden(check, words);
	const inner = innerFrame(frame);
	followEffects(check, findFileRunEffects(check, words, fields, frame), inner);
	const sent = findSentSecret(check, words, frame);
	if (sent !== null) addFinding(check, "forbidden_command", `sends ${shortenForReason(sent)}`);
	const shown = findShownSecret(check, words, frame);
	if (shown !== null) addFinding(check, "risky_command", `shows ${shortenForReason(shown)}`);
	const written: string[] = [];
	const { input, piped } = frame;
	const invocation: Invocation = { ...words, input, piped, sources: () => sourceCommandNames(frame, work), work };
	for (const effect of findCommandEffects(invocation)) {
		if (work.spent) return;
		if (effect.kind === "write") written.push(effect.path);
		followEffect(check, effect, inner, isListed);
	}
	recordCommand(check, words, written, frame);
	followFunctionCall(check, name, fields, frame);
}

/** Follows the command behind words that look like assignments. A shell takes only those that are not computed as such. */
function followAssignmentsAsWords(
	check: CommandCheck,
	fields: readonly string[],
	frame: CommandFrame,
	isListed: boolean,
): void {
	const found = fields.findIndex((field) => !/^[^/=\s]+=/.test(field));
	const at = found < 0 ? fields.length - 1 : found;
	if (at <= 0) return;
	followValues(check, findAssignedWordEffects(check, "", ["", ...fields.slice(0, at)], frame), frame);
	followCommand(check, fields.slice(at), frame, isListed);
}

function addUnknownName(check: CommandCheck, isListed: boolean): void {
	if (isListed) addFinding(check, "forbidden_command", "runs whatever a list names");
	else addFinding(check, "exec_action", "runs a command whose name is computed");
}

/** Follows each dangerous command that a wildcard in the name may mean: `/bin/r?` runs rm. */
function followWildcardName(
	check: CommandCheck,
	name: string,
	fields: readonly string[],
	frame: CommandFrame,
	isListed: boolean,
): void {
	const written = name.replace(/\*+/g, "*");
	if (written.length > MAX_TRIED_PATTERN_CHARS) return;
	const pattern = parseGlobSegment(written);
	for (const tried of TRIED_NAMES) {
		if (segmentsOverlap(pattern, [...tried], check.work))
			followCommand(check, [tried, ...fields.slice(1)], frame, isListed);
	}
}

/** Follows a function of the script with the parameters of a call. Its body was followed without them before. */
function followFunctionCall(check: CommandCheck, name: string, fields: readonly string[], frame: CommandFrame): void {
	const called = frame.scope.functions.get(name);
	if (!called || fields.length < 2 || !check.work.charge(15 * frame.scope.functions.size)) return;
	const functions = new Map(frame.scope.functions);
	functions.delete(name);
	const scope = { ...frame.scope, functions, parameters: fields, depth: frame.scope.depth + 1 };
	for (const { script, body } of called) followRange(check, script, body, scope);
}

/** The effects of a kind, or of several. */
type EffectOf<Kind extends Effect["kind"] = Effect["kind"]> = {
	[Each in Kind]: { readonly kind: Each } & Extract<Effect, { readonly kind: Each }>;
}[Kind];

/** Follows an effect of a command. `isListed`: a list that only the run knows completes the words of what it runs. */
type Follow<Kind extends Effect["kind"]> = (
	check: CommandCheck,
	effect: EffectOf<Kind>,
	frame: CommandFrame,
	isListed: boolean,
) => void;

function toContainer(frame: CommandFrame): CommandFrame {
	return { ...frame, scope: { ...frame.scope, isInContainer: true } };
}

/** How each kind of effect is followed. */
const FOLLOWED: { readonly [Kind in Effect["kind"]]: Follow<Kind> } = {
	raise: (check, { factor, because, instead }) => addFinding(check, factor, shortenForReason(because), instead),
	write: (check, effect, { scope }) => judgePath(check, effect, scope.folders),
	read: (check, effect, { scope }) => judgePath(check, effect, scope.folders),
	remove: (check, effect, { scope }) => judgePath(check, effect, scope.folders),
	word: (check, effect, { scope }) => judgePath(check, effect, scope.folders),
	run: (check, { fields, listed, isInContainer }, frame, isListed) =>
		followCommand(check, fields, isInContainer ? toContainer(frame) : frame, isListed || listed === true),
	script: (check, { text, parameters, guess }, frame) =>
		followText(check, text, parameters ?? [], frame, guess === true),
	expand: (check, { text }, { scope }) => followExpansions(check, text, scope),
	code: (check, { language, text }, frame) => followCode(check, language, text, frame),
	interpret: (check, { language }, frame) => concernInside(check, () => followInput(check, language, frame)),
	runFile: (check, { path, language }, frame) =>
		followEffects(check, findLoadedFileEffects(check, path, language, frame), innerFrame(frame)),
	fill: (check, { path, text }, { scope }) => recordFilled(check, path, text, scope),
	suspect: (check, { command }, frame) => followSuspect(check, command, frame),
	match: (check, { name, fields }) => matchWords(check, name, fields),
	alias: (check, { name, text }, { scope }) => defineAlias(check, name, text, scope),
	enter: (check, { path }, { scope }) => enter(check, path, scope.folders),
};

function followEffect<Kind extends Effect["kind"]>(
	check: CommandCheck,
	effect: EffectOf<Kind>,
	frame: CommandFrame,
	isListed: boolean,
): void {
	FOLLOWED[effect.kind](check, effect, frame, isListed);
}

function followEffects(check: CommandCheck, effects: Iterable<Effect>, frame: CommandFrame): void {
	for (const effect of effects) {
		if (check.work.spent) return;
		followEffect(check, effect, frame, false);
	}
}

/** Adds a folder that later commands may run in. Each is one more to judge every path from. */
function enter({ work }: CommandCheck, folder: string, folders: string[]): void {
	if (enterFolder(folders, folder)) work.learn();
	if (folders.length > MAX_FOLDERS) work.exhaust();
}

function matchWords(check: CommandCheck, name: string, toFields: () => readonly string[]): void {
	if (!mayForbid(check, name)) return;
	const fields = toFields();
	const { work } = check;
	const words = work.charge(COMMAND_WORK + charactersIn(fields)) ? parseCommandWords(fields, work) : null;
	if (words) matchForbidden(check, words);
}

/** Follows what an unknown program may run or only print. It asks when it would be denied. */
function followSuspect(check: CommandCheck, command: string | readonly string[], frame: CommandFrame): void {
	const { variables, folders } = frame.scope;
	if (!check.work.charge(COMMAND_WORK + 15 * (variables.size + folders.length))) return;
	const scope = { ...frame.scope, variables: new Map(variables), folders: [...folders], depth: frame.depth };
	const apart = { ...frame, scope, followed: new FollowedTexts() };
	const because = findAside(check, "forbidden_command", () => {
		if (typeof command === "string") followText(check, command, [], apart, true);
		else followCommand(check, command, apart, false);
	});
	if (because !== null)
		addFinding(check, "exec_action", `an unknown program may run a command that would be denied: ${because}`);
}

/** Follows a text that a command runs as a script. A guess may be no script at all. */
function followText(
	check: CommandCheck,
	text: string,
	parameters: readonly string[],
	frame: CommandFrame,
	isGuess: boolean,
): void {
	const { input, piped, depth } = frame;
	const only = text.trim();
	if (only === LISTED) addFinding(check, "forbidden_command", "runs whatever a list names");
	else if (only === UNKNOWN) addUnseenCode(check, frame);
	if (depth > MAX_WRAPPING_DEPTH) check.work.exhaust();
	const read = parseText(check, text, { ...frame.scope, parameters, input, piped, depth }, isGuess);
	if (read !== null) followScript(check, read.script, read.scope);
}

/** Follows a text that a command runs as code of a language. */
function followCode(check: CommandCheck, language: CodeLanguage, text: string, frame: CommandFrame): void {
	// `psql -f -` names its input a second time. A program may be called like its language: `awk '…'`.
	if (!frame.followed.add([`code:${language}`, text])) return;
	const { read, unitsPerCharacter } = findCodeReader(language);
	if (!check.work.charge(CODE_WORK + unitsPerCharacter * text.length)) return;
	if (text.trim() === UNKNOWN) addUnseenCode(check, frame);
	followEffects(check, read(text, check.work), innerFrame(frame));
}

/** Follows what the command reads as code that it runs. */
function followInput(check: CommandCheck, language: "shell" | CodeLanguage, frame: CommandFrame): void {
	for (const text of findReadTexts(check, frame)) {
		if (text === null) addUnseenCode(check, frame);
		else if (language === "shell") followText(check, text, [], { ...frame, input: null, piped: false }, false);
		else followCode(check, language, text, frame);
	}
}

/** Follows the substitutions of a text that a shell expands a second time. */
function followExpansions(check: CommandCheck, text: string, scope: Scope): void {
	const { work } = check;
	if (scope.depth > MAX_WRAPPING_DEPTH) work.exhaust();
	const script = parseExpansions(text, scope.depth + 1, work, scope.piecesAround);
	if (script.tooDeep) work.exhaust();
	if (work.spent) return;
	const piecesAround = scope.piecesAround + script.size;
	followScript(check, script, { ...scope, depth: scope.depth + 1, piecesAround });
}
