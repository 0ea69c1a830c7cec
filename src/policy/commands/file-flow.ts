// Which files hold what a command wrote, copied, fetched or unpacked, by what it read. What files hold is kept in
// file-state.ts.
import type { WorkBudget } from "../work-budget.ts";
import flowFile from "./file-flow.json" with { type: "json" };
import type { FileContents, FileOrigin, FileState } from "./file-state.ts";
import type { CommandFrame } from "./frames.ts";
import type { CommandWords } from "./patterns.ts";
import { type Pipes, predictWrappedOutput, sourceCommandNames } from "./pipes.ts";
import { latestEnvironment, type Scope } from "./scope.ts";
import { printsSecrets } from "./sent-secrets.ts";
import { expandText } from "./shell/expand.ts";
import { DOWNLOADERS } from "./shell/output.ts";

const COPIERS: ReadonlySet<string> = new Set(flowFile.copiers);
const UNPACKERS: ReadonlySet<string> = new Set(flowFile.unpackers);
const INPUT_WRITERS: ReadonlySet<string> = new Set(flowFile.input_writers);
const IN_PLACE_EDITORS: ReadonlySet<string> = new Set(flowFile.in_place_editors);

const ofOrigin = (origin: FileOrigin): FileContents => ({ text: null, program: null, origin });

/** The program that a path in a folder of programs is. Null for other paths. */
function findProgram(path: string): string | null {
	return /^\/(?:usr\/)?(?:local\/)?s?bin\/([^/]+)$/.exec(path)?.[1] ?? null;
}

/** The name under which an address is saved. Empty where the server decides. */
function savedName(address: string): string {
	const [path = ""] = address.replace(/^[a-z]+:\/\//i, "").split(/[?#]/, 1);
	const slash = path.lastIndexOf("/");
	return slash < 0 ? "" : path.slice(slash + 1);
}

/** The files that a downloader names after its addresses, in the folder that it is told. */
function findSavedFiles(words: readonly string[]): readonly string[] {
	const folders = words.flatMap((word, at) => {
		if (/^(?:-P|--directory-prefix|--output-dir)$/.test(word)) return words[at + 1] ?? [];
		return /^(?:-P|--directory-prefix=|--output-dir=)(.+)$/s.exec(word)?.[1] ?? [];
	});
	const names = words.filter((word) => word.includes("/")).map(savedName);
	return names.flatMap((name) =>
		name === "" ? [] : folders.length > 0 ? folders.map((at) => `${at}/${name}`) : [name],
	);
}

/** Records what the files of one check hold. */
export class FileFlow {
	readonly #files: FileState;
	readonly #pipes: Pipes;
	readonly #work: WorkBudget;
	/** What the command prints whose redirects are followed. */
	#lastPrinted: { readonly fields: readonly string[]; readonly text: string | null } | null = null;

	constructor(files: FileState, pipes: Pipes, work: WorkBudget) {
		this.#files = files;
		this.#pipes = pipes;
		this.#work = work;
	}

	/**
	 * Records what a redirect into a file leaves there. Earlier text stays possible, because the command may not run.
	 * @param fields The command's words. Without any, it empties the file or takes what a group prints.
	 */
	recordRedirect(path: string, fields: readonly string[], frame: CommandFrame): void {
		const { scope } = frame;
		if (this.#lastPrinted?.fields !== fields) this.#lastPrinted = { fields, text: this.#predict(fields, frame) };
		const { text } = this.#lastPrinted;
		const folder = scope.folders.at(-1) ?? "";
		if (text !== null) this.#files.append(path, folder, text);
		else this.#files.record(path, folder, ofOrigin(this.#findOrigin(fields, frame) ?? "command"));
	}

	#predict(fields: readonly string[], frame: CommandFrame): string | null {
		if (fields.length === 0 && !frame.piped) return "";
		return predictWrappedOutput(fields, frame, this.#pipes.fileReader(frame.scope), this.#work);
	}

	/** Records what the files that a command writes hold. */
	recordCommand({ name, words }: CommandWords, written: readonly string[], frame: CommandFrame): void {
		if (COPIERS.has(name)) this.#recordCopies(words, written, frame.scope);
		else if (name === "git") this.#recordClone(words, frame.scope);
		else if (INPUT_WRITERS.has(name) && frame.input !== null)
			for (const path of written) this.#files.append(path, frame.scope.folders.at(-1) ?? "", frame.input);
		else this.#recordOutput(name, words, written, frame);
	}

	#recordCopies(words: readonly string[], written: readonly string[], { folders }: Scope): void {
		const sources = words.filter((word) => !/^-./.test(word)).slice(0, -1);
		for (const source of sources.length > 0 ? sources : words.slice(-1)) {
			const program = findProgram(source);
			const contents = this.#files.find(source, folders) ?? (program && { text: null, program, origin: null });
			if (!contents) continue;
			for (const path of written) if (path !== source) this.#files.record(path, folders.at(-1) ?? "", contents);
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
		const saved = DOWNLOADERS.has(name) ? findSavedFiles(words) : [];
		if (written.length + saved.length === 0 && !UNPACKERS.has(name)) return;
		const origin = this.#findOrigin([name, ...words], frame);
		if (origin === null) {
			const edited = IN_PLACE_EDITORS.has(name) ? written.filter((path) => this.#files.find(path, folders)) : [];
			for (const path of edited) this.#files.record(path, folder, ofOrigin("command"));
			return;
		}
		for (const path of [...written, ...saved]) this.#files.record(path, folder, ofOrigin(origin));
		if (UNPACKERS.has(name)) this.#files.recordFolder(written[0] ?? "", folder, origin);
	}

	/** Where unknown content that a command prints or writes comes from, by its name, its files and its input. */
	#findOrigin(fields: readonly string[], frame: CommandFrame): FileOrigin | null {
		if (fields.some((field) => DOWNLOADERS.has(field))) return "download";
		const sources = sourceCommandNames(frame, this.#work);
		if (sources.some((source) => DOWNLOADERS.has(source))) return "download";
		if (printsSecrets(frame, this.#work)) return "secret";
		for (const field of fields.slice(1)) {
			const origin = this.#files.find(field, frame.scope.folders)?.origin;
			if (origin !== undefined && origin !== null) return origin;
		}
		return this.findInputOrigin(frame);
	}

	/** Where the file comes from that a command reads by `<`. Null where it is none that the check touched. */
	findInputOrigin({ command, scope }: Pick<CommandFrame, "command" | "scope">): FileOrigin | null {
		const redirect = command.redirects.findLast(({ operator }) => operator === "<");
		if (!redirect) return null;
		const environment = latestEnvironment(scope, this.#work, (nested) =>
			this.#pipes.predictScriptOutput(nested, scope),
		);
		return this.#files.find(expandText(redirect.target, environment), scope.folders)?.origin ?? null;
	}
}
