// Editors: the files they write, and the commands among their options and their input. `!` in a line of vi and ed is a shell.
import {
	type CodeLanguage,
	codeEffect,
	type Effect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	runFileEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";
import { parseArguments } from "../grammar.ts";
import { findQuoted } from "./quoted.ts";

/** What stands before a command of a line: colons, a range, `silent!`. */
const LINE_START = /^[\s:]*(?:(?:sil(?:ent)?!?|noa(?:utocmd)?|keepjumps|verbose)\s+)?[%$.,;0-9'<>+-]{0,32}\s*/;

/** A line of shell in a line of an editor: `!line`, `r !line`, `w !line`. */
const SHELL_LINE =
	/^(?:(?:r|re|read|w|wr|write|ter|terminal|te|sp|vs)?\s*!+|(?:ter(?:minal)?|make|grep|cgetexpr)\s+)(.*)$/s;

/** Commands that write to the file behind them, and that run it. */
const WRITING_LINE = /^(?:w|wr|write|wq|x|xit|sav|saveas|up|update|W|redir)!?\s*(?:>{1,2}\s*)?([^\s!|>].*)$/s;
const SOURCING_COMMAND = /^(?:so|source|ru|runtime)!?\s+(\S+)/;

/** Calls of vim's own language that remove a path or write one. */
const DELETING_CALL = /\bdelete\s*\(/;
const WRITING_CALL = /\b(?:writefile|rename)\s*\(/;

/** Calls that run a line of shell, in vim's language. */
const RUNNING_CALL = /\b(?:system(?:list)?|jobstart|job_start|termopen|term_start|popen|execute)\b/;

/** Finds what a line of vi, vim or ed does. A bar begins another command, except in a line of shell or of `execute`. */
function editorLineEffects(written: string): readonly Effect[] {
	const effects: Effect[] = [];
	for (let from = 0; from <= written.length; ) {
		const bar = written.indexOf("|", from);
		const end = bar < 0 ? written.length : bar;
		const line = written.slice(from, end).replace(LINE_START, "");
		const shell = SHELL_LINE.exec(line)?.[1];
		if (shell !== undefined) return [...effects, scriptEffect(shell + written.slice(end))];
		if (/^exe(?:cute)?\b/.test(line)) {
			const texts = findQuoted(written.slice(from)).map(({ value }) => value);
			return [...effects, ...texts.flatMap(editorLineEffects)];
		}
		effects.push(...commandEffects(line));
		from = end + 1;
	}
	return effects;
}

/** Finds what one command of vim does, other than running a line of shell. */
function commandEffects(line: string): readonly Effect[] {
	const effects: Effect[] = [];
	const file = WRITING_LINE.exec(line)?.[1];
	if (file !== undefined) effects.push(writeEffect(file.trim()));
	const sourced = SOURCING_COMMAND.exec(line)?.[1];
	if (sourced !== undefined) effects.push(runFileEffect(sourced, "vim"));
	return [
		...effects,
		...vimCallEffects(
			line,
			findQuoted(line).map(({ value }) => value),
		),
	];
}

/** Languages that a line of vim may be in, by the beginning of its command. */
const EMBEDDED_LANGUAGES: Readonly<Record<string, CodeLanguage>> = {
	py: "python",
	lua: "unread:Lua",
	perl: "perl",
	ruby: "ruby",
	tcl: "unread:Tcl",
};

/** Finds what the calls in a text do with the strings in it. */
function vimCallEffects(text: string, strings: readonly string[]): readonly Effect[] {
	const effects: Effect[] = [];
	if (DELETING_CALL.test(text))
		effects.push(
			...strings.slice(0, 1).map((path): Effect => ({ kind: "remove", path, recursive: strings.length > 1 })),
		);
	if (WRITING_CALL.test(text)) effects.push(...strings.map((path) => writeEffect(path)));
	if (RUNNING_CALL.test(text))
		effects.push(
			...[...strings, strings.join(" ")].map((string): Effect => ({ kind: "script", text: string, guess: true })),
		);
	const [, name = "", code = ""] = /^(py|lua|perl|ruby|tcl)[a-z0-9]{0,6}\s+(.*)$/s.exec(text) ?? [];
	const language = EMBEDDED_LANGUAGES[name];
	return language === undefined ? effects : [...effects, codeEffect(language, code.replace(/^<<\s?\w+/, ""))];
}

/** Finds what a script of vim does. */
export function findVimEffects(text: string): readonly Effect[] {
	return text.split("\n").flatMap(editorLineEffects);
}

/** The lines that an editor reads. One that reads them from somewhere unseen may run anything. */
function editorInputEffects({ input, piped, work }: Invocation): readonly Effect[] {
	if (!piped) return [];
	if (input === null) return [raiseEffect("exec_action", "an editor runs commands that the check cannot see")];
	return work.charge(30 * input.length) ? input.split("\n").flatMap(editorLineEffects) : [];
}

/** `vim +line file`. */
const vi: ProgramRule = (command) => {
	const words = parseArguments(command);
	const isOperand = new Set(words.flatMap(({ option, at }) => (option === null ? [at] : [])));
	const readsInput =
		/^(?:ex|ed|red)$/.test(command.name) || command.words.some((word) => /^-[a-zA-Z]*[eE]s?$/.test(word));
	return [
		...command.words.flatMap((word, at) => {
			if (!isOperand.has(at)) return [];
			return word.startsWith("+") ? editorLineEffects(word.slice(1)) : [writeEffect(word)];
		}),
		...(readsInput ? editorInputEffects(command) : []),
	];
};

/** `less +command file`: `!` runs a line of shell, and `|` gives one a part of the file. */
const pager: ProgramRule = ({ words }) =>
	words.flatMap((word): readonly Effect[] => {
		const line = /^\+{1,2}(?:!|\|.)(.+)$/s.exec(word)?.[1];
		return line === undefined ? [] : [{ kind: "script", text: line }];
	});

/** What lines of `dc` run: a `!` begins one of shell, unless it compares. */
function dcEffects(text: string): readonly Effect[] {
	return text.split("\n").flatMap((line) => {
		const shell = /!(?![<>=])(.+)$/s.exec(line)?.[1];
		return shell === undefined ? [] : [scriptEffect(shell)];
	});
}

/** `dc -e lines`, and the lines of its input. */
const dc: ProgramRule = (command) => {
	const { input, work, words } = command;
	const lines = words.flatMap((word, at) => {
		if (/^(?:-e|--expression)$/.test(word)) return dcEffects(words[at + 1] ?? "");
		return dcEffects(/^(?:-e|--expression=)(.+)$/s.exec(word)?.[1] ?? "");
	});
	return input !== null && work.charge(10 * input.length) ? [...lines, ...dcEffects(input)] : lines;
};

/** The editors by name, and a calculator that reads lines as they do. */
export const EDITORS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(
		["vim", "vi", "nvim", "ex", "ed", "red", "gvim", "mvim", "rvim", "vimx", "view"].map((name) => [name, vi]),
	),
	dc,
	less: pager,
	more: pager,
};
