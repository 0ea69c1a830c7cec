// Joins a coder's answer that its output limit cut with what the coder wrote to continue it. The file that was open at the cut goes on
// line by line. Files that the continuation writes anew and closes replace those before the cut. Pure.
import { type CodeFile, parseFileMarker } from "./file-format.ts";
import { findLanguage, isProse, languageForPath } from "./language.ts";

/** Lines at the beginning of a continuation count as a repetition from this many characters on. */
const MIN_REPEATED_CHARACTERS = 12;
const MAX_REPEATED_LINES = 40;
/** A Markdown fence around a continuation opens within its first lines. */
const MAX_LINES_BEFORE_FENCE = 3;

/** The part of a cut answer that is kept: up to its last whole line or whole marker. An answer of one line stays as it is. */
export function wholeLines(text: string, boundary: string): string {
	const end = text.lastIndexOf("\n") + 1;
	if (parseFileMarker(text.slice(end), boundary)) return `${text}\n`;
	const lines = text.slice(0, end);
	return lines.trim() === "" ? text : lines;
}

function toLines(text: string): string[] {
	const lines = text.split("\n");
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function isBlankLine(line: string): boolean {
	return line.trim() === "";
}

/** A file in the lines of an answer: its path and where its marker stands. */
interface FilePlace {
	path: string;
	from: number;
	/** Where its END stands. */
	to: number;
}

/** The files that lines close, and the one that they leave open. */
function findFiles(
	lines: readonly string[],
	boundary: string,
): { closed: FilePlace[]; open: Omit<FilePlace, "to"> | null } {
	const closed: FilePlace[] = [];
	let open: Omit<FilePlace, "to"> | null = null;
	for (const [at, line] of lines.entries()) {
		const marker = parseFileMarker(line, boundary);
		if (!marker) continue;
		if (marker.kind === "END" && open) closed.push({ ...open, to: at });
		open = marker.kind === "FILE" ? { path: marker.path, from: at } : null;
	}
	return { closed, open };
}

/** How many lines at the beginning of a continuation repeat the end of what it continues. */
function repeatedLines(end: readonly string[], next: readonly string[]): number {
	const same = (a: string | undefined, b: string | undefined) => a?.trimEnd() === b?.trimEnd();
	for (let count = Math.min(MAX_REPEATED_LINES, end.length, next.length); count > 0; count--) {
		const start = end.length - count;
		const repeats = next.slice(0, count).every((line, at) => same(line, end[start + at]));
		if (!repeats || next.slice(0, count).join("").trim().length < MIN_REPEATED_CHARACTERS) continue;
		// Rows that were repeated before the cut, such as those of a table, may go on after it.
		const isPattern = start >= count && next.slice(0, count).every((line, at) => same(line, end[start - count + at]));
		return isPattern ? 0 : count;
	}
	return 0;
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
	return lines.slice(0, 1 + lines.findLastIndex((line) => !isBlankLine(line)));
}

/** Joins the lines of one file, without those that the continuation repeats. */
function joinLines(lines: readonly string[], next: readonly string[]): string[] {
	const end = withoutBlankEnd(lines);
	const start = next.findIndex((line) => !isBlankLine(line));
	if (start < 0) return [...lines];
	const repeated = repeatedLines(end, next.slice(start));
	return repeated > 0 ? [...end, ...next.slice(start + repeated)] : [...lines, ...next];
}

/** Whether a line is said to the user: three words at least, none of the signs that code has, and the end of a sentence. */
function isSentence(line: string): boolean {
	if (!/^[\p{Lu}\p{Lo}][^(){}[\]<>;=|&*+\\"]*[:.!…：。]$/u.test(line.trimEnd())) return false;
	return line.trim().split(/\s+/).length >= 3 || /\p{Lo}{4}/u.test(line);
}

function isFenceLine(line: string | undefined): boolean {
	return line !== undefined && /^\s*(?:`{3,}|~{3,})[\w+#.-]*\s*$/.test(line);
}

/**
 * Lines of a file without the Markdown fence around them, and without the sentence before them. Files that may hold either are left as
 * they are.
 */
function withoutWrapping(lines: readonly string[], language: string | null): readonly string[] {
	if (language === null || isProse(language)) return lines;
	const fence = lines.slice(0, 1 + MAX_LINES_BEFORE_FENCE).findIndex(isFenceLine);
	if (fence >= 0 && lines.slice(0, fence).every((line) => isBlankLine(line) || isSentence(line))) {
		const inner = lines.slice(fence + 1);
		const end = withoutBlankEnd(inner);
		return isFenceLine(end.at(-1)) ? end.slice(0, -1) : inner;
	}
	const start = lines.findIndex((line) => !isBlankLine(line));
	const [first = "", next = ""] = lines.slice(Math.max(0, start));
	if (!isSentence(first) || !findLanguage(language)?.lexis) return lines;
	return /[:：]\s*$/.test(first) || isBlankLine(next) ? lines.slice(start + 1 + (isBlankLine(next) ? 1 : 0)) : lines;
}

/** Whether a file that is opened once more goes on where it was cut, and does not begin anew. */
function goesOn(lines: readonly string[], next: readonly string[]): boolean {
	const [first, again] = [lines, next].map((all) => all.find((line) => !isBlankLine(line)));
	if (first === undefined || again === undefined || first.trimEnd() === again.trimEnd()) return false;
	if (repeatedLines(withoutBlankEnd(lines), next.slice(next.indexOf(again))) > 0) return true;
	return /^[)\]}]/.test(again) || (/^\s/.test(again) && !/^\s/.test(first));
}

/** The lines before the cut, without closed files that were written anew. */
function withoutRewritten(lines: readonly string[], boundary: string, rewritten: ReadonlySet<CodeFile["path"]>) {
	const dropped = findFiles(lines, boundary).closed.filter(({ path }) => rewritten.has(path));
	return lines.filter((_, at) => !dropped.some(({ from, to }) => at >= from && at <= to));
}

function joinAnswerLines(before: readonly string[], after: readonly string[], boundary: string): string[] {
	const { open } = findFiles(before, boundary);
	const rewritten = new Set(
		findFiles(after, boundary)
			.closed.filter(({ from, to }) => after.slice(from + 1, to).some((line) => !isBlankLine(line)))
			.map(({ path }) => path),
	);
	const kept = (count: number) => withoutRewritten(before.slice(0, count), boundary, rewritten);
	const at = after.findIndex((line) => parseFileMarker(line, boundary));
	const marker = parseFileMarker(after[at] ?? "", boundary);
	if (!open) {
		const start = after.findIndex((line) => (parseFileMarker(line, boundary)?.kind ?? "END") !== "END");
		return [...kept(before.length), ...(start < 0 ? [] : after.slice(start))];
	}
	const lines = before.slice(open.from + 1);
	const language = languageForPath(open.path);
	if (marker && marker.kind !== "END") {
		const again = after.slice(at + 1);
		const next = again.findIndex((line) => parseFileMarker(line, boundary));
		const content = withoutWrapping(next < 0 ? again : again.slice(0, next), language);
		if (marker.path === open.path && goesOn(lines, content))
			return [...kept(open.from + 1), ...joinLines(lines, content), ...(next < 0 ? [] : again.slice(next))];
		if (marker.path === open.path || rewritten.has(open.path)) return [...kept(open.from), ...after.slice(at)];
	}
	const content = withoutWrapping(at < 0 ? after : after.slice(0, at), language);
	return [...kept(open.from + 1), ...joinLines(lines, content), ...(at < 0 ? [] : after.slice(at))];
}

/** Joins the kept part of a cut answer and its continuation. */
export function joinDraft(beginning: string, continuation: string, boundary: string): string {
	const [glued = ""] = `${beginning}${continuation}`.split("\n");
	// The cut was inside the first line.
	if (!beginning.endsWith("\n") && parseFileMarker(glued, boundary)) return `${beginning}${continuation}`;
	return joinAnswerLines(toLines(beginning), toLines(continuation), boundary)
		.map((line) => `${line}\n`)
		.join("");
}
