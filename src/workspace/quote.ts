// Quotes text from a manifest in Markdown, so that it stays data: one line, one code span, nothing invisible.

/**
 * Code points that a reader cannot see or that move others: controls (Cc), formats with bidi overrides, zero-width
 * characters and tags (Cf), line and paragraph separators, blanks other than the space, variation selectors and the
 * other default-ignorables, surrogates, private use, noncharacters. They are listed, because the engine's Unicode
 * tables grow and generated files must not change with them. Unicode 16.
 */
const HIDDEN_RANGES: readonly (readonly [from: number, to: number])[] = [
	[0x00, 0x1f],
	[0x7f, 0xa0],
	[0xad, 0xad],
	[0x34f, 0x34f],
	[0x600, 0x605],
	[0x61c, 0x61c],
	[0x6dd, 0x6dd],
	[0x70f, 0x70f],
	[0x890, 0x891],
	[0x8e2, 0x8e2],
	[0x115f, 0x1160],
	[0x1680, 0x1680],
	[0x17b4, 0x17b5],
	[0x180b, 0x180f],
	[0x2000, 0x200f],
	[0x2028, 0x202f],
	[0x205f, 0x206f],
	[0x2800, 0x2800],
	[0x3000, 0x3000],
	[0x3164, 0x3164],
	[0xd800, 0xf8ff],
	[0xfdd0, 0xfdef],
	[0xfe00, 0xfe0f],
	[0xfeff, 0xfeff],
	[0xffa0, 0xffa0],
	[0xfff0, 0xfffc],
	[0xfffe, 0xffff],
	[0x110bd, 0x110bd],
	[0x110cd, 0x110cd],
	[0x13430, 0x1343f],
	[0x1bca0, 0x1bca3],
	[0x1d159, 0x1d159],
	[0x1d173, 0x1d17a],
	[0xe0000, 0xe0fff],
	[0xf0000, 0x10ffff],
];

function isHidden(codePoint: number): boolean {
	if (codePoint >= 0x20 && codePoint <= 0x7e) return false;
	const isNonCharacter = (codePoint & 0xfffe) === 0xfffe;
	return isNonCharacter || HIDDEN_RANGES.some(([from, to]) => codePoint >= from && codePoint <= to);
}

function escapeCodePoint(codePoint: number): string {
	return `\\u{${codePoint.toString(16).toUpperCase()}}`;
}

/**
 * A backslash that reads as an escape, and `<` where a tag, a comment or a model's control token may begin. Tools that
 * remove comments or wrap a file in tags often search for these without parsing Markdown.
 */
const AMBIGUOUS = /\\(?=u\{)|<(?=[A-Za-z/!?|])/g;

/**
 * Writes a text on one line, with every hidden or ambiguous code point as `\u{…}`. Different texts never look alike.
 */
export function makeVisible(text: string): string {
	return [...text.replace(AMBIGUOUS, (character) => escapeCodePoint(character.charCodeAt(0)))]
		.map((character) => {
			const codePoint = character.codePointAt(0) ?? 0;
			return isHidden(codePoint) ? escapeCodePoint(codePoint) : character;
		})
		.join("");
}

/** Whether nothing in a text can be seen, so that it names no project, path or command. */
export function isBlankText(text: string): boolean {
	return [...text].every((character) => character === " " || isHidden(character.codePointAt(0) ?? 0));
}

/**
 * A CommonMark code span (section 6.1) that shows `visible(text)`: fenced with more backticks than any run inside, and
 * padded where the parser would strip a space or join a backtick to the fence.
 * It belongs inside a line or a list item, never at a line's start, where a long fence could be taken for a block's.
 */
export function codeSpan(text: string): string {
	const visibleText = makeVisible(text);
	const longestRun = Math.max(0, ...(visibleText.match(/`+/g) ?? []).map((run) => run.length));
	const fence = "`".repeat(longestRun + 1);
	const touchesFence = visibleText.startsWith("`") || visibleText.endsWith("`");
	const wouldBeStripped = visibleText.startsWith(" ") && visibleText.endsWith(" ");
	const padding = visibleText === "" || touchesFence || (wouldBeStripped && visibleText.trim() !== "") ? " " : "";
	return `${fence}${padding}${visibleText}${padding}${fence}`;
}
