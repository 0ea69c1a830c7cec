// Protected paths: gitignore-style patterns on normalized paths; which commands touch which paths is decided in writes.ts.
import { parseSegment, patternNames, type Segment, type Work } from "./glob.ts";
import { foldLookAlikes } from "./look-alikes.ts";

/** A path without `.`, `..`, doubled slashes or a trailing slash, in lower case and ASCII look-alikes folded. */
export interface NormalizedPath {
	/** From the file system's root, from a home, or above the workspace: where the workspace lies inside it is unknown. */
	readonly outside: boolean;
	/** Empty for the root, the home or the workspace itself. */
	readonly segments: readonly string[];
}

interface PathPattern {
	readonly negated: boolean;
	readonly anchored: boolean;
	readonly segments: readonly (Segment | "**")[];
}

/** The letter that stands for text the check cannot know. It never occurs in a real path. */
export const UNKNOWN = "\u0000";

/** PATH_MAX of Linux: what is longer names no file, and is not searched. */
export const MAX_PATH_LENGTH = 4096;
const TOO_LONG = "(a path of more than 4096 letters)";

/** Comparisons of letters that one compiled list makes, about a second of CPU: what is left then is not looked at. */
const MAX_COMPARISONS = 50_000_000;
const TOO_MUCH = "(more patterns and paths than can be compared)";

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

/** Parses one gitignore pattern; undefined for a comment or a blank line. A pattern with a slash before its end is anchored. */
function parsePattern(line: string): PathPattern | undefined {
	const text = line.trim();
	if (text === "" || text.startsWith("#")) return undefined;
	const negated = text.startsWith("!");
	const body = foldLookAlikes(negated ? text.slice(1) : text)
		.toLowerCase()
		.replace(/^(?:\.\/|~\/)+/, "");
	const segments = body.split("/").filter((segment) => segment !== "" && segment !== ".");
	if (segments.length === 0) return { negated, anchored: true, segments: [] };
	return {
		negated,
		anchored: body.startsWith("/") || segments.length > 1,
		segments: segments.map((segment) => (segment === "**" ? "**" : parseSegment(segment))),
	};
}

/** Where the pattern's segment can end in the path when it begins at one of `reached`. */
function advance(
	segment: Segment | "**",
	last: boolean,
	reached: readonly number[],
	path: readonly Segment[],
	work: Work,
): number[] {
	if (segment !== "**") {
		return reached.flatMap((at) => (at < path.length && patternNames(segment, path[at] ?? [], work) ? [at + 1] : []));
	}
	// A trailing `**` needs something below the folder it follows.
	const first = Math.min(...reached) + (last ? 1 : 0);
	return Array.from({ length: Math.max(0, path.length + 1 - first) }, (_, index) => first + index);
}

/** Whether the pattern names a prefix of the path that starts at `from`: the path itself or a folder above it. */
function coversFrom(pattern: PathPattern, path: readonly Segment[], from: number, work: Work): boolean {
	let reached: readonly number[] = [from];
	for (const [index, segment] of pattern.segments.entries()) {
		reached = advance(segment, index === pattern.segments.length - 1, reached, path, work);
		if (reached.length === 0) return false;
	}
	return true;
}

/** Whether the whole path is a folder in which a file that the pattern names could lie, judged by the pattern's anchor. */
function couldHold(pattern: PathPattern, path: readonly Segment[], work: Work): boolean {
	if (!pattern.anchored || path.length >= pattern.segments.length) return false;
	return path.every((segment, index) => {
		const wanted = pattern.segments[index];
		return wanted === "**" || (wanted !== undefined && patternNames(wanted, segment, work));
	});
}

/** How a path is touched: written itself, or with everything below it (removed, moved, changed recursively). */
export type Reach = "itself" | "below";

/** Protected-path patterns, compiled once for many paths. */
export interface ProtectedPaths {
	/** The pattern that protects the path, as it was written; undefined when none does. Later patterns beat earlier ones; a path too long to exist counts as protected, as every path does once the work has gone beyond its bound. */
	find(path: string, reach?: Reach): string | undefined;
}

function touches(
	pattern: PathPattern,
	path: NormalizedPath,
	segments: readonly Segment[],
	reach: Reach,
	work: Work,
): boolean {
	if (pattern.segments.length === 0) return true;
	const starts = pattern.anchored && !path.outside ? 1 : segments.length;
	for (let from = 0; from < starts; from += 1) if (coversFrom(pattern, segments, from, work)) return true;
	return reach === "below" && !pattern.negated && couldHold(pattern, segments, work);
}

/** Names that were looked up are remembered: the same few folders stand in thousands of paths. */
const MAX_REMEMBERED = 4096;

/** Patterns of one segment that match at any depth, which most are: they are asked once for each name. */
function compileNames(
	patterns: readonly { readonly at: number; readonly segment: Segment }[],
	work: Work,
): (name: string) => number {
	const remembered = new Map<string, number>();
	return (name) => {
		const known = remembered.get(name);
		if (known !== undefined) return known;
		const path = parseSegment(name);
		const last = patterns.findLast(({ segment }) => patternNames(segment, path, work))?.at ?? -1;
		if (remembered.size >= MAX_REMEMBERED) remembered.clear();
		remembered.set(name, last);
		return last;
	};
}

/** Compiles gitignore-style patterns: `infra/` protects `infra` and all below, `!` takes back, `#` begins a comment. */
export function compileProtectedPaths(patterns: readonly string[]): ProtectedPaths {
	const compiled = patterns.flatMap((written) => {
		const pattern = parsePattern(written);
		return pattern ? [{ written, pattern }] : [];
	});
	const work: Work = { comparisons: 0 };
	const isName = ({ anchored, segments }: PathPattern) => !anchored && segments.length === 1 && segments[0] !== "**";
	const lastNamed = compileNames(
		compiled.flatMap(({ pattern }, at) => {
			const [segment] = pattern.segments;
			return isName(pattern) && segment !== undefined && segment !== "**" ? [{ at, segment }] : [];
		}),
		work,
	);
	const others = compiled.flatMap(({ pattern }, at) => (isName(pattern) ? [] : [{ at, pattern }]));
	return {
		find(written, reach = "itself") {
			if (written.length > MAX_PATH_LENGTH) return TOO_LONG;
			if (work.comparisons > MAX_COMPARISONS) return TOO_MUCH;
			const path = normalizePath(written);
			if (path.segments.length === 0) {
				// Everything below the workspace, the home or the root goes: so does what is protected in it.
				return reach === "below" ? compiled.find(({ pattern }) => !pattern.negated)?.written : undefined;
			}
			let last = Math.max(...path.segments.map(lastNamed));
			const segments = others.length > 0 ? path.segments.map(parseSegment) : [];
			for (const { at, pattern } of others) if (at > last && touches(pattern, path, segments, reach, work)) last = at;
			const found = compiled[last];
			return found && !found.pattern.negated ? found.written : undefined;
		},
	};
}
