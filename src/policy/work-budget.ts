// A bound on the work of one check. Pure code has no clock, so work is counted in units and charged before it is done.

/**
 * The work of one check. A unit takes 4 to 9 nanoseconds on a core of the machine that docs/measurements.md names, so all of it takes
 * a third to two thirds of a second.
 */
export const MAX_CHECK_WORK = 80_000_000;

/** The work of a check without texts, and what each character of its body adds: most that ordinary commands take is 100 units. */
const SHORT_CHECK_WORK = 12_000_000;
const WORK_PER_CHAR = 200;

/**
 * The work of a check whose body has so many characters. One command cannot be cut, and a few hundred characters can stand for all the
 * work of a check: a short body must not hold up everybody else for half a second.
 */
export function checkWork(bodyChars: number): number {
	return Math.min(MAX_CHECK_WORK, SHORT_CHECK_WORK + WORK_PER_CHAR * bodyChars);
}

/** As much takes the time of reading a character: 120 nanoseconds. */
const UNITS_PER_CHAR = 20;

/** The work left for one check. Everything that the check looks at shares it. */
export class WorkBudget {
	#left: number;
	/** What was left at the last pause. */
	#leftBefore: number;
	#learned = 0;

	constructor(units = MAX_CHECK_WORK) {
		this.#left = units;
		this.#leftBefore = units;
	}

	/**
	 * True once a charge was more than what was left. Results since then are void, so callers check this before they use
	 * one.
	 */
	get spent(): boolean {
		return this.#left < 0;
	}

	/** The units that are left. Below 0 once the budget is spent. */
	get left(): number {
		return this.#left;
	}

	/**
	 * Charges for work. False when the work is more than what is left: then the caller must not do it, nor anything after
	 * it.
	 */
	charge(units: number): boolean {
		this.#left -= units;
		return this.#left >= 0;
	}

	/** The work since the last pause, in characters of turns/steps.ts; 0 after the pause that has found it spent. */
	pause(): number {
		const left = Math.max(0, this.#left);
		const units = this.#leftBefore - left;
		this.#leftBefore = left;
		return units / UNITS_PER_CHAR;
	}

	/** How often something was learned by which later commands are judged: a value, a file's text, a folder. */
	get learned(): number {
		return this.#learned;
	}

	/** Notes that something was learned. A command that stands in a script again is followed again only after that. */
	learn(): void {
		this.#learned++;
	}

	/** Spends everything that is left, because something is too deep or too large to be kept. */
	exhaust(): void {
		this.#left = Number.NEGATIVE_INFINITY;
	}
}

/** The work of joining or reading texts: one unit for each character and each text. */
export function charactersIn(texts: readonly string[]): number {
	let characters = texts.length;
	for (const text of texts) characters += text.length;
	return characters;
}

/**
 * The work of searching for a text in another. Beyond 250 characters, engines compare the rest again at each position.
 */
export function searchingWork(characters: number, wantedCharacters: number): number {
	return wantedCharacters > 250 ? (characters * wantedCharacters) / 4 : 4 * characters;
}
