// What the files of one check hold: text that a command wrote, a program that was copied, a download. Which commands write
// and run files is left to the walk.
import { parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { foldingWork } from "../look-alikes.ts";
import { normalizePath, normalizingWork } from "../paths.ts";
import type { WorkBudget } from "../work-budget.ts";
import { lastSegment, resolvePath } from "./locations.ts";

/** Where unknown content comes from: an address, or a command whose output is not known. */
export type FileOrigin = "download" | "command";

/** What a file holds, as far as the check knows. One member is not null. */
export interface FileContents {
	readonly text: string | null;
	/** The name of the program that the file is a copy of, or a link to. */
	readonly program: string | null;
	readonly origin: FileOrigin | null;
}

/** A file of unknown content. */
export function unknownContents(origin: FileOrigin): FileContents {
	return { text: null, program: null, origin };
}

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

/** The files that the commands of one check wrote, moved or fetched. */
export class FileState {
	readonly #files = new Map<string, FileContents>();
	/** What links lead to, as written where the link is. */
	readonly #links = new Map<string, ReadonlySet<string>>();
	#hasForeign = false;
	readonly #work: WorkBudget;

	constructor(work: WorkBudget) {
		this.#work = work;
	}

	/** Whether the check has touched no file so far. */
	get isEmpty(): boolean {
		return this.#files.size === 0;
	}

	/** Whether a command brought files whose names are not known, so that any file may be one of them. */
	get hasForeign(): boolean {
		return this.#hasForeign;
	}

	/** Notes that a command brought files of unknown names: a clone, an archive that was unpacked. */
	noteForeign(): void {
		if (!this.#hasForeign) this.#work.learn();
		this.#hasForeign = true;
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

	/**
	 * Adds a text to what a file holds, also where the command overwrites it: the shell may not come to this write. A file of
	 * unknown content stays unknown.
	 */
	append(path: string, folder: string, text: string): void {
		const known = this.find(path, [folder]);
		if (known && known.text === null) return;
		const joined = (known?.text ?? "") + text;
		if (joined.length > MAX_FILE_CHARS) this.#work.exhaust();
		this.record(path, folder, { text: joined, program: null, origin: null });
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

	/** Whether the check touched a file below a folder. */
	hasBelow(path: string, folder: string): boolean {
		const key = this.#files.size === 0 ? null : this.#key(path, folder);
		if (key === null || !this.#work.charge(10 * this.#files.size)) return false;
		const prefix = key === "" ? "" : `${key}/`;
		return [...this.#files.keys()].some((file) => file.startsWith(prefix));
	}

	/** What a file holds, seen from the folders that a command may run in. Null where the check did not touch it. */
	find(path: string, folders: readonly string[]): FileContents | null {
		if (this.isEmpty) return null;
		for (const folder of folders) {
			const key = this.#key(path, folder);
			if (key === null) return null;
			const known = this.#files.get(key) ?? this.#findByWildcard(path, key);
			if (known) return known;
		}
		return null;
	}

	/** A name with wildcards that may mean one of the files has unknown content: which of them it means is not known. */
	#findByWildcard(path: string, key: string): FileContents | null {
		if (!/[*?[]/.test(path) || !this.#work.charge(20 * this.#files.size)) return null;
		const pattern = parseGlobSegment(lastSegment(key));
		const meant = [...this.#files].filter(([file]) => segmentsOverlap(pattern, [...lastSegment(file)], this.#work));
		const [[, only] = [], ...others] = meant;
		if (only === undefined) return null;
		if (others.length === 0) return only;
		return unknownContents(meant.some(([, { origin }]) => origin === "download") ? "download" : "command");
	}
}
