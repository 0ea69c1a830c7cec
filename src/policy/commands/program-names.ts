// Whether any table or rule knows a program by its name. Of a program that none knows, only the words count.

import fileRunsFile from "./file-runs.json" with { type: "json" };
import { findGrammar, GRAMMARS } from "./program-tables.ts";
import executorsFile from "./programs/executors.json" with { type: "json" };
import { RULED_NAMES } from "./programs/programs.ts";
import { PUBLISHERS } from "./programs/publishing.ts";
import secretsFile from "./programs/secrets.json" with { type: "json" };
import { findShell } from "./programs/shells.ts";
import unusualFile from "./programs/unusual.json" with { type: "json" };
import { isWindowsCommand } from "./programs/windows.ts";
import scopeFile from "./scope.json" with { type: "json" };

/** Tables whose keys are names, several of them with blanks between. */
const TABLES_BY_NAME = [executorsFile.settings, unusualFile.programs, secretsFile.programs, fileRunsFile.task_files];

const NAMES: ReadonlySet<string> = new Set([
	...TABLES_BY_NAME.flatMap((table) => Object.keys(table)).flatMap((names) => names.split(" ")),
	...scopeFile.assigning_commands,
	...RULED_NAMES,
	...GRAMMARS.keys(),
	...PUBLISHERS,
]);

/** Whether the name means a program that a table or a rule knows, also with a version behind it: `python3`. */
export function isKnownProgram(name: string): boolean {
	if (NAMES.has(name) || isWindowsCommand(name)) return true;
	return findShell(name) !== null || findGrammar(name) !== undefined;
}
