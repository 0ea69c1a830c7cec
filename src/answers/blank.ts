// Whether an answer says nothing, however it is written: invisible characters, empty Markdown, dots. Pure.

/** What nobody sees: white space, controls, formats, marks that stand alone, fillers of Hangul, the blank of Braille. */
const INVISIBLE = /[\s\p{C}\p{Z}\u115f\u1160\u3164\uffa0\u2800]|[\ufe00-\ufe0f]|^\p{M}+/gu;
const EMPTY_FENCE = /(?:```|~~~)[\w+-]{0,20}\s*(?:```|~~~)/g;
/** Marks of Markdown that stand alone. Up to two can be the name of an operator. */
const MARKUP_ONLY = /^[*_~`#>|+-]{3,}$/;
const EMPTY_LINES = /^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,2}[.)])[ \t]+$/gm;
const EMPTY_ELEMENTS = /<(p|div|span|b|i|em|strong)>\s*<\/\1>|&nbsp;|&#8203;|&#x200b;/gi;
const DOTS = /^(?:\.{2,}|…+|。{2,}|・{2,})$/;
/** A pair of quotation marks with nothing between. */
const EMPTY_QUOTES = /^(?:""|''|“”|„“|«»|「」)$/;

/** Whether nothing is left of a text without what nobody reads. */
export function isBlank(text: string): boolean {
	const visible = text
		.replace(EMPTY_FENCE, "")
		.replace(EMPTY_ELEMENTS, "")
		.replace(EMPTY_LINES, "")
		.replace(INVISIBLE, "");
	return visible === "" || MARKUP_ONLY.test(visible) || DOTS.test(visible) || EMPTY_QUOTES.test(visible);
}
