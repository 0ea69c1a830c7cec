// Folds letters that look like ASCII to ASCII, so that no spelling hides a name. Used for matching, never for display.

import lookAlikesFile from "./look-alikes.json" with { type: "json" };

/** Cyrillic, Greek and other letters that fonts draw like ASCII ones, and the dashes that editors put in. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(Object.entries(lookAlikesFile.ascii));

/**
 * Characters that a terminal does not show (soft hyphens, zero-width characters, direction marks) or draws over others.
 */
const INVISIBLE_CHARACTERS = /[\p{Default_Ignorable_Code_Point}\p{M}]/gu;

/** Parts of Hangul syllables, the only characters of which several fold to one. */
const JAMO = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;

/** Whether a character surely folds to itself: ideographs, whole Hangul syllables and unassigned code points. */
function foldsToItself(code: number): boolean {
	if (code < 0x10000) return (code >= 0x3400 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);
	return (code >= 0x20000 && code < 0x2f800) || (code >= 0x30000 && code < 0xe0000) || code >= 0xf0000;
}

/** Holds nearly all characters that anyone writes. Folding one by Unicode's tables takes a hundred times as long. */
const MAX_CACHED_CHARACTERS = 16_384;
const foldedCharacters = new Map<string, string>();

/** Folds one character. Decompositions do not depend on neighbours, so no run of marks has to be sorted. */
function foldSingleCharacter(character: string): string {
	if (foldsToItself(character.codePointAt(0) ?? 0)) return character;
	const cached = foldedCharacters.get(character);
	if (cached !== undefined) return cached;
	let folded = "";
	for (const part of character.normalize("NFKD").replace(INVISIBLE_CHARACTERS, ""))
		folded += LOOK_ALIKES.get(part) ?? part;
	if (foldedCharacters.size >= MAX_CACHED_CHARACTERS) foldedCharacters.clear();
	foldedCharacters.set(character, folded);
	return folded;
}

/** Texts of as many characters are looked through in a loop, which takes less time than an expression takes to begin. */
const SHORT_TEXT = 64;

/** Whether a text is ASCII, as nearly all are. */
export function isAscii(text: string): boolean {
	if (text.length > SHORT_TEXT) return !/\P{ASCII}/u.test(text);
	for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
	return true;
}

/**
 * The ASCII spelling that a reader sees. Characters that look like nothing in ASCII stay. ASCII text is returned as it
 * is.
 */
export function foldLookAlikes(text: string): string {
	if (isAscii(text)) return text;
	const folded = text.replace(/\P{ASCII}/gu, foldSingleCharacter);
	return JAMO.test(folded) ? folded.normalize("NFC") : folded;
}

/** What folding a text costs, in units of work. The folded text may have eighteen times as many characters. */
export function foldingWork(text: string): number {
	if (isAscii(text)) return 1 + text.length / 5;
	// Beyond Unicode's first plane there are more characters than the cache holds.
	if (/[\ud800-\udfff]/.test(text)) return 120 * text.length;
	return (/[\u3200-\u33ff\ufb00-\ufeff]/.test(text) ? 50 : 12) * text.length;
}
