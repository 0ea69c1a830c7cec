// Commands of Windows and cmdlets of PowerShell: accounts, services, schedules, the registry, and programs that load code.
import {
	codeEffect,
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
	runEffect,
	writeEffect,
} from "../effects.ts";
import { StarredMap } from "../starred-names.ts";
import windowsFile from "./windows.json" with { type: "json" };

const FORBIDDEN_NAMES = new StarredMap(Object.entries(windowsFile.forbidden));
const RISKY_NAMES = new StarredMap(Object.entries(windowsFile.risky));
const FORBIDDEN_WORDS = toWordTable(windowsFile.forbidden_words);
const RISKY_WORDS = toWordTable(windowsFile.risky_words);
const LOADING_PROGRAMS: ReadonlySet<string> = new Set(windowsFile.loaders);

function toWordTable(table: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ReadonlySet<string>> {
	return new Map(
		Object.entries(table).flatMap(([names, words]) => names.split(" ").map((name) => [name, new Set(words)] as const)),
	);
}

/** Questions: `/?`, `-WhatIf`, and words that only list. */
const ASKING_WORD = /^(?:\/\?|-\?|-whatif|-help|--help|query|list|show|enum|get|\/query|\/list|\/enum)$/i;

/** Whether a command of Windows is in the table. */
export function isWindowsCommand(name: string): boolean {
	const isNamed = FORBIDDEN_NAMES.get(name) !== undefined || RISKY_NAMES.get(name) !== undefined;
	return isNamed || FORBIDDEN_WORDS.has(name) || RISKY_WORDS.has(name) || LOADING_PROGRAMS.has(name);
}

/** Finds what a command of Windows does, by its name and its words. Windows reads both in any case. */
export function* findWindowsEffects({ name, words: written }: Invocation): Iterable<Effect> {
	const forbidden = FORBIDDEN_NAMES.get(name);
	const risky = RISKY_NAMES.get(name);
	if (!isWindowsCommand(name)) return;
	const words = written.map((word) => word.toLowerCase());
	if (words.some((word) => /^(?:\/\?|-\?|-whatif)$/.test(word))) return;
	if (forbidden !== undefined)
		yield forbiddenEffect(
			forbidden,
			name.includes("-") ? "the same with -WhatIf, where the cmdlet takes it" : undefined,
		);
	if (risky !== undefined && words.length > 0) yield riskyEffect(risky);
	yield* wordEffects(name, words);
	if (LOADING_PROGRAMS.has(name) && words.length > 0) yield* loaderEffects(words);
}

/** What the words of a command do. A first word that asks makes the others names. */
function* wordEffects(name: string, words: readonly string[]): Iterable<Effect> {
	if (ASKING_WORD.test(words[0] ?? "")) return;
	const forbidden = FORBIDDEN_WORDS.get(name);
	const wrong = words.find(
		(word) => forbidden?.has(word) === true || forbidden?.has(word.replace(/[:=].*$/s, "")) === true,
	);
	const doubtful = words.find((word) => RISKY_WORDS.get(name)?.has(word));
	if (wrong !== undefined) yield forbiddenEffect(`${name} ${wrong} changes or removes what the machine relies on`);
	else if (doubtful !== undefined) yield riskyEffect(`${name} ${doubtful} changes the machine`);
}

/** Programs of the system that load code. From an address, or as a script in their words, it is never meant well. */
function* loaderEffects(words: readonly string[]): Iterable<Effect> {
	const isHidden = words.some((word) =>
		/https?:|ftp:|\\\\[a-z0-9]|javascript:|vbscript:|scrobj|minidump|comsvcs|\/i:/.test(word),
	);
	if (isHidden) yield forbiddenEffect("loads code from an address or from its words");
	else yield raiseEffect("exec_action", "loads code that the check cannot see");
}

/** Keys under which Windows finds what to start, or what protects it. */
const isStartupKey = (word: string) => windowsFile.startup_keys.some((key) => word.toLowerCase().includes(key));

/** `reg add HKCU\…\Run`, and the cmdlets for properties of registry keys. */
const registryChange: ProgramRule = ({ words }) => {
	const keys = words.filter((word) => /^['"]?(?:hk(?:lm|cu|cr|u|cc|ey)|registry::)/i.test(word));
	if (keys.length === 0 || /^(?:query|compare|export)$/i.test(words[0] ?? "")) return [];
	const secret =
		keys.some((key) => /[\\/](?:sam|security|system)$/i.test(key)) && /^(?:save|export)$/i.test(words[0] ?? "");
	if (secret) return [forbiddenEffect("copies stored credentials")];
	return keys.some(isStartupKey)
		? [forbiddenEffect("changes what Windows starts, or what protects it")]
		: [riskyEffect("changes the registry")];
};

/** `schtasks /create /tr line`. */
const scheduledTask: ProgramRule = ({ words }) => {
	const at = words.findIndex((word) => /^[/-]tr$/i.test(word));
	const run = at < 0 ? [] : [codeEffect("powershell", words[at + 1] ?? "")];
	return words.some((word) => /^[/-]create$/i.test(word)) ? [forbiddenEffect("schedules a command"), ...run] : run;
};

/** `wmic process call create line`, `wmic /node:host …`. */
const wmic: ProgramRule = ({ words }) => {
	const at = words.findIndex((word) => /^create$/i.test(word));
	return at < 0
		? []
		: [
				raiseEffect("exec_action", "starts a process on its own"),
				codeEffect("powershell", words.slice(at + 1).join(" ")),
			];
};

/** `Start-Process program -ArgumentList arguments`. */
const startProcess: ProgramRule = ({ words }) => {
	const fields = words.filter(
		(word) => !/^-(?:filepath|argumentlist|args|wait|nonewwindow|passthru|verb|windowstyle|hidden)$/i.test(word),
	);
	const elevated = words.some((word) => /^runas$/i.test(word));
	return [
		...(elevated ? [riskyEffect("runs with an administrator's rights")] : []),
		runEffect(
			fields.flatMap((field) => field.split(/[\s,]+/)).filter((field) => field !== "" && !/^runas$/i.test(field)),
		),
	];
};

/** The value of `-Path` and its likes, else the first word that is no parameter. */
function pathParameter(words: readonly string[], parameter: RegExp): string | null {
	const at = words.findIndex((word) => parameter.test(word));
	return (at < 0 ? words.find((word) => !/^-/.test(word)) : words[at + 1]) ?? null;
}

const writesPath: ProgramRule = ({ words }) => {
	const path = pathParameter(words, /^-(?:path|literalpath|filepath|name)$/i);
	return path === null ? [] : [writeEffect(path)];
};

const emptiesPath: ProgramRule = (command) => [...writesPath(command), raiseEffect("delete_action", "empties a file")];

/** The rules by name. */
export const WINDOWS_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	reg: registryChange,
	"set-itemproperty": registryChange,
	"new-itemproperty": registryChange,
	"remove-itemproperty": registryChange,
	schtasks: scheduledTask,
	wmic,
	"start-process": startProcess,
	saps: startProcess,
	"set-content": writesPath,
	"add-content": writesPath,
	"out-file": writesPath,
	"new-item": writesPath,
	"tee-object": writesPath,
	"clear-content": emptiesPath,
};
