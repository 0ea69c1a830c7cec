// Protected paths: gitignore-style patterns on normalized paths. What touches which path is decided elsewhere.

import { type GlobSegment, type NamePattern, parseNamePattern, patternMatchesName } from "./glob.ts";
import { foldingWork, foldLookAlikes } from "./look-alikes.ts";
import { type PathPattern, parsePathPattern, patternTouchesPath, type Reach } from "./path-patterns.ts";
import { UNKNOWN } from "./placeholders.ts";
import { WorkBudget } from "./work-budget.ts";

/** A path without `.`, `..`, doubled slashes or a trailing slash, in lower case, with look-alikes folded to ASCII. */
export interface NormalizedPath {
	/**
	 * The path begins at the file system's root, at a home or above the workspace. The workspace may lie anywhere inside
	 * it.
	 */
	readonly outside: boolean;
	/** Empty for the root, the home or the workspace itself. */
	readonly segments: readonly string[];
}

/** PATH_MAX of Linux. Longer paths name no file and are not searched. */
export const MAX_PATH_CHARS = 4096;
const PATH_TOO_LONG = "(a path of more than 4096 characters)";

const TOO_MANY_COMPARISONS = "(more patterns and paths than can be compared)";

/** Normalizes a path as written. `\` is a separator too. Letter case is ignored, as on macOS and Windows. */
export function normalizePath(written: string): NormalizedPath {
	const lower = foldLookAlikes(written).toLowerCase();
	const slashed = lower.includes("\\") ? lower.replaceAll("\\", "/") : lower;
	const text = slashed[1] === ":" ? slashed.replace(/^[a-z]:/, "/") : slashed;
	const home = text === "~" || text.startsWith("~/");
	const segments: string[] = [];
	let above = false;
	for (const segment of (home ? text.slice(1) : text).split("/")) {
		if (segment === "" || segment === ".") continue;
		if (segment !== "..") segments.push(segment);
		else if (segments.pop() === undefined) above = true;
	}
	return { outside: text.startsWith("/") || text.startsWith("~") || above || text.startsWith(UNKNOWN), segments };
}

/** Characters of a plain name at most. Longer names are rare, and read like any path. */
export const MAX_PLAIN_NAME = 64;

/** Whether a text is one name of ASCII letters, digits, `_` and `-`. Most words of commands are, and few patterns match one. */
export function isPlainName(text: string): boolean {
	if (text === "" || text.length > MAX_PLAIN_NAME) return false;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
		if (!isLetter && !(code >= 48 && code <= 57) && code !== 45 && code !== 95) return false;
	}
	return true;
}

/** Protected-path patterns, compiled once for many paths. */
export interface ProtectedPaths {
	/**
	 * The pattern that protects the path, as it was written. Null when none does. Later patterns beat earlier ones. A
	 * path too long to exist counts as protected, and so does every path once the work is spent.
	 * @param normalized The path, where it was normalized before.
	 */
	find(path: string, reach?: Reach, normalized?: NormalizedPath): string | null;
	/** Whether a pattern may touch a path because a name stands in it. The name is ASCII in lower case, without wildcards. */
	mayTouch(name: string): boolean;
}

/** What normalizing a folded path costs, in units of work. */
export function normalizingWork(folded: string): number {
	return 60 + 4 * folded.length;
}

/** What parsing one name of a pattern or of a path costs, in units of work. */
function parsingWork(name: string): number {
	return 20 + 6 * name.length;
}

/** Characters of parsed names that are cached. The same few folders stand in thousands of paths. */
const MAX_NORMALIZED_CHARS = 200_000;

/** A pattern and its position in the list. Later patterns beat earlier ones. */
interface IndexedPattern {
	readonly at: number;
	readonly pattern: PathPattern;
}

/** The patterns of a list, by what a path must contain to match them. */
class PatternTables {
	/**
	 * Patterns of one segment, which match at any depth. Each is tried once for each name. Most patterns are such ones.
	 */
	readonly ofNames: readonly NamedPattern[];
	readonly others: readonly IndexedPattern[];
	/**
	 * The other patterns, by a segment without wildcards that every match has. Patterns without such a segment are under
	 * "".
	 */
	readonly byName: ReadonlyMap<string, readonly IndexedPattern[]>;
	/** The other patterns, by their first segment, or under "" where it has wildcards. */
	readonly byFirst: ReadonlyMap<string, readonly IndexedPattern[]>;
	/** Positions of the last pattern for each name that stands in a pattern of one segment without wildcards. */
	readonly literal: ReadonlyMap<string, number>;
	/**
	 * Patterns of one segment with wildcards, by the character that they begin with, or else by the one that they end with.
	 * Under "" are those with a wildcard at both ends.
	 */
	readonly wild: ReadonlyMap<string, readonly NamedPattern[]>;

	constructor(patterns: readonly PathPattern[]) {
		const placed = patterns.map((pattern, at) => ({ at, pattern }));
		this.ofNames = placed.flatMap(({ at, pattern: { anchored, segments, negated } }) => {
			const [segment] = segments;
			return anchored || segments.length > 1 || segment === undefined || segment === "**"
				? []
				: [{ at, segment, negated, ...findEnds(segment.segment) }];
		});
		this.literal = new Map(this.ofNames.map(({ at, segment }) => [segment.text, at]));
		this.wild = groupBy(
			this.ofNames.filter(({ segment }) => segment.hasWildcards),
			({ segment: { segment } }) => toEndKey(segment),
		);
		const named = new Set(this.ofNames.map(({ at }) => at));
		this.others = placed.filter(({ at }) => !named.has(at));
		const uses = new Map<string, number>();
		for (const { pattern } of this.others)
			for (const text of literalTexts(pattern)) uses.set(text, (uses.get(text) ?? 0) + 1);
		// The rarest segment is the key, so that few patterns are tried on a path: `packages` may stand in most of them.
		const rarest = (pattern: PathPattern) =>
			literalTexts(pattern).reduce(
				(best, text) => ((uses.get(text) ?? 0) < (uses.get(best) ?? Infinity) ? text : best),
				"",
			);
		this.byName = groupBy(this.others, ({ pattern }) => rarest(pattern));
		this.byFirst = groupBy(this.others, ({ pattern }) => unescapedText(pattern.segments[0] ?? "**"));
	}
}

/** The patterns of a list for the paths of one check. */
class PatternIndex {
	readonly #tables: PatternTables;
	readonly #remembered = new Map<string, IndexedName>();
	#rememberedChars = 0;
	readonly #work: WorkBudget;

	constructor(tables: PatternTables, work: WorkBudget) {
		this.#tables = tables;
		this.#work = work;
	}

	/** @param isFolder More segments follow. */
	#read(text: string, isFolder: boolean): IndexedName {
		const isAnyFolder = isFolder && /^[*?]+$/.test(text);
		const key = isAnyFolder ? `${text}/` : text;
		const known = this.#remembered.get(key);
		if (known !== undefined) return known;
		const name = parseNamePattern(this.#work.charge(parsingWork(text)) ? text : "");
		const read = {
			name,
			lastNamed: name.hasWildcards ? this.#lastMatchingGlob(name, isAnyFolder) : this.#lastMatching(name),
			naming: this.#tables.byName.get(name.text || text) ?? NO_PATTERNS,
		};
		this.#rememberedChars += 10 + text.length;
		if (this.#rememberedChars > MAX_NORMALIZED_CHARS) {
			this.#remembered.clear();
			this.#rememberedChars = 0;
		}
		this.#remembered.set(key, read);
		return read;
	}

	/** The position of the last pattern of one segment that matches a name with wildcards. */
	#lastMatchingGlob(name: NamePattern, isAnyFolder: boolean): number {
		const last = this.#tables.ofNames.findLast(
			// A wildcard in a path may also stand for names that are not exempt.
			({ segment, negated }) =>
				!negated && (!isAnyFolder || looksLikeFolder(segment)) && patternMatchesName(segment, name, this.#work),
		);
		return last?.at ?? -1;
	}

	/** The position of the last pattern of one segment that matches a name without wildcards. */
	#lastMatching(name: NamePattern): number {
		let last = this.#tables.literal.get(name.text) ?? -1;
		for (const key of endKeys(name.text)) {
			for (const { at, segment } of this.#tables.wild.get(key) ?? NO_NAMED_PATTERNS)
				if (at > last && patternMatchesName(segment, name, this.#work)) last = at;
		}
		return last;
	}

	/** The patterns of more than one segment that may touch a path. */
	#candidates(names: readonly IndexedName[], reach: Reach): readonly (readonly IndexedPattern[])[] {
		// A wildcard in a path may stand for any name.
		if (names.some(({ name }) => name.hasWildcards)) return [this.#tables.others];
		const naming = [...new Set(names.map((name) => name.naming)), this.#tables.byName.get("") ?? []];
		if (reach === "itself") return naming;
		return [...naming, this.#tables.byFirst.get(names[0]?.name.text ?? "") ?? [], this.#tables.byFirst.get("") ?? []];
	}

	/**
	 * The position of the last pattern that touches a plain name in lower case. -1 when none does. Null when a pattern of
	 * several segments may.
	 */
	lastTouchingPlain(name: string): number | null {
		if (this.#tables.byName.has("") || this.#tables.byName.has(name)) return null;
		const tried = endKeys(name).some((key) => this.#tables.wild.has(key));
		if (!tried) return this.#tables.literal.get(name) ?? -1;
		return this.#work.charge(parsingWork(name)) ? this.#lastMatching(parseNamePattern(name)) : -1;
	}

	/** Whether a pattern may touch a path with this name, by the name alone. */
	mayTouch(name: string): boolean {
		if (this.#tables.literal.has(name) || this.#tables.byName.has(name) || this.#tables.byName.has("")) return true;
		return (
			this.#mayEnd(this.#tables.wild.get(name[0] ?? ""), name) ||
			this.#mayEnd(this.#tables.wild.get(END_KEYS[name.charCodeAt(name.length - 1)] ?? ""), name) ||
			this.#mayEnd(this.#tables.wild.get(""), name)
		);
	}

	/** Whether a name begins and ends as one of the patterns does. */
	#mayEnd(patterns: readonly NamedPattern[] | undefined, name: string): boolean {
		if (patterns === undefined || !this.#work.charge(2 * patterns.length)) return false;
		return patterns.some(({ start, end }) => name.startsWith(start) && name.endsWith(end));
	}

	/** The position of the last pattern that touches the path. -1 when none does, or when the work is spent. */
	lastTouching({ outside, segments }: NormalizedPath, reach: Reach): number {
		if (!this.#work.charge(30 * segments.length)) return -1;
		const names = segments.map((segment, at) => this.#read(segment, at < segments.length - 1));
		let last = -1;
		let hasCandidates = this.#tables.byName.has("") || reach === "below";
		for (const { name, lastNamed, naming } of names) {
			if (lastNamed > last) last = lastNamed;
			if (naming.length > 0 || name.hasWildcards) hasCandidates = true;
		}
		if (!hasCandidates) return last;
		const everywhere = [...names.keys()];
		const path = { names: names.map(({ name }) => name), roots: outside ? everywhere : [0], everywhere };
		for (const patterns of this.#candidates(names, reach)) {
			for (const { at, pattern } of patterns)
				if (at > last && patternTouchesPath(pattern, path, reach, this.#work)) last = at;
		}
		return last;
	}
}

/** A pattern of one segment and its position in the list. */
interface NamedPattern {
	readonly at: number;
	readonly segment: NamePattern;
	readonly negated: boolean;
	/** The characters before its first wildcard and behind its last one. */
	readonly start: string;
	readonly end: string;
}

const NO_PATTERNS: readonly IndexedPattern[] = [];
const NO_NAMED_PATTERNS: readonly NamedPattern[] = [];

/** Marks a character that patterns end with, in the keys of patterns with a wildcard at the beginning. */
const END_MARK = "$";

/** The keys for the last character of a name, by its code. */
const END_KEYS: readonly string[] = Array.from({ length: 128 }, (_, code) => END_MARK + String.fromCharCode(code));

/** The key of a pattern with wildcards: the character at its beginning, or else at its end. */
function toEndKey(segment: GlobSegment): string {
	const [first, last] = [segment[0], segment.at(-1)];
	if (typeof first === "string") return first;
	return typeof last === "string" ? END_MARK + last : "";
}

/** The characters before a pattern's first wildcard and behind its last one. Both are empty without one. */
function findEnds(segment: GlobSegment): Pick<NamedPattern, "start" | "end"> {
	const isWildcard = (atom: GlobSegment[number]) => typeof atom === "object";
	const [first, last] = [segment.findIndex(isWildcard), segment.findLastIndex(isWildcard)];
	if (first < 0) return { start: "", end: "" };
	return { start: segment.slice(0, first).join(""), end: segment.slice(last + 1).join("") };
}

/** The keys of the patterns with wildcards that may match a name. */
function endKeys(name: string): readonly string[] {
	return [name[0] ?? "", END_MARK + name.slice(-1), ""];
}

/** A parsed name of a path, with the patterns that it matches or that it makes worth trying. */
interface IndexedName {
	readonly name: NamePattern;
	/** The position of the last pattern of one segment that matches the name. -1 when none does. */
	readonly lastNamed: number;
	readonly naming: readonly IndexedPattern[];
}

/** Whether a pattern may be meant for folders: `infra`, but not `*.pem` or `credentials.json`. */
function looksLikeFolder({ hasWildcards, text }: NamePattern): boolean {
	return !hasWildcards && !text.slice(1).includes(".");
}

function unescapedText(segment: NamePattern | "**"): string {
	return segment === "**" ? "" : segment.text;
}

function literalTexts({ segments }: PathPattern): readonly string[] {
	return segments.map(unescapedText).filter((text) => text !== "");
}

function groupBy<T>(all: readonly T[], key: (one: T) => string): ReadonlyMap<string, readonly T[]> {
	const groups = new Map<string, T[]>();
	for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
	return groups;
}

/** What parsing a pattern costs, in units of work. */
function patternWork(written: string): number {
	return foldingWork(written) + parsingWork(foldLookAlikes(written));
}

interface WrittenPattern {
	readonly written: string;
	readonly pattern: PathPattern;
}

function parseWrittenPattern(written: string): readonly WrittenPattern[] {
	const pattern = parsePathPattern(written);
	return pattern ? [{ written, pattern }] : [];
}

/** Parsed patterns, in the order of their list. */
class PathPatterns {
	readonly patterns: readonly WrittenPattern[];
	readonly tables: PatternTables;

	constructor(patterns: readonly string[]) {
		this.patterns = patterns.flatMap(parseWrittenPattern);
		this.tables = new PatternTables(this.patterns.map(({ pattern }) => pattern));
	}
}

/** Patterns for the paths of one check, which has paid for them. */
class PatternList implements ProtectedPaths {
	readonly #patterns: readonly WrittenPattern[];
	readonly #index: PatternIndex;
	readonly #work: WorkBudget;

	constructor({ patterns, tables }: PathPatterns, work: WorkBudget) {
		this.#patterns = patterns;
		this.#index = new PatternIndex(tables, work);
		this.#work = work;
	}

	find(written: string, reach: Reach = "itself", normalized?: NormalizedPath): string | null {
		if (this.#patterns.length === 0) return this.#work.spent ? TOO_MANY_COMPARISONS : null;
		if (written.length > MAX_PATH_CHARS) return PATH_TOO_LONG;
		const last =
			(reach === "itself" ? this.#lastTouchingPlain(written) : null) ??
			this.#lastTouching(normalized ?? this.#normalize(written), reach);
		if (this.#work.spent) return TOO_MANY_COMPARISONS;
		const found = this.#patterns[last];
		return found && !found.pattern.negated ? found.written : null;
	}

	mayTouch(name: string): boolean {
		return this.#index.mayTouch(name);
	}

	/** Null where the path must be read: it is no plain name. */
	#lastTouchingPlain(written: string): number | null {
		if (!isPlainName(written) || !this.#work.charge(10 + written.length)) return null;
		return this.#index.lastTouchingPlain(written.toLowerCase());
	}

	/** Without work left for it, the path counts as the workspace. */
	#normalize(written: string): NormalizedPath {
		const isPaid =
			this.#work.charge(foldingWork(written)) && this.#work.charge(normalizingWork(foldLookAlikes(written)));
		return normalizePath(isPaid ? written : "");
	}

	#lastTouching(path: NormalizedPath, reach: Reach): number {
		if (path.segments.length > 0) return this.#index.lastTouching(path, reach);
		// Everything below the workspace, the home or the root is touched, and with it what is protected.
		return reach === "below" ? this.#patterns.findIndex(({ pattern }) => !pattern.negated) : -1;
	}
}

/**
 * Compiles gitignore-style patterns: `infra/` protects `infra` and all below, `!` exempts, `#` begins a comment.
 * @param work Shared by everything that one check looks at. Patterns that none is left for are left out.
 */
export function compileProtectedPaths(patterns: readonly string[], work = new WorkBudget()): ProtectedPaths {
	return new PatternList(new PathPatterns(patterns.filter((written) => work.charge(patternWork(written)))), work);
}

/** Parses patterns once for many checks. Each of them pays as if it compiled them. @returns what compiles them for a check */
export function parseProtectedPaths(patterns: readonly string[]): (work: WorkBudget) => ProtectedPaths {
	const parsed = new PathPatterns(patterns);
	const units = patterns.reduce((sum, written) => sum + patternWork(written), 0);
	return (work) => {
		work.charge(units);
		return new PatternList(parsed, work);
	};
}
