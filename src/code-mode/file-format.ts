// The text format in which a model writes files, and its strict reader: what is not clearly a file with a safe path is refused
// with a reason. What stands in the files is judged by static-checks.ts. Pure.
//
// Every marker carries a boundary, which is the beginning of the prompt's mark: the request's random nonce, or where a text of the
// prompt holds that boundary, the nonce hashed on. So no text that was there before can hold a marker.
import { quoteClipped } from "../clip.ts";
import { NONCE_DIGITS } from "../inference/material.ts";
import { hashText } from "../proof/hash.ts";
import { utf8Length } from "../text/utf8.ts";

/** A file of a draft. `path` is relative, with forward slashes. */
export interface CodeFile {
	path: string;
	content: string;
}

/** Why something of an answer was refused. `path` is null where it is about the answer as a whole. */
export interface DraftFault {
	path: string | null;
	message: string;
}

/** What an answer comes to. */
interface Draft {
	/** All files after the answer, those of before that it left alone included, sorted by path. */
	files: CodeFile[];
	/** Whether it wrote or removed any. */
	changed: boolean;
	/** Paths of files that it began and did not close. */
	unclosed: string[];
	faults: DraftFault[];
}

const MAX_FILES = 100;
/** All contents together, UTF-8. */
const MAX_TOTAL_BYTES = 1_048_576;
const MAX_PATH_BYTES = 200;
const MAX_DEPTH = 16;
/** More would tell a repair no more. */
const MAX_FAULTS = 20;

/** Digits of a mark that stand in the markers. */
const BOUNDARY_DIGITS = 8;

/** The boundary of the markers in a prompt. */
export function boundaryFrom(mark: string): string {
	return mark.slice(0, BOUNDARY_DIGITS);
}

/** The mark of a prompt: the request's nonce, hashed on as long as one of the texts holds its boundary. */
export function markFor(nonce: string, texts: readonly string[]): string {
	let mark = nonce;
	while (texts.some((text) => text.includes(boundaryFrom(mark)))) mark = hashText(mark).slice(-NONCE_DIGITS);
	return mark;
}

/** A file as the format writes it. */
export function fileBlock(boundary: string, { path, content }: CodeFile): string {
	const closed = content.endsWith("\n") ? content : `${content}\n`;
	return `<<<FILE ${boundary} ${path}>>>\n${closed}<<<END ${boundary}>>>\n`;
}

/** The format as a model is told it. */
export function formatRules(boundary: string): string {
	return [
		"Write every file in this form, each marker alone on its line:",
		"",
		`<<<FILE ${boundary} relative/path.ext>>>`,
		"the whole content of the file",
		`<<<END ${boundary}>>>`,
		"",
		`- The boundary ${boundary} stands in every marker, exactly as here.`,
		"- Paths are relative with forward slashes: no leading slash, no drive, no `..`, and no path twice.",
		"- No file is empty. Put no Markdown fence around a file or its content.",
		"- What stands outside of the markers is not part of any file.",
	].join("\n");
}

/** How files are removed, in words for a repair. */
export function deletionRule(boundary: string): string {
	return `- A file that you do not write stays as it is. To remove one, write the line <<<DELETE ${boundary} its/path>>>.`;
}

/** What a repair learns of a file that its answer's output limit cut. */
const CUT_FILE = "is not closed: the answer reached its output limit; write it shorter, or as several files";

/** Characters that do not show, among them those that turn the direction of what does. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Names that mean a place of their own on some system, whatever their case or extension. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?$/i;

/** What git runs by itself, under the short name that Windows gives it too (CVE-2014-9390). */
const GIT_FOLDER = /^(?:\.git|git~[0-9]+)$/i;

/** Why a path is not taken; null for a good one. */
export function pathFault(path: string): string | null {
	if (path.trim() === "") return "has no path";
	if (path !== path.trim()) return "its path has white space at an end";
	if (INVISIBLE.test(path)) return "its path has characters that do not show";
	if (utf8Length(path) > MAX_PATH_BYTES) return `its path takes more than ${MAX_PATH_BYTES} bytes`;
	if (path.includes("\\")) return "its path has a backslash";
	if (/^(?:\/|~|[A-Za-z]:)/.test(path)) return "its path is not relative";
	const segments = path.split("/");
	if (segments.length > MAX_DEPTH) return `its path has more than ${MAX_DEPTH} segments`;
	for (const segment of segments) {
		if (segment === "") return "its path has an empty segment";
		if (segment === "." || segment === "..") return `its path has the segment ${segment}`;
		if (/[<>:"|?*`]/.test(segment) || /[. ]$/.test(segment) || RESERVED_NAME.test(segment))
			return `its path has the segment ${segment}, which not every system can hold`;
		if (GIT_FOLDER.test(segment)) return "its path leads into .git";
	}
	// Full-width dots and slashes, raised digits: some systems take them for the plain ones.
	const plain = path.normalize("NFKC");
	return plain === path || plain === path.normalize("NFC") ? null : pathFault(plain);
}

/** Paths that one directory could not tell apart. */
function pathKey(path: string): string {
	// Capitals first: ß and SS, ſ and S are one to a file system that folds case.
	return path.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Why a path cannot stand beside the others; null where it can. */
function clash(path: string, others: Iterable<string>): string | null {
	const key = pathKey(path);
	for (const other of others) {
		if (other.startsWith(`${key}/`)) return "its path is a directory of another file";
		if (key.startsWith(`${other}/`)) return "its path leads through another file";
	}
	return null;
}

type FileMarker = { kind: "FILE" | "DELETE"; path: string } | { kind: "END" };

/** A line as a marker of this boundary; null for any other text. */
export function parseFileMarker(line: string, boundary: string): FileMarker | null {
	const match = line.match(/^<<<(FILE|END|DELETE) ([0-9a-f]+)(?: (.*))?>>>\s*$/);
	if (!match || match[2] !== boundary) return null;
	const [, kind, , path = ""] = match;
	if (kind === "END") return { kind };
	return { kind: kind === "FILE" ? "FILE" : "DELETE", path };
}

/** Reads one answer line by line. */
class Reading {
	readonly #files: Map<string, { file: CodeFile; bytes: number }>;
	readonly #written = new Set<string>();
	readonly faults: DraftFault[] = [];
	readonly unclosed: string[] = [];
	changed = false;
	#open: { path: string; lines: string[] } | null = null;

	constructor(previous: readonly CodeFile[]) {
		this.#files = new Map(previous.map((file) => [pathKey(file.path), { file, bytes: utf8Length(file.content) }]));
	}

	line(line: string, marker: FileMarker | null): void {
		if (!marker) {
			this.#open?.lines.push(line);
			return;
		}
		if (marker.kind === "END") {
			if (this.#open) this.#close(this.#open);
			else this.#fault(null, "an END stands where no file is open");
			return;
		}
		this.#dropOpen("is not closed before the next marker");
		if (marker.kind === "FILE") this.#open = { path: marker.path, lines: [] };
		else this.#delete(marker.path);
	}

	end(isCut: boolean): CodeFile[] {
		if (this.#open) this.#dropOpen(isCut ? CUT_FILE : "is not closed: the answer breaks off");
		else if (isCut) this.#fault(null, "the answer reached its output limit, so files may be missing");
		return [...this.#files.values()].map(({ file }) => file).toSorted((a, b) => (a.path < b.path ? -1 : 1));
	}

	#dropOpen(why: string): void {
		if (this.#open) {
			this.unclosed.push(this.#open.path);
			this.#fault(this.#open.path, why);
		}
		this.#open = null;
	}

	#close({ path, lines }: { path: string; lines: string[] }): void {
		this.#open = null;
		const file = { path, content: lines.map((line) => `${line}\n`).join("") };
		const bytes = utf8Length(file.content);
		const why = this.#refusal(file, bytes);
		if (why) {
			this.#fault(path, why);
			return;
		}
		const key = pathKey(path);
		this.#written.add(key);
		this.#files.set(key, { file, bytes });
		this.changed = true;
	}

	#refusal({ path, content }: CodeFile, bytes: number): string | null {
		const key = pathKey(path);
		const wrong = pathFault(path);
		if (wrong) return wrong;
		if (this.#written.has(key)) return "is written twice";
		if (content.trim() === "") return "is empty";
		if (content.includes("\u0000")) return "holds a NUL character";
		const others = [...this.#files].filter(([other]) => other !== key);
		if (others.length >= MAX_FILES) return `is one of more than ${MAX_FILES} files`;
		const totalBytes = others.reduce((sum, [, other]) => sum + other.bytes, bytes);
		if (totalBytes > MAX_TOTAL_BYTES) return `brings all files over ${MAX_TOTAL_BYTES} bytes`;
		return clash(
			path,
			others.map(([other]) => other),
		);
	}

	#delete(path: string): void {
		const key = pathKey(path);
		if (this.#written.has(key)) this.#fault(path, "is written and removed");
		else if (this.#files.delete(key)) this.changed = true;
		else this.#fault(path, "is to be removed and does not exist");
	}

	#fault(path: string | null, message: string): void {
		if (this.faults.length < MAX_FAULTS) this.faults.push({ path: path?.slice(0, MAX_PATH_BYTES) ?? null, message });
	}
}

/** So much of an answer without a file is told: a refusal, a question back. */
const MAX_QUOTED_CHARACTERS = 300;

/** Tells an answer without a file in its own words. */
function noFileMessage(answer: string): string {
	const words = quoteClipped(answer, MAX_QUOTED_CHARACTERS);
	return `the answer holds no file in the form that was asked for${words === "" ? "" : `: ${words}`}`;
}

/** Whether an answer has a line that is a marker. */
export function hasMarker(answer: string, boundary: string): boolean {
	return answer.split("\n").some((line) => parseFileMarker(line, boundary) !== null);
}

/**
 * Reads the files of an answer. A refused file is left out and named; the others count.
 * @param previous the files before it, for a repair: what the answer does not write stays.
 * @param isCut the output limit ended the answer.
 */
export function readDraft(
	answer: string,
	boundary: string,
	{ previous = [], isCut = false }: { previous?: readonly CodeFile[]; isCut?: boolean } = {},
): Draft {
	const reading = new Reading(previous);
	for (const line of answer.split("\n")) reading.line(line, parseFileMarker(line, boundary));
	const files = reading.end(isCut);
	const { changed, unclosed, faults } = reading;
	if (!changed && faults.length === 0) faults.push({ path: null, message: noFileMessage(answer) });
	return { files, changed, unclosed, faults };
}
