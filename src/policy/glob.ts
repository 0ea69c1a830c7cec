// Globs of one path segment, and whether two of them can match the same name. Whole paths are in paths.ts.
import { searchingWork, type WorkBudget } from "./work-budget.ts";

/** One position of a segment: a character, any one character, any run of characters, or a class of characters. */
type GlobAtom = string | { readonly any: "one" | "run" } | CharacterClass;

/** `[a-z_]`: ranges of character codes, both ends included. */
interface CharacterClass {
	readonly stretches: readonly (readonly [from: number, to: number])[];
	readonly negated: boolean;
}

/** A parsed segment. A segment without wildcards is a list of characters. */
export type GlobSegment = readonly GlobAtom[];

/** `[:alpha:]` in a class. */
const NAMED_CLASS = /\[:[a-z]{1,10}:\]/y;

/** How many characters of a text make a named class at a position. Zero without one. */
function namedClassLength(text: string, at: number): number {
	NAMED_CLASS.lastIndex = at;
	return text[at] === "[" ? (NAMED_CLASS.exec(text)?.[0].length ?? 0) : 0;
}

/** Where the class ends whose members begin at `first`. -1 where it does not end. */
function findClassEnd(text: string, first: number): number {
	for (let at = first; at < text.length; ) {
		if (text[at] === "]" && at > first) return at;
		at += namedClassLength(text, at) || 1;
	}
	return -1;
}

function parseClass(text: string, start: number): { readonly atom: GlobAtom; readonly next: number } | null {
	const negated = text[start + 1] === "!" || text[start + 1] === "^";
	const first = start + (negated ? 2 : 1);
	const end = findClassEnd(text, first);
	if (end < 0) return null;
	const stretches: [number, number][] = [];
	for (let at = first; at < end; at++) {
		const named = namedClassLength(text, at);
		if (named > 0) {
			// It may be any character. Where the class is negated, it keeps none out.
			if (!negated) stretches.push([0, 0xffff]);
			at += named - 1;
			continue;
		}
		const from = text.charCodeAt(at);
		const to = text[at + 1] === "-" && at + 2 < end ? text.charCodeAt(at + 2) : from;
		if (from <= to) stretches.push([from, to]);
		if (to !== from) at += 2;
	}
	return { atom: { stretches, negated }, next: end + 1 };
}

/** Parses the atom that begins at `at`. `next` is where the next one begins. */
function parseAtom(text: string, at: number, classes: boolean): { readonly atom: GlobAtom; readonly next: number } {
	const character = text[at] ?? "";
	const classAtom = character === "[" && classes ? parseClass(text, at) : null;
	if (classAtom) return classAtom;
	if (character === "*") return { atom: { any: "run" }, next: at + 1 };
	if (character === "?") return { atom: { any: "one" }, next: at + 1 };
	if (character === "\\" && at + 1 < text.length) return { atom: text[at + 1] ?? "", next: at + 2 };
	return { atom: character, next: at + 1 };
}

/** Parses one segment of a glob: `*`, `?`, `[…]`, and `\` before a literal character. */
export function parseGlobSegment(text: string): GlobSegment {
	const atoms: GlobAtom[] = [];
	// Without this, each `[` of a run would be searched for its `]` to the end of the text. One that is found is passed.
	const lastClass = text.lastIndexOf("]");
	for (let at = 0; at < text.length; ) {
		const { atom, next } = parseAtom(text, at, at < lastClass);
		if (!(isWildcardRun(atom) && isWildcardRun(atoms.at(-1)))) atoms.push(atom);
		at = next;
	}
	return atoms;
}

function isWildcardRun(atom: GlobAtom | undefined): boolean {
	return typeof atom === "object" && "any" in atom && atom.any === "run";
}

function atomsOverlap(left: GlobAtom, right: GlobAtom): boolean {
	if (typeof left === "object" && "any" in left) return true;
	if (typeof right === "object" && "any" in right) return true;
	if (typeof left === "string" && typeof right === "string") return left === right;
	if (typeof left === "string") return atomsOverlap(right, left);
	if (typeof right === "string") return classOverlaps(left, right.charCodeAt(0), right.charCodeAt(0)) !== left.negated;
	return left.negated || right.negated || left.stretches.some(([from, to]) => classOverlaps(right, from, to));
}

/** Whether a character of the class lies in a range. */
function classOverlaps({ stretches }: CharacterClass, from: number, to: number): boolean {
	return stretches.some((other) => other[0] <= to && from <= other[1]);
}

/** How many literal characters both segments share, from the beginning or from the end. */
function sharedCharacters(left: GlobSegment, right: GlobSegment, most: number, fromEnd: boolean): number {
	for (let count = 0; count < most; count++) {
		const one = fromEnd ? left[left.length - 1 - count] : left[count];
		const other = fromEnd ? right[right.length - 1 - count] : right[count];
		if (one !== other || typeof one !== "string") return count;
	}
	return most;
}

/** Whether both are literal characters, and not the same one. */
function areDifferentCharacters(left: GlobAtom | undefined, right: GlobAtom | undefined): boolean {
	return typeof left === "string" && typeof right === "string" && left !== right;
}

/**
 * Whether some name matches both segments. False, whatever the segments, when the work is more than is left. Literal
 * characters at both ends are compared first, which settles nearly every pair. The rest takes time in the product of
 * the lengths.
 */
export function segmentsOverlap(left: GlobSegment, right: GlobSegment, work: WorkBudget): boolean {
	const shorter = Math.min(left.length, right.length);
	const head = sharedCharacters(left, right, shorter, false);
	if (head < shorter && areDifferentCharacters(left[head], right[head])) {
		work.charge(2 + head);
		return false;
	}
	const tail = sharedCharacters(left, right, shorter - head, true);
	if (!work.charge(4 + head + tail)) return false;
	const [leftEnd, rightEnd] = [left.length - tail, right.length - tail];
	if (head + tail < shorter && areDifferentCharacters(left[leftEnd - 1], right[rightEnd - 1])) return false;
	if (head === leftEnd && head === rightEnd) return true;
	const [one, other] = [left.slice(head, leftEnd), right.slice(head, rightEnd)];
	return work.charge(10 + 4 * comparisonWeight(one) * comparisonWeight(other)) && middlesOverlap(one, other);
}

/** With how many characters and ranges each position of the other segment is compared. */
function comparisonWeight(segment: GlobSegment): number {
	let weight = 0;
	for (const atom of segment) weight += typeof atom === "object" && "stretches" in atom ? 1 + atom.stretches.length : 1;
	return weight;
}

function middlesOverlap(left: GlobSegment, right: GlobSegment): boolean {
	if ((left.length === 1 && isWildcardRun(left[0])) || (right.length === 1 && isWildcardRun(right[0]))) return true;
	const runs = right.map(isWildcardRun);
	let row: boolean[] = [true];
	for (let at = 0; at < right.length; at++) row.push(row[at] === true && runs[at] === true);
	for (const atom of left) {
		const run = isWildcardRun(atom);
		const next: boolean[] = [row[0] === true && run];
		for (let at = 0; at < right.length; at++) {
			const continuesRun = (run || runs[at] === true) && (row[at + 1] === true || next[at] === true);
			next.push(continuesRun || (row[at] === true && atomsOverlap(atom, right[at] ?? "")));
		}
		row = next;
	}
	return row[right.length] === true;
}

/** Whether a segment has wildcards, so that it can match more than one name. */
function hasWildcard(segment: GlobSegment): boolean {
	return segment.some((atom) => typeof atom === "object");
}

/** One literal name that the glob matches. A run of characters is empty at the end, and one character elsewhere. */
function exampleMatch(glob: GlobSegment): GlobSegment {
	return glob.flatMap((atom, at): GlobAtom[] => {
		if (typeof atom === "string") return [atom];
		if ("stretches" in atom) return [atom.negated ? "x" : String.fromCharCode(atom.stretches[0]?.[0] ?? 120)];
		return atom.any === "run" && at === glob.length - 1 ? [] : ["x"];
	});
}

/** A segment parsed once to be compared often. */
export interface NamePattern {
	readonly segment: GlobSegment;
	readonly hasWildcards: boolean;
	/** The literal name of a segment without wildcards, else empty. */
	readonly text: string;
	/** One literal name that the segment matches. */
	readonly example: GlobSegment;
	/** The literal texts between its runs. Null where it has other wildcards, or none. */
	readonly pieces: readonly string[] | null;
}

/** A name without wildcards. Most names are compared as texts only, and never as segments. */
class LiteralName implements NamePattern {
	readonly text: string;
	readonly hasWildcards = false;
	readonly pieces = null;
	#segment: GlobSegment | null = null;

	constructor(text: string) {
		this.text = text;
	}

	get segment(): GlobSegment {
		this.#segment ??= this.text.split("");
		return this.#segment;
	}

	get example(): GlobSegment {
		return this.segment;
	}
}

/** Parses a segment of a pattern or of a path for comparisons. */
export function parseNamePattern(text: string): NamePattern {
	if (!/[*?[\\]/.test(text)) return new LiteralName(text);
	const segment = parseGlobSegment(text);
	const glob = hasWildcard(segment);
	return {
		segment,
		hasWildcards: glob,
		text: glob ? "" : segment.join(""),
		example: glob ? exampleMatch(segment) : segment,
		pieces: glob ? literalPieces(segment) : null,
	};
}

function literalPieces(segment: GlobSegment): readonly string[] | null {
	const pieces = [""];
	for (const atom of segment) {
		if (isWildcardRun(atom)) pieces.push("");
		else if (typeof atom !== "string") return null;
		else pieces[pieces.length - 1] += atom;
	}
	return pieces;
}

/**
 * Whether a name has the pieces in this order, the first at its beginning and the last at its end. Each piece is taken
 * where it comes first, so no two runs are tried against each other.
 */
function matchesPieces(pieces: readonly string[], name: string, work: WorkBudget): boolean {
	const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
	if (!work.charge(3)) return false;
	if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
	let at = first.length;
	for (let index = 1; index < pieces.length - 1; index++) {
		const piece = pieces[index] ?? "";
		if (!work.charge(5 + searchingWork(name.length - at, piece.length) / 20)) return false;
		const found = name.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return at <= name.length - last.length;
}

/**
 * Whether a pattern's segment matches what a path's segment names. Of two globs, the path's must match an example of
 * the pattern's: `*.ts` could match `id_rsa.ts`, but nobody means that. A shell's leading wildcard skips dot files.
 */
export function patternMatchesName(pattern: NamePattern, path: NamePattern, work: WorkBudget): boolean {
	if (!path.hasWildcards && !pattern.hasWildcards) return work.charge(2) && pattern.text === path.text;
	if (!path.hasWildcards)
		return pattern.pieces
			? matchesPieces(pattern.pieces, path.text, work)
			: segmentsOverlap(pattern.segment, path.segment, work);
	if (pattern.segment[0] === "." && typeof path.segment[0] === "object") return false;
	return segmentsOverlap(pattern.example, path.segment, work);
}
