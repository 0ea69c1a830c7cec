// Commands from text to findings: parses, expands, follows wrappers and nested scripts, and holds effects against the rules.
import type { FactorId } from "../factors.ts";
import { parseSegment, segmentsMeet, Work } from "../glob.ts";
import { foldLookAlikes } from "../look-alikes.ts";
import { type ProtectedPaths, readingWork } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import { shorten } from "../shorten.ts";
import type { Effect, Language } from "./effects.ts";
import { judgePath, type TouchingEffect } from "./judge.ts";
import { commandWordsOf, type ForbiddenCommand, PatternProgress } from "./patterns.ts";
import { Pipes, printedThrough, processesOf, sourcesOf } from "./pipes.ts";
import { isDisk, placeOf } from "./places.ts";
import { calls, powershell } from "./programs/code.ts";
import { mongo, redisCommands, sql } from "./programs/databases.ts";
import { effectsOf, TRIED_NAMES } from "./programs/programs.ts";
import { Allowance, assign, emptyScope, environmentsFor, latest, type Scope } from "./scope.ts";
import { type Environment, expandText, expandWords, scriptsIn } from "./shell/expand.ts";
import { DECODERS, DOWNLOADERS, printed } from "./shell/output.ts";
import { parse } from "./shell/parse.ts";
import type { Range, Redirect, Script, SimpleCommand } from "./shell/script.ts";

/** Longer commands are oversize; they are examined all the same. */
const MAX_COMMAND_LENGTH = 65_536;

/** Work on patterns, and on paths that commands touch, about a second of CPU for one check: beyond it commands are oversize. */
const MAX_COMPARING_WORK = 100_000_000;

/** What it takes to judge one path, seen from one folder: it is read a few times. */
function judgingWork(path: string): number {
	return 800 + 4 * readingWork(foldLookAlikes(path));
}

/** Wrappers in wrappers and scripts in scripts that are followed. */
const MAX_LAYERS = 48;

/** Reasons kept for each factor. */
const MAX_REASONS = 3;

/** Commands that take assignments among their words. */
const ASSIGNS = /^(?:export|declare|typeset|local|readonly|env|sudo|doas|timeout|nohup|nice|for|read|set|printf)$/;

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
	readonly script: Script;
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
	private readonly allowance = new Allowance();
	private readonly rules: CommandRules;
	private readonly progress: PatternProgress;
	private readonly work = new Work(MAX_COMPARING_WORK);
	private readonly downloaded = new Set<string>();
	/** Files that a command wrote known text to, by path. */
	private readonly written = new Map<string, string>();
	private readonly pipes = new Pipes(this.allowance);

	constructor(rules: CommandRules) {
		this.rules = rules;
		this.progress = new PatternProgress(rules.forbidden, this.work);
	}

	/** Analyses one command line as the caller wrote it. */
	line(text: string): void {
		if (text.length > MAX_COMMAND_LENGTH) this.add("oversize_command", `a command of ${text.length} characters`);
		// NUL and the mark of listed names cannot be passed to a shell; here they mean something.
		this.text(text.replaceAll(UNKNOWN, "").replaceAll(LISTED, ""), emptyScope(), false);
	}

	finish(): Findings {
		const { exhausted } = this.allowance;
		if (exhausted) this.add("oversize_command", "too large, too deep or too complex: nothing it could do is ruled out");
		return { reasons: this.findings, notRuledOut: exhausted ? FROM_COMMANDS : [] };
	}

	private add(factor: FactorId, because: string): void {
		const reasons = this.findings.get(factor) ?? [];
		if (reasons.length < MAX_REASONS && !reasons.includes(because)) reasons.push(because);
		this.findings.set(factor, reasons);
	}

	private text(text: string, scope: Scope, guessed: boolean): void {
		if (!this.allowance.spendCharacters(text.length)) return;
		const script = parse(text, scope.depth);
		if (script.malformed && !guessed) this.add("unparsable_command", `cannot be parsed: ${shorten(text)}`);
		if (script.tooDeep) this.allowance.exhaust();
		this.script(script, scope);
	}

	private script(script: Script, scope: Scope): void {
		for (const { name, body } of script.functions) {
			scope.functions.set(name, { script, body });
			this.forkBomb(script, name, body);
		}
		this.range(script, { from: 0, to: script.commands.length }, scope);
	}

	/** A function that pipes itself into itself, or calls itself twice. */
	private forkBomb(script: Script, name: string, body: Range): void {
		const calls = script.commands.slice(body.from, Math.min(body.to, body.from + 100)).filter(({ words }) => {
			const only = words[0]?.[0];
			return only?.kind === "text" && only.text === name;
		});
		if (calls.length > 1) this.add("forbidden_command", `the function ${shorten(name)} calls itself without end`);
	}

	private range(script: Script, range: Range, scope: Scope): void {
		for (const command of script.commands.slice(range.from, range.to)) {
			if (!this.allowance.spendCommand()) return;
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
			for (const nested of scriptsIn(word)) {
				if (nested.tooDeep) this.allowance.exhaust();
				this.script(nested, scope);
			}
		}
	}

	private simple(script: Script, command: SimpleCommand, scope: Scope): void {
		const output = (nested: Script) => this.pipes.outputOf(nested, scope);
		const now = latest(scope, this.allowance, output);
		for (const { name, value } of command.assignments) {
			const text = expandText(value, now);
			assign(scope, name, text, this.allowance);
			this.variable(name, text, scope);
		}
		const input = this.pipes.inputOf(script, command, scope);
		for (const environment of environmentsFor(command, scope, this.allowance, output)) {
			if (!this.allowance.spendCommand()) return;
			const frame: Frame = { scope, script, command, ...input, layer: scope.depth, seen: new Set() };
			const fields = expandWords(command.words, environment);
			this.redirects(command.redirects, fields, environment, frame);
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

	private redirects(
		redirects: readonly Redirect[],
		fields: readonly string[],
		environment: Environment,
		frame: Frame,
	): void {
		for (const { operator, target } of redirects) {
			if (operator === "<<" || operator === "<<<") continue;
			const path = expandText(target, environment);
			const descriptor = /^[<>]&$/.test(operator) && /^(?:[0-9]+-?|-)$/.test(path);
			if (/^\/dev\/(?:tcp|udp)\//.test(path)) this.add("forbidden_command", `opens a connection: ${shorten(path)}`);
			else if (operator === "<") this.apply({ kind: "read", path }, frame, false);
			else if (!descriptor) {
				const text = this.written.size < 64 ? printedThrough(fields, frame.input, frame.piped) : undefined;
				if (text !== undefined) this.written.set(path.replace(/^\.\//, ""), (this.written.get(path) ?? "") + text);
				this.redirectTo(path, operator === ">" && /^(?:|:|true)$/.test(fields.join(" ")), frame);
			}
		}
	}

	/** A redirect into a file. One of a command that prints nothing empties it. */
	private redirectTo(path: string, empties: boolean, frame: Frame): void {
		if (isDisk(path)) this.add("forbidden_command", `overwrites the disk ${shorten(path)}`);
		if (empties && placeOf(path) !== "temporary") this.add("delete_action", `empties ${shorten(path)}`);
		this.apply({ kind: "write", path, reach: "itself" }, frame, false);
	}

	/** One command with its words expanded, at whatever layer of wrappers. */
	private command(fields: readonly string[], frame: Frame, listed: boolean): void {
		const key = fields.join("\u0002");
		if (frame.seen.has(key)) return;
		frame.seen.add(key);
		if (!this.allowance.spendCommand() || !this.allowance.spendCharacters(key.length)) return;
		if (frame.layer > MAX_LAYERS) {
			this.allowance.exhaust();
			return;
		}
		if (/^[^/=\s]+=/.test(fields[0] ?? "") && fields.length > 1) {
			this.assignments("", ["", fields[0] ?? ""], frame);
			this.command(fields.slice(1), frame, listed);
		}
		const invocation = commandWordsOf(fields);
		if (ASSIGNS.test(invocation.name)) this.assignments(invocation.name, fields, frame);
		if (invocation.name.includes(UNKNOWN) || invocation.name.includes(LISTED)) this.unknownName(listed);
		if (/[*?[]/.test(invocation.name) && !/^\[\[?$/.test(invocation.name))
			this.wildcardName(invocation.name, fields, frame, listed);
		for (const pattern of this.progress.see(invocation))
			this.add(
				"forbidden_command",
				`${shorten(fields.join(" "))} matches the forbidden command ${shorten(pattern.written)}`,
			);
		if (this.work.spent) this.allowance.exhaust();
		const effects = effectsOf({ ...invocation, input: frame.input, piped: frame.piped });
		this.downloads(invocation.name, fields, effects, frame);
		const inner = { ...frame, layer: frame.layer + 1 };
		for (const effect of effects) this.apply(effect, inner, listed);
		this.call(invocation.name, fields, frame);
	}

	/** `export x=1`, `read x`, `set -- …`; and `sudo for x in …`, which no shell takes, but whoever wrote it meant. */
	private assignments(name: string, fields: readonly string[], { scope, input }: Frame): void {
		const words = fields.slice(1, 33);
		const give = (variable: string, value: string) => assign(scope, variable, value, this.allowance);
		if (name === "set") give("@", words.filter((word) => word !== "--").join(" "));
		else if (name === "printf" && words[0] === "-v")
			give(words[1] ?? "", printed("printf", words.slice(2), undefined) ?? "");
		for (const word of words) {
			const [, variable, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(word) ?? [];
			if (variable !== undefined && value !== undefined) {
				give(variable, value);
				this.variable(variable, value, scope);
			} else if (name === "for") give(words[0] ?? "", word);
			else if (name === "read" && input !== undefined) give(word, input.trim());
		}
	}

	/** A file that was downloaded in the same breath is code nobody has seen. */
	private downloads(name: string, fields: readonly string[], effects: readonly Effect[], frame: Frame): void {
		const runs = fields.find((field) => this.downloaded.has(field.replace(/^\.\//, "")));
		const direct = runs !== undefined && (runs === fields[0] || RUNNERS.test(name));
		if (direct) this.add("forbidden_command", `runs the download ${shorten(runs)}`);
		const known = RUNNERS.test(name)
			? fields.slice(1).find((field) => this.written.has(field.replace(/^\.\//, "")))
			: undefined;
		const text = this.written.get((known ?? fields[0] ?? "").replace(/^\.\//, ""));
		if (text !== undefined) this.nestedScript(text, [], frame, true);
		if (!DOWNLOADERS.has(name)) return;
		// Without a name for it, a download goes by the last part of its address.
		if (name === "wget" || fields.some((field) => /^-[a-zA-Z]*O/.test(field))) {
			for (const field of fields.slice(1, 33))
				if (field.includes("/")) this.downloaded.add(field.split("/").pop() ?? "");
		}
		for (const effect of effects) if (effect.kind === "write") this.downloaded.add(effect.path.replace(/^\.\//, ""));
	}

	private unknownName(listed: boolean): void {
		if (listed) this.add("forbidden_command", "runs whatever a list names");
		else this.add("exec_action", "a command whose name is computed");
	}

	private wildcardName(name: string, fields: readonly string[], frame: Frame, listed: boolean): void {
		const pattern = parseSegment(name);
		for (const tried of TRIED_NAMES) {
			if (segmentsMeet(pattern, [...tried], this.work)) this.command([tried, ...fields.slice(1)], frame, listed);
		}
	}

	/** A function of the script, with the parameters it is called with; its body was looked at without them already. */
	private call(name: string, fields: readonly string[], frame: Frame): void {
		const called = frame.scope.functions.get(name);
		if (!called || fields.length < 2) return;
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
		if (effect.kind === "raise") this.add(effect.factor, shorten(effect.because));
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

	private touch(effect: TouchingEffect, { folders }: Scope): void {
		const units = judgingWork(effect.path);
		for (const folder of folders) {
			if (!this.work.spend(units)) {
				this.allowance.exhaust();
				return;
			}
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
		if (scope.depth > MAX_LAYERS) this.allowance.exhaust();
		else this.text(text, scope, guessed);
	}

	private code(language: Language, text: string, frame: Frame): void {
		const read =
			language === "sql"
				? sql
				: language === "mongo"
					? mongo
					: language === "redis"
						? redisCommands
						: language === "powershell"
							? powershell
							: calls;
		if (!this.allowance.spendCharacters(text.length)) return;
		if (text.trim() === UNKNOWN) this.interpretUnknown(frame);
		for (const effect of read(text)) this.apply(effect, { ...frame, layer: frame.layer + 1 }, false);
	}

	/** The command runs what it reads, and the files that process substitutions are. */
	private interpret(language: "shell" | Language, frame: Frame): void {
		const processes = processesOf(frame.command);
		const texts = processes.map((script) => this.pipes.outputOf(script, frame.scope));
		if (processes.length === 0 || frame.input !== undefined) texts.push(frame.input);
		for (const text of texts) {
			if (text === undefined) this.interpretUnknown(frame);
			else if (language === "shell") this.nestedScript(text, [], { ...frame, input: undefined, piped: false }, false);
			else this.code(language, text, frame);
		}
	}

	/** Code that is not there to be read: how bad depends on where it comes from. */
	private interpretUnknown(frame: Frame): void {
		const sources = sourcesOf(frame.script, frame.command);
		const hidden = sources.find((name) => DOWNLOADERS.has(name) || DECODERS.has(name));
		if (hidden === undefined) this.add("exec_action", "runs code that is not in the command");
		else this.add("forbidden_command", `runs what ${hidden} brings`);
	}
}
