// Shells, and commands that run a line of shell: `-c`, `eval`, `ssh` and others.

import {
	codeEffect,
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	runEffect,
	scriptEffect,
} from "../effects.ts";
import { firstOperandIndexes } from "../options.ts";
import shellsFile from "./shells.json" with { type: "json" };

/** A shell runs `-c text`, a script file, or what it reads. */
const shellCommand: ProgramRule = (command) => {
	const { words } = command;
	for (const [at, word] of words.entries()) {
		if (word === "--" || (!/^[-+]./.test(word) && !/^[-+]o$/i.test(words[at - 1] ?? ""))) {
			return shellOperandEffects(command, word === "--" ? at + 1 : at);
		}
		if (word.includes("c") && /^-[a-zA-Z]*$/.test(word)) {
			const textAt = firstOperandIndexes(words, at + 1)[0];
			if (textAt === undefined) return [];
			return [scriptEffect(words[textAt] ?? "", words.slice(textAt + 1))];
		}
	}
	return command.piped ? [{ kind: "interpret", language: "shell" }] : [];
};

/** A shell's first operand: a script file. `-` and `/dev/stdin` are its input. */
function shellOperandEffects(command: Invocation, at: number): readonly Effect[] {
	const file = command.words[at];
	if (command.words.some((word) => /^-[a-zA-Z]*s$/.test(word)) && command.piped)
		return [{ kind: "interpret", language: "shell" }];
	if (file === undefined) return command.piped ? [{ kind: "interpret", language: "shell" }] : [];
	if (file === "-" || /^\/dev\/(?:stdin|fd\/)/.test(file)) return [{ kind: "interpret", language: "shell" }];
	// A common mistake: the command itself where a file should stand.
	return [runEffect(command.words.slice(at))];
}

const sourceCommand: ProgramRule = ({ words }) =>
	/^\/dev\/(?:stdin|fd\/)/.test(words[0] ?? "") ? [{ kind: "interpret", language: "shell" }] : [];

/** Runs its operands as one line of shell. */
const evalCommand: ProgramRule = ({ words }) => {
	const operands = words[0] === "--" ? words.slice(1) : words;
	return operands.length > 0 ? [scriptEffect(operands.join(" "))] : [];
};

const watch: ProgramRule = ({ words }) =>
	firstOperandIndexes(words).map((at) => scriptEffect(words.slice(at).join(" ")));

const sshCommand: ProgramRule = ({ words }) => {
	const hosts = firstOperandIndexes(words);
	return hosts.flatMap((at) => (at + 1 < words.length ? [scriptEffect(words.slice(at + 1).join(" "))] : []));
};

/** Runs the value of `-c`, in which `su`, `script`, `flock` and others take a line of shell. */
export const runDashC: ProgramRule = ({ words }) =>
	words.flatMap((word, at) => {
		const attached = /^--(?:command|session-command)=(.*)$/s.exec(word)?.[1];
		if (attached !== undefined) return [scriptEffect(attached)];
		return /^(?:-[a-z]*c|--command|--session-command)$/.test(word) ? [scriptEffect(words[at + 1] ?? "")] : [];
	});

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
		const value = /^[^=]+=(.*)$/s.exec(word)?.[1];
		return value === undefined ? [] : [scriptEffect(value)];
	});

/** The shells, and the commands that run a line of shell, by name. */
export const SHELL_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(shellsFile.shells.map((name) => [name, shellCommand])),
	eval: evalCommand,
	watch,
	ssh: sshCommand,
	mosh: sshCommand,
	su: runDashC,
	runuser: runDashC,
	script: runDashC,
	source: sourceCommand,
	".": sourceCommand,
	powershell,
	pwsh: powershell,
	cmd,
	trap,
	alias,
};
