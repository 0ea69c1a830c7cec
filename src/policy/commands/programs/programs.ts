// Which descriptions apply to a command, by its name.

import type { CommandModel, Effect, Invocation } from "../effects.ts";
import { INTERPRETERS, interpreter, interpreterOf } from "./code.ts";
import { DATABASES } from "./databases.ts";
import { FILES } from "./files.ts";
import { git } from "./git.ts";
import { NETWORK } from "./network.ts";
import programsFile from "./programs.json" with { type: "json" };
import { RESOURCES } from "./resources.ts";
import { SHELL_TOOLS } from "./shells.ts";
import { SYSTEM_TOOLS } from "./system.ts";
import { insideOf, WRAPPERS } from "./wrappers.ts";

const enter: CommandModel = (command) => command.options.operands.slice(0, 1).map((path) => ({ kind: "enter", path }));

const TABLES: readonly Readonly<Record<string, CommandModel>>[] = [
	{ git, cd: enter, pushd: enter, chdir: enter },
	FILES,
	NETWORK,
	SYSTEM_TOOLS,
	RESOURCES,
	DATABASES,
	INTERPRETERS,
	WRAPPERS,
	SHELL_TOOLS,
];

/** Names that a wildcard in a command's name is tried against: `/bin/r?` runs rm. */
export const TRIED_NAMES: readonly string[] = programsFile.tried_names;

/** What the command would do, after every description of its name. */
export function* effectsOf(command: Invocation): Iterable<Effect> {
	// `mkfs.ext4` is mkfs; `git.sh` is somebody's script.
	const names = [command.name, ...(command.name.startsWith("mkfs.") ? ["mkfs"] : [])];
	for (const table of TABLES) {
		const name = names.find((candidate) => Object.hasOwn(table, candidate));
		if (name !== undefined) yield* table[name]?.({ ...command, name }) ?? [];
	}
	if (interpreterOf(command.name) !== undefined) yield* interpreter(command);
	yield* insideOf(command);
}
