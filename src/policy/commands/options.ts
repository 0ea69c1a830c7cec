// A command's words read as options and operands; which options mean the same is a table.
import optionsFile from "./options.json" with { type: "json" };

/** The words of one command, sorted. */
export interface Options {
	/** Letters of single-dash bundles. */
	readonly letters: ReadonlySet<string>;
	/** Words that begin with a dash, as written but without `=value`. */
	readonly flags: readonly string[];
	/** Everything else, and all that follows `--`. */
	readonly operands: readonly string[];
}

/** Tools whose single-dash words are names, not bundles of letters. */
const SINGLE_DASH_NAMES: ReadonlySet<string> = new Set(optionsFile.single_dash_names);

/** Letters that take the rest of a bundle as their value, per tool. */
const LETTERS_WITH_VALUE: ReadonlyMap<string, string> = new Map(Object.entries(optionsFile.letters_with_value));

/** Long spellings of letters, per tool; `-r` and `-R` of the file tools mean the same. */
const OPTION_SYNONYMS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
	Object.entries(optionsFile.synonyms),
);

/** Reads words, without the command's name, as options and operands. */
export function parseOptions(name: string, words: readonly string[]): Options {
	const letters = new Set<string>();
	const flags: string[] = [];
	const operands: string[] = [];
	const values = LETTERS_WITH_VALUE.get(name) ?? "";
	const end = words.indexOf("--");
	const before = end < 0 ? words : words.slice(0, end);
	for (const word of before) {
		if (!/^-./.test(word)) {
			operands.push(word);
			continue;
		}
		flags.push(word.replace(/=.*$/s, ""));
		if (word.startsWith("--") || SINGLE_DASH_NAMES.has(name)) continue;
		for (const letter of word.slice(1, 65)) {
			letters.add(letter);
			if (values.includes(letter) || letter === "=") break;
		}
	}
	return { letters, flags, operands: end < 0 ? operands : [...operands, ...words.slice(end + 1)] };
}

/** GNU tools and git take any beginning of a long option that fits only one; two letters are enough to be meant. */
function isAbbreviation(written: string, flag: string): boolean {
	return written.startsWith("--") && written.length >= 4 && flag.startsWith(written);
}

function hasSpelling(options: Options, flag: string): boolean {
	if (/^-[A-Za-z0-9]$/.test(flag) && options.letters.has(flag[1] ?? "")) return true;
	return options.flags.some((written) => written === flag || isAbbreviation(written, flag));
}

/** Whether an option is given, in any spelling the tool has for it. A pattern's bundle needs each of its letters. */
export function hasFlag(name: string, options: Options, flag: string): boolean {
	if (/^-[A-Za-z]{2,}$/.test(flag) && !SINGLE_DASH_NAMES.has(name) && !options.flags.includes(flag)) {
		return [...flag.slice(1)].every((letter) => hasFlag(name, options, `-${letter}`));
	}
	const spellings = (OPTION_SYNONYMS.get(name) ?? []).find((group) => group.includes(flag)) ?? [flag];
	return spellings.some((spelling) => hasSpelling(options, spelling));
}

/** Places in doubt that are followed; a command with more options before its first operand has too many. */
export const MAX_FIRST_OPERANDS = 16;

/**
 * The operands that could be the first one: the first, or, where an option stands before it whose value it may be, the
 * next. Gives at most `MAX_FIRST_OPERANDS` places in `words`; a `--` ends the doubt.
 */
export function firstOperandIndexes(words: readonly string[], from = 0): readonly number[] {
	const places: number[] = [];
	let afterOption = false;
	for (let at = from; at < words.length && places.length < MAX_FIRST_OPERANDS; at++) {
		const word = words[at] ?? "";
		if (word === "--") return at + 1 < words.length ? [...places, at + 1] : places;
		if (/^-./.test(word)) afterOption = !word.includes("=");
		else {
			places.push(at);
			if (!afterOption) return places;
			afterOption = false;
		}
	}
	return places;
}
