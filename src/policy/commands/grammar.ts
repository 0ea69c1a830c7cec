// What each word of a command is to its program: a text, a path that is read or written, a command. The programs are
// listed in program-tables.ts. What follows from it is in word-effects.ts.
import { isOption } from "./options.ts";
import type { CommandWords } from "./patterns.ts";
import {
	type ArgumentRole,
	findGrammar,
	type OptionGrammar,
	type ProgramGrammar,
	saysOfWords,
	toGrammar,
	toRole,
	USUAL_OPTIONS,
} from "./program-tables.ts";

/**
 * A word, the part of a word that is an option's value, or the words of one line of shell. Options without a value are no
 * arguments.
 */
export interface Argument {
	readonly text: string;
	readonly role: ArgumentRole;
	/** The option whose value it is, as it was written. */
	readonly option: string | null;
	/** The index of the word. */
	readonly at: number;
	/** How many of the operands up to this one may be the value of an option that no table has. */
	readonly doubts: number;
}

/** The fewest characters of an abbreviated option, with its dashes. */
const MIN_ABBREVIATION = 5;

/** An operand. Its role depends on how many there are, so it is set when all are known. */
type Operand = Argument & { role: ArgumentRole };

/** Roles without an effect. A word that may be the value of an unheard-of option is judged by itself then. */
const SILENT_ROLES: ReadonlySet<ArgumentRole> = new Set(["text", "name", "address"]);

/** A name behind one dash, which is no bundle of letters: `-auto-approve`, `-var-file=x`. */
const NAME_BEHIND_ONE_DASH = /^-[a-z]{2,}(?:-[a-z]+)+(?:=|$)/;

/** Names of options that say where something is written: `--report-file`, `--saveTo`, `--log`. */
const WRITING_OPTION =
	/^--?(?:[a-z-]*-)?(?:out|output|dest|destination|report|log|save|write|dump|export)(?:[-A-Z]|$|put|file|dir|to)/;

/** Reads the words of one command from left to right. */
class ArgumentReader {
	readonly #words: readonly string[];
	readonly #found: Argument[] = [];
	/** The program's grammar, with that of the subcommand last. An option of each counts. */
	readonly #grammars: ProgramGrammar[];
	#operands: Operand[] = [];
	/** Operands right behind an option that no table has and that may take them, with that option. */
	readonly #behindUnlisted = new Map<Operand, string>();
	/** The roles of operands by the options that were given when they were looked up. */
	#roles: readonly string[] | null = null;
	#rolesGiven = 0;
	/** Whether a script was read. Options behind it are its own, and change nothing about it. */
	#hasScript = false;
	/** The index of the last word that is an option without a row, and may take the next word. */
	#unlistedAt = -2;
	#doubts = 0;
	/** Options given so far, as written and in each letter of a bundle. */
	readonly #given = new Set<string>();
	#at = 0;

	constructor(grammar: ProgramGrammar, words: readonly string[]) {
		this.#grammars = [grammar];
		this.#words = words;
	}

	get #grammar(): ProgramGrammar {
		return this.#grammars.at(-1) ?? toGrammar({});
	}

	/** Reads all words. */
	read(): {
		readonly found: readonly Argument[];
		readonly grammar: ProgramGrammar;
		readonly given: ReadonlySet<string>;
	} {
		if (this.#grammar.style === "tar" && /^[A-Za-z]/.test(this.#words[0] ?? "")) this.#readFirstBundle();
		let optionsEnded = this.#grammar.style === "none";
		for (; this.#at < this.#words.length; this.#at++) {
			const word = this.#words[this.#at] ?? "";
			if (!optionsEnded && word === "--") optionsEnded = true;
			else if (!optionsEnded && this.#readOption(word)) continue;
			else if (this.#readOperand(word)) break;
		}
		this.#placeOperands();
		return { found: this.#found, grammar: this.#grammar, given: this.#given };
	}

	#add(text: string, role: ArgumentRole, option: string | null, at = this.#at, doubts = 0): void {
		this.#found.push({ text, role, option, at, doubts });
	}

	#lookUp(option: string): OptionGrammar | undefined {
		for (let at = this.#grammars.length - 1; at >= 0; at--) {
			const found = this.#grammars[at]?.options.get(option);
			if (found && !(this.#hasScript && found.roles[0]?.startsWith("module:"))) return found;
		}
		return undefined;
	}

	/** GNU tools take any beginning of a long option that no other option has. */
	#lookUpAbbreviation(option: string): OptionGrammar | undefined {
		if (option.length < MIN_ABBREVIATION) return undefined;
		for (const { options } of this.#grammars) {
			for (const [spelling, grammar] of options)
				if (spelling.startsWith(option)) {
					this.#given.add(spelling);
					return grammar;
				}
		}
		return undefined;
	}

	/** Reads one option and its value. False when the word is an operand. */
	#readOption(word: string): boolean {
		const { style } = this.#grammar;
		if (style === "assignments") return this.#readAssignment(word);
		if (style === "dos" && /^\/[A-Za-z?]/.test(word)) {
			this.#readNamed(word.toLowerCase(), ":");
			return true;
		}
		if (style === "shell" && /^\+./.test(word)) return this.#readOption(`-${word.slice(1)}`);
		if (!isOption(word)) return false;
		if (style === "single-dash" || word.startsWith("--")) this.#readNamed(word, "=");
		else if (this.#lookUp(word) || NAME_BEHIND_ONE_DASH.test(word)) this.#readNamed(word, "=");
		else this.#readBundle(word);
		return true;
	}

	#readAssignment(word: string): boolean {
		const end = word.indexOf("=");
		const option = end > 0 ? this.#lookUp(word.slice(0, end)) : undefined;
		if (!option) return false;
		this.#add(word.slice(end + 1), option.roles[0] ?? "unknown", word.slice(0, end));
		return true;
	}

	/** Reads an option with a name: `--output file`, `--output=file`, `-out file`, `/out:file`. */
	#readNamed(word: string, separator: string): void {
		const end = separator === "" ? -1 : word.indexOf(separator);
		const written = end < 0 ? word : word.slice(0, end);
		const name = this.#grammar.style === "single-dash" ? written.replace(/^--/, "-") : written;
		this.#given.add(name);
		const exact = this.#lookUp(name) ?? this.#lookUp(written) ?? USUAL_OPTIONS.get(written);
		const option = exact ?? (name.startsWith("--") ? this.#lookUpAbbreviation(name) : undefined);
		if (end >= 0) this.#add((this.#words[this.#at] ?? "").slice(end + 1), option?.roles.at(-1) ?? "unknown", name);
		else this.#readNextWords(option, name);
	}

	/** Reads the values of an option behind which its word ends. */
	#readNextWords(option: OptionGrammar | undefined, name: string): void {
		if (!option) this.#unlistedAt = this.#at;
		else if (option.takes === "a value") for (const role of option.roles) this.#readNextWord(role, name);
		else if (option.takes === "words up to the next option")
			while (/^(?!-.)/.test(this.#words[this.#at + 1] ?? "-.")) this.#readNextWord(option.roles[0] ?? "unknown", name);
		// BSD tools take an empty word where GNU tools take nothing: `sed -i '' …`.
		else if (option.takes === "an attached value" && this.#words[this.#at + 1] === "") this.#at++;
	}

	/** Reads the next word as an option's value, and every word after it where they are a command. */
	#readNextWord(role: ArgumentRole, option: string): void {
		if (this.#at + 1 >= this.#words.length) return;
		this.#at++;
		this.#add(this.#words[this.#at] ?? "", role, option);
		if (role === "run" || role === "module:python") this.#at = this.#words.length;
	}

	/** Reads letters behind one dash. The first of them that takes a value takes the rest, or the next word. */
	#readBundle(word: string): void {
		for (let end = 1; end < word.length; end++) {
			const name = `-${word[end]}`;
			const option = this.#lookUp(name);
			this.#given.add(name);
			const rest = word.slice(end + 1);
			if (rest === "") this.#readNextWords(option, name);
			else if (!option && end === 1 && /^[=./~]/.test(rest)) {
				this.#add(rest.replace(/^=/, ""), "unknown", name);
				return;
			} else if (option && option.takes !== "nothing") {
				this.#add(rest.replace(/^=/, ""), option.roles[0] ?? "unknown", name);
				return;
			}
		}
	}

	/** Reads `xzf` of `tar xzf file`: each letter that takes a value takes the next word. */
	#readFirstBundle(): void {
		for (const letter of this.#words[0] ?? "") {
			const option = this.#lookUp(`-${letter}`);
			this.#given.add(`-${letter}`);
			if (option?.takes === "a value") this.#readNextWords(option, `-${letter}`);
		}
		this.#at++;
	}

	/** The roles of the operands, by the options that were given. */
	#operandRoles(): readonly string[] {
		if (this.#roles !== null && (this.#hasScript || this.#rolesGiven === this.#given.size)) return this.#roles;
		const { operands, operandsWith } = this.#grammar;
		const isGiven = (group: readonly string[]) => group.some((option) => this.#given.has(option));
		this.#roles = operandsWith.find(({ groups }) => groups.every(isGiven))?.operands ?? operands;
		this.#rolesGiven = this.#given.size;
		return this.#roles;
	}

	/** Reads an operand. True when it and all words after it are a command. */
	#readOperand(word: string): boolean {
		const isDoubtful = this.#unlistedAt === this.#at - 1;
		if (isDoubtful) this.#doubts++;
		const { subcommands } = this.#grammar;
		const subcommand = this.#operands.length === 0 ? subcommands.get(word) : undefined;
		if (subcommand) {
			this.#add(word, "name", null);
			this.#grammars.push(subcommand);
			this.#roles = null;
			return false;
		}
		if (isDoubtful && subcommands.size > 0 && this.#operands.length === 0) {
			this.#add(word, "unknown", null);
			return false;
		}
		const role = this.#operandRoles()[this.#operands.length];
		if (role === "run" || role?.endsWith("+")) {
			this.#placeOperands();
			this.#operands = [];
			const text = role === "run" ? word : this.#words.slice(this.#at).join(" ");
			this.#add(text, toRole(role), null, this.#at, this.#doubts);
			return true;
		}
		if (role?.startsWith("script:")) this.#hasScript = true;
		const operand: Operand = { text: word, role: "unknown", option: null, at: this.#at, doubts: this.#doubts };
		this.#operands.push(operand);
		if (isDoubtful) this.#behindUnlisted.set(operand, this.#words[this.#at - 1] ?? "");
		return false;
	}

	#placeOperands(): void {
		setRoles(this.#operands, this.#operandRoles());
		for (const operand of this.#operands) {
			this.#found.push(operand);
			const behind = this.#behindUnlisted.size > 0 ? this.#behindUnlisted.get(operand) : undefined;
			if (behind !== undefined && (SILENT_ROLES.has(operand.role) || WRITING_OPTION.test(behind)))
				this.#add(operand.text, "unknown", behind, operand.at);
		}
	}
}

/** Gives operands their roles. Roles before the repeated one count from the first, those behind it from the last. */
function setRoles(operands: readonly Operand[], roles: readonly string[]): void {
	const repeated = roles.findIndex((role) => role.endsWith("*"));
	const fromEnd = repeated < 0 ? Number.POSITIVE_INFINITY : operands.length - (roles.length - 1 - repeated);
	for (const [index, operand] of operands.entries()) {
		const at = repeated < 0 || index < repeated ? index : repeated;
		operand.role = toRole(
			index >= repeated && index >= fromEnd ? roles[index - operands.length + roles.length] : roles[at],
		);
	}
}

/**
 * Reads the words of a program that no table lists. What stands behind `=` or behind an option's letter may be a value. No
 * option takes the next word, which is judged by itself.
 */
function readUnlisted(words: readonly string[]): readonly Argument[] {
	return words.flatMap((word, at): readonly Argument[] => {
		const usual = USUAL_OPTIONS.get(words[at - 1] ?? "");
		const isValue = usual?.takes === "a value";
		const role = (isValue ? usual.roles[0] : undefined) ?? "unknown";
		if (!isOption(word)) return [{ text: word, role, option: isValue ? (words[at - 1] ?? "") : null, at, doubts: 0 }];
		const end = word.indexOf("=");
		const option = end > 0 ? word.slice(0, end) : word.slice(0, 2);
		if (end > 0)
			return [
				{ text: word.slice(end + 1), role: USUAL_OPTIONS.get(option)?.roles[0] ?? "unknown", option, at, doubts: 0 },
			];
		// Behind one letter stands a value where it looks like a path, and else a name.
		return word.startsWith("--") || !/[./~:@]|^-.id_/.test(word)
			? []
			: [{ text: word.slice(2), role: "unknown", option, at, doubts: 0 }];
	});
}

/** What a program does with its words and its standard input. */
export interface ProgramUse {
	readonly words: readonly Argument[];
	/** What becomes of the standard input: `shell`, `code:…`, `send`. Null where the table says nothing. */
	readonly input: string | null;
	/** The options that are given: as written, by the letters of bundles, and abbreviations in full. */
	readonly given: ReadonlySet<string>;
}

/** Reads words as those of a program with this grammar. */
export function readWords(grammar: ProgramGrammar, words: readonly string[]): ProgramUse {
	const { found, grammar: own, given } = new ArgumentReader(grammar, words).read();
	return { words: found, input: own.input, given };
}

/** Finds what a command does with its words and its input. Null when no table lists the program. */
export function findProgramUse({ name, words }: Pick<CommandWords, "name" | "words">): ProgramUse | null {
	const grammar = findGrammar(name);
	return grammar && saysOfWords(grammar) ? readWords(grammar, words) : null;
}

/** Finds what each word of a command is to its program. Every word of an unlisted program is `unknown`. */
export function parseArguments(command: Pick<CommandWords, "name" | "words">): readonly Argument[] {
	return findProgramUse(command)?.words ?? readUnlisted(command.words);
}

/** The operands of a command. Values of options are none. */
export function findOperands(command: Pick<CommandWords, "name" | "words">): readonly string[] {
	return parseArguments(command).flatMap(({ option, text }) => (option === null ? [text] : []));
}
