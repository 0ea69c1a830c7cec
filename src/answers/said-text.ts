// What an answer says in its own voice: without the code and the quotations in it. Pure.

/** Stands for a quotation. Features tell it apart from all letters. */
export const QUOTED = "\u{241f}";
/** Stands for code. */
export const CODED = "\u{241e}";

const FENCE = /(?:```|~~~)[\s\S]*?(?:```|~~~|$)/g;
const INLINE_CODE = /`[^`\n]{1,400}`/g;
/** A quotation of a dozen characters or more: a shorter one is often a single word that is talked about. */
const QUOTATION =
	/"[^"\n]{8,1000}"|[“„][^“”„"\n]{8,1000}[”“"]|«[^»\n]{8,1000}»|「[^」\n]{5,1000}」|『[^』\n]{5,1000}』|《[^》\n]{1,1000}》|(?:^|(?<=\n))\s*[—–-] [^\n]{4,1000}|(?:^|(?<=\n))> [^\n]+/g;

/** An answer with marks in the place of code and quotations. */
export function toSaidText(text: string): string {
	return text.replace(FENCE, CODED).replace(INLINE_CODE, CODED).replace(QUOTATION, QUOTED);
}
