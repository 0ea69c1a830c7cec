// Files that a model put into plain Markdown fences instead of the markers it was told. They are taken where it is clear which files
// are meant: each is named beside its fence, or there is one, and the task or its language names it. Pure.
import type { CodeFile } from "./file-format.ts";
import { type DetectedLanguage, findFileNames, findLanguage, languageForPath, toLanguageId } from "./language.ts";

/** What names a file whose fence does not. */
export interface FileNaming {
	/** The task's text. */
	text: string;
	language: DetectedLanguage;
	/** Files that the answer repairs. */
	previous: readonly CodeFile[];
}

/** A closed fence. */
interface Fence {
	/** What stands behind its opening. */
	info: string;
	/** The line of text before it. */
	lead: string;
	content: string;
}

const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;

/** The outermost closed fences of an answer. */
function readFences(answer: string): Fence[] {
	const fences: Fence[] = [];
	let open: { mark: string; info: string; lines: string[] } | null = null;
	let lead = "";
	for (const line of answer.split("\n")) {
		const [, mark = "", info = ""] = FENCE_LINE.exec(line.trimEnd()) ?? [];
		if (open === null) {
			if (mark !== "") open = { mark, info: info.trim(), lines: [] };
			else if (line.trim() !== "") lead = line.trim();
		} else if (mark.startsWith(open.mark) && info.trim() === "") {
			fences.push({ info: open.info, lead, content: open.lines.map((text) => `${text}\n`).join("") });
			open = null;
			lead = "";
		} else open.lines.push(line);
	}
	return fences;
}

/** The one file name of a text; null where there is none, or are several. */
function findOneName(text: string, isMeant: (name: string) => boolean = () => true): string | null {
	const names = findFileNames(text).filter((name) => languageForPath(name) !== null && isMeant(name));
	const [first = null, ...others] = new Set(names.map((name) => name.replace(/^(?:\.\/)+/, "")));
	return others.length === 0 ? first : null;
}

/** A comment of nothing but a file name, with or without a word before it. */
const NAME_COMMENT = /^(?:\/\/|#|--|;|%|\/\*|<!--)\s*(?:file(?:name)?\s*:\s*)?([\w./-]+)\s*(?:\*\/|-->)?$/i;
/** A line before a fence that says more than a name is a sentence. */
const MAX_LEAD_WORDS = 6;

/** The name that stands behind a fence's opening, in the line before it or in its first line; null where there is none. */
function nameBeside({ info, lead, content }: Fence): string | null {
	const [, comment = ""] = NAME_COMMENT.exec(content.split("\n", 1)[0]?.trim() ?? "") ?? [];
	const heading = lead.split(/\s+/).length <= MAX_LEAD_WORDS ? lead : "";
	return findOneName(info) ?? findOneName(heading) ?? findOneName(comment);
}

/** Whether a fence may hold a file in a language: it names the language or none. */
function mayHold({ info, content }: Fence, { id }: DetectedLanguage): boolean {
	const [word = ""] = info.split(/[\s{,]/);
	return content.trim() !== "" && (word === "" || toLanguageId(word) === id || languageForPath(`a.${word}`) === id);
}

const JAVA_TYPE = /\bpublic\s+(?:\w+\s+)*(?:class|interface|enum|record)\s+(\w+)/;

/** The name of the only file: of the file before it, in the task, or by its language. */
function nameByTask({ text, language, previous }: FileNaming, content: string): string | null {
	const [before, ...others] = previous;
	if (before) return others.length === 0 ? before.path : null;
	const named = findOneName(text, (name) => languageForPath(name) === language.id);
	if (named !== null) return named;
	const { extensions = [], files = [] } = findLanguage(language.id) ?? {};
	const [extension] = extensions;
	if (extension === undefined) return files[0] ?? null;
	const type = language.id === "java" ? JAVA_TYPE.exec(content)?.[1] : undefined;
	return `${type ?? (language.id === "html" ? "index" : "main")}.${extension}`;
}

/** The files of an answer in plain fences; none where it is not clear which are meant. */
export function readFencedFiles(answer: string, naming: FileNaming): CodeFile[] {
	const fences = readFences(answer);
	const named = fences.flatMap((fence) => {
		const path = nameBeside(fence);
		return path === null ? [] : [{ fence, file: { path, content: fence.content } }];
	});
	const nameless = fences.filter(
		(fence) => !named.some((other) => other.fence === fence) && mayHold(fence, naming.language),
	);
	const [only, ...others] = nameless;
	if (!only) return named.map(({ file }) => file);
	// Beside files with names, or another of its kind, it may as well be an example of their use.
	if (named.length > 0 || others.length > 0) return [];
	const path = nameByTask(naming, only.content);
	return path === null ? [] : [{ path, content: only.content }];
}
