// Measures text in Verdana at 11 px, the font of badges. Pure. The Latin widths are those of anafanafo 2.0.0 (MIT), which measures
// well-known badges and whose data is 900 KB. Other scripts have one width for each kind of character. The badge's textLength makes
// renderers keep to these widths.

/** U+0020 to U+007E, hundredths of a pixel. */
const ASCII_WIDTHS = [
	387, 433, 505, 900, 699, 1184, 799, 295, 500, 500, 699, 900, 400, 500, 400, 500, 699, 699, 699, 699, 699, 699, 699,
	699, 699, 699, 500, 500, 900, 900, 900, 600, 1100, 752, 754, 768, 848, 696, 632, 853, 827, 463, 500, 762, 612, 927,
	823, 866, 663, 866, 765, 752, 678, 805, 752, 1088, 754, 677, 754, 500, 500, 500, 900, 699, 699, 661, 685, 573, 685,
	655, 387, 685, 696, 302, 379, 651, 302, 1070, 696, 668, 685, 685, 469, 573, 433, 696, 651, 900, 651, 651, 578, 698,
	500, 698, 900,
];

/** Hundredths of a pixel, for the characters outside ASCII that are most frequent in labels. */
const OTHER_WIDTHS: Readonly<Record<string, number>> = {
	ß: 682,
	æ: 1051,
	ø: 668,
	œ: 1080,
	ı: 302,
	"–": 699,
	"—": 1100,
	"•": 600,
	"…": 900,
	"’": 295,
	"“": 505,
	"”": 505,
	"·": 400,
	"€": 699,
	"→": 1100,
	"✓": 841,
};

/** Hundredths of a pixel; the first match counts. Averages of Verdana, or of common fallback fonts for scripts it lacks. */
const WIDTHS_BY_KIND: readonly [RegExp, number][] = [
	[/^[\p{M}\p{Cf}]/u, 0],
	[/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u, 1100],
	[/^[\p{Script=Cyrillic}\p{Script=Greek}]/u, 740],
	[/^[\p{Script=Hebrew}\p{Script=Thai}]/u, 660],
	[/^\p{Script=Arabic}/u, 600],
	[/^\p{L}/u, 740],
	[/^/u, 800],
];

/** A pictograph with whatever modifies it, or a flag. */
const EMOJI =
	/^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3)/u;
const EMOJI_WIDTH = 1380;

function characterWidth(character: string): number {
	const code = character.codePointAt(0) ?? 0;
	const known = ASCII_WIDTHS[code - 0x20] ?? OTHER_WIDTHS[character];
	if (known !== undefined) return known;
	// An accented letter is as wide as the letter.
	const base = ASCII_WIDTHS[(character.normalize("NFD").codePointAt(0) ?? 0) - 0x20];
	return base ?? WIDTHS_BY_KIND.find(([kind]) => kind.test(character))?.[1] ?? 0;
}

/** Created on first use, because it loads tables that would delay the Worker's start-up. */
let segmenter: Intl.Segmenter | undefined;

/** The graphemes of a text: what a reader takes for characters. */
export function* splitGraphemes(text: string): Generator<string> {
	segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Width in px of one grapheme. */
export function graphemeWidth(grapheme: string): number {
	if (EMOJI.test(grapheme)) return EMOJI_WIDTH / 100;
	let width = 0;
	for (const character of grapheme) width += characterWidth(character);
	return width / 100;
}

/** Width in px of a text. */
export function textWidth(text: string): number {
	let width = 0;
	for (const grapheme of splitGraphemes(text)) width += graphemeWidth(grapheme);
	return width;
}
