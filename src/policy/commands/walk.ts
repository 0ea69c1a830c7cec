// Follows commands to what they do: through scripts in scripts, wrappers around commands, functions and code in other
// languages. Texts that are run are followed by text-walk.ts, files by file-walk.ts, variables by value-walk.ts. What is found on the way is in findings.ts, what
// commands leave behind in shell-state.ts.
import type { Steps } from "../../turns/steps.ts";
import { parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { LISTED, shortenForReason, UNKNOWN } from "../placeholders.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import type { Effect, Invocation } from "./effects.ts";
import { namesComputedElement } from "./evaluated.ts";
import { FileFlow } from "./file-flow.ts";
import { FileWalk } from "./file-walk.ts";
import type { FindingCollector } from "./findings.ts";
import { enterFolder } from "./folders.ts";
import { COMMAND_WORK, type CommandFrame, FollowedTexts, innerFrame, MAX_WRAPPING_DEPTH, type Walk } from "./frames.ts";
import type { PathEffect } from "./judge.ts";
import { parseCommandWords } from "./patterns.ts";
import { sourceCommandNames } from "./pipes.ts";
import { findCommandEffects, TRIED_NAMES } from "./programs/programs.ts";
import { assignsInWords, emptyScope, type FunctionBody, type Scope } from "./scope.ts";
import { findSentSecret, SecretVariables } from "./sent-secrets.ts";
import { expandCommand, findSubstitutions } from "./shell/expand.ts";
import { parseShell } from "./shell/parse.ts";
import { isOneText } from "./shell/plain-words.ts";
import {
	type CommandRange,
	type CommandText,
	expandedWords,
	type ShellScript,
	type SimpleCommand,
	WALK_PIECE_WORK,
} from "./shell/script.ts";
import { ShellState } from "./shell-state.ts";
import { TextWalk } from "./text-walk.ts";
import { ValueWalk } from "./value-walk.ts";

/** Units of work for coming to a command that need not be followed again. */
const STEP_WORK = 5;

/** Folders that the commands of a script may run in. */
const MAX_FOLDERS = 128;

/** Bodies that a function is given. */
const MAX_FUNCTION_BODIES = 64;

/**
 * Longer patterns match none of the tried names: a name of eight characters is matched by at most as many classes, of 66
 * characters each, and runs.
 */
const MAX_TRIED_PATTERN_CHARS = 8 * 67 + 1;

/** A walk over the commands of one check, line by line. */
export class CommandWalk implements Walk {
	readonly #findings: FindingCollector;
	readonly #state: ShellState;
	readonly #flow: FileFlow;
	readonly #secrets: SecretVariables;
	readonly #values: ValueWalk;
	readonly #texts: TextWalk;
	readonly #fileWalk: FileWalk;
	readonly #work: WorkBudget;
	/** All lines of a check run in one shell. */
	readonly #scope = emptyScope();
	/** The scripts of aliases by their texts. */
	readonly #aliases = new Map<string, ShellScript>();
	/** When commands that stand in a script more than once were followed last, by what had been learned before. */
	readonly #settled = new WeakMap<CommandText, { readonly scope: Scope; readonly learned: number }>();

	/** @param work Once it is spent, the walk ends, and the findings rule nothing out. */
	constructor(findings: FindingCollector, work: WorkBudget) {
		this.#findings = findings;
		this.#state = new ShellState(work);
		this.#secrets = new SecretVariables(work);
		this.#flow = new FileFlow(this.#state.files, this.#state.pipes, this.#secrets, work);
		this.#values = new ValueWalk(this, findings, this.#state, work);
		this.#texts = new TextWalk(this, findings, this.#state, this.#flow, work);
		this.#fileWalk = new FileWalk(this, this.#texts, this.#values, findings, this.#state.files, this.#flow, work);
		this.#work = work;
	}

	/** Follows one command line as the caller wrote it. Pauses after each of its commands. */
	*followLine(text: string): Steps<void> {
		this.#findings.beginLine();
		if (!this.#work.charge(text.length / 4)) return;
		// No shell can be passed the placeholders. Here they have a meaning, so a caller may not write them.
		const read = this.#texts.read(text.replaceAll(UNKNOWN, "").replaceAll(LISTED, ""), this.#scope, false);
		if (read === null) return;
		const { script, scope } = read;
		yield this.#work.pause();
		this.#defineFunctions(script, scope);
		for (let at = 0; at < script.commands.length; at++) {
			if (!this.#followAt(script, at, scope)) return;
			yield this.#work.pause();
		}
	}

	followScript(script: ShellScript, scope: Scope): void {
		this.#defineFunctions(script, scope);
		this.#followRange(script, { from: 0, to: script.commands.length }, scope);
	}

	#defineFunctions(script: ShellScript, scope: Scope): void {
		for (const { name, body } of script.functions) {
			this.#defineFunction(name, { script, body }, scope);
			this.#findForkBomb(script, name, body);
		}
	}

	/** Adds a body to those that a function may have. A name with too many is not examined. */
	#defineFunction(name: string, added: FunctionBody, scope: Scope): void {
		const known = scope.functions.get(name) ?? [];
		const isKnown = known.some(({ script, body }) => script === added.script && body.from === added.body.from);
		if (!this.#work.charge(COMMAND_WORK + known.length) || isKnown) return;
		if (known.length >= MAX_FUNCTION_BODIES) this.#work.exhaust();
		scope.functions.set(name, [...known, added]);
		this.#work.learn();
	}

	/** Adds an alias as a function that passes its parameters on. */
	#defineAlias(name: string, text: string, scope: Scope): void {
		const known = this.#aliases.get(text);
		const script = known ?? parseShell(`${text} "$@"`, scope.depth, this.#work, scope.piecesAround);
		this.#aliases.set(text, script);
		this.#defineFunction(name, { script, body: { from: 0, to: script.commands.length } }, scope);
	}

	/** Finds a function that pipes itself into itself, or calls itself twice. */
	#findForkBomb(script: ShellScript, name: string, body: CommandRange): void {
		if (!this.#work.charge(STEP_WORK * (body.to - body.from))) return;
		let calls = 0;
		for (let at = body.from; at < body.to && calls < 2; at++) {
			const called = script.commands[at]?.words[0]?.[0];
			if (called?.kind === "text" && called.text === name) calls++;
		}
		if (calls > 1)
			this.#findings.add("forbidden_command", `the function ${shortenForReason(name)} calls itself without end`);
	}

	#followRange(script: ShellScript, range: CommandRange, scope: Scope): void {
		for (let at = range.from; at < range.to; at++) if (!this.#followAt(script, at, scope)) return;
	}

	/** Follows a command of a script. False when nothing after it is to be followed: there is none, or the work is spent. */
	#followAt(script: ShellScript, at: number, scope: Scope): boolean {
		const command = script.commands[at];
		if (!command || !this.#work.charge(STEP_WORK)) return false;
		if (this.#isSettled(command, scope) || this.#isHarmless(command, scope)) return true;
		if (!this.#work.charge(COMMAND_WORK + WALK_PIECE_WORK * command.size)) return false;
		const { learned } = this.#work;
		this.#findings.within(
			script,
			command,
			() => this.#followSubstitutions(command, scope),
			() => this.#followSimpleCommand(script, command, scope),
		);
		if (command.text?.repeated) this.#settled.set(command.text, { scope, learned });
		return true;
	}

	/** Whether nothing follows from a command, whatever was learned. */
	#isHarmless({ plain, reads }: SimpleCommand, scope: Scope): boolean {
		const readsNothing = reads === null && scope.input === null && !scope.piped;
		return (
			plain !== null && readsNothing && !this.#state.files.hasLinks && this.#findings.harmless.include(plain, scope)
		);
	}

	/** Whether the same command was followed here before, and nothing was learned since that would change its effects. */
	#isSettled({ text }: SimpleCommand, scope: Scope): boolean {
		const settled = text?.repeated ? this.#settled.get(text) : undefined;
		return settled !== undefined && settled.scope === scope && settled.learned === this.#work.learned;
	}

	#followSubstitutions(command: SimpleCommand, scope: Scope): void {
		if (command.plain !== null) return;
		// A script that stands in it again adds nothing, unless something was learned meanwhile.
		const followed = new Map<ShellScript, number>();
		for (const word of expandedWords(command)) {
			if (isOneText(word)) continue;
			for (const { script: nested } of findSubstitutions(word)) {
				if (!this.#work.charge(1) || followed.get(nested) === this.#work.learned) continue;
				followed.set(nested, this.#work.learned);
				if (nested.tooDeep) this.#work.exhaust();
				this.followScript(nested, scope);
			}
		}
	}

	#followSimpleCommand(script: ShellScript, command: SimpleCommand, scope: Scope): void {
		this.#secrets.record({ script, command });
		if (command.plain === null) {
			this.#values.followAssignments({ script, command }, scope);
			this.#values.followPrompts(command, scope);
		}
		const input = this.#state.pipes.findInput({ script, command }, scope);
		for (const environment of this.#state.environments(command, scope)) {
			if (!this.#work.charge(COMMAND_WORK + WALK_PIECE_WORK * command.redirects.length)) return;
			const frame: CommandFrame = {
				scope,
				script,
				command,
				...input,
				depth: scope.depth,
				followed: new FollowedTexts(),
			};
			const fields = expandCommand(command, environment);
			this.#findings.at(fields, () => this.#fileWalk.followRedirects(fields, environment, frame));
			if (fields.length > 0) this.followCommand(fields, frame, false);
		}
	}

	/** Follows a command with its words expanded. `isListed`: a list that only the run knows completes its words. */
	followCommand(fields: readonly string[], frame: CommandFrame, isListed: boolean): void {
		if (!this.#work.charge(2 * charactersIn(fields) + 8 * fields.length)) return;
		if (!frame.followed.add(fields)) return;
		if (frame.depth > MAX_WRAPPING_DEPTH) this.#work.exhaust();
		if (!this.#work.charge(COMMAND_WORK)) return;
		this.#findings.at(fields, () => this.#followWords(fields, frame, isListed), frame.command.redirects);
	}

	#followWords(fields: readonly string[], frame: CommandFrame, isListed: boolean): void {
		// zsh replaces `=rm` by the path of rm.
		if (/^=./.test(fields[0] ?? ""))
			this.followCommand([fields[0]?.slice(1) ?? "", ...fields.slice(1)], frame, isListed);
		for (const field of new Set(fields))
			if (namesComputedElement(field)) this.#values.followExpansions(field, frame.scope);
		this.#followAssignmentsAsWords(fields, frame, isListed);
		const words = parseCommandWords(fields, this.#work);
		if (!words) return;
		const { name } = words;
		if (assignsInWords(name)) this.#values.followAssignedWords(name, fields, frame);
		if (name.includes(UNKNOWN) || name.includes(LISTED)) this.#addUnknownName(isListed);
		if (/[*?[]/.test(name) && !/^\[\[?$/.test(name)) this.#followWildcardName(name, fields, frame, isListed);
		this.#findings.matchForbidden(words);
		this.#fileWalk.followFileRuns(words, fields, frame);
		const sent = findSentSecret(words, frame, frame.scope, this.#state.files, this.#secrets, this.#work);
		if (sent !== null) this.#findings.add("forbidden_command", `sends ${shortenForReason(sent)}`);
		const written: string[] = [];
		const inner = innerFrame(frame);
		const invocation: Invocation = {
			...words,
			input: frame.input,
			piped: frame.piped,
			sources: () => sourceCommandNames(frame, this.#work),
			work: this.#work,
		};
		for (const effect of findCommandEffects(invocation)) {
			if (this.#work.spent) return;
			if (effect.kind === "write") written.push(effect.path);
			this.followEffect(effect, inner, isListed);
		}
		this.#flow.recordCommand(words, written, frame);
		this.#followFunctionCall(name, fields, frame);
	}

	/** Follows the command behind words that look like assignments. A shell takes only those that are not computed as such. */
	#followAssignmentsAsWords(fields: readonly string[], frame: CommandFrame, isListed: boolean): void {
		const found = fields.findIndex((field) => !/^[^/=\s]+=/.test(field));
		const at = found < 0 ? fields.length - 1 : found;
		if (at <= 0) return;
		for (const field of fields.slice(0, at)) this.#values.followAssignedWords("", ["", field], frame);
		this.followCommand(fields.slice(at), frame, isListed);
	}

	#addUnknownName(isListed: boolean): void {
		if (isListed) this.#findings.add("forbidden_command", "runs whatever a list names");
		else this.#findings.add("exec_action", "runs a command whose name is computed");
	}

	/** Follows each dangerous command that a wildcard in the name may mean: `/bin/r?` runs rm. */
	#followWildcardName(name: string, fields: readonly string[], frame: CommandFrame, isListed: boolean): void {
		const written = name.replace(/\*+/g, "*");
		if (written.length > MAX_TRIED_PATTERN_CHARS) return;
		const pattern = parseGlobSegment(written);
		for (const tried of TRIED_NAMES) {
			if (segmentsOverlap(pattern, [...tried], this.#work))
				this.followCommand([tried, ...fields.slice(1)], frame, isListed);
		}
	}

	/** Follows a function of the script with the parameters of a call. Its body was followed without them before. */
	#followFunctionCall(name: string, fields: readonly string[], frame: CommandFrame): void {
		const called = frame.scope.functions.get(name);
		if (!called || fields.length < 2 || !this.#work.charge(15 * frame.scope.functions.size)) return;
		const functions = new Map(frame.scope.functions);
		functions.delete(name);
		const scope = { ...frame.scope, functions, parameters: fields, depth: frame.scope.depth + 1 };
		for (const { script, body } of called) this.#followRange(script, body, scope);
	}

	/** Follows one effect of a command. */
	followEffect(effect: Effect, frame: CommandFrame, isListed: boolean): void {
		if (effect.kind === "raise") this.#findings.add(effect.factor, shortenForReason(effect.because), effect.instead);
		else if (effect.kind === "write" || effect.kind === "read" || effect.kind === "remove" || effect.kind === "word")
			this.#judgePath(effect, frame.scope.folders);
		else if (effect.kind === "suspect") this.#followSuspect(effect.command, frame);
		else if (effect.kind === "run") this.followCommand(effect.fields, frame, isListed || effect.listed === true);
		else if (effect.kind === "script")
			this.#texts.followScript(effect.text, effect.parameters ?? [], frame, effect.guess === true);
		else if (effect.kind === "code") this.#texts.followCode(effect.language, effect.text, frame);
		else if (effect.kind === "runFile") this.#fileWalk.followNamedFile(effect.path, effect.language, frame);
		else if (effect.kind === "fill") this.#flow.recordFilled(effect.path, effect.text, frame.scope);
		else if (effect.kind === "alias") this.#defineAlias(effect.name, effect.text, frame.scope);
		else if (effect.kind === "match") this.#matchWords(effect);
		else if (effect.kind === "interpret") this.#findings.inside(() => this.#texts.followInput(effect.language, frame));
		else this.#enterFolder(effect.path, frame.scope.folders);
	}

	/** Judges an effect on a path, and on where a link leads it. Removing a link itself leaves that as it is. */
	#judgePath(effect: PathEffect, folders: readonly string[]): void {
		this.#findings.judge(effect, folders);
		for (const { path, below } of this.#state.files.findLinked(effect.path, folders))
			if (below || effect.kind !== "remove") this.#findings.judge({ ...effect, path }, folders);
	}

	/** Adds a folder that later commands may run in. Each is one more to judge every path from. */
	#enterFolder(folder: string, folders: string[]): void {
		if (enterFolder(folders, folder)) this.#work.learn();
		if (folders.length > MAX_FOLDERS) this.#work.exhaust();
	}

	#matchWords({ name, fields: toFields }: Extract<Effect, { kind: "match" }>): void {
		if (!this.#findings.mayForbid(name)) return;
		const fields = toFields();
		const words = this.#work.charge(COMMAND_WORK + charactersIn(fields)) ? parseCommandWords(fields, this.#work) : null;
		if (words) this.#findings.matchForbidden(words);
	}

	/** Follows what an unknown program may run or only print. It asks when it would be denied. */
	#followSuspect(command: string | readonly string[], frame: CommandFrame): void {
		const { variables, folders } = frame.scope;
		if (!this.#work.charge(COMMAND_WORK + 15 * (variables.size + folders.length))) return;
		const scope = { ...frame.scope, variables: new Map(variables), folders: [...folders], depth: frame.depth };
		const apart = { ...frame, scope, followed: new FollowedTexts() };
		const because = this.#findings.findAside("forbidden_command", () => {
			if (typeof command === "string") this.#texts.followScript(command, [], apart, true);
			else this.followCommand(command, apart, false);
		});
		if (because !== null)
			this.#findings.add("exec_action", `an unknown program may run a command that would be denied: ${because}`);
	}
}
