// Which file a command runs, in which language its content is, and which task files task runners read.
import { isJsonObject, parseJson } from "../../json.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import type { CodeLanguage } from "./effects.ts";
import runsFile from "./file-runs.json" with { type: "json" };
import { findLocation, readPath } from "./locations.ts";
import type { CommandWords } from "./patterns.ts";
import { isCodeLanguage } from "./program-tables.ts";
import shellsFile from "./programs/shells.json" with { type: "json" };

/** A file that a command runs. `language`: that of the program that runs it, null where the file itself decides. */
export interface FileRun {
	readonly path: string;
	readonly language: "shell" | CodeLanguage | null;
	/** What the file gets as `$0`, `$1` and so on. */
	readonly parameters: readonly string[];
	/** Whether it counts only when the check touched the file. */
	readonly optional?: boolean;
}

/** How a program takes the file that it runs. */
interface FileRunner {
	readonly language: "shell" | CodeLanguage;
	/** Options that take the next word. */
	readonly values: ReadonlySet<string>;
	/** Words that stand before the file. */
	readonly before: ReadonlySet<string>;
	/** Options with which it runs no file. */
	readonly instead: ReadonlySet<string>;
}

function isLanguage(text: string): text is "shell" | CodeLanguage {
	return text === "shell" || isCodeLanguage(text);
}

const SHELLS = { names: shellsFile.shells, language: "shell", ...shellsFile.scripts };

const FILE_RUNNERS: ReadonlyMap<string, FileRunner> = new Map(
	[SHELLS, ...runsFile.runners].flatMap(({ names, language, values, before, instead }) =>
		isLanguage(language)
			? names.map(
					(name) =>
						[name, { language, values: new Set(values), before: new Set(before), instead: new Set(instead) }] as const,
				)
			: [],
	),
);

/** Options whose value is a file of code, by program. */
const FILE_LOADERS: ReadonlyMap<
	string,
	{ readonly language: "shell" | CodeLanguage; readonly options: ReadonlySet<string> }
> = new Map(
	runsFile.loaders.flatMap(({ names, language, options }) =>
		isLanguage(language) ? names.map((name) => [name, { language, options: new Set(options) }] as const) : [],
	),
);

/** Files that a program runs without being told to, by the program. */
const IMPLICIT_FILES: ReadonlyMap<string, readonly FileRun[]> = new Map(
	runsFile.implicit_files.flatMap(({ names, language, files }) =>
		isLanguage(language)
			? names.map((name) => [
					name,
					files.map((path): FileRun => ({ path, language, parameters: [path], optional: true })),
				])
			: [],
	),
);

const EXTENSIONS: ReadonlyMap<string, string> = new Map(Object.entries(runsFile.extensions));
const TASK_RUNNERS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(runsFile.task_files));

/** The name without version of a program that takes a file to run, or loads one by an option. Null for other names. */
export function findFileRunner(name: string): string | null {
	const plain = name.replace(/[0-9.]+$/, "");
	return [name, plain].find((known) => FILE_RUNNERS.has(known) || FILE_LOADERS.has(known)) ?? null;
}

/** The position of the first word that is neither an option nor an option's value. -1 without one. */
function findFirstOperand(words: readonly string[], { values, before, instead }: FileRunner): number {
	for (let at = 0; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "--") return at + 1 < words.length ? at + 1 : -1;
		if (instead.has(word) || (/^-[A-Za-z]{2,}$/.test(word) && [...word.slice(1)].some((c) => instead.has(`-${c}`))))
			return -1;
		if (values.has(word)) at++;
		else if (!before.has(word) && !/^[-+]./.test(word) && word !== "-") return at;
	}
	return -1;
}

/** The files that a command runs: itself, the script of a shell or an interpreter, and what options load. */
export function findFileRuns({ name, words }: CommandWords, written: string): readonly FileRun[] {
	const isPath = /[/\\]|\.[a-z][a-z0-9]{0,4}$/i.test(written);
	const runs: FileRun[] = isPath ? [{ path: written, language: null, parameters: [written, ...words] }] : [];
	const plainName = /[0-9.]$/.test(name) ? name.replace(/[0-9.]+$/, "") : name;
	runs.push(...findLoadedFiles(FILE_LOADERS.has(name) ? name : plainName, words));
	// `python -m pytest` is pytest.
	const module = words[0] === "-m" ? (words[1] ?? "") : "";
	runs.push(...(IMPLICIT_FILES.get(name) ?? IMPLICIT_FILES.get(plainName) ?? IMPLICIT_FILES.get(module) ?? []));
	const runner = FILE_RUNNERS.get(name) ?? FILE_RUNNERS.get(plainName);
	if (!runner) return runs;
	const at = findFirstOperand(words, runner);
	const path = words[at];
	return path === undefined ? runs : [...runs, { path, language: runner.language, parameters: words.slice(at) }];
}

/** The files that options of a program load, and the module of `python -m`. Those that are not the check's stay unnamed. */
function findLoadedFiles(name: string, words: readonly string[]): readonly FileRun[] {
	const loader = FILE_LOADERS.get(name);
	if (!loader) return [];
	return words.flatMap((word, at): readonly FileRun[] => {
		const isAttached = word.length > 2 && /^-[A-Za-z]/.test(word) && loader.options.has(word.slice(0, 2));
		const isLong = /^--/.test(word);
		const [option = "", ...attached] = isLong
			? word.split("=")
			: isAttached
				? [word.slice(0, 2), word.slice(2)]
				: [word];
		const value = attached.length > 0 ? attached.join("=") : words[at + 1];
		if (!loader.options.has(option) || value === undefined) return [];
		const path = option === "-m" ? `${value.replaceAll(".", "/")}.py` : value;
		return [{ path, language: loader.language, parameters: [path], optional: true }];
	});
}

/** The folders in which a task runner is told to look for its tasks. */
function findTaskFolders({ words }: Pick<CommandWords, "words">): readonly string[] {
	return words.flatMap((word, at) => {
		if (/^(?:-C|--directory|--prefix|--cwd|--dir)$/.test(word)) return words[at + 1] ?? [];
		return /^(?:--directory=|--prefix=|--cwd=|--dir=)(.+)$/s.exec(word)?.[1] ?? [];
	});
}

/** The folders outside the workspace whose tasks a task runner runs. @param folder that it is started in. */
export function findForeignTaskFolders({ name, words }: CommandWords, folder: string): readonly string[] {
	if (!TASK_RUNNERS.has(name)) return [];
	return findTaskFolders({ words }).filter(
		(path) => !path.includes(UNKNOWN) && !/^(?:inside|temporary)$/.test(findLocation(readPath(path, folder))),
	);
}

/** The files that a task runner is told to read its tasks from. */
export function findNamedTaskFiles({ name, words }: CommandWords): readonly string[] {
	if (!TASK_RUNNERS.has(name)) return [];
	const named = words.flatMap((word, at) => {
		if (/^(?:-f|--file|--makefile|--justfile)$/.test(word)) return words[at + 1] ?? [];
		return /^(?:-f|--file=|--makefile=|--justfile=)(.+)$/s.exec(word)?.[1] ?? [];
	});
	// What is in braces of Go is a template, no file: `docker inspect -f '{{.State.Status}}' web`.
	return named.filter((file) => !file.includes("{{"));
}

/** The files that a task runner reads its tasks from, by their usual names or by its options. */
export function findTaskFiles(command: CommandWords): readonly string[] {
	const { name, words } = command;
	const usual = TASK_RUNNERS.get(name);
	if (!usual) return [];
	const named = findNamedTaskFiles(command);
	const folders = findTaskFolders({ words });
	const operands = name === "crontab" ? words.filter((word) => !word.startsWith("-")) : [];
	const files = [...named, ...operands, ...(named.length > 0 ? [] : usual)];
	return [...files, ...folders.flatMap((folder) => files.map((file) => `${folder}/${file}`))];
}

/** The lines of shell in a task file: recipes of make and just, scripts of npm, `RUN` of Docker, jobs of cron. */
export function findTaskLines(name: string, text: string): readonly string[] {
	if (/^(?:npm|yarn|pnpm|bun)$/.test(name)) return findPackageScripts(text);
	if (name === "crontab") return text.split("\n").map((line) => line.replace(/^(?:@\w+|(?:\S+\s+){5})/, ""));
	if (/^(?:docker|podman)$/.test(name))
		return text
			.replaceAll("\\\n", " ")
			.split("\n")
			.flatMap((line) => /^\s*(?:RUN|CMD|ENTRYPOINT)\s+(.+)$/i.exec(line)?.[1] ?? []);
	return text.replaceAll("\\\n", " ").split("\n").flatMap(findRecipe);
}

/** The line of shell in a line of a makefile: behind a tab, or behind the `;` of a target. Marks of make come first. */
function findRecipe(line: string): readonly string[] {
	const colon = line.indexOf(":");
	const semicolon = colon < 0 ? -1 : line.indexOf(";", colon);
	const recipe = /^[\t ]/.test(line) ? line : semicolon < 0 ? "" : line.slice(semicolon + 1);
	const trimmed = recipe.trim().replace(/^[@+-]+/, "");
	return trimmed === "" ? [] : [trimmed];
}

/** The values of `scripts` in a package.json. Where it is not valid JSON, or has no texts there, every quoted value in it. */
function findPackageScripts(text: string): readonly string[] {
	const file = parseJson(text);
	const scripts = isJsonObject(file) && isJsonObject(file["scripts"]) ? Object.values(file["scripts"]) : [undefined];
	if (scripts.every((script) => typeof script === "string")) return scripts;
	return [...text.matchAll(/:\s*"((?:[^"\\\n]|\\.)*)"/g)].map((found) => (found[1] ?? "").replace(/\\(.)/g, "$1"));
}

/** The language that a file's own text or name tells. Shell where neither does. */
export function guessLanguage(path: string, text: string): "shell" | CodeLanguage {
	const shebang = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(text);
	const program = shebang && (/\/env$/.test(shebang[1] ?? "") ? shebang[2] : shebang[1]);
	const name = (program ?? "").replace(/^.*\//, "").replace(/[0-9.]+$/, "");
	if (name !== "") return FILE_RUNNERS.get(name)?.language ?? "shell";
	const language = EXTENSIONS.get(/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "") ?? "shell";
	return isLanguage(language) ? language : "shell";
}

/** Folders of programs that are installed for everybody, for a user or for a project. */
const INSTALLED_PROGRAMS = new RegExp(runsFile.program_folders);
/** Folders of the workspace that git usually ignores, and that hold no programs or build output. */
const IGNORED_FOLDERS: ReadonlySet<string> = new Set(runsFile.ignored_folders);

/**
 * Where a file lies that a command runs and the check did not touch. `known`: an installed program, or no file. A
 * command's name without folder is looked for among the programs.
 */
export function findRunPlace(
	{ path, language, optional }: FileRun,
	folder: string,
): "workspace" | "elsewhere" | "known" {
	if (
		optional === true ||
		(language === null && !/[/\\]/.test(path)) ||
		/^\/dev\//.test(path) ||
		path.includes(UNKNOWN) ||
		path.includes(LISTED)
	)
		return "known";
	if (INSTALLED_PROGRAMS.test(path)) return "known";
	const named = readPath(path, folder);
	if (findLocation(named) !== "inside") return "elsewhere";
	return named.normalized.segments.slice(0, -1).some((segment) => IGNORED_FOLDERS.has(segment))
		? "elsewhere"
		: "workspace";
}
