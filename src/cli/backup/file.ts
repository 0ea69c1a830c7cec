// The file of a backup: JSON lines (backup/backup.ts), gzipped, readable by its owner alone. The last line says how many lines there
// are and what they hash to, so that a file that is cut or changed is refused before anything is restored.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished, pipeline } from "node:stream/promises";
import { createGunzip, createGzip, type Gzip } from "node:zlib";
import { type BackupHeader, type BackupLine, backupLineSchema, findFormatFault } from "../../backup/backup.ts";

/** A file that is no whole backup. Its message is all that the command line prints. */
export class BackupFileError extends Error {
	override name = "BackupFileError";
}

/** JSON on one line, for readers to whom these two characters end a line as well. */
function toLine(line: BackupLine): string {
	return JSON.stringify(line).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Writes a backup beside its place and moves it there when it is whole. */
export class BackupWriter {
	#path: string;
	#gzip: Gzip = createGzip();
	#written: Promise<void>;
	#hash = createHash("sha256");
	#lines = 0;

	/** @param path of a file that does not exist. */
	constructor(path: string) {
		this.#path = path;
		this.#written = pipeline(this.#gzip, createWriteStream(this.#partPath, { mode: 0o600, flags: "w" }));
		// Reported by the write or the close that waits for it.
		this.#written.catch(() => undefined);
	}

	get #partPath(): string {
		return `${this.#path}.part`;
	}

	async #writeText(text: string): Promise<void> {
		if (this.#gzip.write(text)) return;
		await Promise.race([new Promise((resolve) => this.#gzip.once("drain", resolve)), this.#written]);
	}

	async write(line: BackupLine): Promise<void> {
		const text = `${toLine(line)}\n`;
		this.#hash.update(text);
		this.#lines++;
		await this.#writeText(text);
	}

	/** Writes the last line and gives the file its name. */
	async close(): Promise<void> {
		await this.#writeText(
			`${JSON.stringify({ end: { lines: this.#lines, sha256: this.#hash.digest("hex") } } satisfies BackupLine)}\n`,
		);
		this.#gzip.end();
		await this.#written;
		await rename(this.#partPath, this.#path);
	}

	/** Removes what was written. */
	async discard(): Promise<void> {
		this.#gzip.destroy();
		await finished(this.#gzip).catch(() => undefined);
		await this.#written.catch(() => undefined);
		await rm(this.#partPath, { force: true });
	}
}

/** A line of a backup that is not the last one, with its number from 0. */
interface NumberedLine {
	number: number;
	line: Exclude<BackupLine, { end: unknown }>;
}

/**
 * The lines of a backup but the last one.
 * @throws BackupFileError for a file that is not a backup, or not a whole one; whoever needs that must read to the end.
 */
export async function* readBackupFile(path: string): AsyncGenerator<NumberedLine> {
	const hash = createHash("sha256");
	let number = 0;
	let isWhole = false;
	for await (const text of textLines(path)) {
		if (isWhole) throw new BackupFileError(`${path} has lines behind its last one`);
		const line = parseLine(path, number, text);
		if ("end" in line) {
			isWhole = true;
			if (line.end.lines !== number || line.end.sha256 !== hash.digest("hex"))
				throw new BackupFileError(`${path} was changed since it was written`);
			continue;
		}
		hash.update(`${text}\n`);
		yield { number, line };
		number++;
	}
	if (!isWhole) throw new BackupFileError(`${path} is cut: its last line is missing`);
}

/** The lines of a gzipped file. The next piece of it is read when the lines before were taken: readline would read ahead without end. */
async function* textLines(path: string): AsyncGenerator<string> {
	const gunzip = createGunzip().setEncoding("utf8");
	const piped = pipeline(createReadStream(path), gunzip);
	piped.catch(() => undefined);
	try {
		let begun: string[] = [];
		for await (const text of gunzip) {
			const [first = "", ...others] = (text as string).split("\n");
			begun.push(first);
			for (const other of others) {
				yield begun.join("");
				begun = [other];
			}
		}
		await piped;
		const last = begun.join("");
		if (last !== "") yield last;
	} catch (error) {
		throw new BackupFileError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
	}
}

function parseLine(path: string, number: number, text: string): BackupLine {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new BackupFileError(`${path} is no backup, or it is damaged at line ${number + 1}`);
	}
	const line = backupLineSchema.safeParse(value);
	if (!line.success) throw new BackupFileError(`${path} is no backup, or of a later version: line ${number + 1}`);
	const fault = "header" in line.data ? findFormatFault(line.data.header.version) : null;
	if (fault !== null) throw new BackupFileError(`${path} ${fault}`);
	return line.data;
}

/** An object in a backup. */
export interface ContainedObject {
	/** Number of the line at which its rows begin for the last time. */
	line: number;
	parts: number;
}

/** What a whole backup holds. */
export interface BackupContents {
	header: BackupHeader;
	/** Objects by `class name`. */
	objects: Map<string, ContainedObject>;
	rows: number;
}

/** Reads a whole backup. @throws BackupFileError when it is not whole. */
export async function inspectBackup(path: string): Promise<BackupContents> {
	let header: BackupHeader | null = null;
	const objects = new Map<string, ContainedObject>();
	let rows = 0;
	for await (const { number, line } of readBackupFile(path)) {
		if ("header" in line) header = line.header;
		else if ("table" in line) rows += line.rows.length;
		else {
			const { class: kind, name, part } = line.object;
			const object = part === 0 ? { line: number, parts: 0 } : objects.get(`${kind} ${name}`);
			if (object?.parts !== part) throw new BackupFileError(`${path} has parts of an object in another order`);
			object.parts++;
			objects.set(`${kind} ${name}`, object);
		}
	}
	if (!header) throw new BackupFileError(`${path} has no header`);
	return { header, objects, rows };
}
