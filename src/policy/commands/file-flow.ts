// Records what files hold after a command: what it wrote, copied, fetched or unpacked. The contents are kept in
// file-state.ts.
import type { CommandCheck } from "./command-check.ts";
import flowFile from "./file-flow.json" with { type: "json" };
import type { FileContents, FileOrigin } from "./file-state.ts";
import type { CommandFrame } from "./frames.ts";
import { isInputFile, lastSegment } from "./locations.ts";
import { isOption } from "./options.ts";
import type { CommandWords } from "./patterns.ts";
import { currentEnvironment, fileReader, predictWrappedOutput, sourceCommandNames } from "./pipes.ts";
import type { Scope } from "./scope.ts";
import { printsSecrets } from "./sent-secrets.ts";
import { expandText } from "./shell/expand.ts";
import { DOWNLOADERS } from "./transfers.ts";

const COPIERS: ReadonlySet<string> = new Set(flowFile.copiers);
const UNPACKERS: ReadonlySet<string> = new Set(flowFile.unpackers);
const INPUT_WRITERS: ReadonlySet<string> = new Set(flowFile.input_writers);
const IN_PLACE_EDITORS: ReadonlySet<string> = new Set(flowFile.in_place_editors);
const REMOTE_COPIERS: ReadonlySet<string> = new Set(flowFile.remote_copiers);
/** Programs that put a packed file beside the file, or the file beside a packed one, by the ending. */
const PACKERS: ReadonlyMap<string, string> = new Map(Object.entries(flowFile.packers));

const unknownContents = (origin: FileOrigin): FileContents => ({ text: null, program: null, origin });

/** The name of the program at a path in a program folder. Null for other paths. */
function findProgram(path: string): string | null {
	if (!path.startsWith("/")) return null;
	return /^\/(?:usr\/)?(?:local\/)?s?bin\/([^/]+)$/.exec(path)?.[1] ?? null;
}

/** The name under which an address is saved. Empty where the server decides. */
function savedName(address: string): string {
	const [path = ""] = address.replace(/^[a-z]+:\/\//i, "").split(/[?#]/, 1);
	const slash = path.lastIndexOf("/");
	return slash < 0 ? "" : path.slice(slash + 1);
}

/** The folders that a downloader is told to save in. */
function findSaveFolders(words: readonly string[]): readonly string[] {
	return words.flatMap((word, at) => {
		if (/^(?:-P|--directory-prefix|--output-dir)$/.test(word)) return words[at + 1] ?? [];
		return /^(?:-P|--directory-prefix=|--output-dir=)(.+)$/s.exec(word)?.[1] ?? [];
	});
}

/** The files that a downloader names after its addresses, in the folder that it is told. */
function findSavedFiles(name: string, words: readonly string[]): readonly string[] {
	const folders = findSaveFolders(words);
	const told = words.flatMap((word, at) => (/^-(?:outfile|destination)$/i.test(word) ? (words[at + 1] ?? []) : []));
	const names = words.filter((word) => word.includes("/")).map(savedName);
	const saved = names.map((own) => (own === "" && name === "wget" ? "index.html" : own)).filter((own) => own !== "");
	return [...told, ...saved.flatMap((own) => (folders.length > 0 ? folders.map((at) => `${at}/${own}`) : [own]))];
}

/** Options with which a server, a list or a pattern names the files that a downloader saves. */
const UNNAMED_SAVES =
	/^(?:-[a-zA-Z]*J[a-zA-Z]*|--remote-header-name|-i|--input-file(?:=.*)?|-r|-m|--recursive|--mirror|--content-disposition)$|#[0-9]/;

/** A place on another machine or in a bucket: `host:path`, `s3://bucket/key`. A drive is none. */
const REMOTE_PLACE = /^(?:[a-z][a-z0-9+.-]+:\/\/|(?:[\w.-]+@)?[\w.-]{2,}:)/i;

/** Paths by the name behind their last slash. */
function groupByName(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
	const groups = new Map<string, string[]>();
	for (const path of paths) {
		const slash = path.lastIndexOf("/");
		if (slash < 0) continue;
		const name = path.slice(slash + 1);
		const group = groups.get(name);
		if (group) group.push(path);
		else groups.set(name, [path]);
	}
	return groups;
}

/**
 * Records what a redirect into a file leaves there. Earlier text stays possible, because the command may not run.
 * @param fields The command's words. Without any, it empties the file or takes what a group prints.
 * @param appends The redirect leaves what the file holds: `>>`.
 */
export function recordRedirect(
	check: CommandCheck,
	path: string,
	fields: readonly string[],
	frame: CommandFrame,
	appends: boolean,
): void {
	const { scope } = frame;
	const text = predict(check, fields, frame);
	const folder = scope.folders.at(-1) ?? "";
	const origin = findOrigin(check, fields, frame);
	const secret = origin === "secret" ? origin : null;
	if (text === null) check.files.record(path, folder, unknownContents(origin ?? "command"));
	else if (appends) check.files.append(path, folder, text, secret);
	else check.files.overwrite(path, folder, text, secret);
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
export function recordFilled(check: CommandCheck, path: string, text: string | null, { folders }: Scope): void {
	const folder = folders.at(-1) ?? "";
	if (text === null) check.files.record(path, folder, unknownContents("download"));
	else check.files.append(path, folder, text, null);
}

/** Records what the files that a command writes hold. */
export function recordCommand(
	check: CommandCheck,
	{ name, words }: CommandWords,
	written: readonly string[],
	frame: CommandFrame,
): void {
	recordPacked(check, name, words, frame.scope);
	if (REMOTE_COPIERS.has(name)) recordRemoteCopies(check, name, words, frame.scope);
	const source = name === "dd" ? words.find((word) => word.startsWith("if=")) : undefined;
	if (source !== undefined) recordCopies(check, [source.slice(3)], written, frame.scope, false);
	else if (COPIERS.has(name) && words.some(isInputFile)) recordInput(check, [name, ...words], written, frame);
	else if (COPIERS.has(name)) recordCopies(check, words, written, frame.scope, name === "ln");
	else if (name === "git") recordClone(check, words, frame.scope);
	else if (INPUT_WRITERS.has(name) && frame.input !== null) recordInput(check, [name, ...words], written, frame);
	else recordOutput(check, name, words, written, frame);
}

/** Records that files hold what the command reads. */
function recordInput(
	check: CommandCheck,
	fields: readonly string[],
	written: readonly string[],
	frame: CommandFrame,
): void {
	const folder = frame.scope.folders.at(-1) ?? "";
	const origin = findOrigin(check, fields, frame);
	for (const path of written) {
		if (frame.input === null) check.files.record(path, folder, unknownContents(origin ?? "command"));
		else check.files.append(path, folder, frame.input, origin === "secret" ? origin : null);
	}
}

function recordCopies(
	check: CommandCheck,
	words: readonly string[],
	written: readonly string[],
	scope: Scope,
	isLink: boolean,
): void {
	const { folders } = scope;
	const folder = folders.at(-1) ?? "";
	const sources = words.filter((word) => !isOption(word) && word !== written[0]);
	if (!check.work.charge(20 * (written.length + sources.length))) return;
	// As long as the check touched no file, a source is known only where it is a program.
	if (!isLink && check.files.isEmpty && sources.every((source) => findProgram(source) === null)) return;
	const writtenByName = groupByName(written);
	for (const source of sources) {
		const named = sources.length === 1 ? written : (writtenByName.get(lastSegment(source)) ?? []);
		if (!check.work.charge(10 + 5 * named.length)) return;
		const targets = named.filter((path) => path !== source);
		if (isLink) for (const path of targets) check.files.recordLink(path, source, folder);
		if (/[/\\]\*$/.test(source)) check.files.copyFolder(source.slice(0, -2), written[0] ?? "", folder);
		recordCopy(check, source, targets, folders);
	}
}

function recordCopy(check: CommandCheck, source: string, targets: readonly string[], folders: readonly string[]): void {
	const folder = folders.at(-1) ?? "";
	const program = findProgram(source);
	const contents = check.files.find(source, folders) ?? (program && { text: null, program, origin: null });
	for (const path of targets) {
		check.files.copyFolder(source.replace(/[/\\][*.]$/, ""), path, folder);
		if (contents) check.files.record(path, folder, contents);
	}
}

/** The content of what comes from another machine is not known. Only the copy of a folder has files of unknown names, too. */
function recordRemoteCopies(check: CommandCheck, name: string, words: readonly string[], { folders }: Scope): void {
	const folder = folders.at(-1) ?? "";
	const from = words.findIndex((word) => REMOTE_PLACE.test(word));
	const target = from < 0 ? undefined : words.slice(from + 1).find((word) => !isOption(word));
	if (target !== undefined && !REMOTE_PLACE.test(target)) {
		const own = words[from]?.split(/[/:]/).at(-1) ?? "";
		const isFolder =
			own === "" || words.some((word) => /^(?:-[a-zA-Z]*[ar][a-zA-Z]*|--recursive|--archive|sync)$/.test(word));
		for (const path of [target, `${target}/${own}`]) check.files.record(path, folder, unknownContents("clone"));
		if (isFolder) check.files.recordFolder(target, folder, "clone");
	}
	if (name === "gh" && words.includes("download")) {
		const at = words.findIndex((word) => /^(?:-D|--dir)$/.test(word));
		check.files.recordFolder(at < 0 ? "." : (words[at + 1] ?? "."), folder, "clone");
	}
}

/** A packed file holds what the file held, and the other way round. */
function recordPacked(check: CommandCheck, name: string, words: readonly string[], { folders }: Scope): void {
	const ending = PACKERS.get(name);
	if (ending === undefined) return;
	for (const path of words) {
		const contents = isOption(path) ? null : check.files.find(path, folders);
		const beside = path.endsWith(ending) ? path.slice(0, -ending.length) : path + ending;
		if (contents) check.files.record(beside, folders.at(-1) ?? "", contents);
	}
}

/** Files of a clone are somebody else's, and nobody has read them. */
function recordClone(check: CommandCheck, words: readonly string[], { folders }: Scope): void {
	const at = words.indexOf("clone");
	if (at < 0) return;
	const [address = "", folder] = words.slice(at + 1).filter((word) => !/^-./.test(word) && /[/:.\w]/.test(word));
	const name = folder ?? savedName(address.replace(/\/+$/, "")).replace(/\.git$/, "");
	if (name !== "") check.files.recordFolder(name, folders.at(-1) ?? "", "clone");
}

function recordOutput(
	check: CommandCheck,
	name: string,
	words: readonly string[],
	written: readonly string[],
	frame: CommandFrame,
): void {
	const { folders } = frame.scope;
	const folder = folders.at(-1) ?? "";
	const saved = DOWNLOADERS.has(name) ? findSavedFiles(name, words) : [];
	if (DOWNLOADERS.has(name) && words.some((word) => UNNAMED_SAVES.test(word)))
		check.files.recordFolder(findSaveFolders(words)[0] ?? ".", folder, "download");
	if (written.length + saved.length === 0 && !UNPACKERS.has(name)) return;
	const origin = findOrigin(check, [name, ...words], frame);
	if (origin === null) {
		const edited = IN_PLACE_EDITORS.has(name) ? written.filter((path) => check.files.find(path, folders)) : [];
		for (const path of edited) check.files.record(path, folder, unknownContents("command"));
		return;
	}
	for (const path of [...written, ...saved]) check.files.record(path, folder, unknownContents(origin));
	if (UNPACKERS.has(name)) check.files.recordFolder(written[0] ?? "", folder, origin);
}

/** Where unknown content that a command prints or writes comes from, by its name, its files and its input. */
function findOrigin(check: CommandCheck, fields: readonly string[], frame: CommandFrame): FileOrigin | null {
	if (fields.some((field) => DOWNLOADERS.has(field))) return "download";
	const sources = sourceCommandNames(frame, check.work);
	if (sources.some((source) => DOWNLOADERS.has(source))) return "download";
	if (printsSecrets(frame, check.secrets, check.work)) return "secret";
	for (const field of fields.slice(1)) {
		const origin = check.files.find(field, frame.scope.folders)?.origin;
		if (origin !== undefined && origin !== null) return origin;
	}
	return findInputOrigin(check, frame);
}

/** The origin of the file that a command reads by `<`. Null for a file that the check did not touch. */
export function findInputOrigin(
	check: CommandCheck,
	{ command, scope }: Pick<CommandFrame, "command" | "scope">,
): FileOrigin | null {
	const redirect = command.redirects.findLast(({ operator }) => operator === "<");
	if (!redirect) return null;
	return check.files.find(expandText(redirect.target, currentEnvironment(check, scope)), scope.folders)?.origin ?? null;
}
