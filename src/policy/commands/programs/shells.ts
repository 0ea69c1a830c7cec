// Shells, and commands that take a line of shell: what `-c`, `eval`, `ssh` and their like run.

import { type CommandModel, code, type Effect, forbid, type Invocation, run, script } from "../effects.ts";
import { firstOperands } from "../options.ts";
import shellsFile from "./shells.json" with { type: "json" };

/** A shell: `-c text`, a script file, or what it reads. */
const shell: CommandModel = (command) => {
	const { words } = command;
	for (const [at, word] of words.entries()) {
		if (word === "--" || (!/^[-+]./.test(word) && !/^[-+]o$/i.test(words[at - 1] ?? ""))) {
			return shellOperand(command, word === "--" ? at + 1 : at);
		}
		if (word.includes("c") && /^-[a-zA-Z]*$/.test(word)) {
			const place = firstOperands(words, at + 1)[0];
			if (place === undefined) return [];
			return [script(words[place] ?? "", words.slice(place + 1))];
		}
	}
	return command.piped ? [{ kind: "interpret", language: "shell" }] : [];
};

/** A shell's first operand: a script file it reads, `-` or `/dev/stdin` being its input. */
function shellOperand(command: Invocation, at: number): readonly Effect[] {
	const file = command.words[at];
	if (command.words.some((word) => /^-[a-zA-Z]*s$/.test(word)) && command.piped)
		return [{ kind: "interpret", language: "shell" }];
	if (file === undefined) return command.piped ? [{ kind: "interpret", language: "shell" }] : [];
	if (file === "-" || /^\/dev\/(?:stdin|fd\/)/.test(file)) return [{ kind: "interpret", language: "shell" }];
	// A common misuse: the words of the command itself where a file should stand.
	return [run(command.words.slice(at))];
}

const source: CommandModel = ({ words }) =>
	/^\/dev\/(?:stdin|fd\/)/.test(words[0] ?? "") ? [{ kind: "interpret", language: "shell" }] : [];

/** Runs its operands as one line of shell: `eval`, `watch`, `ssh host`. */
const joined: CommandModel = ({ words }) => (words.length > 0 ? [script(words.join(" "))] : []);

const watch: CommandModel = ({ words }) => firstOperands(words).map((at) => script(words.slice(at).join(" ")));

const ssh: CommandModel = ({ words }) => {
	const places = firstOperands(words);
	return places.flatMap((at) => (at + 1 < words.length ? [script(words.slice(at + 1).join(" "))] : []));
};

/** The value of `-c`, as `su`, `script`, `flock` and others take a line of shell. */
export const dashC: CommandModel = ({ words }) =>
	words.flatMap((word, at) => {
		const attached = /^--(?:command|session-command)=(.*)$/s.exec(word)?.[1];
		if (attached !== undefined) return [script(attached)];
		return /^(?:-[a-z]*c|--command|--session-command)$/.test(word) ? [script(words[at + 1] ?? "")] : [];
	});

/** `powershell -Command …`, `-EncodedCommand …` (base64 of UTF-16). */
const powershell: CommandModel = ({ words, piped }) => {
	for (const [at, word] of words.entries()) {
		if (/^[-/]e(?:nc?|ncodedcommand|c)?$/i.test(word)) {
			const text = decodeUtf16(words[at + 1] ?? "");
			return [forbid("runs an encoded PowerShell command"), ...(text === undefined ? [] : [code("powershell", text)])];
		}
		if (/^[-/]c(?:ommand)?$/i.test(word)) return [code("powershell", words.slice(at + 1).join(" "))];
		if (/^[-/]f(?:ile)?$/i.test(word)) return [];
	}
	const rest = words.filter((word) => !/^[-/]/.test(word));
	if (rest.length > 0) return [code("powershell", rest.join(" "))];
	return piped ? [{ kind: "interpret", language: "powershell" }] : [];
};

function decodeUtf16(text: string): string | undefined {
	const characters = text.replaceAll("=", "");
	if (!/^[A-Za-z0-9+/]+$/.test(characters) || characters.length % 4 === 1) return undefined;
	return atob(characters).replaceAll("\u0000", "");
}

const cmd: CommandModel = ({ words }) => {
	const at = words.findIndex((word) => /^\/[ckr]$/i.test(word));
	return at < 0 ? [] : [code("powershell", words.slice(at + 1).join(" "))];
};

const trap: CommandModel = ({ words }) => {
	const at = firstOperands(words)[0];
	return at === undefined ? [] : [script(words[at] ?? "")];
};

const alias: CommandModel = ({ words }) =>
	words.flatMap((word) => {
		const value = /^[^=]+=(.*)$/s.exec(word)?.[1];
		return value === undefined ? [] : [script(value)];
	});

/** The shells, and what runs a line of shell, by name. */
export const SHELL_TOOLS: Readonly<Record<string, CommandModel>> = {
	...Object.fromEntries(shellsFile.shells.map((name) => [name, shell])),
	eval: joined,
	watch,
	ssh,
	mosh: ssh,
	su: dashC,
	runuser: dashC,
	script: dashC,
	source,
	".": source,
	powershell,
	pwsh: powershell,
	cmd,
	trap,
	alias,
};
