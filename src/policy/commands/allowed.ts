// Commands that a team allows without being asked (`allowed_commands` of a manifest). A pattern covers one simple command
// whole, word for word. What an allowed command is excused from is left to findings.ts.
import { type GlobSegment, parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import { hasFlag, isOption, parseOptions } from "./options.ts";
import { expandWords } from "./shell/expand.ts";
import { parseShell } from "./shell/parse.ts";
import type { Redirect } from "./shell/script.ts";

/** A word of a pattern. Without wildcards, it is only compared. */
interface WordPattern {
	readonly text: string;
	readonly glob: GlobSegment | null;
}

/** A parsed pattern of one simple command. */
export interface AllowedCommand {
	readonly name: string;
	readonly options: readonly WordPattern[];
	readonly operands: readonly WordPattern[];
	/** The pattern ends in `*`: whatever follows its other operands is covered. */
	readonly coversRest: boolean;
}

/** Units of work for a character of a pattern or of a word that is compared with it. */
const COMPARED_CHARACTER_WORK = 20;

const isComputed = (word: string) => word.includes(UNKNOWN) || word.includes(LISTED);

/** A bundle is each of its letters, for tools that bundle. */
function splitBundle(name: string, option: string): readonly string[] {
	const isBundle = /^-[A-Za-z0-9]{2,}$/.test(option) && parseOptions(name, [option]).letters.size > 0;
	return isBundle ? [...new Set(option.slice(1))].map((letter) => `-${letter}`) : [option];
}

function parseWord(text: string): WordPattern {
	return { text, glob: /[*?[]/.test(text) ? parseGlobSegment(text) : null };
}

/** Parses a pattern by the shell's own rules. Null when it is not one simple command, or too much for the work left. */
function parseAllowedCommand(written: string, work: WorkBudget): AllowedCommand | null {
	const { commands, malformed } = parseShell(written.trim(), 0, work);
	const [only] = commands;
	if (!only || commands.length > 1 || malformed || only.redirects.length > 0) return null;
	const fields = expandWords(only.words, { value: () => null, output: () => null, work });
	if (!work.charge(COMPARED_CHARACTER_WORK * charactersIn(fields)) || fields.some(isComputed)) return null;
	const [name, ...words] = fields;
	if (name === undefined) return null;
	const coversRest = words.at(-1) === "*";
	const fixed = coversRest ? words.slice(0, -1) : words;
	return {
		name,
		options: fixed.filter(isOption).flatMap((word) => splitBundle(name, word).map(parseWord)),
		operands: fixed.filter((word) => !isOption(word)).map(parseWord),
		coversRest,
	};
}

/** Parses `allowed_commands` of a manifest. Entries that are not one simple command cover nothing, so they are left out. */
export function parseAllowedCommands(written: readonly string[], work: WorkBudget): readonly AllowedCommand[] {
	return written.flatMap((entry) => parseAllowedCommand(entry, work) ?? []);
}

/** A wildcard covers no `..`, and no text that is only known when the command runs. */
function coversWord({ text, glob }: WordPattern, word: string, work: WorkBudget): boolean {
	if (text === word) return true;
	if (glob === null || isComputed(word) || /(?:^|\/)\.\.(?:\/|$)/.test(word)) return false;
	return segmentsOverlap(glob, [...word], work);
}

/** The options of a pattern that are the same as an option of a command. Empty when the pattern does not have it. */
function sameOptions(pattern: AllowedCommand, option: string, work: WorkBudget): readonly WordPattern[] {
	const whole = pattern.options.filter((known) => coversWord(known, option, work));
	if (whole.length > 0) return whole;
	const parts = splitBundle(pattern.name, option).map((part) => {
		const given = parseOptions(pattern.name, [part]);
		return part.includes("=") ? [] : pattern.options.filter(({ text }) => hasFlag(pattern.name, given, text));
	});
	return parts.every((same) => same.length > 0) ? parts.flat() : [];
}

/** Whether a pattern covers every word of a command, and the command has every word of the pattern. */
function covers(pattern: AllowedCommand, words: readonly string[], work: WorkBudget): boolean {
	const optionsLeft = new Set(pattern.options);
	let operands = 0;
	let afterDashes = false;
	for (const word of words) {
		const operand = pattern.operands[operands];
		const same = isOption(word) && !afterDashes ? sameOptions(pattern, word, work) : [];
		for (const option of same) optionsLeft.delete(option);
		if (word === "--") afterDashes = true;
		if (same.length > 0) continue;
		if (operand === undefined && pattern.coversRest) continue;
		if (operand === undefined || (isOption(word) && !afterDashes) || !coversWord(operand, word, work)) return false;
		operands++;
	}
	return operands === pattern.operands.length && optionsLeft.size === 0;
}

/** Whether a redirect leads to or from a file. Descriptors, here-documents and /dev/null do not. */
function isFileRedirect({ operator, target }: Redirect): boolean {
	if (operator === "<<" || operator === "<<<") return false;
	const [only] = target;
	const text = target.length === 1 && only?.kind === "text" ? only.text : "";
	return text !== "/dev/null" && !(/^[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(text));
}

/** Whether some pattern could cover a command: its name is known, and no redirect leads to or from a file. */
export function canBeAllowed([name = ""]: readonly string[], redirects: readonly Redirect[]): boolean {
	return name !== "" && !isComputed(name) && !redirects.some(isFileRedirect);
}

/** The commands that a team allows. */
export class AllowedCommands {
	readonly #byName = new Map<string, AllowedCommand[]>();
	readonly #work: WorkBudget;

	constructor(patterns: readonly AllowedCommand[], work: WorkBudget) {
		this.#work = work;
		for (const pattern of patterns)
			this.#byName.set(pattern.name, [...(this.#byName.get(pattern.name) ?? []), pattern]);
	}

	/**
	 * Whether one of the patterns covers a command whole. The name must be written as in the pattern, because another folder
	 * may hold another program. A command with a redirect to or from a file is not covered.
	 */
	cover(fields: readonly string[], redirects: readonly Redirect[]): boolean {
		const named = this.#byName.get(fields[0] ?? "");
		if (!named || redirects.some(isFileRedirect)) return false;
		const words = fields.slice(1);
		if (!this.#work.charge(COMPARED_CHARACTER_WORK * named.length * charactersIn(words))) return false;
		return named.some((pattern) => covers(pattern, words, this.#work));
	}
}
