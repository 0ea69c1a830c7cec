// What a variable makes programs run: as a command, as code they load, as options, as folders they look in. The
// variables are listed in variables.json.
import { UNKNOWN } from "../placeholders.ts";
import {
	codeEffect,
	type Effect,
	guessedScriptEffect,
	raiseEffect,
	riskyEffect,
	runEffect,
	suspectEffect,
} from "./effects.ts";
import { locatePath } from "./locations.ts";
import { findRoleLanguage } from "./program-tables.ts";
import { findSettingEffects } from "./programs/git-settings.ts";
import { findPackageSource } from "./programs/package-sources.ts";
import { starredNames } from "./starred-names.ts";
import variablesFile from "./variables.json" with { type: "json" };

const RUN_VARIABLES = starredNames(variablesFile.run);
const LOADING_VARIABLES = starredNames(variablesFile.load);
const FOLDER_VARIABLES: ReadonlySet<string> = new Set(variablesFile.folders);
const EXPANDED_VARIABLES: ReadonlySet<string> = new Set(variablesFile.expand);
const OPTION_VARIABLES: ReadonlyMap<string, string> = new Map(Object.entries(variablesFile.options));
const CODE_VARIABLES: ReadonlyMap<string, string> = new Map(Object.entries(variablesFile.code));
const PACKAGE_SOURCE_VARIABLES = starredNames(variablesFile.package_sources);
/** The values that turn a check of addresses or packages off, or the shell's record of what was run. A star: any. */
const WEAKENING_VALUES: ReadonlyMap<string, string> = new Map(Object.entries(variablesFile.weakened));
const UNTRACED_VALUES: ReadonlyMap<string, string> = new Map(Object.entries(variablesFile.untraced));
/** Variables that say which database and services an app works on. `NODE_ENV` and `MIX_ENV` say how it is built, too. */
const TARGET_VARIABLES: ReadonlySet<string> = new Set(variablesFile.targets);
const PRODUCTION = /(?:^|[._-])prod(?:uction)?$/i;
const COMMAND_LIKE_NAMES = starredNames(variablesFile.command_like_endings.map((ending) => `*_${ending}`));

/** Finds what programs run because a variable has a value. */
export function findVariableEffects(written: string, value: string): readonly Effect[] {
	if (value === "") return [];
	// npm takes its own variables in any case.
	const name = /^npm_config_/i.test(written) ? written.toUpperCase() : written;
	if (RUN_VARIABLES.has(name)) return [guessedScriptEffect(value.replace(/^[|!]/, ""))];
	if (LOADING_VARIABLES.has(name)) return [riskyEffect(`${name} changes what programs run`)];
	if (FOLDER_VARIABLES.has(name)) return folderEffects(name, value);
	if (EXPANDED_VARIABLES.has(name)) return /\$\(|`/.test(value) ? [guessedScriptEffect(`: ${value}`)] : [];
	if (isWeakValue(WEAKENING_VALUES.get(name), value)) return [riskyEffect(`${name}=${value} turns a check off`)];
	if (isWeakValue(UNTRACED_VALUES.get(name), value)) return [riskyEffect("turns off the history of the shell")];
	if (TARGET_VARIABLES.has(name) && PRODUCTION.test(value)) return [riskyEffect(`${name}=${value} is production`)];
	if (PACKAGE_SOURCE_VARIABLES.has(name)) return value.split(/[\s,|]+/).flatMap(findPackageSource);
	const tool = OPTION_VARIABLES.get(name);
	if (tool !== undefined) return toolOptionEffects(name, tool, value);
	const language = findRoleLanguage(`code:${CODE_VARIABLES.get(name) ?? ""}`);
	if (language !== null) return [codeEffect(language, value)];
	return gitConfigEffects(name, value) ?? (COMMAND_LIKE_NAMES.has(name) ? [suspectEffect(value)] : []);
}

function isWeakValue(weak: string | undefined, value: string): boolean {
	return weak !== undefined && (weak === "*" ? !/^(?:0|false|no)$/i.test(value) : value.toLowerCase() === weak);
}

/** Folders that tools install programs to: `node_modules/.bin`, `~/.cargo/bin`, `.venv/Scripts`. */
const PROGRAM_FOLDER = /(?:^|\/)(?:\.?s?bin|shims|Scripts|current|platform-tools|emulator)\/?$/;

/** The folders before the first that the variable had, where programs are looked for first. */
function folderEffects(name: string, value: string): readonly Effect[] {
	const first = value.split(UNKNOWN, 1)[0] ?? "";
	const folders = first.split(value.includes(";") ? ";" : ":");
	const added = value.length > first.length ? folders.slice(0, -1) : folders.filter((folder) => folder !== "");
	const unsafe = added.find((folder) => isUnsafeFolder(name, folder));
	return unsafe === undefined ? [] : [raiseEffect("exec_action", `${name} lets code from ${unsafe || "."} run`)];
}

function isUnsafeFolder(name: string, folder: string): boolean {
	if (locatePath(folder) === "temporary") return true;
	return name === "PATH" && !/^[~/]/.test(folder) && !PROGRAM_FOLDER.test(folder);
}

/** Options that load or run code. What is loaded by the plain name of an installed package is no surprise. */
const LOADING_OPTION =
	/(?:^|\s)(?:(?:-r|--require|--import|--loader|--experimental-loader)(?:[= ]|(?=[./]))(?:[./~]|\w+:|[a-zA-Z]:\\)|--?eval\b|-e\b|-M\S*[;=\s(]|-mlib|-I[./~]|-d:|-javaagent|-agentlib|-agentpath|-XX:On|-toolexec|-exec\b|-r[./])/;

/** A tool reads the value as options, before those of its own command line. */
function toolOptionEffects(name: string, tool: string, value: string): readonly Effect[] {
	const words = value.split(/\s+/).filter((word) => word !== "");
	const loads = LOADING_OPTION.test(value) ? [riskyEffect(`${name} changes what programs run`)] : [];
	const line = /(?:^|[\s'"])--?(?:toolexec|exec|eval)[= ](.*)$/s.exec(value)?.[1];
	const run = line === undefined ? [] : [guessedScriptEffect(line.replace(/["']$/, ""))];
	return [...loads, ...run, runEffect([...tool.split(" "), ...words])];
}

/** `GIT_CONFIG_PARAMETERS="'name=value'"` and `GIT_CONFIG_VALUE_0=value`, whose name is in another variable. */
function gitConfigEffects(name: string, value: string): readonly Effect[] | null {
	if (name === "GIT_CONFIG_PARAMETERS") {
		const settings = value.match(/'[^']+'(?:='[^']*')?/g) ?? [];
		return settings.flatMap((setting) => {
			const [key = "", ...rest] = setting.replaceAll("'", "").split("=");
			return findSettingEffects(key, rest.join("="));
		});
	}
	if (!/^GIT_CONFIG_VALUE_\d{1,9}$/.test(name)) return null;
	return /[\s/!]/.test(value) ? [guessedScriptEffect(value.replace(/^!/, ""))] : [];
}
