// The parts of the policy's analysis of commands that can be left out: `npm run eval:policy -- --ablate` tells which rows each
// decides.
import { resolve } from "node:path";
import { FINDS, type Part, type Room } from "./ablation/parts.ts";

const COMMANDS = "policy/commands";
const PROGRAMS = `${COMMANDS}/programs`;

/** A part that is one module of the programs, with the tables that only it reads. */
function toProgramPart(
	name: string,
	exports: Readonly<Record<string, string>>,
	{ module = name, tables = [], kept }: { module?: string; tables?: readonly string[]; kept?: string } = {},
): Part {
	return {
		name,
		files: [`${PROGRAMS}/${module}.ts`, ...tables.map((table) => `${PROGRAMS}/${table}.json`)],
		without: { [`${PROGRAMS}/${module}.ts`]: exports },
		...(kept === undefined ? {} : { kept }),
	};
}

/** A part that is one reader or one search of a module of the programs. */
function toPiece(name: string, module: string, exports: Readonly<Record<string, string>>): Part {
	return { name, within: module, files: [], without: { [`${PROGRAMS}/${module}.ts`]: exports } };
}

/** A part that is the reader of one language: without it, code in that language asks. */
function toLanguagePart(language: string): Part {
	const reader = `(language) => whole.findCodeReader(language === "${language}" ? "unread:${language}" : language)`;
	return {
		name: `code/${language}`,
		files: [],
		without: { [`${COMMANDS}/code-readers.ts`]: { findCodeReader: reader } },
	};
}

/** A part that is one module of the commands. */
function toCommandPart(name: string, exports: Readonly<Record<string, string>>): Part {
	const file = `${COMMANDS}/${name}.ts`;
	return { name, files: [file], without: { [file]: exports } };
}

/** A part that is some members of a table which others read, too. */
function toTablePart(name: string, file: string, members: readonly string[]): Part {
	return { name, files: [], without: { [file]: members } };
}

const PARTS: readonly Part[] = [
	toProgramPart("awk", { findAwkEffects: FINDS.nothing }),
	toProgramPart("build-tools", { BUILD_TOOLS: FINDS.noRows }),
	toProgramPart("code-search", { findCodeEffects: FINDS.nothing }),
	toProgramPart("powershell", { findPowershellEffects: FINDS.nothing }),
	...["python", "javascript", "perl", "ruby", "php", "vim", "sql"].map(toLanguagePart),
	toProgramPart("code-requests", { findServiceEffects: FINDS.nothing }),
	toProgramPart("code-secrets", {
		isEnvironment: FINDS.no,
		ENVIRONMENT_READERS: FINDS.noSet,
		secretVariable: "() => undefined",
		findSecret: "() => undefined",
		withSecret: "(value) => value",
		withEitherSecret: "(value) => value",
	}),
	toProgramPart(
		"dangers",
		{ findDanger: FINDS.none, findOpening: FINDS.none },
		{
			tables: ["dangers"],
			kept: "it decides nothing, but tells the person who is asked what a change opens, to whom, or what it gives away.",
		},
	),
	toPiece("printed-secrets", "dangers", { findPrintedSecrets: FINDS.nothing }),
	toProgramPart("databases", { DATABASE_CLIENTS: FINDS.noRows }),
	toPiece("mongo", "databases", { findMongoEffects: FINDS.nothing }),
	toPiece("redis", "databases", { findRedisEffects: FINDS.nothing }),
	toPiece("sourced-sql", "databases", { findSourcedFiles: FINDS.nothing }),
	toProgramPart("editors", { EDITORS: FINDS.noRows, findVimEffects: FINDS.nothing }),
	toProgramPart(
		"executors",
		{ EXECUTORS: FINDS.noRows, findExecutedSettings: FINDS.nothing },
		{ tables: ["executors"] },
	),
	toProgramPart("files", { FILE_COMMANDS: FINDS.noRows }),
	toProgramPart("git-settings", { findSettingEffects: FINDS.nothing }),
	toProgramPart("git", { git: FINDS.nothing }, { tables: ["git"] }),
	toProgramPart("network", { NETWORK_COMMANDS: FINDS.noRows }),
	toProgramPart(
		"package-sources",
		{ findPackageSource: FINDS.nothing, findPackageSources: FINDS.nothing },
		{ tables: ["package-sources"] },
	),
	toProgramPart("platforms", { findPlatformEffects: FINDS.nothing }, { tables: ["platforms"] }),
	toProgramPart(
		"publishing",
		{
			isPublishingFile: FINDS.no,
			PUBLISHERS: FINDS.noSet,
			findPublications: FINDS.nothing,
			PACKAGE_MANAGERS: FINDS.noRows,
		},
		{ tables: ["publishing"] },
	),
	toProgramPart(
		"requests",
		{ findMethodEffects: FINDS.nothing, findChangingRequest: FINDS.nothing },
		{ tables: ["requests"] },
	),
	toProgramPart("resources", { SERVICE_CLIENTS: FINDS.noRows }, { tables: ["resources"] }),
	toProgramPart("sed", { findSedEffects: FINDS.nothing }),
	toProgramPart("sql-conditions", { hitsAllRows: FINDS.no }),
	toProgramPart("sql", { findSqlEffects: FINDS.nothing }, { tables: ["sql"] }),
	toProgramPart("system", { SYSTEM_COMMANDS: FINDS.noRows }, { tables: ["system"] }),
	toProgramPart("unusual", { findUnusualEffects: FINDS.nothing }, { tables: ["unusual"] }),
	{ ...toTablePart("unusual-programs", `${PROGRAMS}/unusual.json`, ["programs"]), within: "unusual" },
	{ ...toTablePart("secret-printers", `${PROGRAMS}/secrets.json`, ["programs"]), within: "printed-secrets" },
	toProgramPart(
		"windows",
		{ isWindowsCommand: FINDS.no, findWindowsEffects: FINDS.nothing, WINDOWS_COMMANDS: FINDS.noRows },
		{ tables: ["windows"] },
	),
	toProgramPart("wrappers", { WRAPPERS: FINDS.noRows }),
	toCommandPart("evaluated", { namesComputedElement: FINDS.no, findPromptTexts: "() => null" }),
	toCommandPart("file-flow", { recordRedirect: "() => {}", recordFilled: "() => {}", recordCommand: "() => {}" }),
	toCommandPart("sent-secrets", { recordSecrets: "() => {}", findSentSecret: FINDS.none }),
	toCommandPart("functions", { defineFunctions: "() => {}", defineAlias: "() => {}" }),
	toCommandPart("variables", { findVariableEffects: FINDS.nothing }),
	toCommandPart("uploads", { findUploadEffects: FINDS.nothing }),
	toTablePart("task-files", `${COMMANDS}/file-runs.json`, ["task_files"]),
	toTablePart("implicit-files", `${COMMANDS}/file-runs.json`, ["implicit_files"]),
];

function toFiles(folder: string, names: string): readonly string[] {
	return names.split(" ").map((name) => `${folder}/${name}.ts`);
}

export const POLICY_ROOM: Room = {
	root: resolve(import.meta.dirname, "../../src"),
	folders: [COMMANDS, PROGRAMS],
	parts: PARTS,
	foundation: [
		...toFiles(
			PROGRAMS,
			"code-calls code-cursor code-folding code-names code-scope code-statements code-syntax code-tokens code-traits " +
				"code-values programs quoted shells sql-statement sql-tokens",
		),
		...toFiles(
			COMMANDS,
			"allowed analyse code-readers command-check effects file-effects file-runs file-state findings folders frames " +
				"grammar harmless-paths harmless judge locations options patterns pipe-flow pipes program-names program-tables " +
				"scope secret-names shell-state starred-names texts walk word-effects",
		),
	],
};
