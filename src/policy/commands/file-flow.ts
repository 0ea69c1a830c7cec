// Records what files hold after a command: what it wrote, copied, fetched or unpacked. The contents are kept in
// file-state.ts.
import type { WorkBudget } from "../work-budget.ts";
import flowFile from "./file-flow.json" with { type: "json" };
import type { FileContents, FileOrigin, FileState } from "./file-state.ts";
import type { CommandFrame } from "./frames.ts";
import { isInputFile, lastSegment } from "./locations.ts";
import { isOption } from "./options.ts";
import type { CommandWords } from "./patterns.ts";
import { type Pipes, predictWrappedOutput, sourceCommandNames } from "./pipes.ts";
import { latestEnvironment, type Scope } from "./scope.ts";
import { printsSecrets, type SecretVariables } from "./sent-secrets.ts";
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

/** Records what the files of one check hold. */
export class FileFlow {
	readonly #files: FileState;
	readonly #pipes: Pipes;
	readonly #secrets: SecretVariables;
	readonly #work: WorkBudget;
	/** The output of the command whose redirects were followed last. */
	#lastPrinted: { readonly fields: readonly string[]; readonly text: string | null } | null = null;

	constructor(files: FileState, pipes: Pipes, secrets: SecretVariables, work: WorkBudget) {
		this.#files = files;
		this.#pipes = pipes;
		this.#secrets = secrets;
		this.#work = work;
	}

	/**
	 * Records what a redirect into a file leaves there. Earlier text stays possible, because the command may not run.
	 * @param fields The command's words. Without any, it empties the file or takes what a group prints.
	 * @param appends The redirect leaves what the file holds: `>>`.
	 */
	recordRedirect(path: string, fields: readonly string[], frame: CommandFrame, appends: boolean): void {
		const { scope } = frame;
		if (this.#lastPrinted?.fields !== fields) this.#lastPrinted = { fields, text: this.#predict(fields, frame) };
		const { text } = this.#lastPrinted;
		const folder = scope.folders.at(-1) ?? "";
		const origin = this.#findOrigin(fields, frame);
		const secret = origin === "secret" ? origin : null;
		if (text === null) this.#files.record(path, folder, unknownContents(origin ?? "command"));
		else if (appends) this.#files.append(path, folder, text, secret);
		else this.#files.overwrite(path, folder, text, secret);
	}

	#predict(fields: readonly string[], frame: CommandFrame): string | null {
		if (fields.length === 0 && !frame.piped) return "";
		return predictWrappedOutput(fields, frame, this.#pipes.fileReader(frame.scope), this.#work);
	}

	/** Records what code leaves in a file. Without a text it is a download. */
	recordFilled(path: string, text: string | null, { folders }: Scope): void {
		const folder = folders.at(-1) ?? "";
		if (text === null) this.#files.record(path, folder, unknownContents("download"));
		else this.#files.append(path, folder, text, null);
	}

	/** Records what the files that a command writes hold. */
	recordCommand({ name, words }: CommandWords, written: readonly string[], frame: CommandFrame): void {
		this.#recordPacked(name, words, frame.scope);
		if (REMOTE_COPIERS.has(name)) this.#recordRemoteCopies(name, words, frame.scope);
		const source = name === "dd" ? words.find((word) => word.startsWith("if=")) : undefined;
		if (source !== undefined) this.#recordCopies([source.slice(3)], written, frame.scope, false);
		else if (COPIERS.has(name) && words.some(isInputFile)) this.#recordInput([name, ...words], written, frame);
		else if (COPIERS.has(name)) this.#recordCopies(words, written, frame.scope, name === "ln");
		else if (name === "git") this.#recordClone(words, frame.scope);
		else if (INPUT_WRITERS.has(name) && frame.input !== null) this.#recordInput([name, ...words], written, frame);
		else this.#recordOutput(name, words, written, frame);
	}

	/** Records that files hold what the command reads. */
	#recordInput(fields: readonly string[], written: readonly string[], frame: CommandFrame): void {
		const folder = frame.scope.folders.at(-1) ?? "";
		const origin = this.#findOrigin(fields, frame);
		for (const path of written) {
			if (frame.input === null) this.#files.record(path, folder, unknownContents(origin ?? "command"));
			else this.#files.append(path, folder, frame.input, origin === "secret" ? origin : null);
		}
	}

	#recordCopies(words: readonly string[], written: readonly string[], scope: Scope, isLink: boolean): void {
		const { folders } = scope;
		const folder = folders.at(-1) ?? "";
		const sources = words.filter((word) => !isOption(word) && word !== written[0]);
		if (!this.#work.charge(20 * (written.length + sources.length))) return;
		// As long as the check touched no file, a source is known only where it is a program.
		if (!isLink && this.#files.isEmpty && sources.every((source) => findProgram(source) === null)) return;
		const writtenByName = groupByName(written);
		for (const source of sources) {
			const named = sources.length === 1 ? written : (writtenByName.get(lastSegment(source)) ?? []);
			if (!this.#work.charge(10 + 5 * named.length)) return;
			const targets = named.filter((path) => path !== source);
			if (isLink) for (const path of targets) this.#files.recordLink(path, source, folder);
			if (/[/\\]\*$/.test(source)) this.#files.copyFolder(source.slice(0, -2), written[0] ?? "", folder);
			this.#recordCopy(source, targets, folders);
		}
	}

	#recordCopy(source: string, targets: readonly string[], folders: readonly string[]): void {
		const folder = folders.at(-1) ?? "";
		const program = findProgram(source);
		const contents = this.#files.find(source, folders) ?? (program && { text: null, program, origin: null });
		for (const path of targets) {
			this.#files.copyFolder(source.replace(/[/\\][*.]$/, ""), path, folder);
			if (contents) this.#files.record(path, folder, contents);
		}
	}

	/** The content of what comes from another machine is not known. Only the copy of a folder has files of unknown names, too. */
	#recordRemoteCopies(name: string, words: readonly string[], { folders }: Scope): void {
		const folder = folders.at(-1) ?? "";
		const from = words.findIndex((word) => REMOTE_PLACE.test(word));
		const target = from < 0 ? undefined : words.slice(from + 1).find((word) => !isOption(word));
		if (target !== undefined && !REMOTE_PLACE.test(target)) {
			const own = words[from]?.split(/[/:]/).at(-1) ?? "";
			const isFolder =
				own === "" || words.some((word) => /^(?:-[a-zA-Z]*[ar][a-zA-Z]*|--recursive|--archive|sync)$/.test(word));
			for (const path of [target, `${target}/${own}`]) this.#files.record(path, folder, unknownContents("clone"));
			if (isFolder) this.#files.recordFolder(target, folder, "clone");
		}
		if (name === "gh" && words.includes("download")) {
			const at = words.findIndex((word) => /^(?:-D|--dir)$/.test(word));
			this.#files.recordFolder(at < 0 ? "." : (words[at + 1] ?? "."), folder, "clone");
		}
	}

	/** A packed file holds what the file held, and the other way round. */
	#recordPacked(name: string, words: readonly string[], { folders }: Scope): void {
		const ending = PACKERS.get(name);
		if (ending === undefined) return;
		for (const path of words) {
			const contents = isOption(path) ? null : this.#files.find(path, folders);
			const beside = path.endsWith(ending) ? path.slice(0, -ending.length) : path + ending;
			if (contents) this.#files.record(beside, folders.at(-1) ?? "", contents);
		}
	}

	/** Files of a clone are somebody else's, and nobody has read them. */
	#recordClone(words: readonly string[], { folders }: Scope): void {
		const at = words.indexOf("clone");
		if (at < 0) return;
		const [address = "", folder] = words.slice(at + 1).filter((word) => !/^-./.test(word) && /[/:.\w]/.test(word));
		const name = folder ?? savedName(address.replace(/\/+$/, "")).replace(/\.git$/, "");
		if (name !== "") this.#files.recordFolder(name, folders.at(-1) ?? "", "clone");
	}

	#recordOutput(name: string, words: readonly string[], written: readonly string[], frame: CommandFrame): void {
		const { folders } = frame.scope;
		const folder = folders.at(-1) ?? "";
		const saved = DOWNLOADERS.has(name) ? findSavedFiles(name, words) : [];
		if (DOWNLOADERS.has(name) && words.some((word) => UNNAMED_SAVES.test(word)))
			this.#files.recordFolder(findSaveFolders(words)[0] ?? ".", folder, "download");
		if (written.length + saved.length === 0 && !UNPACKERS.has(name)) return;
		const origin = this.#findOrigin([name, ...words], frame);
		if (origin === null) {
			const edited = IN_PLACE_EDITORS.has(name) ? written.filter((path) => this.#files.find(path, folders)) : [];
			for (const path of edited) this.#files.record(path, folder, unknownContents("command"));
			return;
		}
		for (const path of [...written, ...saved]) this.#files.record(path, folder, unknownContents(origin));
		if (UNPACKERS.has(name)) this.#files.recordFolder(written[0] ?? "", folder, origin);
	}

	/** Where unknown content that a command prints or writes comes from, by its name, its files and its input. */
	#findOrigin(fields: readonly string[], frame: CommandFrame): FileOrigin | null {
		if (fields.some((field) => DOWNLOADERS.has(field))) return "download";
		const sources = sourceCommandNames(frame, this.#work);
		if (sources.some((source) => DOWNLOADERS.has(source))) return "download";
		if (printsSecrets(frame, this.#secrets, this.#work)) return "secret";
		for (const field of fields.slice(1)) {
			const origin = this.#files.find(field, frame.scope.folders)?.origin;
			if (origin !== undefined && origin !== null) return origin;
		}
		return this.findInputOrigin(frame);
	}

	/** The origin of the file that a command reads by `<`. Null for a file that the check did not touch. */
	findInputOrigin({ command, scope }: Pick<CommandFrame, "command" | "scope">): FileOrigin | null {
		const redirect = command.redirects.findLast(({ operator }) => operator === "<");
		if (!redirect) return null;
		const environment = latestEnvironment(scope, this.#work, (nested) =>
			this.#pipes.predictScriptOutput(nested, scope),
		);
		return this.#files.find(expandText(redirect.target, environment), scope.folders)?.origin ?? null;
	}
}
