// Walks over the words of a text, runs of ASCII letters and digits, in one pass; what they mean is asked elsewhere.

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;

const CHARACTER_CLASS = new Uint8Array(128);
for (let code = 48; code < 58; code++) CHARACTER_CLASS[code] = DIGIT;
for (let code = 65; code < 91; code++) CHARACTER_CLASS[code] = CHARACTER_CLASS[code + 32] = LETTER;

/** What a run of letters and digits is made of. */
export type WordMake = "letters" | "digits" | "mixed";

const MAKES: readonly WordMake[] = ["mixed", "letters", "digits", "mixed"];

function classAt(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code < 128 ? (CHARACTER_CLASS[code] ?? OTHER) : OTHER;
}

/** Whether an ASCII letter or digit stands there; false outside the text. */
export function isWordAt(text: string, at: number): boolean {
	return at >= 0 && at < text.length && classAt(text, at) !== OTHER;
}

/** Calls `visit` for each word in order, with the offsets of its first character and behind its last. */
export function eachWord(text: string, visit: (start: number, end: number, make: WordMake) => void): void {
	const length = text.length;
	let at = 0;
	while (at < length) {
		let made = classAt(text, at);
		if (made === OTHER) {
			at++;
			continue;
		}
		const start = at++;
		for (; at < length; at++) {
			const next = classAt(text, at);
			if (next === OTHER) break;
			made |= next;
		}
		visit(start, at, MAKES[made] ?? "mixed");
	}
}

/**
 * Words that something waits for, looked up by a text's own characters. Most words of a text are told apart by first
 * letter and length alone, before anything is cut out of the text.
 */
export class Lexicon<Entry> {
	private readonly entries = new Map<string, Entry[]>();
	private readonly lengths = new Int32Array(128);

	/** Adds an entry under a lower-case ASCII word of at most 31 characters. */
	add(word: string, entry: Entry): void {
		const known = this.entries.get(word);
		if (known === undefined) this.entries.set(word, [entry]);
		else known.push(entry);
		const code = word.charCodeAt(0);
		this.lengths[code] = (this.lengths[code] ?? 0) | (1 << word.length);
	}

	/** The entries of the word between two offsets, in either case. */
	at(text: string, start: number, end: number): readonly Entry[] | undefined {
		const length = end - start;
		const first = text.charCodeAt(start);
		const code = first < 65 ? first : first | 32;
		if (length > 31 || ((this.lengths[code] ?? 0) & (1 << length)) === 0) return undefined;
		return this.entries.get(text.slice(start, end).toLowerCase());
	}
}
