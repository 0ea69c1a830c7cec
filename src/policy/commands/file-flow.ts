// Records what files hold after a command: what it wrote, copied, fetched or unpacked. The contents are kept in
// file-state.ts.
import type { CommandCheck } from "./command-check.ts";
import { type FileOrigin, unknownContents } from "./file-state.ts";
import type { CommandFrame } from "./frames.ts";
import { isInputFile, lastSegment } from "./locations.ts";
import { isOption } from "./options.ts";
import type { CommandWords } from "./patterns.ts";
import { fileReader, predictWrappedOutput, sourceCommandNames } from "./pipes.ts";
import { DOWNLOADERS, programsThat } from "./program-tables.ts";
import type { Scope } from "./scope.ts";

const COPIERS = programsThat("copies");
const UNPACKERS = programsThat("unpacks");
const REMOTE_COPIERS = programsThat("copies-remotely");
const INPUT_WRITERS = programsThat("writes-input");

/** The name of the program at a path in a program folder. Null for other paths. */
function findProgram(path: string): string | null {
	if (!path.startsWith("/")) return null;
	return /^\/(?:usr\/)?(?:local\/)?s?bin\/([^/]+)$/.exec(path)?.[1] ?? null;
}

/** The files that a downloader names after its addresses. */
function findSavedFiles(name: string, words: readonly string[]): readonly string[] {
	return words.flatMap((address) => {
		if (!address.includes("/")) return [];
		const [path = ""] = address.replace(/^[a-z]+:\/\//i, "").split(/[?#]/, 1);
		const own = path.slice(path.lastIndexOf("/") + 1);
		return own === "" && name === "wget" ? "index.html" : own === "" ? [] : own;
	});
}

/** Options with which a server, a list, a pattern or a folder decides what the files are called that a downloader saves. */
const UNNAMED_SAVES =
	/^(?:-[a-zA-Z]*J[a-zA-Z]*|--remote-header-name|-i|--input-file(?:=.*)?|-r|-m|--recursive|--mirror|--content-disposition|-P.*|--directory-prefix(?:=.*)?|--output-dir(?:=.*)?)$|#[0-9]/;

/** A place on another machine or in a bucket: `host:path`, `s3://bucket/key`. A drive is none. */
const ANOTHER_MACHINE = /^(?:[a-z][a-z0-9+.-]+:\/\/|(?:[\w.-]+@)?[\w.-]{2,}:)/i;

/**
 * Records what a redirect into a file leaves there.
 * @param fields The command's words. Without any, it empties the file or takes what a group prints.
 */
export function recordRedirect(
	check: CommandCheck,
	path: string,
	fields: readonly string[],
	frame: CommandFrame,
): void {
	const text = predict(check, fields, frame);
	const folder = frame.scope.folders.at(-1) ?? "";
	if (text === null) check.files.record(path, folder, unknownContents(findOrigin(check, fields, frame) ?? "command"));
	else check.files.append(path, folder, text);
}

/** What a command with these words prints, predicted for the first of its redirects. */
function predict(check: CommandCheck, fields: readonly string[], frame: CommandFrame): string | null {
	const known = check.outputs.get(fields);
	if (known) return known.text;
	const printsNothing = fields.length === 0 && !frame.piped;
	const text = printsNothing ? "" : predictWrappedOutput(fields, frame, fileReader(check, frame.scope), check.work);
	check.outputs.set(fields, { text });
	return text;
}

/** Records what code leaves in a file. Without a text it is a download. */
export function recordFilled({ files }: CommandCheck, path: string, text: string | null, { folders }: Scope): void {
	const folder = folders.at(-1) ?? "";
	if (text === null) files.record(path, folder, unknownContents("download"));
	else files.append(path, folder, text);
}

/** Records what the files that a command writes hold. */
export function recordCommand(
	check: CommandCheck,
	{ name, words }: CommandWords,
	written: readonly string[],
	frame: CommandFrame,
): void {
	if (bringsForeign(name, words)) check.files.noteForeign();
	const source = name === "dd" ? words.find((word) => word.startsWith("if=")) : undefined;
	if (source !== undefined) recordCopies(check, [source.slice(3)], written, frame.scope, false);
	else if (COPIERS.has(name) && !words.some(isInputFile))
		recordCopies(check, words, written, frame.scope, name === "ln");
	else if (frame.input !== null && (COPIERS.has(name) || INPUT_WRITERS.has(name)))
		for (const path of written) check.files.append(path, frame.scope.folders.at(-1) ?? "", frame.input);
	else recordOutput(check, name, words, written, frame);
}

/** Whether a command brings files of unknown names from another machine. */
function bringsForeign(name: string, words: readonly string[]): boolean {
	if (name === "git") return words.includes("clone");
	if (name === "gh" && words.includes("download")) return true;
	if (DOWNLOADERS.has(name)) return words.some((word) => UNNAMED_SAVES.test(word));
	return REMOTE_COPIERS.has(name) && ANOTHER_MACHINE.test(words.filter((word) => !isOption(word)).at(-2) ?? "");
}

function recordCopies(
	check: CommandCheck,
	words: readonly string[],
	written: readonly string[],
	{ folders }: Scope,
	isLink: boolean,
): void {
	const { files, work } = check;
	const folder = folders.at(-1) ?? "";
	const sources = words.filter((word) => !isOption(word) && word !== written[0]);
	if (!work.charge(20 * (written.length + sources.length))) return;
	// As long as the check touched no file, a source is known only where it is a program.
	if (!isLink && files.isEmpty && sources.every((source) => findProgram(source) === null)) return;
	const writtenByName = Map.groupBy(written, lastSegment);
	for (const source of sources) {
		const named = sources.length === 1 ? written : (writtenByName.get(lastSegment(source)) ?? []);
		if (!work.charge(10 + 5 * named.length)) return;
		const targets = named.filter((path) => path !== source);
		if (isLink) for (const path of targets) files.recordLink(path, source, folder);
		recordCopy(check, source, targets, folders);
	}
}

/** Records that files hold what another one holds. Of a folder's copy only its own files are known, not their new names. */
function recordCopy(
	{ files }: CommandCheck,
	source: string,
	targets: readonly string[],
	folders: readonly string[],
): void {
	const folder = folders.at(-1) ?? "";
	const program = findProgram(source);
	const contents = files.find(source, folders) ?? (program && { text: null, program, origin: null });
	if (contents) for (const path of targets) files.record(path, folder, contents);
	else if (files.hasBelow(source.replace(/[/\\][*.]?$/, ""), folder)) files.noteForeign();
}

/** Records that files hold what nobody has seen. What changes a file of known text leaves another one. */
function recordOutput(
	check: CommandCheck,
	name: string,
	words: readonly string[],
	written: readonly string[],
	frame: CommandFrame,
): void {
	const { files } = check;
	const { folders } = frame.scope;
	const all = DOWNLOADERS.has(name) ? [...written, ...findSavedFiles(name, words)] : written;
	if (all.length === 0 && !UNPACKERS.has(name)) return;
	const origin = findOrigin(check, [name, ...words], frame);
	if (origin !== null && UNPACKERS.has(name)) files.noteForeign();
	for (const path of all)
		if (origin !== null || files.find(path, folders))
			files.record(path, folders.at(-1) ?? "", unknownContents(origin ?? "command"));
}

/** Where unknown content that a command prints or writes comes from, by its name, its files and its input. */
function findOrigin(check: CommandCheck, fields: readonly string[], frame: CommandFrame): FileOrigin | null {
	const isDownloader = (name: string) => DOWNLOADERS.has(name);
	if (fields.some(isDownloader) || sourceCommandNames(frame, check.work).some(isDownloader)) return "download";
	for (const field of fields.slice(1)) {
		const origin = check.files.find(field, frame.scope.folders)?.origin ?? null;
		if (origin !== null) return origin;
	}
	return null;
}
