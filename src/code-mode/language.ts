// Which language a task asks for, and which one a file is in. What is known of each language stands in languages.ts. Pure.
import languageFile from "./language.json" with { type: "json" };
import { LANGUAGES, type LanguageEntry } from "./languages.ts";

/** How a language was found, the surest first. */
export type LanguageEvidence = "forced" | "named" | "file_name" | "framework" | "keyword" | "default";

export interface DetectedLanguage {
	id: string;
	evidence: LanguageEvidence;
}

/** Where nothing speaks for any language. */
const DEFAULT_LANGUAGE = "python";

/** A task names its language early; a longer one is mostly material. */
const MAX_READ_CHARS = 20_000;

const byId = new Map(LANGUAGES.map((language) => [language.id, language]));
const byExtension = new Map(
	LANGUAGES.flatMap((language) =>
		language.extensions.map((extension): [string, LanguageEntry] => [extension, language]),
	),
);
const byFile = new Map(
	LANGUAGES.flatMap(({ files = [], ...language }) => files.map((file) => [file.toLowerCase(), language.id])),
);

/** A language by its id; undefined for one that the table does not have. */
export function languageOf(id: string): LanguageEntry | undefined {
	return byId.get(id);
}

/** What is written in a language and stands behind a hyphen, in English and in German. */
const COMPOUNDS = alternation(languageFile.compounds);

/** Names that are no words: what stands beside them must not be a part of a longer name (`Java` in `JavaScript`, `C` in `C++`). */
function asWholeName(source: string): string {
	return `(?<![\\w.#+/-])(?:${source})(?![\\w#+]|-(?!(?:${caseless(COMPOUNDS)})(?!\\w))\\w|\\.\\w)`;
}

function alternation(sources: readonly string[]): string {
	return sources.join("|");
}

/** `Go` as it is and `go`: the words around it say that it is meant. */
function inAnyCase(names: readonly string[]): string {
	return alternation(names.map((name) => (name.length === 1 ? name : `(?:${name}|${name.toLowerCase()})`)));
}

/** Nouns that follow the name of a language in which they are written. */
const ARTEFACTS = alternation(languageFile.artefacts);

/** Verbs that a format follows where it is what is to be written. */
const WRITING_VERBS = `(?:${alternation(languageFile.writing_verbs)})`;

/** What is made with a framework whose name is a common word. */
const MADE_WITH_FRAMEWORK = alternation(languageFile.made_with_framework);

interface LanguagePatterns {
	/** The target of a translation. */
	target: RegExp;
	/** Where the words around the name say that it is the language of what is written. */
	inContext: RegExp;
	/** A format that the task begins with, as what is wanted; null for others. */
	leading: RegExp | null;
	/** The name alone; null for formats. */
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
	// Names in any case, common ones in theirs: the expressions are case-sensitive, so each letter of the former is spelled twice.
	const loose = names.map(caseless);
	const any = asWholeName(alternation([...loose, inAnyCase(commonNames)].filter((source) => source !== "")));
	const proper = asWholeName(alternation([...loose, ...commonNames]));
	// A lone letter is mostly a letter.
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

/** A source whose letters match in both cases; escapes and groups stay as they are. */
function caseless(source: string): string {
	return source.replace(/\\.|\(\?[:!=<]+|[a-z]/gi, (piece) =>
		/^[a-z]$/i.test(piece) ? `[${piece.toLowerCase()}${piece.toUpperCase()}]` : piece,
	);
}

/** Built with the first task: two hundred expressions that no other request needs. */
let languagePatterns: [LanguageEntry, LanguagePatterns][] | undefined;

function loadLanguagePatterns(): [LanguageEntry, LanguagePatterns][] {
	languagePatterns ??= LANGUAGES.filter(({ names, commonNames }) => names.length > 0 || commonNames).map((language) => [
		language,
		buildLanguagePatterns(language),
	]);
	return languagePatterns;
}

/** Words before a name that say it is not what is wanted. */
const UNWANTED_BEFORE =
	/(?:\bnot|\bno|n't|\bwithout|\binstead of|\brather than|\bfrom|\bunlike|\breads?|\breading|\bpars(?:es?|ing)|\banaly[sz](?:es?|ing)|\blint(?:s|ing)?)(?:\s+(?:use|using|in|any|a|an|the|with|be|plain))*\s*$/i;

/** The first place where a name is wanted; null when there is none. */
function findFirstWanted(text: string, pattern: RegExp | null): number | null {
	if (!pattern) return null;
	for (const { index } of text.matchAll(pattern))
		if (!UNWANTED_BEFORE.test(text.slice(Math.max(0, index - 40), index))) return index;
	return null;
}

/** The language whose pattern stands first in the text. */
function findEarliest(text: string, which: (patterns: LanguagePatterns) => RegExp | null): string | null {
	const found = loadLanguagePatterns().flatMap(([{ id }, own]) => {
		const at = findFirstWanted(text, which(own));
		return at === null ? [] : [{ id, at }];
	});
	return found.toSorted((a, b) => a.at - b.at)[0]?.id ?? null;
}

/** The language that most patterns speak for; of several, the one named first. */
function findMostMentioned(text: string, which: (patterns: LanguagePatterns) => RegExp | null): string | null {
	const found = loadLanguagePatterns().flatMap(([{ id }, own]) => {
		const pattern = which(own);
		const places = pattern ? [...text.matchAll(pattern)].map(({ index }) => index) : [];
		const [first] = places;
		return first === undefined ? [] : [{ id, count: places.length, first }];
	});
	return found.toSorted((a, b) => b.count - a.count || a.first - b.first)[0]?.id ?? null;
}

/** What looks like a file in prose: a name with a known extension, or a known name. */
function findFileNames(text: string): string[] {
	return [
		...text.matchAll(
			/(?<![\w@])[\w./-]{0,120}\w\.[a-z0-9]{1,10}(?![\w(])|(?<![\w./-])(?:Makefile|Dockerfile|Gemfile|Rakefile|Jenkinsfile)(?!\w)/gi,
		),
	].map(([name]) => name);
}

/** The language of the files that a task names, programs before what programs read. */
function findLanguageOfFiles(text: string): string | null {
	const ids = findFileNames(text).flatMap((name) => languageOfPath(name) ?? []);
	const isProgram = (id: string) => id !== "text" && !languageOf(id)?.isFormat;
	return ids.find(isProgram) ?? ids.find((id) => id !== "text") ?? null;
}

/** The language of a file by its name; null for one that no language claims. */
export function languageOfPath(path: string): string | null {
	const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
	const known = byFile.get(name);
	// A manifest of a language is written in its own format: package.json is JSON, whatever it speaks for.
	const extension = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
	return byExtension.get(extension)?.id ?? known ?? null;
}

/** What a caller calls a language, as its id; an unknown one as it is, in small letters. */
export function toLanguageId(language: string): string {
	const asked = language.trim().toLowerCase();
	const known = LANGUAGES.find(
		({ id, display, extensions, names, commonNames = [] }) =>
			id === asked ||
			display.toLowerCase() === asked ||
			commonNames.some((name) => name.toLowerCase() === asked) ||
			names.some((source) => new RegExp(`^(?:${source})$`, "i").test(asked)) ||
			extensions.includes(asked),
	);
	return known?.id ?? asked;
}

/**
 * The language that a task asks for: forced, else the target of a translation, else named, else that of the files it names,
 * of its frameworks, of words that speak for one; else the default.
 */
export function detectLanguage(task: string, forced: string | null = null): DetectedLanguage {
	if (forced?.trim()) return { id: toLanguageId(forced), evidence: "forced" };
	const text = task.slice(0, MAX_READ_CHARS);
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
