// What the files of one check hold: text that a command wrote, a program that was copied, a download. Which commands write
// and run files is left to the walk.
import { parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { foldingWork } from "../look-alikes.ts";
import { normalizePath, normalizingWork } from "../paths.ts";
import { UNKNOWN } from "../placeholders.ts";
import { charactersIn, type WorkBudget } from "../work-budget.ts";
import { resolvePath } from "./locations.ts";

/**
 * Where unknown content comes from. `clone`: a server that the caller has a login for. `secret`: a secret was printed to it.
 * `command`: the output of another command, or a known text that something changed.
 */
export type FileOrigin = "download" | "clone" | "secret" | "command";

/** What a file holds, as far as the check knows. At most one member is not null, but a text may have a secret in it. */
export interface FileContents {
	readonly text: string | null;
	/** The name of the program that the file is a copy of, or a link to. */
	readonly program: string | null;
	readonly origin: FileOrigin | null;
}

/** Which origin is worse. What comes from a server that nobody vouches for is the worst. */
const ORIGIN_RANKS: Readonly<Record<FileOrigin, number>> = { command: 0, clone: 1, secret: 2, download: 3 };

/** Where a link leads. `below`: the path is not that of the link itself. */
interface LinkedPath {
	readonly path: string;
	readonly below: boolean;
}

/** The most text of one file that is remembered: more than one check can print at once. */
const MAX_FILE_CHARS = 8_388_608;

/** Units of work for recording what a file holds, besides comparing texts of the same length. */
const RECORDING_WORK = 50;

/** A file's path in a form that every spelling shares. */
function toFileKey(path: string): string {
	const { outside, segments } = normalizePath(path);
	return `${outside ? "/" : ""}${segments.join("/")}`;
}

/** The folders around a path, from the innermost. */
function* foldersAround(key: string): Iterable<string> {
	for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) yield key.slice(0, end);
}

function lastSegment(key: string): string {
	return key.slice(key.lastIndexOf("/") + 1);
}

/** The files that the commands of one check wrote, moved or fetched. */
export class FileState {
	readonly #files = new Map<string, FileContents>();
	/** Folders with files of unknown names: unpacked archives and clones. */
	readonly #folders = new Map<string, FileOrigin>();
	/** What links lead to, as written where the link is. */
	readonly #links = new Map<string, ReadonlySet<string>>();
	/** Every folder that one of the files lies in. */
	readonly #filledFolders = new Set<string>();
	readonly #work: WorkBudget;

	constructor(work: WorkBudget) {
		this.#work = work;
	}

	/** Whether the check has touched no file so far. */
	get isEmpty(): boolean {
		return this.#files.size + this.#folders.size === 0;
	}

	/** Whether a command may have made a link. */
	get hasLinks(): boolean {
		return this.#links.size > 0;
	}

	/** The path's key seen from a folder. Null when finding it is more than the work left. */
	#key(path: string, folder: string): string | null {
		const full = resolvePath(folder, path);
		return this.#work.charge(foldingWork(full) + normalizingWork(full)) ? toFileKey(full) : null;
	}

	/** Records what a file holds from now on. */
	record(path: string, folder: string, contents: FileContents): void {
		const key = this.#key(path, folder);
		if (key === null) return;
		const known = this.#files.get(key);
		this.#files.set(key, contents);
		this.#noteFolders(key);
		if (
			!this.#work.charge(
				RECORDING_WORK + (contents.text?.length === known?.text?.length ? (known?.text?.length ?? 0) / 4 : 0),
			)
		)
			return;
		const isSame =
			known?.text === contents.text && known.program === contents.program && known.origin === contents.origin;
		if (!isSame) this.#work.learn();
	}

	/** Notes the folders that a file lies in, up to the first known one. */
	#noteFolders(key: string): void {
		if (!key.startsWith("/")) this.#filledFolders.add("");
		for (const folder of foldersAround(key)) {
			if (!this.#work.charge(20 + folder.length / 4) || this.#filledFolders.has(folder)) return;
			this.#filledFolders.add(folder);
		}
	}

	/** Adds a text, which may have a secret in it, to what a file holds. A file of unknown content stays unknown. */
	append(path: string, folder: string, text: string, origin: "secret" | null): void {
		const known = this.find(path, [folder]);
		if (known && known.text === null) return;
		const joined = (known?.text ?? "") + text;
		if (joined.length > MAX_FILE_CHARS) this.#work.exhaust();
		this.record(path, folder, { text: joined, program: null, origin: known?.origin ?? origin });
	}

	/**
	 * Puts a text in front of what a file holds. The shell may not come to this write, so what the file held before stays
	 * possible. A file of unknown content stays one.
	 */
	overwrite(path: string, folder: string, text: string, origin: "secret" | null): void {
		const known = this.find(path, [folder]);
		if (known && (known.text === null || (origin === null && known.text.startsWith(text)))) return;
		const joined = text + (known?.text ?? "");
		if (joined.length > MAX_FILE_CHARS) this.#work.exhaust();
		this.record(path, folder, { text: joined, program: null, origin: known?.origin ?? origin });
	}

	/** Records that a folder holds files whose names and contents are not known. The worst origin stays possible. */
	recordFolder(path: string, folder: string, origin: FileOrigin): void {
		const key = this.#key(path, folder);
		if (key === null) return;
		const known = this.#folders.get(key);
		if (known !== undefined && ORIGIN_RANKS[known] >= ORIGIN_RANKS[origin]) return;
		this.#folders.set(key, origin);
		this.#noteFolders(key);
		this.#work.learn();
	}

	/** Records that a path is a link to another one. What it led to before stays possible. */
	recordLink(path: string, target: string, folder: string): void {
		const key = this.#key(path, folder);
		const parent = path.slice(0, path.lastIndexOf("/") + 1);
		const led = /^[/~]|^[A-Za-z]:/.test(target) ? target : parent + target;
		const known = key === null ? undefined : this.#links.get(key);
		if (key === null || known?.has(led) === true || !this.#work.charge(20 + 20 * (known?.size ?? 0))) return;
		this.#links.set(key, new Set([...(known ?? []), led]));
		this.#work.learn();
	}

	/** Where a path may lead whose beginning is a link of this check, through links to links. */
	findLinked(path: string, folders: readonly string[]): readonly LinkedPath[] {
		if (this.#links.size === 0) return [];
		const found: LinkedPath[] = [];
		const seen = new Set([path]);
		const wanted: LinkedPath[] = [{ path, below: false }];
		for (let next = wanted.pop(); next && !this.#work.spent; next = wanted.pop()) {
			for (const led of this.#findNextLinked(next, folders)) {
				if (seen.has(led.path)) continue;
				seen.add(led.path);
				found.push(led);
				wanted.push(led);
			}
		}
		return found;
	}

	/** Where the longest beginning of a path leads that is a link. */
	#findNextLinked({ path, below }: LinkedPath, folders: readonly string[]): readonly LinkedPath[] {
		for (const folder of folders) {
			const key = this.#key(path, folder);
			if (key === null) return [];
			const own = this.#links.get(key);
			if (own) return [...own].map((target) => ({ path: target, below: below || path.endsWith("/") }));
			for (const link of foldersAround(key)) {
				if (!this.#work.charge(10 + link.length / 4)) return [];
				const targets = this.#links.get(link);
				if (targets) return [...targets].map((target) => ({ path: target + key.slice(link.length), below: true }));
			}
		}
		return [];
	}

	/** Records that the files below a folder lie below another one, too. */
	copyFolder(from: string, to: string, folder: string): void {
		if (this.isEmpty) return;
		const source = this.#key(from, folder);
		const target = this.#key(to, folder);
		if (source === null || target === null || source === target) return;
		if (!this.#filledFolders.has(source) && !this.#folders.has(source)) return;
		if (!this.#work.charge(10 * (this.#files.size + this.#folders.size))) return;
		const prefix = source === "" ? "" : `${source}/`;
		const liesInSource = (key: string) => key.startsWith(prefix) && (source !== "" || !key.startsWith("/"));
		for (const [key, contents] of [...this.#files])
			if (liesInSource(key)) this.record(`${to}/${key.slice(prefix.length)}`, folder, contents);
		for (const [key, origin] of [...this.#folders])
			if (key === source || liesInSource(key)) this.recordFolder(`${to}/${key.slice(prefix.length)}`, folder, origin);
	}

	/** What a file holds, seen from the folders that a command may run in. Null where the check did not touch it. */
	find(path: string, folders: readonly string[]): FileContents | null {
		if (this.isEmpty) return null;
		for (const folder of folders) {
			const key = this.#key(path, folder);
			if (key === null) return null;
			const known = this.#files.get(key) ?? this.#findByWildcard(path, key) ?? this.#findInFolders(key);
			if (known) return known;
		}
		return null;
	}

	/** What the files together hold that a name with wildcards may mean. */
	#findByWildcard(path: string, key: string): FileContents | null {
		if (!/[*?[]/.test(path) || !this.#work.charge(20 * this.#files.size)) return null;
		const pattern = parseGlobSegment(lastSegment(key));
		let found: FileContents | null = null;
		for (const [known, contents] of this.#files) {
			if (!segmentsOverlap(pattern, [...lastSegment(known)], this.#work)) continue;
			found = found === null ? contents : this.#merge(found, contents);
			if (this.#work.spent) return null;
		}
		return found;
	}

	/** What two files hold, for a command that gets both. An unknown content stands in the text as an unknown part. */
	#merge(one: FileContents, other: FileContents): FileContents {
		const origins = [one.origin, other.origin].filter((origin) => origin !== null);
		const origin = origins.sort((left, right) => ORIGIN_RANKS[right] - ORIGIN_RANKS[left])[0] ?? null;
		const isTwofold = origins.includes("download") && origins.includes("secret");
		// No `FileContents` says both: two programs, or a download that holds a secret.
		if (one.program !== other.program || isTwofold) this.#work.exhaust();
		if (one.text === null && other.text === null) return { text: null, program: one.program, origin };
		if (origin === "download") return { text: null, program: null, origin };
		const texts = [one.text ?? UNKNOWN, other.text ?? UNKNOWN];
		if (!this.#work.charge(charactersIn(texts) / 4)) return one;
		return { text: texts.join("\n"), program: null, origin: origin === "secret" ? origin : null };
	}

	#findInFolders(key: string): FileContents | null {
		if (this.#folders.size === 0) return null;
		for (const folder of foldersAround(key)) {
			if (!this.#work.charge(10 + folder.length / 4)) return null;
			const origin = this.#folders.get(folder);
			if (origin !== undefined) return { text: null, program: null, origin };
		}
		// An archive that was unpacked here holds files of any name.
		return this.#folders.has("") && !key.startsWith("/") ? { text: null, program: null, origin: "command" } : null;
	}
}
