// What can be said of files without a model and without running them: that what claims to be JSON, YAML or TOML parses, that
// brackets balance, that nothing is left out. It rather misses a fault than names a wrong one. Pure.
import { loadYaml } from "../routing-config/load.ts";
import { bracketFault } from "./brackets.ts";
import { elisionsIn } from "./elisions.ts";
import type { CodeFile } from "./file-format.ts";
import { findLanguage, isProse, languageForPath } from "./language.ts";
import { LEXICAL_RULES } from "./lexis.ts";

export type StaticCheck = "syntax" | "brackets" | "left_out" | "markdown_fence" | "merge_conflict" | "hidden_text";

/** What a check found. */
interface StaticIssue {
	check: StaticCheck;
	path: string;
	/** From 1; null where it is about the whole file. */
	line: number | null;
	message: string;
}

/** More would tell a repair no more. */
const MAX_ISSUES = 30;
/** Longer files are not judged: at this length a hostile one takes up to half a second of CPU. */
const MAX_CHECKED_CHARACTERS = 131_072;

/** JSON with comments, by custom. */
const WITH_COMMENTS =
	/(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|devcontainer\.json|\.eslintrc(?:\.json)?|\.swcrc|\.babelrc)$|(?:^|\/)\.vscode\/[^/]+\.json$|\.(?:jsonc|json5)$/i;
const LINES_OF_JSON = /\.(?:jsonl|ndjson)$/i;

function jsonErrorMessage(error: unknown): string {
	// Its first line: a TOML error goes on with a picture of the place.
	return (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 200) ?? "";
}

function jsonFault(text: string): string | null {
	try {
		JSON.parse(text);
		return null;
	} catch (error) {
		return jsonErrorMessage(error);
	}
}

type Found = Omit<StaticIssue, "path">;

function syntax(language: string, message: string, line: number | null): Found {
	return { check: "syntax", line, message: `is no valid ${language}: ${message}` };
}

function jsonIssue({ path, content }: CodeFile): Found | null {
	if (WITH_COMMENTS.test(path)) return null;
	if (LINES_OF_JSON.test(path)) {
		for (const [index, line] of content.split("\n").entries()) {
			const fault = line.trim() === "" ? null : jsonFault(line);
			if (fault) return syntax("JSON", fault, index + 1);
		}
		return null;
	}
	const fault = jsonFault(content.replace(/^\uFEFF/, ""));
	return fault === null ? null : syntax("JSON", fault, null);
}

async function yamlIssue(path: string, content: string): Promise<Found | null> {
	// Templates of YAML are not yet YAML.
	if (content.includes("{{") || content.includes("{%") || path.includes("templates/")) return null;
	const { yamlSyntaxFault } = await loadYaml();
	const fault = yamlSyntaxFault(content);
	return fault && syntax("YAML", fault.message, fault.line ?? null);
}

async function tomlIssue(content: string): Promise<Found | null> {
	// Loaded on first use: start-up and requests without such files pay nothing for it.
	const { parse, TomlError } = await import("smol-toml");
	try {
		parse(content, { integersAsBigInt: "asNeeded" });
		return null;
	} catch (error) {
		if (!(error instanceof TomlError)) throw error;
		return syntax("TOML", jsonErrorMessage(error).replace("Invalid TOML document: ", ""), error.line);
	}
}

async function syntaxIssue(file: CodeFile, language: string | null): Promise<Found | null> {
	switch (language) {
		case "json":
			return jsonIssue(file);
		case "yaml":
			return yamlIssue(file.path, file.content);
		case "toml":
			return tomlIssue(file.content);
		default:
			return null;
	}
}

function bracketIssue(content: string, language: string | null): Found | null {
	const lexis = language === null ? null : (findLanguage(language)?.lexis ?? null);
	const fault = lexis && bracketFault(content, LEXICAL_RULES[lexis]);
	return fault && { check: "brackets", line: fault.line, message: fault.message };
}

/** A whole file inside of one Markdown fence, which a model puts around code by habit. */
function fenceIssue(content: string): Found | null {
	const lines = content.trim().split("\n");
	const [first = ""] = lines;
	if (!/^(?:`{3,}|~{3,})[\w+#.-]*$/.test(first.trim()) || !/^(?:`{3,}|~{3,})$/.test(lines.at(-1)?.trim() ?? ""))
		return null;
	return {
		check: "markdown_fence",
		line: 1,
		message: "the content stands in a Markdown fence; write the content alone",
	};
}

function conflictIssue(content: string): Found | null {
	const lines = content.split("\n");
	const start = lines.findIndex((line) => /^<{7} \S/.test(line));
	if (start < 0 || !lines.some((line) => /^>{7} \S/.test(line))) return null;
	return { check: "merge_conflict", line: start + 1, message: "holds the marks of a merge conflict" };
}

/** Text that shows in another order than it is read (CVE-2021-42574, "Trojan Source"). */
function hiddenIssue(content: string): Found | null {
	const at = content.search(/[\u202a-\u202e\u2066-\u2069]/);
	if (at < 0) return null;
	const line = content.slice(0, at).split("\n").length;
	return { check: "hidden_text", line, message: "holds a character that turns the direction of the text around it" };
}

async function findFileIssues(file: CodeFile): Promise<StaticIssue[]> {
	const { path, content } = file;
	if (content.length > MAX_CHECKED_CHARACTERS) return [];
	const language = languageForPath(path);
	if (isProse(language)) return [];
	const fence = fenceIssue(content);
	const conflict = conflictIssue(content);
	const own = fence ?? conflict;
	const hidden = hiddenIssue(content);
	const found: Found[] = [...(own ? [own] : []), ...(hidden ? [hidden] : [])];
	if (!own) {
		const parsed = await syntaxIssue(file, language);
		const unbalanced = parsed ? null : bracketIssue(content, language);
		if (parsed) found.push(parsed);
		if (unbalanced) found.push(unbalanced);
	}
	if (language !== "json")
		for (const { line, text } of elisionsIn(content))
			found.push({ check: "left_out", line, message: `leaves code out: \`${text}\`; write it in full` });
	return found.map((issue) => ({ ...issue, path }));
}

/** What is wrong with files for sure, in their order, at most thirty issues. */
export async function staticIssues(files: readonly CodeFile[]): Promise<StaticIssue[]> {
	const issues: StaticIssue[] = [];
	for (const file of files) {
		issues.push(...(await findFileIssues(file)));
		if (issues.length >= MAX_ISSUES) break;
	}
	return issues.slice(0, MAX_ISSUES);
}

/** An issue on one line, as a repair and the answer name it. */
export function issueText({ path, line, message }: StaticIssue): string {
	return `${path}${line === null ? "" : `:${line}`}: ${message}`;
}
