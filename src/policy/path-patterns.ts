// A gitignore pattern, and whether it touches a parsed path. Lists of patterns are in paths.ts.
import { type NamePattern, parseNamePattern, patternMatchesName } from "./glob.ts";
import { foldLookAlikes } from "./look-alikes.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A parsed pattern. A pattern with a slash before its end is anchored: it begins at the workspace. */
export interface PathPattern {
	readonly negated: boolean;
	readonly anchored: boolean;
	readonly segments: readonly (NamePattern | "**")[];
}

/**
 * How far an effect on a path reaches: the path itself, or everything below it too (removed, moved, changed
 * recursively).
 */
export type Reach = "itself" | "below";

/** A path parsed once to be matched against many patterns. */
interface ParsedPath {
	readonly names: readonly NamePattern[];
	/**
	 * Segments at which an anchored pattern may begin: the workspace, or any segment when the workspace may lie inside
	 * the path.
	 */
	readonly roots: readonly number[];
	readonly everywhere: readonly number[];
}

/** Whether the pattern matches the path, a folder above it or, when the effect reaches below, a file in it. */
export function patternTouchesPath(pattern: PathPattern, path: ParsedPath, reach: Reach, work: WorkBudget): boolean {
	if (pattern.segments.length === 0) return true;
	if (matchesFrom(pattern, path.names, pattern.anchored ? path.roots : path.everywhere, work)) return true;
	return reach === "below" && !pattern.negated && mayContainMatch(pattern, path.names, work);
}

/** Parses one gitignore pattern. Null for a comment or a blank line. */
export function parsePathPattern(line: string): PathPattern | null {
	const text = line.trim();
	if (text === "" || text.startsWith("#")) return null;
	const negated = text.startsWith("!");
	const body = foldLookAlikes(negated ? text.slice(1) : text)
		.toLowerCase()
		.replace(/^(?:\.\/|~\/)+/, "");
	const segments = body.split("/").filter((segment) => segment !== "" && segment !== ".");
	if (segments.length === 0) return { negated, anchored: true, segments: [] };
	return {
		negated,
		anchored: body.startsWith("/") || segments.length > 1,
		segments: segments.map((segment) => (segment === "**" ? "**" : parseNamePattern(segment))),
	};
}

/** Where the pattern's segment can end in the path when it begins at one of `reached`. Both are in rising order. */
function advanceSegment(
	segment: NamePattern | "**",
	isLast: boolean,
	reached: readonly number[],
	path: readonly NamePattern[],
	work: WorkBudget,
	negated: boolean,
): number[] {
	const next: number[] = [];
	if (segment === "**") {
		// A trailing `**` matches only what lies below the folder before it.
		for (let at = (reached[0] ?? 0) + (isLast ? 1 : 0); at <= path.length; at++) next.push(at);
	} else {
		for (const at of reached) {
			const name = path[at];
			// A wildcard in a path may also stand for names that are not exempt.
			if (name && !(negated && name.hasWildcards) && patternMatchesName(segment, name, work)) next.push(at + 1);
		}
	}
	return work.charge(4 + next.length) ? next : [];
}

/**
 * Whether the pattern matches a part of the path that starts at one of `starts`, up to the path's end or to a folder
 * above it.
 */
function matchesFrom(
	pattern: PathPattern,
	path: readonly NamePattern[],
	starts: readonly number[],
	work: WorkBudget,
): boolean {
	const { segments } = pattern;
	let reached = starts;
	for (let index = 0; index < segments.length && reached.length > 0; index++) {
		const isLast = index === segments.length - 1;
		reached = advanceSegment(segments[index] ?? "**", isLast, reached, path, work, pattern.negated);
	}
	return reached.length > 0;
}

/** Whether the path is a folder that may contain a match of the pattern. Only anchored patterns can tell. */
function mayContainMatch(pattern: PathPattern, path: readonly NamePattern[], work: WorkBudget): boolean {
	if (!pattern.anchored || path.length >= pattern.segments.length) return false;
	return path.every((segment, index) => {
		const expected = pattern.segments[index];
		return expected === "**" || (expected !== undefined && patternMatchesName(expected, segment, work));
	});
}
