// Command patterns: `git push --force`, `kubectl delete *`, `curl | sh`. The words in order, the options as a set.

import { type GlobSegment, parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { foldingWork, foldLookAlikes } from "../look-alikes.ts";
import { type NormalizedPath, normalizePath, normalizingWork } from "../paths.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import { firstOperandIndexes, hasFlag, type Options, parseOptions } from "./options.ts";
import { expandWords } from "./shell/expand.ts";
import { parseShell } from "./shell/parse.ts";

/** A command as it would run: the name without its folder, in lower case, and its words. */
export interface CommandWords {
	readonly name: string;
	readonly words: readonly string[];
	readonly options: Options;
}

/** An operand of a pattern, read once to be held against many words. */
interface OperandPattern {
	readonly glob: GlobSegment;
	/** Where it looks like a path, the same as a path. */
	readonly path: { readonly outside: boolean; readonly glob: GlobSegment } | null;
}

interface CommandPattern {
	readonly name: GlobSegment;
	readonly flags: readonly string[];
	/** `*` stands for any word, whatever is written in it. */
	readonly operands: readonly (OperandPattern | "*")[];
}

/** A parsed pattern: one command, or several that must all run, in their order. */
export interface ForbiddenCommand {
	readonly written: string;
	readonly commands: readonly CommandPattern[];
}

/** The name a command goes by: no folder, no `.exe`, lower case, look-alikes folded. */
export function commandName(word: string): string {
	return toCommandName(foldLookAlikes(word));
}

function toCommandName(folded: string): string {
	const path = folded.toLowerCase();
	return path.slice(1 + Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))).replace(/\.(?:exe|cmd|bat|com)$/, "");
}

/** Units of work for a field and for each of its characters: what reads a command looks at them a few times. */
const MATCHED_FIELD_WORK = 60;
const MATCHED_CHARACTER_WORK = 3;

/** The same for a character of a pattern's operand, which is parsed as a word and as a path. */
const OPERAND_CHARACTER_WORK = 20;

/** Folds look-alikes; undefined when that, or reading what comes of it, is more than the work left. */
function foldFields(fields: readonly string[], work: WorkBudget): readonly string[] | null {
	const folding = fields.reduce((sum, field) => sum + foldingWork(field), 0);
	if (!work.charge(folding)) return null;
	const folded = fields.map(foldLookAlikes);
	return work.charge(MATCHED_FIELD_WORK * folded.length + MATCHED_CHARACTER_WORK * charactersIn(folded))
		? folded
		: null;
}

/** Reads fields whose first is the command's name; undefined when that is more than the work left. */
export function parseCommandWords(fields: readonly string[], work: WorkBudget): CommandWords | null {
	const [first = "", ...words] = foldFields(fields, work) ?? [];
	if (work.spent) return null;
	const name = toCommandName(first);
	return { name, words, options: parseOptions(name, words) };
}

/**
 * Parses a pattern with the shell's own rules; undefined when it holds no command, or when that is more than the work
 * left.
 */
export function parseForbiddenCommand(written: string, work: WorkBudget): ForbiddenCommand | null {
	const literally = { value: () => null, output: () => null, work };
	const commands = parseShell(written.trim(), 0, work).commands.flatMap((command): CommandPattern[] => {
		const [first, ...folded] = foldFields(expandWords(command.words, literally), work) ?? [];
		if (first === undefined || !work.charge(OPERAND_CHARACTER_WORK * charactersIn([first, ...folded]))) return [];
		return [
			{
				name: parseGlobSegment(toCommandName(first)),
				flags: folded.filter((word) => /^-./.test(word) && word !== "--"),
				operands: folded.filter((word) => !/^-./.test(word)).map(parseOperand),
			},
		];
	});
	return commands.length > 0 ? { written: written.trim(), commands } : null;
}

/** Globs, letter case aside; a path in any spelling of it. */
function parseOperand(written: string): OperandPattern | "*" {
	if (written === "*") return "*";
	const path = /[/~.]/.test(written) ? normalizePath(written) : null;
	return {
		glob: parseGlobSegment(written.toLowerCase()),
		path: path && { outside: path.outside, glob: parseGlobSegment(path.segments.join("/")) },
	};
}

/** A word's characters stand for themselves; only a pattern's wildcards are wildcards. */
function toLiteralSegment(word: string): GlobSegment {
	return [...word.slice(0, 1024)];
}

/** The command that patterns are held against; each of its words is read when it is first needed. */
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
	wanted: OperandPattern | "*",
	compared: ComparedCommand,
	at: number,
	work: WorkBudget,
): boolean {
	if (!work.charge(2)) return false;
	if (wanted === "*") return true;
	if (segmentsOverlap(wanted.glob, compared.wordAt(at), work)) return true;
	if (!wanted.path) return false;
	const path = compared.pathAt(at);
	return wanted.path.outside === path.outside && segmentsOverlap(wanted.path.glob, path.literal, work);
}

function operandsMatch(wanted: CommandPattern["operands"], compared: ComparedCommand, work: WorkBudget): boolean {
	const [first, ...rest] = wanted.at(-1) === "*" ? wanted.slice(0, -1) : wanted;
	if (first === undefined) return true;
	const { length } = compared.command.words;
	return compared.starts.some((start) => {
		if (!operandMatches(first, compared, start, work)) return false;
		let at = start + 1;
		return rest.every((next) => {
			while (at < length && !operandMatches(next, compared, at, work)) at++;
			at++;
			return at <= length;
		});
	});
}

/** What looking for a flag costs at most: a bundle's letters are looked for one by one, each among all flags. */
function flagWork(flag: string, { flags }: Options): number {
	return (/^-[A-Za-z]{2,}$/.test(flag) ? flag.length : 1) * (1 + flags.length);
}

/** Whether a command of the pattern's name has its options and operands. */
function wordsMatch(pattern: CommandPattern, compared: ComparedCommand, work: WorkBudget): boolean {
	const { name, options } = compared.command;
	const hasFlags = pattern.flags.every((flag) => work.charge(flagWork(flag, options)) && hasFlag(name, options, flag));
	return hasFlags && operandsMatch(pattern.operands, compared, work);
}

/** Units of work for a pattern of a command's name, besides what it compares. */
const PATTERN_WORK = 10;

/** Holds the commands of one check against all patterns: how far each of several commands has been seen. */
export class ForbiddenCommandMatcher {
	readonly #reached = new Map<ForbiddenCommand, number>();
	/** Those of one command, by its name where that has no wildcards. */
	readonly #byName = new Map<string, ForbiddenCommand[]>();
	readonly #any: ForbiddenCommand[] = [];
	readonly #work: WorkBudget;

	/** @param work once it is spent, no pattern can be ruled out. */
	constructor(patterns: readonly ForbiddenCommand[], work: WorkBudget) {
		this.#work = work;
		for (const pattern of patterns) {
			const name = pattern.commands[0]?.name ?? [];
			const plain =
				pattern.commands.length === 1 && name.every((atom) => typeof atom === "string") ? name.join("") : null;
			if (plain === null) this.#any.push(pattern);
			else this.#byName.set(plain, [...(this.#byName.get(plain) ?? []), pattern]);
		}
	}

	/** The patterns that this command completes. */
	findCompleted(command: CommandWords): readonly ForbiddenCommand[] {
		const named = this.#byName.get(command.name) ?? [];
		if (named.length + this.#any.length === 0) return [];
		if (!this.#work.charge(50 + PATTERN_WORK * (named.length + this.#any.length))) return [];
		const compared = new ComparedCommand(command, this.#work);
		return [
			...named.filter(({ commands: [only] }) => only && wordsMatch(only, compared, this.#work)),
			...this.#any.filter((pattern) => this.#advance(pattern, compared)),
		];
	}

	/** Whether the command is the last that the pattern waited for. */
	#advance(pattern: ForbiddenCommand, compared: ComparedCommand): boolean {
		const at = this.#reached.get(pattern) ?? 0;
		const next = pattern.commands[at];
		const matches =
			next && segmentsOverlap(next.name, compared.name, this.#work) && wordsMatch(next, compared, this.#work);
		if (matches !== true) return false;
		if (at + 1 === pattern.commands.length) return true;
		this.#reached.set(pattern, at + 1);
		return false;
	}
}
