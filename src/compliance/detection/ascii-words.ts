// Walks over the words of a text, which are runs of ASCII letters and digits, in one pass. What they mean is decided elsewhere.

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;

const CHARACTER_CLASS = new Uint8Array(128);
for (let code = 48; code < 58; code++) CHARACTER_CLASS[code] = DIGIT;
for (let code = 65; code < 91; code++) CHARACTER_CLASS[code] = CHARACTER_CLASS[code + 32] = LETTER;

/** What a word consists of. */
export type WordAlphabet = "letters" | "digits" | "mixed";

const ALPHABETS: readonly WordAlphabet[] = ["mixed", "letters", "digits", "mixed"];

function characterClassAt(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code < 128 ? (CHARACTER_CLASS[code] ?? OTHER) : OTHER;
}

/** Whether an ASCII letter or digit is at an offset; false outside the text. */
export function isWordAt(text: string, at: number): boolean {
	return at >= 0 && at < text.length && characterClassAt(text, at) !== OTHER;
}

/** Where the word ends that is at an offset, or just before it: at most 32 characters on. */
export function findWordEnd(text: string, at: number): number {
	let end = at;
	while (end < at + 32 && isLetterAt(text, end)) end++;
	return end;
}

/** Whether a letter or a digit of any script is at an offset. */
function isLetterAt(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return code < 128 ? CHARACTER_CLASS[code] !== OTHER : /[\p{L}\p{N}]/u.test(text.charAt(at));
}

/** Calls `visit` for each word between two offsets in order, with its offsets; the end is exclusive. */
export function eachWord(
	text: string,
	visit: (start: number, end: number, alphabet: WordAlphabet) => void,
	from = 0,
	length = text.length,
): void {
	let start = 0;
	let alphabet = OTHER;
	for (let at = from; at < length; at++) {
		const code = text.charCodeAt(at);
		const characterClass = code < 128 ? CHARACTER_CLASS[code] : OTHER;
		if (characterClass !== OTHER && characterClass !== undefined) {
			if (alphabet === OTHER) start = at;
			alphabet |= characterClass;
		} else if (alphabet !== OTHER) {
			visit(start, at, ALPHABETS[alphabet] ?? "mixed");
			alphabet = OTHER;
		}
	}
	if (alphabet !== OTHER) visit(start, length, ALPHABETS[alphabet] ?? "mixed");
}

/** First letter, last letter and length, whatever the case: nearly all other words differ in one of them. */
function outline(text: string, start: number, end: number): number {
	return ((text.charCodeAt(start) & 31) << 10) | ((text.charCodeAt(end - 1) & 31) << 5) | (end - start);
}

/** Entries by word. A word of a text is cut out of it only if its outline is that of an entry. */
export class Lexicon<Entry> {
	readonly #entries = new Map<string, Entry[]>();
	readonly #outlines = new Uint8Array(1 << 15);

	/** Adds an entry under a lower-case ASCII word of at most 31 characters. */
	add(word: string, entry: Entry): void {
		const known = this.#entries.get(word);
		if (known === undefined) this.#entries.set(word, [entry]);
		else known.push(entry);
		this.#outlines[outline(word, 0, word.length)] = 1;
	}

	/** The entries of the word between two offsets, whatever its case; null if there are none. */
	at(text: string, start: number, end: number): readonly Entry[] | null {
		if (end - start > 31 || this.#outlines[outline(text, start, end)] !== 1) return null;
		return this.#entries.get(text.slice(start, end).toLowerCase()) ?? null;
	}
}
