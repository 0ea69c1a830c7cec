// Command patterns: `git push --force`, `kubectl delete *`, `curl | sh`. Operands match in order, options as a set.

import { type GlobSegment, parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { foldingWork, foldLookAlikes } from "../look-alikes.ts";
import { type NormalizedPath, normalizePath, normalizingWork } from "../paths.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import { firstOperandIndexes, hasFlag, type Options, parseOptions } from "./options.ts";
import { PatternProgress, type PipeFlow } from "./pipe-flow.ts";
import { expandWords } from "./shell/expand.ts";
import { parseShell } from "./shell/parse.ts";

/** A command as it would run: its name without folder and in lower case, and its words. */
export interface CommandWords {
	readonly name: string;
	readonly words: readonly string[];
	readonly options: Options;
}

/** An operand of a pattern, parsed once to be matched against many words. */
interface OperandPattern {
	readonly glob: GlobSegment;
	/** The operand as a path. Null where it does not look like one. */
	readonly path: { readonly outside: boolean; readonly glob: GlobSegment } | null;
}

/** A command of a pattern. */
interface CommandPattern {
	/** Whether it must read, through a pipe, what the command before it prints. */
	readonly reads: boolean;
	readonly name: GlobSegment;
	readonly flags: readonly string[];
	/** `*` matches any word. */
	readonly operands: readonly (OperandPattern | "*")[];
}

/** A parsed pattern: one command, or several that must all run in this order, joined by pipes where the pattern is. */
export interface ForbiddenCommand {
	readonly text: string;
	readonly commands: readonly CommandPattern[];
}

/** A command's name without folder and `.exe`, in lower case, with look-alikes folded. */
export function commandName(word: string): string {
	return toCommandName(foldLookAlikes(word));
}

function toCommandName(folded: string): string {
	const path = folded.toLowerCase();
	return path.slice(1 + Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))).replace(/\.(?:exe|cmd|bat|com)$/, "");
}

/** Units of work for a field and for each of its characters. Programs' rules read them a few times. */
const MATCHED_FIELD_WORK = 60;
const MATCHED_CHARACTER_WORK = 3;

/** Units of work for a character of a pattern's operand, which is parsed as a word and as a path. */
const OPERAND_CHARACTER_WORK = 20;

/** Folds look-alikes. Null when folding, or reading the folded text, is more than the work left. */
function foldFields(fields: readonly string[], work: WorkBudget): readonly string[] | null {
	const folding = fields.reduce((sum, field) => sum + foldingWork(field), 0);
	if (!work.charge(folding)) return null;
	const folded = fields.map(foldLookAlikes);
	return work.charge(MATCHED_FIELD_WORK * folded.length + MATCHED_CHARACTER_WORK * charactersIn(folded))
		? folded
		: null;
}

/** Parses fields, the first of which is the command's name. Null when that is more than the work left. */
export function parseCommandWords(fields: readonly string[], work: WorkBudget): CommandWords | null {
	const [first = "", ...words] = foldFields(fields, work) ?? [];
	if (work.spent) return null;
	const name = toCommandName(first);
	return { name, words, options: parseOptions(name, words) };
}

/**
 * Parses a pattern by the shell's own rules. Null when it has no command, or when parsing is more than the work left.
 */
export function parseForbiddenCommand(written: string, work: WorkBudget): ForbiddenCommand | null {
	const literally = { value: () => null, output: () => null, work };
	const commands = parseShell(written.trim(), 0, work).commands.flatMap((command): CommandPattern[] => {
		const [first, ...folded] = foldFields(expandWords(command.words, literally), work) ?? [];
		if (first === undefined || !work.charge(OPERAND_CHARACTER_WORK * charactersIn([first, ...folded]))) return [];
		return [
			{
				reads: command.reads !== null,
				name: parseGlobSegment(toCommandName(first)),
				flags: folded.filter((word) => /^-./.test(word) && word !== "--"),
				operands: folded.filter((word) => !/^-./.test(word)).map(parseOperand),
			},
		];
	});
	return commands.length > 0 ? { text: written.trim(), commands } : null;
}

/** Parses an operand as a glob, without regard to letter case, and as a path in any spelling. */
function parseOperand(written: string): OperandPattern | "*" {
	if (written === "*") return "*";
	const path = /[/~.]/.test(written) ? normalizePath(written) : null;
	return {
		glob: parseGlobSegment(written.toLowerCase()),
		path: path && { outside: path.outside, glob: parseGlobSegment(path.segments.join("/")) },
	};
}

/** A word as a segment. Wildcards in a command's word are literal characters, only those of a pattern count. */
function toLiteralSegment(word: string): GlobSegment {
	return [...word];
}

/** The command that patterns are matched against. Each of its words is parsed when it is first needed. */
class ComparedCommand {
	readonly command: CommandWords;
	readonly name: GlobSegment;
	readonly starts: readonly number[];
	readonly #plain: GlobSegment[] = [];
	readonly #paths: (NormalizedPath & { readonly literal: GlobSegment })[] = [];
	readonly #work: WorkBudget;

	constructor(command: CommandWords, work: WorkBudget) {
		this.command = command;
		this.#work = work;
		this.name = toLiteralSegment(command.name);
		this.starts = firstOperandIndexes(command.words);
	}

	wordAt(at: number): GlobSegment {
		const known = this.#plain[at];
		if (known) return known;
		const written = this.command.words[at] ?? "";
		const word = this.#work.charge(10 + 3 * written.length) ? toLiteralSegment(written.toLowerCase()) : [];
		this.#plain[at] = word;
		return word;
	}

	pathAt(at: number): NormalizedPath & { readonly literal: GlobSegment } {
		const known = this.#paths[at];
		if (known) return known;
		const written = this.command.words[at] ?? "";
		const path = normalizePath(this.#work.charge(2 * normalizingWork(written)) ? written : "");
		const read = { ...path, literal: toLiteralSegment(path.segments.join("/")) };
		this.#paths[at] = read;
		return read;
	}
}

function operandMatches(
	operand: OperandPattern | "*",
	compared: ComparedCommand,
	at: number,
	work: WorkBudget,
): boolean {
	if (!work.charge(2)) return false;
	if (operand === "*") return true;
	if (segmentsOverlap(operand.glob, compared.wordAt(at), work)) return true;
	if (!operand.path) return false;
	const path = compared.pathAt(at);
	return operand.path.outside === path.outside && segmentsOverlap(operand.path.glob, path.literal, work);
}

function operandsMatch(operands: CommandPattern["operands"], compared: ComparedCommand, work: WorkBudget): boolean {
	const [first, ...rest] = operands.at(-1) === "*" ? operands.slice(0, -1) : operands;
	if (first === undefined) return true;
	const { length } = compared.command.words;
	// What follows the first possible start also follows the others.
	const start = compared.starts.find((at) => operandMatches(first, compared, at, work));
	if (start === undefined) return false;
	let at = start + 1;
	return rest.every((next) => {
		while (at < length && !operandMatches(next, compared, at, work)) at++;
		at++;
		return at <= length;
	});
}

/** What searching for a flag costs at most. Each letter of a bundle is searched for among all flags. */
function flagWork(flag: string, { flags }: Options): number {
	return (/^-[A-Za-z]{2,}$/.test(flag) ? flag.length : 1) * (1 + flags.length);
}

/** Whether a command with the pattern's name has its options and operands. */
function wordsMatch(pattern: CommandPattern, compared: ComparedCommand, work: WorkBudget): boolean {
	const { name, options } = compared.command;
	const hasFlags = pattern.flags.every((flag) => work.charge(flagWork(flag, options)) && hasFlag(name, options, flag));
	return hasFlags && operandsMatch(pattern.operands, compared, work);
}

/** A name without wildcards as text. Null for one with wildcards. */
function toPlainName(name: GlobSegment): string | null {
	return name.every((atom) => typeof atom === "string") ? name.join("") : null;
}

/** Units of work for trying a pattern, without the comparisons. */
const PATTERN_WORK = 10;

/**
 * Matches the commands of one check against all patterns. It remembers how much of a pattern of several commands has
 * run.
 */
export class ForbiddenCommandMatcher {
	readonly #progress: PatternProgress;
	/** Patterns of one command whose name has no wildcards, by that name. */
	readonly #byName = new Map<string, ForbiddenCommand[]>();
	readonly #any: ForbiddenCommand[] = [];
	/** The names of the commands of all patterns, and those of them that have wildcards. */
	readonly #partNames = new Set<string>();
	readonly #partGlobs: GlobSegment[] = [];
	readonly #work: WorkBudget;

	/** @param work Once it is spent, no pattern is ruled out. */
	constructor(patterns: readonly ForbiddenCommand[], flow: PipeFlow, work: WorkBudget) {
		this.#progress = new PatternProgress(flow, work);
		this.#work = work;
		for (const { name } of patterns.flatMap(({ commands }) => commands)) {
			const plain = toPlainName(name);
			if (plain === null) this.#partGlobs.push(name);
			else this.#partNames.add(plain);
		}
		for (const pattern of patterns) {
			const plain = pattern.commands.length === 1 ? toPlainName(pattern.commands[0]?.name ?? []) : null;
			if (plain === null) this.#any.push(pattern);
			else this.#byName.set(plain, [...(this.#byName.get(plain) ?? []), pattern]);
		}
	}

	/** Whether any pattern may match a command of this name. */
	hasPatternsFor(name: string): boolean {
		return this.#any.length > 0 || this.#byName.has(name);
	}

	/** Whether a command of this name may match a pattern or a part of one. The name is in lower case. */
	mayName(name: string): boolean {
		if (this.#partNames.has(name)) return true;
		return this.#partGlobs.some(
			(glob) => this.#work.charge(name.length) && segmentsOverlap(glob, [...name], this.#work),
		);
	}

	/** Finds the patterns that this command completes. */
	findCompleted(command: CommandWords): readonly ForbiddenCommand[] {
		const named = this.#byName.get(command.name) ?? [];
		if (named.length + this.#any.length === 0) return [];
		const tried = this.#any.reduce((sum, { commands }) => sum + commands.length, named.length);
		if (!this.#work.charge(50 + PATTERN_WORK * tried)) return [];
		const compared = new ComparedCommand(command, this.#work);
		const matches = (part: CommandPattern | undefined) =>
			part !== undefined &&
			segmentsOverlap(part.name, compared.name, this.#work) &&
			wordsMatch(part, compared, this.#work);
		return [
			...named.filter(({ commands: [only] }) => only && wordsMatch(only, compared, this.#work)),
			...this.#any.filter((pattern) => this.#progress.advance(pattern, (at) => matches(pattern.commands[at]))),
		];
	}
}
