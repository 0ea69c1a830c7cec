// Finds words whose letters pass for others: for texts that somebody approves. It names them and judges nothing. Pure.

/** A letter that is not of the word's own alphabet, as its code point: `U+0430`. */
export interface OddLetter {
	letter: string;
	code: string;
}

export interface LookAlike {
	word: string;
	letters: OddLetter[];
	/** The host as the network knows it, where the word is an international one. */
	host: string | null;
}

/** Runs of what hosts, addresses and words are made of. */
const WORD = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}._@-]*/gu;
const ASCII = /^[\x20-\x7e]*$/;
const LETTER = /[\p{L}\p{M}]/u;
/** Whose letters are drawn like Latin ones. */
const LIKE_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;
const LATIN_LETTER = /\p{Script=Latin}/u;
/** A name with a dot before its last part, or an address with a host. */
const HOST = /(?:[^@\s]@)?([^@\s]+\.[\p{L}\p{M}\p{N}-]{2,})$/u;

/** Letters that Unicode has a second time, such as full-width and mathematical ones (NFKC makes them ASCII). */
function isDoubled(letter: string): boolean {
	return !ASCII.test(letter) && ASCII.test(letter.normalize("NFKC"));
}

function toOddLetter(letter: string): OddLetter {
	return { letter, code: `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}` };
}

/** The host of a word as DNS knows it; null where the word names none, or is written in ASCII. */
function toAsciiHost(word: string): string | null {
	const [, host] = HOST.exec(word) ?? [];
	if (host === undefined || ASCII.test(host)) return null;
	const address = `http://${host}/`;
	return URL.canParse(address) ? new URL(address).hostname : null;
}

function findOddLetters(word: string, isHost: boolean): string[] {
	const letters = [...new Set(word)].filter((each) => LETTER.test(each));
	// In a host each letter beyond ASCII may pass for another, also where the whole name is of one script.
	if (isHost) return letters.filter((each) => !ASCII.test(each));
	const doubled = letters.filter(isDoubled);
	// Parts between marks are words of their own: "BMW-Тест" is none that passes for another.
	const isMixed = word.split(/[._@-]/).some((part) => LATIN_LETTER.test(part) && LIKE_LATIN.test(part));
	return isMixed ? letters.filter((each) => LIKE_LATIN.test(each) || doubled.includes(each)) : doubled;
}

/** The words of a text whose letters pass for others, each once. Hosts with letters beyond ASCII count always. */
export function findLookAlikes(text: string): LookAlike[] {
	if (ASCII.test(text)) return [];
	const words = new Set(text.match(WORD)?.map((word) => word.replace(/[._@-]+$/, "")));
	return [...words].flatMap((word) => {
		if (ASCII.test(word)) return [];
		const host = toAsciiHost(word);
		const letters = findOddLetters(word, host !== null);
		return letters.length === 0 ? [] : [{ word, letters: letters.map(toOddLetter), host }];
	});
}

/** The texts of a JSON value, names of members included. */
function* textsOf(value: unknown): Generator<string> {
	if (typeof value === "string") yield value;
	else if (Array.isArray(value)) for (const item of value) yield* textsOf(item);
	else if (typeof value === "object" && value !== null)
		for (const [name, item] of Object.entries(value)) {
			yield name;
			yield* textsOf(item);
		}
}

/** The same of all texts of a JSON value. */
export function findLookAlikesIn(value: unknown): LookAlike[] {
	const found = [...textsOf(value)].flatMap(findLookAlikes);
	return [...new Map(found.map((each) => [each.word, each])).values()];
}

const RIGHT_TO_LEFT =
	/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Whether a text of a JSON value has words from right to left beside what is read the other way: a screen reorders them. */
export function isMixedDirection(value: unknown): boolean {
	return [...textsOf(value)].some((text) => RIGHT_TO_LEFT.test(text) && /[A-Za-z0-9]/.test(text));
}

/** One in words: `а is U+0430; as a host xn--…`. */
export function describeLookAlike({ letters, host }: Omit<LookAlike, "word">): string {
	const named = letters.map(({ letter, code }) => `${letter} is ${code}`).join(", ");
	return host === null ? named : `${named}; the host is ${host}`;
}
