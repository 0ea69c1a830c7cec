// A command's words as options and operands. Which options mean the same is listed in options.json.
import optionsFile from "./options.json" with { type: "json" };

/** The options and operands of one command. */
export interface Options {
	/** Letters of single-dash bundles. */
	readonly letters: ReadonlySet<string>;
	/** Words that begin with a dash, without `=value`. */
	readonly flags: readonly string[];
	/** All other words, and every word after `--`. */
	readonly operands: readonly string[];
}

/** Tools whose single-dash options are names, not bundles of letters. */
const SINGLE_DASH_NAMES: ReadonlySet<string> = new Set(optionsFile.single_dash_names);

/** Letters that take the rest of a bundle as their value, by tool. */
const LETTERS_WITH_VALUE: ReadonlyMap<string, string> = new Map(Object.entries(optionsFile.letters_with_value));

/** Spellings of the same option, by tool. `-r` and `-R` of the file tools mean the same. */
const OPTION_SYNONYMS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
	Object.entries(optionsFile.synonyms),
);

/** Whether a word begins as options do. Asked of each word of each command, most of which the first character settles. */
export function isOption(word: string): boolean {
	return word.charCodeAt(0) === DASH && /^-./.test(word);
}

const DASH = 45;

/** Parses the words after the command's name. */
export function parseOptions(name: string, words: readonly string[]): Options {
	const letters = new Set<string>();
	const flags: string[] = [];
	const operands: string[] = [];
	const values = LETTERS_WITH_VALUE.get(name) ?? "";
	const end = words.indexOf("--");
	const before = end < 0 ? words : words.slice(0, end);
	for (const word of before) {
		if (!isOption(word)) {
			operands.push(word);
			continue;
		}
		flags.push(word.replace(/=.*$/s, ""));
		if (word.startsWith("--") || SINGLE_DASH_NAMES.has(name)) continue;
		for (const letter of word.slice(1)) {
			letters.add(letter);
			if (values.includes(letter) || letter === "=") break;
		}
	}
	return { letters, flags, operands: end < 0 ? operands : [...operands, ...words.slice(end + 1)] };
}

/** GNU tools and git take any unique beginning of a long option. Here, two letters are enough. */
function isAbbreviation(written: string, flag: string): boolean {
	return written.startsWith("--") && written.length >= 4 && flag.startsWith(written);
}

function hasSpelling(options: Options, flag: string): boolean {
	if (/^-[A-Za-z0-9]$/.test(flag) && options.letters.has(flag[1] ?? "")) return true;
	return options.flags.some((written) => written === flag || isAbbreviation(written, flag));
}

/**
 * Whether an option is given, in any spelling that the tool has for it. A bundle in a pattern needs each of its
 * letters.
 */
export function hasFlag(name: string, options: Options, flag: string): boolean {
	if (/^-[A-Za-z]{2,}$/.test(flag) && !SINGLE_DASH_NAMES.has(name) && !options.flags.includes(flag)) {
		return [...flag.slice(1)].every((letter) => hasFlag(name, options, `-${letter}`));
	}
	const spellings = (OPTION_SYNONYMS.get(name) ?? []).find((group) => group.includes(flag)) ?? [flag];
	return spellings.some((spelling) => hasSpelling(options, spelling));
}

/**
 * Indexes of the words that may be the first operand. The first word that is no option may be the value of the option
 * before it. Then the next one counts too, and so on. Behind `--` there is no doubt. A caller that tries a command at
 * each of them charges for that.
 */
export function firstOperandIndexes(words: readonly string[], from = 0): readonly number[] {
	const indexes: number[] = [];
	let afterOption = false;
	for (let at = from; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "--") return at + 1 < words.length ? indexes.concat(at + 1) : indexes;
		if (isOption(word)) afterOption = !word.includes("=");
		else {
			indexes.push(at);
			if (!afterOption) return indexes;
			afterOption = false;
		}
	}
	return indexes;
}
