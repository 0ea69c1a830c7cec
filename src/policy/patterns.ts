// Command patterns: `git push --force`, `kubectl delete *`, `curl | sh`. The words in order, the options as a set.

import { parseSegment, type Segment, segmentsMeet } from "./glob.ts";
import { foldLookAlikes } from "./look-alikes.ts";
import { firstOperands, hasFlag, type Options, readOptions } from "./options.ts";
import { normalizePath } from "./paths.ts";
import { expandWords } from "./shell/expand.ts";
import { parse } from "./shell/parse.ts";

/** A command as it would run: the name without its folder, in lower case, and its words. */
export interface Invocation {
	readonly name: string;
	readonly words: readonly string[];
	readonly options: Options;
}

interface CommandPattern {
	readonly name: Segment;
	readonly flags: readonly string[];
	readonly operands: readonly string[];
}

/** A parsed pattern: one command, or several that must all run, in their order. */
export interface Pattern {
	readonly written: string;
	readonly commands: readonly CommandPattern[];
}

/** The name a command goes by: no folder, no `.exe`, lower case, look-alikes folded. */
export function commandName(word: string): string {
	const folded = foldLookAlikes(word).toLowerCase();
	return (folded.split(/[/\\]/).pop() ?? folded).replace(/\.(?:exe|cmd|bat|com)$/, "");
}

/** Builds an invocation from fields whose first is the command's name. */
export function invocationOf(fields: readonly string[]): Invocation {
	const name = commandName(fields[0] ?? "");
	const words = fields.slice(1).map(foldLookAlikes);
	return { name, words, options: readOptions(name, words) };
}

const LITERAL = { value: () => undefined, output: () => undefined, spend: () => true, overflow: () => {} };

/** Parses a pattern with the shell's own rules; undefined when it holds no command. */
export function parsePattern(written: string): Pattern | undefined {
	const commands = parse(written.trim()).commands.flatMap((command): CommandPattern[] => {
		const [first, ...words] = expandWords(command.words, LITERAL);
		if (first === undefined) return [];
		const folded = words.map(foldLookAlikes);
		return [
			{
				name: parseSegment(commandName(first)),
				flags: folded.filter((word) => /^-./.test(word) && word !== "--"),
				operands: folded.filter((word) => !/^-./.test(word)),
			},
		];
	});
	return commands.length > 0 ? { written: written.trim(), commands } : undefined;
}

/** A pattern's operand against a word: globs, letter case aside; a path in any spelling of it. */
function operandMatches(wanted: string, word: string): boolean {
	if (wanted === "*") return true;
	const pattern = wanted.toLowerCase();
	if (segmentsMeet(parseSegment(pattern), literal(word.toLowerCase()))) return true;
	if (!/[/~.]/.test(wanted)) return false;
	const [left, right] = [normalizePath(wanted), normalizePath(word)];
	return (
		left.outside === right.outside &&
		segmentsMeet(parseSegment(left.segments.join("/")), literal(right.segments.join("/")))
	);
}

/** A word's letters stand for themselves; only a pattern's wildcards are wildcards. */
function literal(word: string): Segment {
	return [...word.slice(0, 1024)];
}

function operandsMatch(wanted: readonly string[], words: readonly string[]): boolean {
	const [first, ...rest] = wanted.at(-1) === "*" ? wanted.slice(0, -1) : wanted;
	if (first === undefined) return true;
	return firstOperands(words).some((start) => {
		if (!operandMatches(first, words[start] ?? "")) return false;
		let at = start + 1;
		return rest.every((next) => {
			while (at < words.length && !operandMatches(next, words[at] ?? "")) at += 1;
			at += 1;
			return at <= words.length;
		});
	});
}

function commandMatches(pattern: CommandPattern, invocation: Invocation): boolean {
	if (!segmentsMeet(pattern.name, literal(invocation.name))) return false;
	if (!pattern.flags.every((flag) => hasFlag(invocation.name, invocation.options, flag))) return false;
	return operandsMatch(pattern.operands, invocation.words);
}

/** How far a pattern of several commands has been seen, command by command. */
export class PatternProgress {
	private readonly reached = new Map<Pattern, number>();
	private readonly byName = new Map<string, Pattern[]>();
	private readonly any: Pattern[] = [];

	constructor(patterns: readonly Pattern[]) {
		for (const pattern of patterns) {
			const name = pattern.commands[0]?.name ?? [];
			const plain =
				pattern.commands.length === 1 && name.every((atom) => typeof atom === "string") ? name.join("") : undefined;
			if (plain === undefined) this.any.push(pattern);
			else this.byName.set(plain, [...(this.byName.get(plain) ?? []), pattern]);
		}
	}

	/** The patterns that this command completes. */
	see(invocation: Invocation): readonly Pattern[] {
		const candidates = [...(this.byName.get(invocation.name) ?? []), ...this.any];
		return candidates.filter((pattern) => {
			const at = this.reached.get(pattern) ?? 0;
			const next = pattern.commands[at];
			if (!next || !commandMatches(next, invocation)) return false;
			if (at + 1 < pattern.commands.length) {
				this.reached.set(pattern, at + 1);
				return false;
			}
			return true;
		});
	}
}
