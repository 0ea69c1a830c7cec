// Builds a view of a text: a decoded text, and where its parts are in the original.

/** A decoded text, and where its parts are in the original. */
export interface View {
	readonly text: string;
	/** The span of the original that a span of this text came from. An encoded part counts as a whole. */
	origin(start: number, end: number): readonly [start: number, end: number];
	/** Words are put together that do not stand so: no sentence can be read in it, only values. */
	readonly isValuesOnly?: true;
}

/** A pattern that finds nothing takes so much less time for a character than reading it (turns/steps.ts): about 5 ns. */
const PATTERN_SHARE = 24;

/** What looking for a pattern in a text counts as, in characters read. */
export function patternChars(text: string): number {
	return Math.ceil(text.length / PATTERN_SHARE);
}

/** Builds a view from copied and replaced parts of a source. */
export class ViewBuilder {
	readonly #parts: string[] = [];
	readonly #at: number[] = [];
	readonly #from: number[] = [];
	readonly #to: number[] = [];
	#length = 0;
	readonly #source: View;

	constructor(source: View) {
		this.#source = source;
	}

	#add(part: string, from: number, to: number): void {
		if (part === "") return;
		this.#parts.push(part);
		this.#at.push(this.#length);
		this.#from.push(from);
		this.#to.push(to);
		this.#length += part.length;
	}

	copy(from: number, to: number): void {
		this.#add(this.#source.text.slice(from, to), from, -1);
	}

	/** Adds characters in place of as many of the source. */
	copyAs(part: string, from: number): void {
		this.#add(part, from, -1);
	}

	replace(part: string, from: number, to: number): void {
		this.#add(part, from, to);
	}

	/** The length of what was added. */
	get length(): number {
		return this.#length;
	}

	get isEmpty(): boolean {
		return this.#length === 0;
	}

	build(): View {
		const at = this.#at;
		const from = this.#from;
		const to = this.#to;
		const source = this.#source;
		const findPart = (offset: number): number => {
			let low = 0;
			for (let high = at.length - 1; low < high; ) {
				const middle = (low + high + 1) >> 1;
				if ((at[middle] ?? 0) <= offset) low = middle;
				else high = middle - 1;
			}
			return low;
		};
		const toSource = (offset: number, edge: "start" | "end"): number => {
			const part = findPart(offset);
			const end = to[part] ?? -1;
			if (end < 0) return (from[part] ?? 0) + offset - (at[part] ?? 0);
			return edge === "start" ? (from[part] ?? 0) : end;
		};
		return {
			text: this.#parts.join(""),
			origin: (start, end) => {
				const last = toSource(end - 1, "end");
				const isCopied = (to[findPart(end - 1)] ?? -1) < 0;
				return source.origin(toSource(start, "start"), isCopied ? last + 1 : last);
			},
		};
	}
}
