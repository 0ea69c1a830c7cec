// Finds the phrases of the tables in a text: at a word of one, its pattern and what must be near are checked.
import { FINANCIAL_PHRASES } from "./financial-phrases.ts";
import type { Genre } from "./genre.ts";
import { HEALTH_PHRASES } from "./health-phrases.ts";
import type { DataKind } from "./kinds.ts";
import { PERSONAL_PHRASES } from "./personal-phrases.ts";
import type { Phrase } from "./phrase.ts";
import { Lexicon } from "./words.ts";

/** All tables of phrases as one. */
export const PHRASES: readonly Phrase[] = [...PERSONAL_PHRASES, ...HEALTH_PHRASES, ...FINANCIAL_PHRASES];

const phrases = new Lexicon<Phrase>();
for (const phrase of PHRASES) for (const word of phrase.words) if (/^[a-z0-9]+$/.test(word)) phrases.add(word, phrase);

/** No window reaches further back. */
const MAX_CHARS_BEFORE = 128;

function matchesAt(pattern: RegExp, text: string, start: number): boolean {
	pattern.lastIndex = start;
	return pattern.test(text);
}

/** Finds phrases in one text of a genre. */
export class PhraseFinder {
	readonly #text: string;
	readonly #genre: Genre;
	/** Where each core occurs next, so that the text is searched for it once, however many words start its phrase. */
	readonly #nextByCore = new Map<RegExp, number>();

	constructor(text: string, genre: Genre) {
		this.#text = text;
		this.#genre = genre;
	}

	/** Adds the kinds of the phrases that start at a word. Words come in order. */
	addPhrases(start: number, end: number, kinds: Set<DataKind>): void {
		const startingHere = phrases.at(this.#text, start, end);
		if (startingHere === null) return;
		for (const phrase of startingHere)
			if (!kinds.has(phrase.kind) && !this.#isIgnored(phrase) && this.#matches(phrase, start)) kinds.add(phrase.kind);
	}

	#isIgnored({ ignoredIn }: Phrase): boolean {
		const { isPublished, isExercise } = this.#genre;
		return ignoredIn !== undefined && (isPublished || (isExercise && ignoredIn === "stories"));
	}

	#matches({ window: [before, after], core, pattern, near, unless }: Phrase, start: number): boolean {
		const text = this.#text;
		if (core !== undefined && !this.#hasCore(core, Math.max(0, start - MAX_CHARS_BEFORE), start + after)) return false;
		if (pattern.sticky && !matchesAt(pattern, text, start)) return false;
		const around = text.slice(Math.max(0, start - before), start + after);
		if (!pattern.sticky && !pattern.test(around)) return false;
		const lower = around.toLowerCase();
		return near?.test(lower) !== false && unless?.test(lower) !== true;
	}

	/** Whether a core begins between two offsets, which only rise from call to call, except by the length of a window. */
	#hasCore(core: RegExp, from: number, to: number): boolean {
		let at = this.#nextByCore.get(core) ?? -1;
		if (at < from) {
			core.lastIndex = from;
			at = core.exec(this.#text)?.index ?? Number.POSITIVE_INFINITY;
			this.#nextByCore.set(core, at);
		}
		return at < to;
	}
}
