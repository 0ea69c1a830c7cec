// Which descriptions apply to a command, by its name.
import type { Act, Effect, Tool } from "../effects.ts";
import { INTERPRETERS, interpreter, interpreterOf } from "./code.ts";
import { DATABASES } from "./databases.ts";
import { FILES } from "./files.ts";
import { git } from "./git.ts";
import { NETWORK } from "./network.ts";
import { RESOURCES } from "./resources.ts";
import { SHELL_TOOLS } from "./shells.ts";
import { SYSTEM_TOOLS } from "./system.ts";
import { insideOf, WRAPPERS } from "./wrappers.ts";

const enter: Tool = (act) => act.options.operands.slice(0, 1).map((path) => ({ kind: "enter", path }));

const TABLES: readonly Readonly<Record<string, Tool>>[] = [
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
export const TRIED_NAMES: readonly string[] = [
	"rm",
	"dd",
	"mkfs",
	"shred",
	"git",
	"sh",
	"bash",
	"sudo",
	"find",
	"chmod",
	"chown",
	"mv",
	"curl",
	"wget",
	"nc",
	"python",
	"python3",
	"perl",
	"tee",
	"cat",
	"kill",
	"reboot",
	"shutdown",
	"truncate",
	"unlink",
];

/** What the command would do, after every description of its name. */
export function effectsOf(act: Act): readonly Effect[] {
	// `mkfs.ext4` is mkfs; `git.sh` is somebody's script.
	const names = [act.name, ...(act.name.startsWith("mkfs.") ? ["mkfs"] : [])];
	const effects: Effect[] = [];
	for (const table of TABLES) {
		const name = names.find((candidate) => Object.hasOwn(table, candidate));
		if (name !== undefined) effects.push(...(table[name]?.({ ...act, name }) ?? []));
	}
	if (interpreterOf(act.name) !== undefined) effects.push(...interpreter(act));
	return [...effects, ...insideOf(act)];
}
