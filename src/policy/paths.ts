// Protected paths: gitignore-style patterns on normalized paths; what touches which path is decided elsewhere.

import { type NamePattern, parseNamePattern, patternMatchesName } from "./glob.ts";
import { foldingWork, foldLookAlikes } from "./look-alikes.ts";
import { type PathPattern, parsePathPattern, patternTouchesPath, type Reach } from "./path-patterns.ts";
import { UNKNOWN } from "./placeholders.ts";
import { WorkBudget } from "./work-budget.ts";

/** A path without `.`, `..`, doubled slashes or a trailing slash, in lower case and ASCII look-alikes folded. */
export interface NormalizedPath {
	/** From the file system's root, from a home, or above the workspace: where the workspace lies inside it is unknown. */
	readonly outside: boolean;
	/** Empty for the root, the home or the workspace itself. */
	readonly segments: readonly string[];
}

/** PATH_MAX of Linux: what is longer names no file, and is not searched. */
export const MAX_PATH_CHARS = 4096;
const PATH_TOO_LONG = "(a path of more than 4096 characters)";

const TOO_MANY_COMPARISONS = "(more patterns and paths than can be compared)";

/** Normalizes a path as written: `\` is a separator too, letter case does not tell two paths apart (it does not on macOS and Windows). */
export function normalizePath(written: string): NormalizedPath {
	const text = foldLookAlikes(written)
		.toLowerCase()
		.replaceAll("\\", "/")
		.replace(/^[a-z]:/, "/");
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

export type { Reach };

/** Protected-path patterns, compiled once for many paths. */
export interface ProtectedPaths {
	/** The pattern that protects the path, as it was written; undefined when none does. Later patterns beat earlier ones; a path too long to exist counts as protected, as every path does once the work has gone beyond its bound. */
	find(path: string, reach?: Reach): string | null;
}

/** What normalizing a path costs, of which look-alikes are folded, in units of work. */
export function normalizingWork(folded: string): number {
	return 60 + 4 * folded.length;
}

/** What parsing a name costs, of a pattern or of a path. */
function parsingWork(name: string): number {
	return 20 + 6 * name.length;
}

/** Names that were read are remembered, up to so many characters: the same few folders stand in thousands of paths. */
const MAX_REMEMBERED_CHARS = 200_000;

/** A pattern and its place in the list: later ones beat earlier ones. */
interface IndexedPattern {
	readonly at: number;
	readonly pattern: PathPattern;
}

/** The patterns of a list, by what a path must hold for them to be asked about it. */
class PatternIndex {
	/** Of one segment, which match at any depth: asked once for each name. Most patterns are such ones. */
	readonly #ofNames: readonly { readonly at: number; readonly segment: NamePattern }[];
	readonly #others: readonly IndexedPattern[];
	/** The others by a segment without wildcards that every path they name has; under "" those without such a segment. */
	readonly #byName: ReadonlyMap<string, readonly IndexedPattern[]>;
	/** The others by their first segment; under "" where that has wildcards. */
	readonly #byFirst: ReadonlyMap<string, readonly IndexedPattern[]>;
	readonly #remembered = new Map<string, IndexedName>();
	#rememberedChars = 0;
	readonly #work: WorkBudget;

	constructor(patterns: readonly PathPattern[], work: WorkBudget) {
		this.#work = work;
		const placed = patterns.map((pattern, at) => ({ at, pattern }));
		this.#ofNames = placed.flatMap(({ at, pattern: { anchored, segments } }) => {
			const [segment] = segments;
			return anchored || segments.length > 1 || segment === undefined || segment === "**" ? [] : [{ at, segment }];
		});
		const named = new Set(this.#ofNames.map(({ at }) => at));
		this.#others = placed.filter(({ at }) => !named.has(at));
		const uses = new Map<string, number>();
		for (const { pattern } of this.#others)
			for (const text of literalTexts(pattern)) uses.set(text, (uses.get(text) ?? 0) + 1);
		// The rarest, so that a path is asked about few patterns: `packages` stands in most of them.
		const rarest = (pattern: PathPattern) =>
			literalTexts(pattern).reduce(
				(best, text) => ((uses.get(text) ?? 0) < (uses.get(best) ?? Infinity) ? text : best),
				"",
			);
		this.#byName = groupBy(this.#others, ({ pattern }) => rarest(pattern));
		this.#byFirst = groupBy(this.#others, ({ pattern }) => literalText(pattern.segments[0] ?? "**"));
	}

	#read(text: string): IndexedName {
		const known = this.#remembered.get(text);
		if (known !== undefined) return known;
		const name = parseNamePattern(this.#work.charge(parsingWork(text)) ? text : "");
		const read = {
			...name,
			lastNamed: this.#ofNames.findLast(({ segment }) => patternMatchesName(segment, name, this.#work))?.at ?? -1,
			naming: this.#byName.get(name.text || text) ?? [],
		};
		this.#rememberedChars += 10 + text.length;
		if (this.#rememberedChars > MAX_REMEMBERED_CHARS) {
			this.#remembered.clear();
			this.#rememberedChars = 0;
		}
		this.#remembered.set(text, read);
		return read;
	}

	/** The patterns of more than one segment that may touch a path; what it holds besides them cannot matter. */
	#candidates(names: readonly IndexedName[], reach: Reach): readonly (readonly IndexedPattern[])[] {
		// A wildcard in a path may stand for any name.
		if (names.some(({ hasWildcards: glob }) => glob)) return [this.#others];
		const naming = [...new Set(names.map((name) => name.naming)), this.#byName.get("") ?? []];
		if (reach === "itself") return naming;
		return [...naming, this.#byFirst.get(names[0]?.text ?? "") ?? [], this.#byFirst.get("") ?? []];
	}

	/** The place of the last pattern that touches the path; -1 when none does, or when the work is spent. */
	lastTouching({ outside, segments }: NormalizedPath, reach: Reach): number {
		if (!this.#work.charge(30 * segments.length)) return -1;
		const names = segments.map((segment) => this.#read(segment));
		let last = Math.max(...names.map(({ lastNamed }) => lastNamed));
		const everywhere = [...names.keys()];
		const path = { names, roots: outside ? everywhere : [0], everywhere };
		for (const patterns of this.#candidates(names, reach)) {
			for (const { at, pattern } of patterns)
				if (at > last && patternTouchesPath(pattern, path, reach, this.#work)) last = at;
		}
		return last;
	}
}

/** A name of a path, and which patterns it answers or makes worth asking. */
interface IndexedName extends NamePattern {
	/** The place of the last pattern of one segment that names it; -1 when none does. */
	readonly lastNamed: number;
	readonly naming: readonly IndexedPattern[];
}

function literalText(segment: NamePattern | "**"): string {
	return segment === "**" ? "" : segment.text;
}

function literalTexts({ segments }: PathPattern): readonly string[] {
	return segments.map(literalText).filter((text) => text !== "");
}

function groupBy<T>(all: readonly T[], key: (one: T) => string): ReadonlyMap<string, readonly T[]> {
	const groups = new Map<string, T[]>();
	for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
	return groups;
}

/** Patterns as written, with what they mean. Those that there is no work left to read are left out. */
function parsePathPatterns(patterns: readonly string[], work: WorkBudget) {
	return patterns.flatMap((written) => {
		if (!work.charge(foldingWork(written) + parsingWork(foldLookAlikes(written)))) return [];
		const pattern = parsePathPattern(written);
		return pattern ? [{ written, pattern }] : [];
	});
}

/**
 * Compiles gitignore-style patterns: `infra/` protects `infra` and all below, `!` takes back, `#` begins a comment.
 * @param work shared with whatever else the check looks at.
 */
export function compileProtectedPaths(patterns: readonly string[], work = new WorkBudget()): ProtectedPaths {
	const compiled = parsePathPatterns(patterns, work);
	const index = new PatternIndex(
		compiled.map(({ pattern }) => pattern),
		work,
	);
	return {
		find(written, reach = "itself") {
			if (written.length > MAX_PATH_CHARS) return PATH_TOO_LONG;
			if (!work.charge(foldingWork(written))) return TOO_MANY_COMPARISONS;
			if (!work.charge(normalizingWork(foldLookAlikes(written)))) return TOO_MANY_COMPARISONS;
			const path = normalizePath(written);
			if (path.segments.length === 0) {
				// Everything below the workspace, the home or the root goes: so does what is protected in it.
				return reach === "below" ? (compiled.find(({ pattern }) => !pattern.negated)?.written ?? null) : null;
			}
			const last = index.lastTouching(path, reach);
			if (work.spent) return TOO_MANY_COMPARISONS;
			const found = compiled[last];
			return found && !found.pattern.negated ? found.written : null;
		},
	};
}
