// Writes one file below a folder such that no link leads it elsewhere, even one that is planted meanwhile. Node has no `openat`: on
// Linux a folder that is held open is a path of its own (/proc/self/fd); elsewhere the place is checked again before a byte is written.
import {
	closeSync,
	constants,
	existsSync,
	fstatSync,
	ftruncateSync,
	lstatSync,
	mkdirSync,
	openSync,
	realpathSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const DESCRIPTORS = "/proc/self/fd";

/** Whether files can be reached through a folder that is held open. */
export const HOLDS_FOLDERS = existsSync(DESCRIPTORS);

/** What Windows lacks is 0 there. */
const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export interface PlacedFile {
	/** The folder that it stays below, absolute. It may itself be reached through links. */
	readonly root: string;
	/** Names of folders below it, then of the file; none is `..`. */
	readonly parts: readonly string[];
	readonly content: string;
	/** Whether nothing may be there yet. */
	readonly isNew: boolean;
}

/** Makes a folder if nothing is there. What is there is not looked at. */
function makeFolder(path: string): void {
	try {
		mkdirSync(path);
	} catch (error) {
		if (Object(error).code !== "EEXIST") throw error;
	}
}

/** Opens a file to write it whole. A pipe does not make it wait. @throws for a link, and for what is no file of one name. */
function openFile(path: string, isNew: boolean): number {
	const opened = openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0), 0o666);
	const found = fstatSync(opened);
	if (found.isFile() && found.nlink === 1) return opened;
	closeSync(opened);
	throw new Error(found.isFile() ? "another name leads to the same file" : "it is no file");
}

function writeOpened(opened: number, content: string): void {
	ftruncateSync(opened);
	writeFileSync(opened, content);
}

/** Goes down from folder to folder, each held open while the next is: a link put in its place is not met any more. */
function placeThroughHeld(file: PlacedFile): void {
	const { root, parts, content } = file;
	const held: number[] = [];
	const hold = (path: string, flags: number) => {
		const opened = openSync(path, O_RDONLY | O_DIRECTORY | flags);
		held.push(opened);
		return join(DESCRIPTORS, String(opened));
	};
	try {
		let folder = hold(root, 0);
		for (const name of parts.slice(0, -1)) {
			const path = `${folder}/${name}`;
			makeFolder(path);
			folder = hold(path, O_NOFOLLOW);
		}
		const opened = openFile(`${folder}/${parts.at(-1)}`, file.isNew);
		held.push(opened);
		writeOpened(opened, content);
	} finally {
		for (const opened of held) closeSync(opened);
	}
}

/** Opens the file by its path, and writes it only if that path still leads through folders alone to what was opened. */
function placeByPath(file: PlacedFile): void {
	const { root, parts, content } = file;
	const realRoot = realpathSync(root);
	const path = join(realRoot, ...parts);
	for (let length = 1; length < parts.length; length++) {
		const folder = join(realRoot, ...parts.slice(0, length));
		makeFolder(folder);
		if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is no folder`);
	}
	const opened = openFile(path, file.isNew);
	try {
		const [meant, found] = [lstatSync(path, { bigint: true }), fstatSync(opened, { bigint: true })];
		const isThere = meant.ino === found.ino && meant.dev === found.dev && realpathSync(dirname(path)) === dirname(path);
		if (!isThere) throw new Error("its folder was replaced meanwhile");
		writeOpened(opened, content);
	} finally {
		closeSync(opened);
	}
}

/**
 * Writes a file below its root, and makes the folders between.
 * @param holdsFolders see HOLDS_FOLDERS.
 * @throws the system's error, or one that says what stands in the way. A new file may then be there without content.
 */
export function placeFile(file: PlacedFile, holdsFolders: boolean): void {
	mkdirSync(file.root, { recursive: true });
	if (holdsFolders) placeThroughHeld(file);
	else placeByPath(file);
}
