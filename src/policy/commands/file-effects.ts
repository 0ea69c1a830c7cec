// What commands do with files beyond reading and writing them by their words: redirects into them, files and tasks that they
// run. What files hold is recorded by file-flow.ts.
import { foldingWork } from "../look-alikes.ts";
import { normalizingWork } from "../paths.ts";
import { shortenForReason } from "../placeholders.ts";
import type { CommandCheck } from "./command-check.ts";
import {
	type CodeLanguage,
	codeEffect,
	type Effect,
	expandEffect,
	guessedScriptEffect,
	readEffect,
	runEffect,
	writeEffect,
} from "./effects.ts";
import { namesComputedElement } from "./evaluated.ts";
import { recordRedirect } from "./file-flow.ts";
import {
	type FileRun,
	findFileRuns,
	findForeignTaskFolders,
	findNamedTaskFiles,
	findRunPlace,
	findTaskFiles,
	findTaskLines,
	guessLanguage,
} from "./file-runs.ts";
import { addFinding, addUnknownRun, addUnseenFile } from "./findings.ts";
import type { CommandFrame } from "./frames.ts";
import { isDisk, isInputFile, locatePath } from "./locations.ts";
import type { CommandWords } from "./patterns.ts";
import { isPublishingFile, isShownOnly } from "./programs/publishing.ts";
import type { Redirect } from "./shell/script.ts";

/** Finds what a redirect of a command with these words does. */
export function* findRedirectEffects(
	check: CommandCheck,
	operator: Redirect["operator"],
	path: string,
	fields: readonly string[],
	frame: CommandFrame,
): Iterable<Effect> {
	const isDescriptor = /^[<>]&$/.test(operator) && /^(?:[0-9]+-?|-)$/.test(path);
	if (operator === "<<<") {
		if (namesComputedElement(path)) yield expandEffect(path);
	} else if (/^\/dev\/(?:tcp|udp)\//.test(path))
		addFinding(check, "forbidden_command", `opens a connection: ${shortenForReason(path)}`);
	else if (operator === "<") yield readEffect(path);
	else if (!isDescriptor) {
		recordRedirect(check, path, fields, frame);
		const isSilent = fields.length < 2 && /^(?:|:|true)$/.test(fields[0] ?? "");
		yield* findWriteEffects(check, path, operator === ">" && isSilent);
	}
}

/** Finds what a redirect into a file does. The redirect of a command that prints nothing empties the file. */
function* findWriteEffects(check: CommandCheck, path: string, empties: boolean): Iterable<Effect> {
	if (!check.work.charge(2 * foldingWork(path) + 2 * normalizingWork(path))) return;
	if (isDisk(path)) addFinding(check, "forbidden_command", `overwrites the disk ${shortenForReason(path)}`);
	if (empties && locatePath(path) !== "temporary")
		addFinding(check, "delete_action", `empties ${shortenForReason(path)}`);
	yield writeEffect(path);
}

/** Finds what the files do that a command runs, and those that a task runner takes its tasks from. */
export function* findFileRunEffects(
	check: CommandCheck,
	words: CommandWords,
	fields: readonly string[],
	frame: CommandFrame,
): Iterable<Effect> {
	for (const run of findFileRuns(words, fields[0] ?? "")) {
		yield* findRunEffects(check, run, frame);
		addPublication(check, run, words, frame);
	}
	yield* findTaskEffects(check, words, frame);
}

function* findTaskEffects(check: CommandCheck, words: CommandWords, frame: CommandFrame): Iterable<Effect> {
	const { folders } = frame.scope;
	const folder = folders.at(-1) ?? "";
	for (const foreign of frame.scope.isInContainer ? [] : findForeignTaskFolders(words, folder))
		addUnknownRun(check, `runs tasks of ${shortenForReason(foreign)}, which is outside the workspace`);
	for (const path of findNamedTaskFiles(words)) {
		const place = findRunPlace({ path, language: "shell", parameters: [] }, folder);
		if (place === "elsewhere" && !check.files.find(path, folders))
			addUnknownRun(check, `runs tasks of ${shortenForReason(path)}, which is not the workspace's`);
	}
	for (const path of findTaskFiles(words)) {
		const contents = check.files.find(path, folders);
		if (contents?.origin === "download") addDownloadRun(check, path);
		const isInput = path === "-" || isInputFile(path);
		if (isInput && frame.input === null) addUnknownRun(check, "runs tasks that are not in the command");
		const text = isInput ? frame.input : (contents?.text ?? null);
		if (text !== null) yield* findTaskLines(words.name, text).map(guessedScriptEffect);
	}
}

/** Asks about a file that is named as one that publishes. `bash -n` only reads it, and many scripts take `-n` for a dry run. */
function addPublication(
	check: CommandCheck,
	{ path, optional }: FileRun,
	{ words }: CommandWords,
	frame: CommandFrame,
): void {
	if (optional || !isPublishingFile(path) || words.includes("-n") || isShownOnly(words)) return;
	const content = check.files.find(path, frame.scope.folders)?.text ?? null;
	if (content === null) addFinding(check, "deploy_action", `runs the script ${shortenForReason(path)}`);
}

/** Finds what a file does that code loads. One that the check did not write is passed over. */
export function findLoadedFileEffects(
	check: CommandCheck,
	path: string,
	language: "shell" | CodeLanguage,
	frame: CommandFrame,
): Iterable<Effect> {
	return findRunEffects(check, { path, language, parameters: [path], optional: true }, frame);
}

/** Finds what a file does by its content. */
function* findRunEffects(check: CommandCheck, run: FileRun, frame: CommandFrame): Iterable<Effect> {
	const { path, language, parameters } = run;
	if (language !== null && (frame.piped || frame.input !== null) && (path === "-" || isInputFile(path))) {
		yield { kind: "interpret", language };
		return;
	}
	const contents = check.files.find(path, frame.scope.folders);
	if (language !== null && /^https?:\/\//i.test(path)) addDownloadRun(check, path);
	else if (!contents) addUnseenRun(check, run, frame);
	else if (contents.program !== null) yield runEffect([contents.program, ...parameters.slice(1)]);
	else if (contents.text !== null) {
		const spoken = language ?? guessLanguage(path, contents.text);
		if (spoken === "shell") yield { kind: "script", text: contents.text, parameters, guess: true };
		else yield codeEffect(spoken, contents.text);
	} else if (contents.origin === "download") addDownloadRun(check, path);
	else addUnknownRun(check, `runs ${shortenForReason(path)}, whose content the check cannot see`);
}

function addDownloadRun(check: CommandCheck, path: string): void {
	addFinding(check, "forbidden_command", `runs the download ${shortenForReason(path)}`);
}

/** Adds that a file runs which the check did not touch: one of the workspace is only named, one from elsewhere asks. */
function addUnseenRun(check: CommandCheck, run: FileRun, { scope }: CommandFrame): void {
	const { path } = run;
	const place = findRunPlace(run, scope.folders.at(-1) ?? "");
	if (place === "workspace" && !check.files.hasForeign) addUnseenFile(check, path);
	else if (place === "workspace")
		addUnknownRun(check, `runs ${shortenForReason(path)}, which an earlier command may have brought`);
	else if (place === "elsewhere" && !scope.isInContainer)
		addUnknownRun(check, `runs ${shortenForReason(path)}, which is not one of the workspace's own files`);
}
