// What a command of `svc` is: its words, its flags, what it does. Parsing, help and completion are read from it. Pure.
import { parseArgs } from "node:util";
import { quoteInput, renderSuggestion } from "../../suggest.ts";
import { UsageError } from "./failures.ts";
import type { CommandSession } from "./session.ts";

export interface Flag {
	/** What its value is called in the help; a flag without one is a switch. */
	value?: string;
	short?: string;
	/** It may be given more than once. */
	isList?: true;
	/** The only values that it takes. */
	choices?: readonly string[];
	about: string;
}

export interface Command {
	/** One word, or two: `keys create`. */
	name: string;
	about: string;
	/** As the help shows them, such as `PROMPT…`. */
	operands?: string;
	/** Further lines of its help. */
	details?: readonly string[];
	flags?: Readonly<Record<string, Flag>>;
	/** The exit code of any failure; by the failure where it is left out. */
	failureCode?: number;
	/** It decides itself what Ctrl-C does. */
	handlesInterrupts?: true;
	/** @returns the exit code. */
	run(given: GivenWords, session: CommandSession): Promise<number>;
}

/** The flags of every command. One of its own takes the place of the same name. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
	url: { value: "URL", about: "address of the service" },
	key: { value: "KEY", about: "API key; other users of this machine can see arguments, so prefer `svc login`" },
	json: { about: "print JSON" },
	help: { short: "h", about: "show this help" },
};

/** The values of flags, as `parseArgs` reads them. */
type FlagValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** The flags and operands that a command was given. */
export class GivenWords {
	readonly operands: readonly string[];
	readonly #values: FlagValues;

	constructor(values: FlagValues, operands: readonly string[]) {
		this.#values = values;
		this.operands = operands;
	}

	is(flag: string): boolean {
		return this.#values[flag] === true;
	}

	text(flag: string): string | undefined {
		const value = this.#values[flag];
		return typeof value === "string" ? value : undefined;
	}

	list(flag: string): string[] {
		const value = this.#values[flag];
		return Array.isArray(value) ? value.map(String) : [];
	}

	/** @throws UsageError for text that is no number. */
	number(flag: string): number | undefined {
		const text = this.text(flag);
		if (text === undefined) return undefined;
		const number = Number(text);
		if (text.trim() === "" || !Number.isFinite(number))
			throw new UsageError(`--${flag} takes a number, not ${quoteInput(text)}`);
		return number;
	}

	/** @throws UsageError when the flag is missing. */
	required(flag: string): string {
		const text = this.text(flag);
		if (text === undefined || text === "") throw new UsageError(`--${flag} is missing`);
		return text;
	}

	/** The operands, joined by spaces. @throws UsageError when there are none. */
	sentence(what: string): string {
		const text = this.operands.join(" ");
		if (text.trim() === "") throw new UsageError(`${what} is missing`);
		return text;
	}

	/** The only operand. @throws UsageError for none or several. */
	single(what: string): string {
		const [first, ...more] = this.operands;
		if (first === undefined || first === "") throw new UsageError(`${what} is missing`);
		if (more.length > 0) throw new UsageError(`${what} is one word, and there are ${this.operands.length}`);
		return first;
	}
}

function flagsOf(command: Command): Readonly<Record<string, Flag>> {
	return { ...COMMON_FLAGS, ...command.flags };
}

/** Names a misspelt flag in the words of this command line. */
function explainParseError(error: unknown, command: Command, words: readonly string[]): UsageError {
	const code = error instanceof Error && "code" in error ? error.code : "";
	const names = Object.keys(flagsOf(command));
	if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
		const isKnown = (word: string) =>
			names.includes(word.slice(2)) || Object.values(flagsOf(command)).some(({ short }) => `-${short}` === word);
		const unknown = words
			.map((word) => word.split("=")[0] ?? word)
			.find((word) => /^--?[^-]/.test(word) && !isKnown(word));
		const near =
			unknown === undefined
				? ""
				: renderSuggestion(
						unknown,
						names.map((name) => `--${name}`),
					);
		return new UsageError(`unknown flag ${unknown ?? ""}${near} (text that begins with a dash goes behind --)`);
	}
	// The message of parseArgs names the flag: "Option '-m, --model <value>' argument missing".
	const [, name = ""] = /--([\w-]+)/.exec(error instanceof Error ? error.message : "") ?? [];
	const value = flagsOf(command)[name]?.value;
	return new UsageError(
		value === undefined
			? `--${name} takes no value`
			: `--${name} needs its value: --${name} ${value} (one that begins with a dash: --${name}=-…)`,
	);
}

/** Reads the words behind a command's name. @throws UsageError */
export function parseWords(command: Command, words: readonly string[]): GivenWords {
	const flags = flagsOf(command);
	const options = Object.fromEntries(
		Object.entries(flags).map(([name, { value, short, isList }]) => [
			name,
			{
				type: value === undefined ? ("boolean" as const) : ("string" as const),
				...(short === undefined ? {} : { short }),
				...(isList ? { multiple: true } : {}),
			},
		]),
	);
	let parsed: { values: FlagValues; positionals: string[] };
	try {
		parsed = parseArgs({ args: [...words], options, allowPositionals: true });
	} catch (error) {
		throw explainParseError(error, command, words);
	}
	const [unexpected] = parsed.positionals;
	if (command.operands === undefined && unexpected !== undefined)
		throw new UsageError(`svc ${command.name} takes no ${quoteInput(unexpected)}, only flags`);
	const given = new GivenWords(parsed.values, parsed.positionals);
	for (const [name, { choices }] of Object.entries(flags)) {
		const value = given.text(name);
		if (choices && value !== undefined && !choices.includes(value))
			throw new UsageError(`--${name} takes ${choices.join(", ")}, not ${quoteInput(value)}`);
	}
	return given;
}

/** Finds the command that words name, and the words behind its name. */
export function matchCommand(
	commands: readonly Command[],
	words: readonly string[],
): { command: Command; rest: readonly string[] } | null {
	for (const length of [2, 1]) {
		const name = words.slice(0, length).join(" ");
		const command = commands.find((each) => each.name === name);
		if (command) return { command, rest: words.slice(length) };
	}
	return null;
}

/** Why words name no command, with what they may have meant. */
export function explainUnknownCommand(commands: readonly Command[], words: readonly string[]): string {
	const [first = "", second] = words;
	const below = commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? (name.split(" ")[1] ?? []) : []));
	if (below.length > 0)
		return `svc ${first} takes one of: ${below.join(", ")}${second ? `; not ${quoteInput(second)}` : ""}`;
	const near = renderSuggestion(
		first,
		commands.map(({ name }) => name.split(" ")[0] ?? name),
	);
	return `there is no command ${quoteInput(first)}${near} (svc --help lists them)`;
}
