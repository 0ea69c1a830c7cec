// Writes files that a model named: below one folder, through no link, over nothing that is there unless asked to.
import { lstatSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalError } from "./failures.ts";
import { HOLDS_FOLDERS, type PlacedFile, placeFile } from "./placed-file.ts";

interface PlannedFile extends PlacedFile {
	/** Absolute. */
	path: string;
}

/** The parts of a relative path below its folder; null for one that leaves it or that some system reads otherwise. */
function pathParts(path: string): readonly string[] | null {
	const parts = path.split("/");
	// biome-ignore lint/suspicious/noControlCharactersInRegex: names with them are refused
	const isOdd = (part: string) => part === "" || part === "." || part === ".." || /[\\:\u0000-\u001f]/.test(part);
	return parts.some(isOdd) || parts.length > 32 || parts.some((part) => part.toLowerCase() === ".git") ? null : parts;
}

/** What stands at a path itself; null for nothing. */
function kindAt(path: string): "folder" | "file" | "other" | null {
	try {
		const found = lstatSync(path);
		return found.isDirectory() ? "folder" : found.isFile() ? "file" : "other";
	} catch (error) {
		if (["ENOENT", "ENOTDIR"].includes(Object(error).code)) return null;
		throw new LocalError(`${path} cannot be looked at: ${Object(error).message}`);
	}
}

/**
 * The folder that files go below. It need not be there yet, and may be reached through links.
 * @throws LocalError where something else stands.
 */
export function findOutFolder(folder: string, out: string): string {
	const root = resolve(folder, out);
	let found: Stats | undefined;
	try {
		found = statSync(root, { throwIfNoEntry: false });
	} catch (error) {
		throw new LocalError(`${root} cannot be looked at: ${Object(error).message}`);
	}
	if (found?.isDirectory() === false) throw new LocalError(`nothing was written: ${root} is no folder`);
	return root;
}

/**
 * Decides where files go. Nothing is written yet.
 * @throws LocalError for the first that must not be written.
 */
export function planFiles(
	folder: string,
	out: string,
	files: readonly { path: string; content: string }[],
	mayOverwrite: boolean,
): PlannedFile[] {
	const root = findOutFolder(folder, out);
	const paths = new Set(files.map(({ path }) => path));
	if (paths.size < files.length) throw new LocalError("nothing was written: two files have the same path");
	return files.map(({ path, content }) => {
		const parts = pathParts(path);
		if (!parts) throw new LocalError(`nothing was written: ${JSON.stringify(path)} is no plain path below ${out}`);
		const target = join(root, ...parts);
		for (let length = 1; length < parts.length; length++) {
			const kind = kindAt(join(root, ...parts.slice(0, length)));
			if (kind === "file" || kind === "other")
				throw new LocalError(`nothing was written: ${join(root, ...parts.slice(0, length))} is no folder`);
		}
		const kind = kindAt(target);
		if (kind === "folder" || kind === "other") throw new LocalError(`nothing was written: ${target} is no file`);
		if (kind === "file" && !mayOverwrite)
			throw new LocalError(`nothing was written: ${target} is there already (--force overwrites)`);
		return { path: target, root, parts, content, isNew: kind === null };
	});
}

/**
 * Writes what was planned. What came to be in between is not overwritten, and no link that came to be is followed.
 * @param holdsFolders whether this system reaches files through a folder that is held open.
 * @throws LocalError for the first that cannot be written. Those before it stay.
 */
export function writeFiles(planned: readonly PlannedFile[], holdsFolders = HOLDS_FOLDERS): void {
	for (const [written, file] of planned.entries()) {
		try {
			placeFile(file, holdsFolders);
		} catch (error) {
			const others = written === 0 ? "" : ` (${written} of ${planned.length} files are written)`;
			throw new LocalError(`${file.path} cannot be written: ${Object(error).message}${others}`);
		}
	}
}
