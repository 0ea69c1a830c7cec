// Globs of one path segment, and whether two of them can name the same file; whole paths are in paths.ts.
import type { WorkBudget } from "./work-budget.ts";

/** One position of a segment: a character, any character, any run of characters, or a class of characters. */
type Atom = string | { readonly any: "one" | "run" } | CharacterClass;

/** `[a-z_]`: stretches of character codes, both ends included. */
interface CharacterClass {
	readonly stretches: readonly (readonly [from: number, to: number])[];
	readonly negated: boolean;
}

/** A parsed segment. A segment without wildcards is a list of characters. */
export type Segment = readonly Atom[];

function readClass(text: string, start: number): { readonly atom: Atom; readonly next: number } | undefined {
	const negated = text[start + 1] === "!" || text[start + 1] === "^";
	const first = start + (negated ? 2 : 1);
	// A class longer than this is no class anyone writes; the bound keeps a run of `[` linear.
	const end = text.slice(first + 1, first + 64).indexOf("]") + first + 1;
	if (end <= first) return undefined;
	const stretches: [number, number][] = [];
	for (let at = first; at < end; at += 1) {
		const from = text.charCodeAt(at);
		const to = text[at + 1] === "-" && at + 2 < end ? text.charCodeAt(at + 2) : from;
		if (from <= to) stretches.push([from, to]);
		if (to !== from) at += 2;
	}
	return { atom: { stretches, negated }, next: end + 1 };
}

/** The atom that begins at `at`, and where the next one does. */
function readAtom(text: string, at: number, classes: boolean): { readonly atom: Atom; readonly next: number } {
	const character = text[at] ?? "";
	const found = character === "[" && classes ? readClass(text, at) : undefined;
	if (found) return found;
	if (character === "*") return { atom: { any: "run" }, next: at + 1 };
	if (character === "?") return { atom: { any: "one" }, next: at + 1 };
	if (character === "\\" && at + 1 < text.length) return { atom: text[at + 1] ?? "", next: at + 2 };
	return { atom: character, next: at + 1 };
}

/** Parses one segment of a glob: `*`, `?`, `[…]`, and `\` before a character that stands for itself. */
export function parseSegment(text: string): Segment {
	const atoms: Atom[] = [];
	// Without this, each `[` of a run of them would look for its `]` to the end of the text.
	const lastClass = text.lastIndexOf("]");
	for (let at = 0; at < text.length; ) {
		const { atom, next } = readAtom(text, at, at < lastClass);
		if (!(isRun(atom) && isRun(atoms.at(-1)))) atoms.push(atom);
		at = next;
	}
	return atoms;
}

function isRun(atom: Atom | undefined): boolean {
	return typeof atom === "object" && "any" in atom && atom.any === "run";
}

function atomsMeet(left: Atom, right: Atom): boolean {
	if (typeof left === "object" && "any" in left) return true;
	if (typeof right === "object" && "any" in right) return true;
	if (typeof left === "string" && typeof right === "string") return left === right;
	if (typeof left === "string") return atomsMeet(right, left);
	if (typeof right === "string") return meets(left, right.charCodeAt(0), right.charCodeAt(0)) !== left.negated;
	return left.negated || right.negated || left.stretches.some(([from, to]) => meets(right, from, to));
}

/** Whether a character of the class lies in a stretch. */
function meets({ stretches }: CharacterClass, from: number, to: number): boolean {
	return stretches.some((other) => other[0] <= to && from <= other[1]);
}

/** How many plain characters are the same in both, from the beginning or from the end. */
function sharedCharacters(left: Segment, right: Segment, most: number, fromEnd: boolean): number {
	for (let count = 0; count < most; count += 1) {
		const one = fromEnd ? left[left.length - 1 - count] : left[count];
		const other = fromEnd ? right[right.length - 1 - count] : right[count];
		if (one !== other || typeof one !== "string") return count;
	}
	return most;
}

/** Two plain characters that are not the same. */
function differ(left: Atom | undefined, right: Atom | undefined): boolean {
	return typeof left === "string" && typeof right === "string" && left !== right;
}

/**
 * Whether some name matches both segments; false, whatever the segments, when the work is more than is left. Plain
 * characters at both ends are compared first, which settles nearly every pair; time for the rest is the product of the
 * lengths.
 */
export function segmentsMeet(left: Segment, right: Segment, work: WorkBudget): boolean {
	const shorter = Math.min(left.length, right.length);
	const head = sharedCharacters(left, right, shorter, false);
	if (head < shorter && differ(left[head], right[head])) {
		work.charge(2 + head);
		return false;
	}
	const tail = sharedCharacters(left, right, shorter - head, true);
	if (!work.charge(4 + head + tail)) return false;
	const [leftEnd, rightEnd] = [left.length - tail, right.length - tail];
	if (head + tail < shorter && differ(left[leftEnd - 1], right[rightEnd - 1])) return false;
	if (head === leftEnd && head === rightEnd) return true;
	const [one, other] = [left.slice(head, leftEnd), right.slice(head, rightEnd)];
	return work.charge(10 + 4 * weightOf(one) * weightOf(other)) && middlesMeet(one, other);
}

/** How many characters and stretches of classes each position of the other segment is compared with. */
function weightOf(segment: Segment): number {
	let weight = 0;
	for (const atom of segment) weight += typeof atom === "object" && "stretches" in atom ? 1 + atom.stretches.length : 1;
	return weight;
}

function middlesMeet(left: Segment, right: Segment): boolean {
	if ((left.length === 1 && isRun(left[0])) || (right.length === 1 && isRun(right[0]))) return true;
	const runs = right.map(isRun);
	let row: boolean[] = [true];
	for (let at = 0; at < right.length; at += 1) row.push(row[at] === true && runs[at] === true);
	for (const atom of left) {
		const run = isRun(atom);
		const next: boolean[] = [row[0] === true && run];
		for (let at = 0; at < right.length; at += 1) {
			const extended = (run || runs[at] === true) && (row[at + 1] === true || next[at] === true);
			next.push(extended || (row[at] === true && atomsMeet(atom, right[at] ?? "")));
		}
		row = next;
	}
	return row[right.length] === true;
}

/** Whether a segment has wildcards; a class or a run names more than one file. */
function isGlob(segment: Segment): boolean {
	return segment.some((atom) => typeof atom === "object");
}

/** One plain name that the glob matches: a run of characters is empty at the end, and one character elsewhere. */
function exampleOf(glob: Segment): Segment {
	return glob.flatMap((atom, at): Atom[] => {
		if (typeof atom === "string") return [atom];
		if ("stretches" in atom) return [atom.negated ? "x" : String.fromCharCode(atom.stretches[0]?.[0] ?? 120)];
		return atom.any === "run" && at === glob.length - 1 ? [] : ["x"];
	});
}

/** A segment read once to be compared often. */
export interface Name {
	readonly segment: Segment;
	readonly glob: boolean;
	/** What it names, where it is no glob. */
	readonly text: string;
	/** One plain name it matches: itself where it is one. */
	readonly example: Segment;
}

/** Parses a segment of a pattern or of a path to be compared. */
export function parseName(text: string): Name {
	const segment = parseSegment(text);
	const glob = isGlob(segment);
	return { segment, glob, text: glob ? "" : segment.join(""), example: glob ? exampleOf(segment) : segment };
}

/**
 * Whether a pattern's segment names what a path's segment names. Where both are globs, the path's must match an example
 * of the pattern's: `*.ts` could match `id_rsa.ts`, which nobody means. A shell's leading wildcard skips dot files.
 */
export function patternNames(pattern: Name, path: Name, work: WorkBudget): boolean {
	if (!path.glob && !pattern.glob) return work.charge(2) && pattern.text === path.text;
	if (!path.glob) return segmentsMeet(pattern.segment, path.segment, work);
	if (pattern.segment[0] === "." && typeof path.segment[0] === "object") return false;
	return segmentsMeet(pattern.example, path.segment, work);
}
