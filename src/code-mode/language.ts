// Detects which language a task asks for, and which language a file is in. The languages are listed in languages.json.
// Pure.
import languageFile from "./language.json" with { type: "json" };
import { LANGUAGES, type LanguageEntry } from "./languages.ts";

/** How a language was detected, the surest evidence first. */
type LanguageEvidence = "forced" | "named" | "file_name" | "framework" | "keyword" | "default";

export interface DetectedLanguage {
	id: string;
	evidence: LanguageEvidence;
}

/** The language of a task without any evidence. */
const DEFAULT_LANGUAGE = "python";

/** A task names its language early. The rest of a longer task is mostly material. */
const MAX_DETECTION_CHARS = 20_000;

const byId = new Map(LANGUAGES.map((language) => [language.id, language]));
const byExtension = new Map(
	LANGUAGES.flatMap((language) =>
		language.extensions.map((extension): [string, LanguageEntry] => [extension, language]),
	),
);
const byFile = new Map(
	LANGUAGES.flatMap(({ files = [], ...language }) => files.map((file) => [file.toLowerCase(), language.id])),
);

/** A language by its id. Undefined when the table does not have it. */
export function findLanguage(id: string): LanguageEntry | undefined {
	return byId.get(id);
}

/** Words behind a language's name and a hyphen, in English and in German: `Python-Skript`. */
const COMPOUNDS = alternation(languageFile.compounds);

/** An expression that matches a name only as a whole, not in a longer name (`Java` in `JavaScript`, `C` in `C++`). */
function asWholeName(source: string): string {
	return `(?<![\\w.#+/-])(?:${source})(?![\\w#+]|-(?!(?:${caseless(COMPOUNDS)})(?!\\w))\\w|\\.\\w)`;
}

function alternation(sources: readonly string[]): string {
	return sources.join("|");
}

/** Matches `Go` and `go`, for places where the words around it say that the language is meant. */
function inAnyCase(names: readonly string[]): string {
	return alternation(names.map((name) => (name.length === 1 ? name : `(?:${name}|${name.toLowerCase()})`)));
}

/** Nouns for what is written in a language. They follow its name. */
const ARTEFACTS = alternation(languageFile.artefacts);

/** Verbs before the name of a format that is to be written. */
const WRITING_VERBS = `(?:${alternation(languageFile.writing_verbs)})`;

/** What is made with a framework. It tells a framework from a common word of the same name. */
const MADE_WITH_FRAMEWORK = alternation(languageFile.made_with_framework);

interface LanguagePatterns {
	/** The language as the target of a translation. */
	target: RegExp;
	/** The name among words that say that something is to be written in the language. */
	inContext: RegExp;
	/** A format at the beginning of the task, as what is wanted. Null for other languages. */
	leading: RegExp | null;
	/** The name alone. Null for formats. */
	bare: RegExp | null;
	frameworks: RegExp | null;
	keywords: RegExp | null;
}

function wordsPattern(words: readonly string[] | undefined): RegExp | null {
	return words && words.length > 0 ? new RegExp(`(?<![\\w-])(?:${alternation(words)})(?![\\w-])`, "gi") : null;
}

function frameworksPattern({ frameworks = [], commonFrameworks = [] }: LanguageEntry): RegExp | null {
	const common = commonFrameworks.flatMap((name) => [
		`${caseless(name)}\\s+(?:${caseless(MADE_WITH_FRAMEWORK)})`,
		`(?<=\\S\\s)${name.charAt(0).toUpperCase()}${name.slice(1)}`,
	]);
	const sources = [...frameworks.map(caseless), ...common];
	return sources.length > 0 ? new RegExp(`(?<![\\w-])(?:${alternation(sources)})(?![\\w-])`, "g") : null;
}

function buildLanguagePatterns(language: LanguageEntry): LanguagePatterns {
	const { names, commonNames = [], isFormat = false, keywords } = language;
	// Names match in any case, common names in their own. The expressions are case-sensitive, so `caseless` spells each
	// letter twice.
	const loose = names.map(caseless);
	const any = asWholeName(alternation([...loose, inAnyCase(commonNames)].filter((source) => source !== "")));
	const proper = asWholeName(alternation([...loose, ...commonNames]));
	// A single letter is mostly not a language.
	const alone = [...loose, ...commonNames.filter((name) => name.length > 1)];
	const artefact = `\\s+(?:[a-z]+\\s+)?(?:${caseless(ARTEFACTS)})(?!\\w)`;
	const adjective =
		"(?:(?:plain|pure|modern|idiomatic|vanilla|simple|standard|strict|safe|valid|raw|a|an|the|some)\\s+)*";
	const context = isFormat
		? `(?<!\\w)${caseless(WRITING_VERBS)}\\s+(?:me\\s+)?${adjective}(?:[A-Za-z-]+\\s+)?${any}|${any}\\s+(?:${caseless("query|queries|migration|schema|page|document|manifest|playbook|workflow|config(?:uration)?")})(?!\\w)`
		: `(?<!\\w)(?:[Ii]n|[Uu]s(?:e|ing))\\s+${adjective}${any}|${proper}(?:\\s+\\d[\\d.]*)?${artefact}|${any}\\s+(?:${caseless("program|script|function|class|module|code|package|library|crate|project|snippet|implementation")})(?!\\w)`;
	const target = `(?<!\\w)(?:${caseless("translate|convert|port|rewrite|migrate|transpile|translation|migration")})(?!\\w)[^.\\n]{0,80}?\\s(?:to|into|in|as)\\s+${adjective}${any}`;
	return {
		target: new RegExp(target, "g"),
		inContext: new RegExp(context, "g"),
		bare: isFormat || alone.length === 0 ? null : new RegExp(asWholeName(alternation(alone)), "g"),
		leading: isFormat
			? new RegExp(
					`^\\s*(?:[Aa]n?\\s+|[Tt]he\\s+|[Ss]ome\\s+)?${adjective}${any}(?:\\s+(?:code|file|message|markup|rules?|snippet))?\\s+(?:for|that|which|with|of)\\s`,
					"g",
				)
			: null,
		frameworks: frameworksPattern(language),
		keywords: wordsPattern(keywords),
	};
}

/** Makes the letters of an expression match in both cases. Escapes and groups stay as they are. */
function caseless(source: string): string {
	return source.replace(/\\.|\(\?[:!=<]+|[a-z]/gi, (piece) =>
		/^[a-z]$/i.test(piece) ? `[${piece.toLowerCase()}${piece.toUpperCase()}]` : piece,
	);
}

/** Built with the first task, because no other request needs these two hundred expressions. */
let languagePatterns: [LanguageEntry, LanguagePatterns][] | undefined;

function loadLanguagePatterns(): [LanguageEntry, LanguagePatterns][] {
	languagePatterns ??= LANGUAGES.filter(({ names, commonNames }) => names.length > 0 || commonNames).map((language) => [
		language,
		buildLanguagePatterns(language),
	]);
	return languagePatterns;
}

/** Words before a name that say that it is not wanted. */
const UNWANTED_BEFORE =
	/(?:\bnot|\bno|n't|\bwithout|\binstead of|\brather than|\bfrom|\bunlike|\breads?|\breading|\bpars(?:es?|ing)|\banaly[sz](?:es?|ing)|\blint(?:s|ing)?)(?:\s+(?:use|using|in|any|a|an|the|with|be|plain))*\s*$/i;

/** The first position where a name is wanted. Null when there is none. */
function findFirstWanted(text: string, pattern: RegExp | null): number | null {
	if (!pattern) return null;
	for (const { index } of text.matchAll(pattern))
		if (!UNWANTED_BEFORE.test(text.slice(Math.max(0, index - 40), index))) return index;
	return null;
}

/** The language whose pattern matches first in the text. */
function findEarliest(text: string, choosePattern: (patterns: LanguagePatterns) => RegExp | null): string | null {
	const matches = loadLanguagePatterns().flatMap(([{ id }, own]) => {
		const at = findFirstWanted(text, choosePattern(own));
		return at === null ? [] : [{ id, at }];
	});
	return matches.toSorted((a, b) => a.at - b.at)[0]?.id ?? null;
}

/** The language whose pattern matches most often. Of several, the one that matches first. */
function findMostMentioned(text: string, choosePattern: (patterns: LanguagePatterns) => RegExp | null): string | null {
	const mentions = loadLanguagePatterns().flatMap(([{ id }, own]) => {
		const pattern = choosePattern(own);
		const positions = pattern ? [...text.matchAll(pattern)].map(({ index }) => index) : [];
		const [first] = positions;
		return first === undefined ? [] : [{ id, count: positions.length, first }];
	});
	return mentions.toSorted((a, b) => b.count - a.count || a.first - b.first)[0]?.id ?? null;
}

/** Finds what looks like a file name in prose: a name with an extension, or a well-known name. */
export function findFileNames(text: string): string[] {
	return [
		...text.matchAll(
			/(?<![\w@])[\w./-]{0,120}\w\.[a-z0-9]{1,10}(?![\w(])|(?<![\w./-])(?:Makefile|Dockerfile|Gemfile|Rakefile|Jenkinsfile)(?!\w)/gi,
		),
	].map(([name]) => name);
}

/** The language of the files that a task names. Programs count before the formats that programs read. */
function findLanguageOfFiles(text: string): string | null {
	const ids = findFileNames(text).flatMap((name) => languageForPath(name) ?? []);
	const isProgram = (id: string) => id !== "text" && !findLanguage(id)?.isFormat;
	return ids.find(isProgram) ?? ids.find((id) => id !== "text") ?? null;
}

/** The language of a file by its name. Null when no language has such files. */
export function languageForPath(path: string): string | null {
	const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
	const known = byFile.get(name);
	// A language's manifest is written in a format of its own: package.json is JSON.
	const extension = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
	return byExtension.get(extension)?.id ?? known ?? null;
}

/** Whether files of a language are running text, which may hold anything that code may not. */
export function isProse(language: string | null): boolean {
	return language === "markdown" || language === "text";
}

/** The id of a language by any of its names. An unknown name is returned in lower case. */
export function toLanguageId(language: string): string {
	const query = language.trim().toLowerCase();
	const entry = LANGUAGES.find(
		({ id, display, extensions, names, commonNames = [] }) =>
			id === query ||
			display.toLowerCase() === query ||
			commonNames.some((name) => name.toLowerCase() === query) ||
			names.some((source) => new RegExp(`^(?:${source})$`, "i").test(query)) ||
			extensions.includes(query),
	);
	return entry?.id ?? query;
}

/**
 * Detects the language of a task: the forced one, else the target of a translation, else the one that is named, else
 * that of the named files, of frameworks, of keywords, else the default.
 */
export function detectLanguage(task: string, forced: string | null = null): DetectedLanguage {
	if (forced?.trim()) return { id: toLanguageId(forced), evidence: "forced" };
	const text = task.slice(0, MAX_DETECTION_CHARS);
	const named =
		findEarliest(text, ({ target }) => target) ??
		findEarliest(text, ({ inContext }) => inContext) ??
		findEarliest(text, ({ leading }) => leading) ??
		findEarliest(text, ({ bare }) => bare);
	if (named) return { id: named, evidence: "named" };
	const ofFiles = findLanguageOfFiles(text);
	if (ofFiles) return { id: ofFiles, evidence: "file_name" };
	const ofFrameworks = findMostMentioned(text, ({ frameworks }) => frameworks);
	if (ofFrameworks) return { id: ofFrameworks, evidence: "framework" };
	const ofKeywords = findMostMentioned(text, ({ keywords }) => keywords);
	if (ofKeywords) return { id: ofKeywords, evidence: "keyword" };
	return { id: DEFAULT_LANGUAGE, evidence: "default" };
}
