// Which rules describe a command, by its name.

import type { Effect, Invocation, ProgramRule } from "../effects.ts";
import { commandName } from "../patterns.ts";
import { findWordEffects, type ProgramKnowledge } from "../word-effects.ts";
import { BUILD_TOOLS } from "./build-tools.ts";
import { DATABASE_CLIENTS } from "./databases.ts";
import { EDITORS } from "./editors.ts";
import { EXECUTORS, findExecutedSettings } from "./executors.ts";
import { FILE_COMMANDS } from "./files.ts";
import { git } from "./git.ts";
import { NETWORK_COMMANDS } from "./network.ts";
import { findPackageSources } from "./package-sources.ts";
import programsFile from "./programs.json" with { type: "json" };
import { findPublications, PACKAGE_MANAGERS } from "./publishing.ts";
import { SERVICE_CLIENTS } from "./resources.ts";
import { findShell, SHELL_COMMANDS } from "./shells.ts";
import { SYSTEM_COMMANDS } from "./system.ts";
import { findUnusualEffects } from "./unusual.ts";
import { findWindowsEffects, WINDOWS_COMMANDS } from "./windows.ts";
import { WRAPPERS } from "./wrappers.ts";

const enterFolderEffects: ProgramRule = (command) =>
	command.options.operands.slice(0, 1).map((path) => ({ kind: "enter", path }));

const PROGRAM_TABLES: readonly Readonly<Record<string, ProgramRule>>[] = [
	{ git, cd: enterFolderEffects, pushd: enterFolderEffects, chdir: enterFolderEffects },
	FILE_COMMANDS,
	NETWORK_COMMANDS,
	SYSTEM_COMMANDS,
	SERVICE_CLIENTS,
	DATABASE_CLIENTS,
	EDITORS,
	BUILD_TOOLS,
	EXECUTORS,
	PACKAGE_MANAGERS,
	WINDOWS_COMMANDS,
	WRAPPERS,
	SHELL_COMMANDS,
];

/** Names that a wildcard in a command's name is matched against: `/bin/r?` runs rm. */
export const TRIED_NAMES: readonly string[] = programsFile.tried_names;

/** The rules for each name, by the table that each is in. */
const RULES_BY_NAME: ReadonlyMap<string, ReadonlyMap<number, ProgramRule>> = collectRules();

function collectRules(): ReadonlyMap<string, ReadonlyMap<number, ProgramRule>> {
	const rules = new Map<string, Map<number, ProgramRule>>();
	for (const [at, table] of PROGRAM_TABLES.entries()) {
		for (const [name, rule] of Object.entries(table)) rules.set(name, (rules.get(name) ?? new Map()).set(at, rule));
	}
	return rules;
}

/** Every name that a rule is for. */
export const RULED_NAMES: ReadonlySet<string> = new Set(RULES_BY_NAME.keys());

/** Whether a word among others reads as a command: a rule is for its name. */
export function readsAsCommand(word: string): boolean {
	return RULED_NAMES.has(commandName(word));
}

/** Tables of commands whose words are another command's, which judges them. */
const OUTER_TABLES: readonly Readonly<Record<string, ProgramRule>>[] = [WRAPPERS, SHELL_COMMANDS];

const isIn = (tables: readonly Readonly<Record<string, ProgramRule>>[], name: string) =>
	tables.some((table) => Object.hasOwn(table, name));

/** What is known of a program by its name alone. */
interface KnownProgram extends ProgramKnowledge {
	/** Its rules, each with the name that it is for. */
	readonly rules: readonly { readonly name: string; readonly rule: ProgramRule }[];
}

/** The programs that a table names, by their names, when they were first met. */
const knownPrograms = new Map<string, KnownProgram>();

function findKnownProgram(name: string): KnownProgram {
	const known = knownPrograms.get(name);
	if (known) return known;
	const hasRule = RULES_BY_NAME.has(name);
	const found: KnownProgram = {
		rules: findRules(name),
		hasRule,
		runsItsWords: isIn(OUTER_TABLES, name),
	};
	// Of names that no table has there may be any number.
	if (hasRule) knownPrograms.set(name, found);
	return found;
}

/** The rules for a name, in the order of the tables. `mkfs.ext4` is mkfs; `git.sh` is somebody's script. */
function findRules(written: string): KnownProgram["rules"] {
	const shell = findShell(written);
	const names = [written, ...(written.startsWith("mkfs.") ? ["mkfs"] : []), ...(shell === null ? [] : [shell])];
	const ruled = names.filter((name) => RULES_BY_NAME.has(name));
	if (ruled.length === 0) return [];
	return PROGRAM_TABLES.flatMap((_, at) => {
		const name = ruled.find((candidate) => RULES_BY_NAME.get(candidate)?.has(at));
		const rule = name === undefined ? undefined : RULES_BY_NAME.get(name)?.get(at);
		return name === undefined || rule === undefined ? [] : [{ name, rule }];
	});
}

/** Finds what the command would do, by every rule for its name, and by the roles of its words. */
export function* findCommandEffects(command: Invocation): Iterable<Effect> {
	const known = findKnownProgram(command.name);
	for (const { name, rule } of known.rules) yield* rule(name === command.name ? command : { ...command, name });
	yield* findExecutedSettings(command);
	yield* findPublications(command);
	yield* findUnusualEffects(command);
	yield* findPackageSources(command);
	yield* findWindowsEffects(command);
	yield* findWordEffects(command, known, readsAsCommand);
}
