// Whether any table or rule knows a program by its name. Of a program that none knows, only the words count.

import fileFlowFile from "./file-flow.json" with { type: "json" };
import fileRunsFile from "./file-runs.json" with { type: "json" };
import { findFileRunner } from "./file-runs.ts";
import { GRAMMARS } from "./program-tables.ts";
import { findInterpreter } from "./programs/code.ts";
import executorsFile from "./programs/executors.json" with { type: "json" };
import { RULED_NAMES } from "./programs/programs.ts";
import { PUBLISHERS } from "./programs/publishing.ts";
import secretsFile from "./programs/secrets.json" with { type: "json" };
import { findShell } from "./programs/shells.ts";
import unusualFile from "./programs/unusual.json" with { type: "json" };
import { isWindowsCommand } from "./programs/windows.ts";
import scopeFile from "./scope.json" with { type: "json" };
import transfersFile from "./transfers.json" with { type: "json" };

/** Tables whose keys are names, several of them with blanks between. */
const NAMED_TABLES = [
	executorsFile.settings,
	unusualFile.programs,
	secretsFile.programs,
	fileRunsFile.task_files,
	transfersFile.programs,
];

/** Lists of names, and of phrases that begin with one. */
const NAMED_LISTS = [
	fileFlowFile.copiers,
	fileFlowFile.unpackers,
	fileFlowFile.remote_copiers,
	fileFlowFile.input_writers,
	scopeFile.assigning_commands,
];

const NAMES: ReadonlySet<string> = new Set([
	...NAMED_TABLES.flatMap((table) => Object.keys(table)).flatMap((names) => names.split(" ")),
	...NAMED_LISTS.flat().map((phrase) => phrase.split(" ", 1)[0] ?? ""),
	...RULED_NAMES,
	...GRAMMARS.keys(),
	...PUBLISHERS,
]);

/** Whether the name means a program that a table or a rule knows, also with a version behind it: `python3`. */
export function isKnownProgram(name: string): boolean {
	if (NAMES.has(name) || isWindowsCommand(name)) return true;
	return (findShell(name) ?? findInterpreter(name) ?? findFileRunner(name)) !== null;
}
