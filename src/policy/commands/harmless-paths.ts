// Finds, by the names in a path, that it stays inside the workspace and that no rule and no table is about it. Nearly all paths
// of long commands are such ones. All others are judged by judge.ts.
import type { ProtectedPaths } from "../paths.ts";
import type { WorkBudget } from "../work-budget.ts";
import { isTellingName } from "./locations.ts";

/** Longer paths are judged like any other. */
const MAX_HARMLESS_CHARS = 512;

/** Names that are kept. The same few folders stand in thousands of paths. */
const MAX_KEPT_NAMES = 4096;

/** Units of work for a path, and for each of its characters. */
const PATH_SCAN_WORK = 10;
const PATH_CHARACTER_WORK = 0.5;

const DOT_CODE = ".".charCodeAt(0);

/** For each ASCII character, whether it may stand in a harmless path, and whether in its lower case it is another one. */
const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;
const PATH_CHARACTERS = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyz0123456789_-+./") PATH_CHARACTERS[character.charCodeAt(0)] = SMALL;
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZ") PATH_CHARACTERS[character.charCodeAt(0)] = CAPITAL;

/** The path in lower case. Null where a character in it needs a closer look. */
function toPlainPath(path: string): string | null {
	let hasCapitals = false;
	for (let at = 0; at < path.length; at++) {
		const code = path.charCodeAt(at);
		const kind = code < 128 ? PATH_CHARACTERS[code] : OTHER;
		if (kind === OTHER) return null;
		if (kind === CAPITAL) hasCapitals = true;
	}
	return hasCapitals ? path.toLowerCase() : path;
}

/** The paths inside the workspace that nothing speaks of. */
export class HarmlessPaths {
	readonly #paths: Pick<ProtectedPaths, "mayTouch">;
	readonly #work: WorkBudget;
	readonly #names = new Set<string>();

	constructor(paths: Pick<ProtectedPaths, "mayTouch">, work: WorkBudget) {
		this.#paths = paths;
		this.#work = work;
	}

	/** Whether nothing follows from an effect on the path itself, seen from the workspace. False where that takes a closer look. */
	include(path: string): boolean {
		if (path === "" || path.length > MAX_HARMLESS_CHARS) return false;
		if (!this.#work.charge(PATH_SCAN_WORK + PATH_CHARACTER_WORK * path.length)) return false;
		const plain = toPlainPath(path);
		if (plain === null) return false;
		for (let from = plain.startsWith("./") ? 2 : 0; from <= plain.length; ) {
			const slash = plain.indexOf("/", from);
			const to = slash < 0 ? plain.length : slash;
			if (!this.#isHarmlessName(plain, from, to)) return false;
			from = to + 1;
		}
		return true;
	}

	/** A name that begins with a dot may be a setting, or lead upwards. */
	#isHarmlessName(path: string, from: number, to: number): boolean {
		if (from === to || path.charCodeAt(from) === DOT_CODE) return false;
		const name = path.slice(from, to);
		if (this.#names.has(name)) return true;
		if (isTellingName(name) || this.#paths.mayTouch(name)) return false;
		if (this.#names.size < MAX_KEPT_NAMES) this.#names.add(name);
		return true;
	}
}
