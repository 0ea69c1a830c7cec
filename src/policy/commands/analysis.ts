// Commands from text to findings: parses, expands, follows wrappers and nested scripts, and holds effects against the rules.
import type { FactorId } from "../factors.ts";
import { parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { foldingWork, foldLookAlikes } from "../look-alikes.ts";
import { normalizingWork, type ProtectedPaths } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import { shortenForReason } from "../shorten.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import type { CodeLanguage, Effect } from "./effects.ts";
import { judgePath, type PathEffect } from "./judge.ts";
import { isDisk, locatePath, resolvePath } from "./locations.ts";
import { type CommandWords, type ForbiddenCommand, ForbiddenCommandMatcher, parseCommandWords } from "./patterns.ts";
import { Pipes, predictWrappedOutput, processSubstitutions, sourceCommandNames } from "./pipes.ts";
import { findCodeEffects, findPowershellEffects } from "./programs/code.ts";
import { findMongoEffects, findRedisEffects, findSqlEffects } from "./programs/databases.ts";
import { findCommandEffects, TRIED_NAMES } from "./programs/programs.ts";
import { emptyScope, environmentsFor, latestEnvironment, recordValue, type Scope } from "./scope.ts";
import { type Environment, expandText, expandWords, findScripts } from "./shell/expand.ts";
import { DECODERS, DOWNLOADERS, predictOutput } from "./shell/output.ts";
import { parseShell } from "./shell/parse.ts";
import type { CommandRange, Redirect, ShellScript, SimpleCommand } from "./shell/script.ts";

/** Longer commands are oversize; they are examined all the same. */
const MAX_COMMAND_LENGTH = 65_536;

/** Simple commands that are looked at, each with each set of values, for one check. */
const MAX_SIMPLE_COMMANDS = 20_000;

/** Units of work for a simple command, and for each piece that was read for it. */
const COMMAND_WORK = 300;
const PIECE_WORK = 15;

/** Units of work for judging a path besides reading it, and how often it is read. */
const JUDGING_WORK = 400;
const READINGS = 6;

/** Wrappers in wrappers and scripts in scripts that are followed. */
const MAX_LAYERS = 48;

/** Reasons kept for each factor. */
const MAX_REASONS = 3;

/** Commands that take assignments among their words. */
const ASSIGNS = /^(?:export|declare|typeset|local|readonly|env|sudo|doas|timeout|nohup|nice|for|read|set|printf)$/;

/** Longer patterns match no name that is tried: one of eight characters matches that many classes, of 66 each, and runs. */
const MAX_TRIED_PATTERN_CHARS = 8 * 67 + 1;

/** Commands that run the file they are given. */
const RUNNERS =
	/^(?:sh|bash|dash|zsh|ksh|ash|fish|source|\.|python[0-9.]*|node|perl|ruby|php|lua|deno|bun|pwsh|powershell|osascript)$/;

/** Everything that a command can raise: where looking stopped early, none of it can be ruled out. */
const FROM_COMMANDS: readonly FactorId[] = [
	"forbidden_command",
	"oversize_command",
	"protected_path",
	"delete_action",
	"risky_command",
	"deploy_action",
	"exec_action",
	"unparsable_command",
];

/** What reads each language, and what reading a character takes: each is searched for a number of calls. */
const LANGUAGES: Readonly<
	Record<CodeLanguage, { readonly read: (text: string) => readonly Effect[]; readonly unitsPerCharacter: number }>
> = {
	code: { read: findCodeEffects, unitsPerCharacter: 40 },
	sql: { read: findSqlEffects, unitsPerCharacter: 30 },
	mongo: { read: findMongoEffects, unitsPerCharacter: 10 },
	redis: { read: findRedisEffects, unitsPerCharacter: 20 },
	powershell: { read: findPowershellEffects, unitsPerCharacter: 20 },
};
/** The same for a text of any length. */
const CODE_WORK = 500;

export interface CommandRules {
	readonly protectedPaths: ProtectedPaths;
	readonly forbidden: readonly ForbiddenCommand[];
}

/** What was found, and what may have been missed. */
export interface Findings {
	/** Why each factor fired, in the order found. */
	readonly reasons: ReadonlyMap<FactorId, readonly string[]>;
	/** Factors that count as triggered because looking stopped early; they have a reason only where one was found. */
	readonly notRuledOut: readonly FactorId[];
}

/** One expanded command, and where it stands. */
interface Frame {
	readonly scope: Scope;
	readonly script: ShellScript;
	readonly command: SimpleCommand;
	readonly input: string | undefined;
	readonly piped: boolean;
	readonly layer: number;
	/** Fields already followed for this command: wrappers in doubt about their options meet the same tail again. */
	readonly seen: Set<string>;
}

/** One run over the commands of a check; each is given to `line`, then `finish` says what was found. */
export class Analysis {
	readonly findings = new Map<FactorId, string[]>();
	private readonly rules: CommandRules;
	private readonly work: WorkBudget;
	private readonly progress: ForbiddenCommandMatcher;
	private readonly pipes: Pipes;
	private commandsLeft = MAX_SIMPLE_COMMANDS;
	private readonly downloaded = new Set<string>();
	/** Files that a command wrote known text to, by path. */
	private readonly written = new Map<string, string>();

	/** @param work once it is spent nothing more is looked at, and nothing ruled out. */
	constructor(rules: CommandRules, work: WorkBudget) {
		this.rules = rules;
		this.work = work;
		this.progress = new ForbiddenCommandMatcher(rules.forbidden, work);
		this.pipes = new Pipes(work);
	}

	/** Analyses one command line as the caller wrote it. */
	line(text: string): void {
		if (!this.work.charge(text.length / 4)) return;
		if (text.length > MAX_COMMAND_LENGTH) this.add("oversize_command", `a command of ${text.length} characters`);
		// NUL and the mark of listed names cannot be passed to a shell; here they mean something.
		this.text(text.replaceAll(UNKNOWN, "").replaceAll(LISTED, ""), emptyScope(), false);
	}

	finish(): Findings {
		const { spent } = this.work;
		if (spent) this.add("oversize_command", "too large, too deep or too complex: nothing it could do is ruled out");
		return { reasons: this.findings, notRuledOut: spent ? FROM_COMMANDS : [] };
	}

	private add(factor: FactorId, because: string): void {
		const reasons = this.findings.get(factor) ?? [];
		if (reasons.length < MAX_REASONS && !reasons.includes(because)) reasons.push(because);
		this.findings.set(factor, reasons);
	}

	/** Counts one more command; false when it is one too many, or more than the work left. */
	private nextCommand(work = COMMAND_WORK): boolean {
		this.commandsLeft -= 1;
		if (this.commandsLeft < 0) this.work.exhaust();
		return this.work.charge(work);
	}

	private text(text: string, scope: Scope, guessed: boolean): void {
		if (this.work.spent) return;
		const script = parseShell(text, scope.depth, this.work, scope.piecesAround);
		if (script.malformed && !guessed) this.add("unparsable_command", `cannot be parsed: ${shortenForReason(text)}`);
		if (script.tooDeep) this.work.exhaust();
		this.script(script, { ...scope, piecesAround: scope.piecesAround + script.size });
	}

	private script(script: ShellScript, scope: Scope): void {
		for (const { name, body } of script.functions) {
			if (!this.work.charge(COMMAND_WORK)) return;
			scope.functions.set(name, { script, body });
			this.forkBomb(script, name, body);
		}
		this.range(script, { from: 0, to: script.commands.length }, scope);
	}

	/** A function that pipes itself into itself, or calls itself twice. */
	private forkBomb(script: ShellScript, name: string, body: CommandRange): void {
		const calls = script.commands.slice(body.from, Math.min(body.to, body.from + 100)).filter(({ words }) => {
			const only = words[0]?.[0];
			return only?.kind === "text" && only.text === name;
		});
		if (calls.length > 1)
			this.add("forbidden_command", `the function ${shortenForReason(name)} calls itself without end`);
	}

	private range(script: ShellScript, range: CommandRange, scope: Scope): void {
		for (let at = range.from; at < range.to; at += 1) {
			const command = script.commands[at];
			if (!command || !this.nextCommand(COMMAND_WORK + PIECE_WORK * command.size)) return;
			this.substitutions(command, scope);
			this.simple(script, command, scope);
		}
	}

	private substitutions(command: SimpleCommand, scope: Scope): void {
		const words = [
			...command.words,
			...command.assignments.map(({ value }) => value),
			...command.redirects.map(({ target }) => target),
		];
		for (const word of words) {
			for (const nested of findScripts(word)) {
				if (nested.tooDeep) this.work.exhaust();
				this.script(nested, scope);
			}
		}
	}

	private simple(script: ShellScript, command: SimpleCommand, scope: Scope): void {
		const output = (nested: ShellScript) => this.pipes.predictScriptOutput(nested, scope);
		const now = latestEnvironment(scope, this.work, output);
		for (const { name, value } of command.assignments) {
			const text = expandText(value, now);
			recordValue(scope, name, text, this.work);
			this.variable(name, text, scope);
		}
		const input = this.pipes.findInput(script, command, scope);
		for (const environment of environmentsFor(command, scope, this.work, output)) {
			if (!this.nextCommand(COMMAND_WORK + PIECE_WORK * command.redirects.length)) return;
			const frame: Frame = { scope, script, command, ...input, layer: scope.depth, seen: new Set() };
			const fields = expandWords(command.words, environment);
			for (const redirect of command.redirects) {
				if (this.work.spent) return;
				this.redirect(redirect, fields, environment, frame);
			}
			if (fields.length > 0) this.command(fields, frame, false);
		}
	}

	/** Variables whose value something runs. */
	private variable(name: string, value: string, scope: Scope): void {
		if (
			/^(?:LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|NODE_OPTIONS|PERL5OPT|RUBYOPT|PYTHONSTARTUP)$/.test(
				name,
			) &&
			value !== ""
		) {
			this.add("risky_command", `${name} changes what programs run`);
		}
		if (
			/^(?:PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_PAGER|GIT_EDITOR|GIT_ASKPASS|PAGER|EDITOR|VISUAL|BROWSER)$/.test(
				name,
			)
		) {
			this.nested(value, { ...scope, depth: scope.depth + 1 }, true);
		}
	}

	private redirect(
		{ operator, target }: Redirect,
		fields: readonly string[],
		environment: Environment,
		frame: Frame,
	): void {
		if (operator === "<<" || operator === "<<<") return;
		const path = expandText(target, environment);
		const descriptor = /^[<>]&$/.test(operator) && /^(?:[0-9]+-?|-)$/.test(path);
		if (/^\/dev\/(?:tcp|udp)\//.test(path))
			this.add("forbidden_command", `opens a connection: ${shortenForReason(path)}`);
		else if (operator === "<") this.apply({ kind: "read", path }, frame, false);
		else if (!descriptor) {
			const text =
				this.written.size < 64 ? predictWrappedOutput(fields, frame.input, frame.piped, this.work) : undefined;
			if (text !== undefined) this.written.set(path.replace(/^\.\//, ""), (this.written.get(path) ?? "") + text);
			const silent = fields.length < 2 && /^(?:|:|true)$/.test(fields[0] ?? "");
			this.redirectTo(path, operator === ">" && silent, frame);
		}
	}

	/** A redirect into a file. One of a command that prints nothing empties it. */
	private redirectTo(path: string, empties: boolean, frame: Frame): void {
		if (!this.work.charge(2 * foldingWork(path) + 2 * normalizingWork(path))) return;
		if (isDisk(path)) this.add("forbidden_command", `overwrites the disk ${shortenForReason(path)}`);
		if (empties && locatePath(path) !== "temporary") this.add("delete_action", `empties ${shortenForReason(path)}`);
		this.apply({ kind: "write", path, reach: "itself" }, frame, false);
	}

	/** One command with its words expanded, at whatever layer of wrappers. */
	private command(fields: readonly string[], frame: Frame, listed: boolean): void {
		if (!this.work.charge(2 * charactersIn(fields) + 8 * fields.length)) return;
		const key = fields.join("\u0002");
		if (frame.seen.has(key)) return;
		frame.seen.add(key);
		if (frame.layer > MAX_LAYERS) this.work.exhaust();
		if (!this.nextCommand()) return;
		this.afterAssignments(fields, frame, listed);
		const words = parseCommandWords(fields, this.work);
		if (!words) return;
		const { name } = words;
		if (ASSIGNS.test(name)) this.assignments(name, fields, frame);
		if (name.includes(UNKNOWN) || name.includes(LISTED)) this.unknownName(listed);
		if (/[*?[]/.test(name) && !/^\[\[?$/.test(name)) this.wildcardName(name, fields, frame, listed);
		this.patterns(words, fields);
		this.knownFiles(name, fields, frame);
		const inner = { ...frame, layer: frame.layer + 1 };
		for (const effect of findCommandEffects({ ...words, input: frame.input, piped: frame.piped, work: this.work })) {
			if (this.work.spent) return;
			if (effect.kind === "write" && DOWNLOADERS.has(name)) this.downloaded.add(effect.path.replace(/^\.\//, ""));
			this.apply(effect, inner, listed);
		}
		this.call(name, fields, frame);
	}

	/** The command behind words that look like assignments: a shell would take them as such, were they not computed. */
	private afterAssignments(fields: readonly string[], frame: Frame, listed: boolean): void {
		const found = fields.findIndex((field) => !/^[^/=\s]+=/.test(field));
		const at = found < 0 ? fields.length - 1 : found;
		if (at <= 0) return;
		for (const field of fields.slice(0, at)) this.assignments("", ["", field], frame);
		this.command(fields.slice(at), frame, listed);
	}

	private patterns(words: CommandWords, fields: readonly string[]): void {
		const completed = this.progress.findCompleted(words);
		if (completed.length === 0 || !this.work.charge(charactersIn(fields))) return;
		const shown = shortenForReason(fields.join(" "));
		for (const { written } of completed)
			this.add("forbidden_command", `${shown} matches the forbidden command ${shortenForReason(written)}`);
	}

	/** `export x=1`, `read x`, `set -- …`; and `sudo for x in …`, which no shell takes, but whoever wrote it meant. */
	private assignments(name: string, fields: readonly string[], { scope, input }: Frame): void {
		const words = fields.slice(1, 33);
		const give = (variable: string, value: string) => recordValue(scope, variable, value, this.work);
		if (name === "set") give("@", words.filter((word) => word !== "--").join(" "));
		else if (name === "printf" && words[0] === "-v")
			give(words[1] ?? "", predictOutput("printf", words.slice(2), undefined, this.work) ?? "");
		for (const word of words) {
			const [, variable, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
			if (variable !== undefined && value !== undefined) {
				give(variable, value);
				this.variable(variable, value, scope);
			} else if (name === "for") give(words[0] ?? "", word);
			else if (name === "read" && input !== undefined) give(word, input.trim());
		}
	}

	/** A file that was downloaded just before is code nobody has seen; one that was written is a script. */
	private knownFiles(name: string, fields: readonly string[], frame: Frame): void {
		const runs = fields.find((field) => this.downloaded.has(field.replace(/^\.\//, "")));
		const direct = runs !== undefined && (runs === fields[0] || RUNNERS.test(name));
		if (direct) this.add("forbidden_command", `runs the download ${shortenForReason(runs)}`);
		const known = RUNNERS.test(name)
			? fields.slice(1).find((field) => this.written.has(field.replace(/^\.\//, "")))
			: undefined;
		const text = this.written.get((known ?? fields[0] ?? "").replace(/^\.\//, ""));
		// A layer deeper: a file may run itself.
		if (text !== undefined) this.nestedScript(text, [], { ...frame, layer: frame.layer + 1 }, true);
		if (!DOWNLOADERS.has(name)) return;
		// Without a name for it, a download goes by the last part of its address.
		if (name === "wget" || fields.some((field) => /^-[a-zA-Z]*O/.test(field))) {
			for (const field of fields.slice(1, 33))
				if (field.includes("/")) this.downloaded.add(field.split("/").pop() ?? "");
		}
	}

	private unknownName(listed: boolean): void {
		if (listed) this.add("forbidden_command", "runs whatever a list names");
		else this.add("exec_action", "a command whose name is computed");
	}

	private wildcardName(name: string, fields: readonly string[], frame: Frame, listed: boolean): void {
		const written = name.replace(/\*+/g, "*");
		if (written.length > MAX_TRIED_PATTERN_CHARS) return;
		const pattern = parseGlobSegment(written);
		for (const tried of TRIED_NAMES) {
			if (segmentsOverlap(pattern, [...tried], this.work)) this.command([tried, ...fields.slice(1)], frame, listed);
		}
	}

	/** A function of the script, with the parameters it is called with; its body was looked at without them already. */
	private call(name: string, fields: readonly string[], frame: Frame): void {
		const called = frame.scope.functions.get(name);
		if (!called || fields.length < 2 || !this.work.charge(15 * frame.scope.functions.size)) return;
		const functions = new Map(frame.scope.functions);
		functions.delete(name);
		this.range(called.script, called.body, {
			...frame.scope,
			functions,
			parameters: fields,
			depth: frame.scope.depth + 1,
		});
	}

	private apply(effect: Effect, frame: Frame, listed: boolean): void {
		if (effect.kind === "raise") this.add(effect.factor, shortenForReason(effect.because));
		else if (effect.kind === "write" || effect.kind === "read" || effect.kind === "remove")
			this.touch(effect, frame.scope);
		else if (effect.kind === "run") this.command(effect.fields, frame, listed || effect.listed === true);
		else if (effect.kind === "script")
			this.nestedScript(effect.text, effect.parameters ?? [], frame, effect.guess === true);
		else if (effect.kind === "code") this.code(effect.language, effect.text, frame);
		else if (effect.kind === "interpret") this.interpret(effect.language, frame);
		else if (!frame.scope.folders.includes(effect.path) && frame.scope.folders.length < 8)
			frame.scope.folders.push(effect.path);
	}

	private touch(effect: PathEffect, { folders }: Scope): void {
		for (const folder of folders) {
			const path = resolvePath(folder, effect.path);
			if (!this.work.charge(READINGS * foldingWork(path))) return;
			if (!this.work.charge(JUDGING_WORK + READINGS * normalizingWork(foldLookAlikes(path)))) return;
			for (const { factor, because } of judgePath(effect, folder, this.rules.protectedPaths)) this.add(factor, because);
		}
	}

	private nestedScript(text: string, parameters: readonly string[], frame: Frame, guessed: boolean): void {
		const only = text.trim();
		if (only === LISTED) this.add("forbidden_command", "runs whatever a list says");
		else if (only === UNKNOWN) this.interpretUnknown(frame);
		const scope: Scope = { ...frame.scope, parameters, input: frame.input, piped: frame.piped, depth: frame.layer };
		this.nested(text, scope, guessed);
	}

	private nested(text: string, scope: Scope, guessed: boolean): void {
		if (scope.depth > MAX_LAYERS) this.work.exhaust();
		else this.text(text, scope, guessed);
	}

	private code(language: CodeLanguage, text: string, frame: Frame): void {
		const { read, unitsPerCharacter } = LANGUAGES[language];
		if (!this.work.charge(CODE_WORK + unitsPerCharacter * text.length)) return;
		if (text.trim() === UNKNOWN) this.interpretUnknown(frame);
		for (const effect of read(text)) {
			if (this.work.spent) return;
			this.apply(effect, { ...frame, layer: frame.layer + 1 }, false);
		}
	}

	/** The command runs what it reads, and the files that process substitutions are. */
	private interpret(language: "shell" | CodeLanguage, frame: Frame): void {
		if (!this.work.charge(PIECE_WORK * frame.command.size)) return;
		const processes = processSubstitutions(frame.command);
		const texts = processes.map((script) => this.pipes.predictScriptOutput(script, frame.scope));
		if (processes.length === 0 || frame.input !== undefined) texts.push(frame.input);
		for (const text of texts) {
			if (text === undefined) this.interpretUnknown(frame);
			else if (language === "shell") this.nestedScript(text, [], { ...frame, input: undefined, piped: false }, false);
			else this.code(language, text, frame);
		}
	}

	/** Code that is not there to be read: how bad depends on where it comes from. */
	private interpretUnknown(frame: Frame): void {
		const sources = sourceCommandNames(frame.script, frame.command, this.work);
		const hidden = sources.find((name) => DOWNLOADERS.has(name) || DECODERS.has(name));
		if (hidden === undefined) this.add("exec_action", "runs code that is not in the command");
		else this.add("forbidden_command", `runs what ${hidden} brings`);
	}
}
