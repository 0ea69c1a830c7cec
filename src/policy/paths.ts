// Protected paths: gitignore-style patterns on normalized paths; what touches which path is decided elsewhere.

import { type Name, parseName, patternNames, Work } from "./glob.ts";
import { foldLookAlikes } from "./look-alikes.ts";
import { UNKNOWN } from "./placeholders.ts";

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
	readonly segments: readonly (Name | "**")[];
}

/** PATH_MAX of Linux: what is longer names no file, and is not searched. */
export const MAX_PATH_LENGTH = 4096;
const TOO_LONG = "(a path of more than 4096 characters)";

/** Work on the paths of one check, about a second of CPU: what is left then is not looked at. */
export const MAX_PATH_WORK = 100_000_000;
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
		segments: segments.map((segment) => (segment === "**" ? "**" : parseName(segment))),
	};
}

/** Where the pattern's segment can end in the path when it begins at one of `reached`, which is in rising order. */
function advance(
	segment: Name | "**",
	last: boolean,
	reached: readonly number[],
	path: readonly Name[],
	work: Work,
): number[] {
	const next: number[] = [];
	if (segment === "**") {
		// A trailing `**` needs something below the folder it follows.
		for (let at = (reached[0] ?? 0) + (last ? 1 : 0); at <= path.length; at += 1) next.push(at);
	} else {
		for (const at of reached) {
			const name = path[at];
			if (name && patternNames(segment, name, work)) next.push(at + 1);
		}
	}
	return work.spend(4 + next.length) ? next : [];
}

/** Whether the pattern names a part of the path that starts at one of `starts`: up to its end, or to a folder above it. */
function coversFrom(pattern: PathPattern, path: readonly Name[], starts: readonly number[], work: Work): boolean {
	let reached = starts;
	for (const [index, segment] of pattern.segments.entries()) {
		reached = advance(segment, index === pattern.segments.length - 1, reached, path, work);
		if (reached.length === 0) return false;
	}
	return true;
}

/** Whether the whole path is a folder in which a file that the pattern names could lie, judged by the pattern's anchor. */
function couldHold(pattern: PathPattern, path: readonly Name[], work: Work): boolean {
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

/** A path read once to be held against many patterns. */
interface ParsedPath {
	readonly names: readonly Name[];
	/** Where an anchored pattern may begin: at the workspace, or anywhere when that lies somewhere inside the path. */
	readonly roots: readonly number[];
	readonly everywhere: readonly number[];
}

function parsePath({ outside, segments }: NormalizedPath): ParsedPath {
	const everywhere = [...segments.keys()];
	return { names: segments.map(parseName), roots: outside ? everywhere : [0], everywhere };
}

function touches(pattern: PathPattern, path: ParsedPath, reach: Reach, work: Work): boolean {
	if (pattern.segments.length === 0) return true;
	if (coversFrom(pattern, path.names, pattern.anchored ? path.roots : path.everywhere, work)) return true;
	return reach === "below" && !pattern.negated && couldHold(pattern, path.names, work);
}

/** What normalizing and parsing a path costs, of which look-alikes are folded: in ASCII there are none to fold. */
export function readingWork(folded: string): number {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for ASCII, control characters included
	return folded.length * (/^[\u0000-\u007f]*$/.test(folded) ? 4 : 25);
}

/** Names that were looked up are remembered: the same few folders stand in thousands of paths. */
const MAX_REMEMBERED = 4096;

/** Patterns of one segment that match at any depth, which most are: they are asked once for each name. */
function compileNames(
	patterns: readonly { readonly at: number; readonly segment: Name }[],
	work: Work,
): (name: string) => number {
	const remembered = new Map<string, number>();
	return (name) => {
		const known = remembered.get(name);
		if (known !== undefined) return known;
		const path = parseName(name);
		const last = patterns.findLast(({ segment }) => patternNames(segment, path, work))?.at ?? -1;
		if (remembered.size >= MAX_REMEMBERED) remembered.clear();
		remembered.set(name, last);
		return last;
	};
}

/**
 * Compiles gitignore-style patterns: `infra/` protects `infra` and all below, `!` takes back, `#` begins a comment.
 * @param work shared by the lists that one check holds paths against.
 */
export function compileProtectedPaths(patterns: readonly string[], work = new Work(MAX_PATH_WORK)): ProtectedPaths {
	const compiled = patterns.flatMap((written) => {
		const pattern = parsePattern(written);
		return pattern ? [{ written, pattern }] : [];
	});
	const isName = ({ anchored, segments }: PathPattern) => !anchored && segments.length === 1 && segments[0] !== "**";
	const lastNamed = compileNames(
		compiled.flatMap(({ pattern }, at) => {
			const [segment] = pattern.segments;
			return isName(pattern) && segment !== undefined && segment !== "**" ? [{ at, segment }] : [];
		}),
		work,
	);
	const others = compiled.flatMap(({ pattern }, at) => (isName(pattern) ? [] : [{ at, pattern }]));
	/** The place of the last pattern that touches the path; -1 when none does. */
	const lastTouching = (normalized: NormalizedPath, reach: Reach): number => {
		let last = Math.max(...normalized.segments.map(lastNamed));
		if (others.length === 0) return last;
		const path = parsePath(normalized);
		for (const { at, pattern } of others) if (at > last && touches(pattern, path, reach, work)) last = at;
		return last;
	};
	return {
		find(written, reach = "itself") {
			if (written.length > MAX_PATH_LENGTH) return TOO_LONG;
			if (work.spent) return TOO_MUCH;
			const path = normalizePath(written);
			if (path.segments.length === 0) {
				// Everything below the workspace, the home or the root goes: so does what is protected in it.
				return reach === "below" ? compiled.find(({ pattern }) => !pattern.negated)?.written : undefined;
			}
			const last = work.spend(readingWork(path.segments.join("/"))) ? lastTouching(path, reach) : -1;
			if (work.spent) return TOO_MUCH;
			const found = compiled[last];
			return found && !found.pattern.negated ? found.written : undefined;
		},
	};
}
