// Shells, and builtins that run a line of shell: `-c`, `eval`, `trap`, `alias`.

import {
	aliasEffect,
	codeEffect,
	type Effect,
	forbiddenEffect,
	guessedScriptEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	runEffect,
	scriptEffect,
} from "../effects.ts";
import { isInputFile } from "../locations.ts";
import { firstOperandIndexes } from "../options.ts";
import { findInterpretedLanguage, GRAMMARS } from "../program-tables.ts";

/** Options of fish, nu and others whose value is a line: `--command`, `--commands`, `-C`, `--init-command`. */
const LINE_OPTION = /^--(?:(?:init-)?commands?|execute)(?:=(.*))?$/s;

function takesLine(name: string, word: string | undefined): boolean {
	return word !== undefined && ((word === "-C" && name === "fish") || LINE_OPTION.test(word));
}

/** Whether a word is an option that takes a line, or that line. */
function isLineArgument({ name, words }: Invocation, at: number): boolean {
	const previous = words[at - 1];
	return takesLine(name, words[at]) || (takesLine(name, previous) && previous?.includes("=") !== true);
}

/** Lines that long options give, and files of start-up commands. */
function longOptionEffects({ name, words }: Invocation): readonly Effect[] {
	return words.flatMap((word, at) => {
		if (takesLine(name, word)) return [scriptEffect(LINE_OPTION.exec(word)?.[1] ?? words[at + 1] ?? "")];
		const file = /^--(?:rcfile|init-file)=(.*)$/s.exec(word)?.[1];
		return file === undefined ? [] : [runEffect([file])];
	});
}

/** A shell runs `-c text`, a script file, or what it reads. */
const shellCommand: ProgramRule = (command) => {
	const { words } = command;
	const lines = longOptionEffects(command);
	for (const [at, word] of words.entries()) {
		const previous = words[at - 1];
		if (isLineArgument(command, at)) continue;
		if (word === "--" || (!/^[-+]./.test(word) && !/^[-+]o$/i.test(previous ?? ""))) {
			return [...lines, ...shellOperandEffects(command, word === "--" ? at + 1 : at)];
		}
		if (word.includes("c") && /^-[a-zA-Z]*$/.test(word)) {
			const textAt = firstOperandIndexes(words, at + 1)[0];
			return textAt === undefined ? lines : [...lines, scriptEffect(words[textAt] ?? "", words.slice(textAt + 1))];
		}
	}
	if (lines.length > 0) return lines;
	return command.piped ? [{ kind: "interpret", language: "shell" }] : [];
};

/** `bash -n script` parses it and runs nothing. `+n` takes that back. */
function onlyParses(options: readonly string[]): boolean {
	return options.includes("-n") && !options.some((option) => option.startsWith("+"));
}

/** A shell's first operand: a script file. `-` and `/dev/stdin` are its input. */
function shellOperandEffects(command: Invocation, at: number): readonly Effect[] {
	const file = command.words[at];
	if (onlyParses(command.words.slice(0, at))) return [];
	if (command.words.slice(0, at).some((word) => /^-[a-zA-Z]*s[a-zA-Z]*$/.test(word)) && command.piped)
		return [{ kind: "interpret", language: "shell" }];
	if (file === undefined) return command.piped ? [{ kind: "interpret", language: "shell" }] : [];
	if (file === "-" || isInputFile(file)) return [{ kind: "interpret", language: "shell" }];
	// A common mistake: the command itself where a file should stand.
	return [runEffect(command.words.slice(at))];
}

const sourceCommand: ProgramRule = ({ words }) =>
	isInputFile(words[0] ?? "") ? [{ kind: "interpret", language: "shell" }] : [];

/** Runs its operands as one line of shell. */
const evaluate: ProgramRule = ({ words }) => {
	const own = words[0] === "--" ? words.slice(1) : words;
	return own.length > 0 ? [scriptEffect(own.join(" "))] : [];
};

/** `powershell -Command …`, `-EncodedCommand …` (base64 of UTF-16). */
const powershell: ProgramRule = ({ words, piped }) => {
	for (const [at, word] of words.entries()) {
		if (/^[-/]e(?:nc?|ncodedcommand|c)?$/i.test(word)) {
			const text = decodeUtf16(words[at + 1] ?? "");
			return [
				forbiddenEffect("runs an encoded PowerShell command"),
				...(text === null ? [] : [codeEffect("powershell", text)]),
			];
		}
		if (/^[-/]c(?:ommand)?$/i.test(word)) return [codeEffect("powershell", words.slice(at + 1).join(" "))];
		if (/^[-/]f(?:ile)?$/i.test(word)) return [];
	}
	const rest = words.filter((word) => !/^[-/]/.test(word));
	if (rest.length > 0) return [codeEffect("powershell", rest.join(" "))];
	return piped ? [{ kind: "interpret", language: "powershell" }] : [];
};

function decodeUtf16(text: string): string | null {
	const characters = text.replaceAll("=", "");
	if (!/^[A-Za-z0-9+/]+$/.test(characters) || characters.length % 4 === 1) return null;
	return atob(characters).replaceAll("\u0000", "");
}

const cmd: ProgramRule = ({ words }) => {
	const at = words.findIndex((word) => /^\/[ckr]$/i.test(word));
	return at < 0 ? [] : [codeEffect("powershell", words.slice(at + 1).join(" "))];
};

const trap: ProgramRule = ({ words }) => {
	const at = firstOperandIndexes(words)[0];
	return at === undefined ? [] : [scriptEffect(words[at] ?? "")];
};

const alias: ProgramRule = ({ words }) =>
	words.flatMap((word) => {
		const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
		return name === undefined || value === undefined ? [] : [scriptEffect(value), aliasEffect(name, value)];
	});

/** `hash -p PROGRAM NAME…` lets names stand for a program. */
const hash: ProgramRule = ({ words }) => {
	const at = words.findIndex((word) => /^-[a-z]*p/.test(word));
	const attached = words[at]?.replace(/^-[a-z]*?p/, "") ?? "";
	const [program = "", ...names] = at < 0 ? [] : [attached, ...words.slice(at + 1)].filter((word) => word !== "");
	return names.map((name) => aliasEffect(name, program));
};

/** `enable -f FILE NAME` loads a library into the shell. */
const enable: ProgramRule = ({ words }) =>
	words.some((word) => /^-[a-z]*f/.test(word)) ? [raiseEffect("exec_action", "loads a library into the shell")] : [];

/** The words of `compgen -W` are expanded when they are listed. */
const completion: ProgramRule = ({ words }) =>
	words.flatMap((word, at) => {
		const list = /^-[a-zA-Z]*W$/.test(words[at - 1] ?? "") ? word : /^-[a-zA-Z]*W(.+)$/s.exec(word)?.[1];
		return list !== undefined && /\$\(|`/.test(list) ? [guessedScriptEffect(`: ${list}`)] : [];
	});

const BUILTINS: ReadonlySet<string> = new Set(["source", "."]);

/** The shells: programs whose script is one of shell. */
export const SHELL_NAMES = [...GRAMMARS.keys()].filter(
	(name) => findInterpretedLanguage(name) === "shell" && !BUILTINS.has(name),
);

/** The shell that a name means: `bash5.2` and `zsh-static` are bash and zsh. Null for other names. */
export function findShell(name: string): string | null {
	const plain = name.slice(0, 32).replace(/(?:[-_.]?(?:static|[0-9.]+))+$/, "");
	return SHELL_NAMES.includes(plain) ? plain : null;
}

/** The shells and their builtins by name. */
export const SHELL_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(SHELL_NAMES.map((name) => [name, shellCommand])),
	eval: evaluate,
	source: sourceCommand,
	".": sourceCommand,
	powershell,
	pwsh: powershell,
	cmd,
	trap,
	alias,
	hash,
	enable,
	compgen: completion,
	complete: completion,
};
