// Letters that look like ASCII, folded to ASCII, so that a spelling cannot hide a name; matching uses it, display never.

import lookAlikesFile from "./look-alikes.json" with { type: "json" };

/** Cyrillic, Greek and other letters that fonts draw like ASCII ones, and the dashes and quotes that editors put in. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(Object.entries(lookAlikesFile.ascii));

/** What a terminal does not show, soft hyphens, zero-width characters, direction marks, and what it draws over others. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{M}]/gu;

/** Parts of Hangul syllables: the only characters of which several fold to one. */
const JAMO = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;

/** Characters that fold to themselves: ideographs and whole Hangul syllables, and what Unicode has not assigned. */
function foldsToItself(code: number): boolean {
	if (code < 0x10000) return (code >= 0x3400 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);
	return (code >= 0x20000 && code < 0x2f800) || (code >= 0x30000 && code < 0xe0000) || code >= 0xf0000;
}

/** Nearly all characters that anyone writes; asking Unicode about one takes a hundred times as long. */
const MAX_CACHED_CHARACTERS = 16_384;
const foldedCharacters = new Map<string, string>();

/** Decompositions do not depend on neighbours, so that each character folds alone: no run of marks has to be sorted. */
function foldToAscii(character: string): string {
	if (foldsToItself(character.codePointAt(0) ?? 0)) return character;
	const known = foldedCharacters.get(character);
	if (known !== undefined) return known;
	let folded = "";
	for (const part of character.normalize("NFKD").replace(INVISIBLE, "")) folded += LOOK_ALIKES.get(part) ?? part;
	if (foldedCharacters.size >= MAX_CACHED_CHARACTERS) foldedCharacters.clear();
	foldedCharacters.set(character, folded);
	return folded;
}

/** The ASCII spelling a reader sees; characters that look like nothing in ASCII stay. ASCII text comes back as it is. */
export function foldLookAlikes(text: string): string {
	if (!/\P{ASCII}/u.test(text)) return text;
	const folded = text.replace(/\P{ASCII}/gu, foldToAscii);
	return JAMO.test(folded) ? folded.normalize("NFC") : folded;
}

/** What folding a text costs, in units of work. What is folded may have eighteen times as many characters. */
export function foldingWork(text: string): number {
	if (!/\P{ASCII}/u.test(text)) return 1 + text.length / 5;
	// Beyond Unicode's first plane there are more characters than can be remembered; ligatures fold to the most.
	if (/[\ud800-\udfff]/.test(text)) return 120 * text.length;
	return (/[\u3200-\u33ff\ufb00-\ufeff]/.test(text) ? 50 : 12) * text.length;
}
