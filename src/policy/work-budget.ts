// A bound on the work of one check. Work is charged before it is done, so that no input can make it begin what takes
// longer than is left: pure code has no clock to look at.

/** What one check may cost. One unit is about ten nanoseconds on a slow core: half a second in all. */
export const MAX_CHECK_WORK = 50_000_000;

/** What is left of the work of one check, shared by everything that is looked at together. */
export class WorkBudget {
	#left: number;

	constructor(units = MAX_CHECK_WORK) {
		this.#left = units;
	}

	/** More was asked for than was left. Whatever was found out since is void: whoever asks must look here first. */
	get spent(): boolean {
		return this.#left < 0;
	}

	/** False when the work is more than is left. It must then not be done, and nothing after it either. */
	charge(units: number): boolean {
		this.#left -= units;
		return this.#left >= 0;
	}

	/** Gives up for another reason than the amount of work: something is too deep, or too large to be kept. */
	exhaust(): void {
		this.#left = Number.NEGATIVE_INFINITY;
	}
}

/** The characters of all texts, and one for each text: what joining or reading them takes. */
export function charactersIn(texts: readonly string[]): number {
	let characters = texts.length;
	for (const text of texts) characters += text.length;
	return characters;
}

/** What looking for a text in another costs: beyond 250 characters of it engines compare the rest at each place again. */
export function searchingWork(characters: number, wantedCharacters: number): number {
	return wantedCharacters > 250 ? (characters * wantedCharacters) / 4 : 4 * characters;
}
