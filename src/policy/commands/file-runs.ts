// Which file a command runs, in which language its content is, and which task files task runners read.
import { isJsonObject, parseJson } from "../../json.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import runsFile from "./file-runs.json" with { type: "json" };
import { type Argument, findProgramUse, parseArguments } from "./grammar.ts";
import { findLocation, readPath } from "./locations.ts";
import type { CommandWords } from "./patterns.ts";
import {
	type ArgumentRole,
	type FileLanguage,
	findInterpretedLanguage,
	findScriptLanguage,
	isFileLanguage,
} from "./program-tables.ts";

/** A file that a command runs. `language`: that of the program that runs it, null where the file itself decides. */
export interface FileRun {
	readonly path: string;
	readonly language: FileLanguage | null;
	/** What the file gets as `$0`, `$1` and so on. */
	readonly parameters: readonly string[];
	/** Whether it counts only when the check touched the file. */
	readonly optional?: boolean;
}

/** Files that a program runs without being told to, by the program. */
const IMPLICIT_FILES: ReadonlyMap<string, readonly FileRun[]> = new Map(
	runsFile.implicit_files.flatMap(({ names, language, files }) =>
		isFileLanguage(language)
			? names.map((name) => [
					name,
					files.map((path): FileRun => ({ path, language, parameters: [path], optional: true })),
				])
			: [],
	),
);

const EXTENSIONS: ReadonlyMap<string, string> = new Map(Object.entries(runsFile.extensions));
const TASK_RUNNERS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(runsFile.task_files));

/** The files that a command runs: itself, the script of a shell or an interpreter, and what options load. */
export function findFileRuns(command: CommandWords, written: string): readonly FileRun[] {
	const { name, words } = command;
	const isPath = /[/\\]|\.[a-z][a-z0-9]{0,4}$/i.test(written);
	const own: FileRun[] = isPath ? [{ path: written, language: null, parameters: [written, ...words] }] : [];
	const plainName = /[0-9.]$/.test(name) ? name.replace(/[0-9.]+$/, "") : name;
	// `python -m pytest` is pytest.
	const module = words[0] === "-m" ? (words[1] ?? "") : "";
	const implicit = IMPLICIT_FILES.get(name) ?? IMPLICIT_FILES.get(plainName) ?? IMPLICIT_FILES.get(module) ?? [];
	const named = findProgramUse(command)?.words.flatMap((argument) => findNamedRun(argument, words)) ?? [];
	return [...own, ...implicit, ...named];
}

/** The file that a word names to be run. A module may be one that lies elsewhere. */
function findNamedRun({ role, text, option, at }: Argument, words: readonly string[]): readonly FileRun[] {
	const language = findScriptLanguage(role);
	if (language === null) return [];
	const path = role === "module:python" ? `${text.replaceAll(".", "/")}.py` : text;
	const parameters = option === null ? words.slice(at) : [path];
	return [{ path, language, parameters, optional: role.startsWith("module:") }];
}

/** The values of a command's options that have a role. */
function findByRole(command: CommandWords, role: ArgumentRole): readonly string[] {
	return parseArguments(command).flatMap((argument) => (argument.role === role ? [argument.text] : []));
}

/** The folders outside the workspace whose tasks a task runner runs. @param folder that it is started in. */
export function findForeignTaskFolders(command: CommandWords, folder: string): readonly string[] {
	if (!TASK_RUNNERS.has(command.name)) return [];
	return findByRole(command, "folder").filter(
		(path) => !path.includes(UNKNOWN) && !/^(?:inside|temporary)$/.test(findLocation(readPath(path, folder))),
	);
}

/** The files that a task runner is told to read its tasks from. */
export function findNamedTaskFiles(command: CommandWords): readonly string[] {
	return TASK_RUNNERS.has(command.name) ? findByRole(command, "tasks") : [];
}

/** The files that a task runner reads its tasks from, by their usual names or by its options. */
export function findTaskFiles(command: CommandWords): readonly string[] {
	const { name, words } = command;
	const usual = TASK_RUNNERS.get(name);
	if (!usual) return [];
	const named = findNamedTaskFiles(command);
	const operands = name === "crontab" ? words.filter((word) => !word.startsWith("-")) : [];
	const files = [...named, ...operands, ...(named.length > 0 ? [] : usual)];
	return [...files, ...findByRole(command, "folder").flatMap((folder) => files.map((file) => `${folder}/${file}`))];
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
export function guessLanguage(path: string, text: string): FileLanguage {
	const shebang = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(text);
	const program = shebang && (/\/env$/.test(shebang[1] ?? "") ? shebang[2] : shebang[1]);
	const name = (program ?? "").replace(/^.*\//, "").replace(/[0-9.]+$/, "");
	if (name !== "") return findInterpretedLanguage(name) ?? "shell";
	const language = EXTENSIONS.get(/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "") ?? "shell";
	return isFileLanguage(language) ? language : "shell";
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
