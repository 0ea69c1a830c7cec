// Renders a badge for a README: a label and a value as a small SVG. Pure: the same label and value give the same bytes.
import type { Tier } from "../catalog/vocabulary.ts";
import { escapeMarkup } from "./markup.ts";
import { graphemeWidth, splitGraphemes, textWidth } from "./text-width.ts";

export const DEFAULT_LABEL = "BRAIN.md";

/** The value of a badge; the tone decides its colour. */
export interface BadgeValue {
	text: string;
	tone: Tier | "auto" | "valid" | "invalid" | "unknown";
}

interface Paint {
	fill: string;
	text: string;
	shadow: string;
}

const ON_DARK = { text: "#fff", shadow: "#010101" };

/** Text has a contrast of at least 4.5 on each (WCAG 2.2, 1.4.3). */
const PAINTS: Readonly<Record<BadgeValue["tone"], Paint>> = {
	budget: { fill: "#15803d", ...ON_DARK },
	// Amber is too light for white text.
	mid: { fill: "#f59e0b", text: "#1f2328", shadow: "#fff" },
	premium: { fill: "#4f46e5", ...ON_DARK },
	frontier: { fill: "#7c3aed", ...ON_DARK },
	auto: { fill: "#0e7490", ...ON_DARK },
	valid: { fill: "#15803d", ...ON_DARK },
	invalid: { fill: "#b91c1c", ...ON_DARK },
	unknown: { fill: "#6b7280", ...ON_DARK },
};
const LABEL_PAINT: Paint = { fill: "#4b5563", ...ON_DARK };

const HEIGHT = 20;
const BASELINE = 14;
const PADDING = 5;
/** The widest text of one half. A label of 500 characters would push the value off the page. */
const MAX_TEXT_WIDTH = 260;
/** Longer labels are cut first: characters without width would never reach the widest text. */
const MAX_LABEL_UNITS = 2_000;
/** UTF-16 units of one grapheme. The longest emoji has about 15; a letter may have any number of marks. */
const MAX_GRAPHEME_UNITS = 32;
const ELLIPSIS = "…";

/** Embeddings, overrides and isolates. Unbalanced ones would reverse the text after them. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A grapheme without the marks that exceed the limit. */
function limitMarks(grapheme: string): string {
	if (grapheme.length <= MAX_GRAPHEME_UNITS) return grapheme;
	let result = "";
	for (const character of grapheme) {
		if (result.length + character.length > MAX_GRAPHEME_UNITS) break;
		result += character;
	}
	return result;
}

/** A text as one line of at most the widest width, cut between graphemes. */
export function cutToWidth(text: string): string {
	const line = text
		.slice(0, MAX_LABEL_UNITS)
		.toWellFormed()
		.replace(BIDI_CONTROLS, "")
		.replace(/[\s\p{Cc}]+/gu, " ")
		.trim();
	const cutWidth = MAX_TEXT_WIDTH - textWidth(ELLIPSIS);
	let [whole, cut, width] = ["", "", 0];
	for (const grapheme of splitGraphemes(line)) {
		width += graphemeWidth(grapheme);
		if (width > MAX_TEXT_WIDTH) return `${cut.trimEnd()}${ELLIPSIS}`;
		whole += limitMarks(grapheme);
		if (width <= cutWidth) cut = whole;
	}
	return whole;
}

/** Text of scripts whose letters join is scaled, not spaced. */
function lengthAdjust(text: string): string {
	return /^[\u0020-\u024f\u2010-\u2027]*$/.test(text) ? "" : ' lengthAdjust="spacingAndGlyphs"';
}

function renderLabel(text: string, width: number, centre: number, paint: Paint): string {
	const content = escapeMarkup(text);
	// Rounded to hundredths of a pixel, which hides the errors of floating-point sums.
	const size = `textLength="${Math.round(width * 100) / 100}"${lengthAdjust(text)}`;
	return (
		`<text aria-hidden="true" x="${centre}" y="${BASELINE + 1}" fill="${paint.shadow}" fill-opacity=".25" ${size}>${content}</text>` +
		`<text x="${centre}" y="${BASELINE}" fill="${paint.text}" ${size}>${content}</text>`
	);
}

/** The SVG of a badge. */
export function renderBadge(label: string, value: BadgeValue): string {
	const left = cutToWidth(label) || DEFAULT_LABEL;
	const right = cutToWidth(value.text);
	const paint = PAINTS[value.tone];
	const [leftText, rightText] = [textWidth(left), textWidth(right)];
	const [leftWidth, rightWidth] = [leftText, rightText].map((width) => Math.round(width) + 2 * PADDING) as [
		number,
		number,
	];
	const width = leftWidth + rightWidth;
	const name = escapeMarkup(`${left}: ${right}`);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${name}">`,
		`<title>${name}</title>`,
		'<linearGradient id="s" x2="0" y2="100%"><stop offset="0" stop-color="#fff" stop-opacity=".08"/><stop offset="1" stop-opacity=".08"/></linearGradient>',
		`<clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="3"/></clipPath>`,
		`<g clip-path="url(#r)"><rect width="${leftWidth}" height="${HEIGHT}" fill="${LABEL_PAINT.fill}"/>`,
		`<rect x="${leftWidth}" width="${rightWidth}" height="${HEIGHT}" fill="${paint.fill}"/>`,
		`<rect width="${width}" height="${HEIGHT}" fill="url(#s)"/></g>`,
		'<g text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-rendering="geometricPrecision">',
		renderLabel(left, leftText, leftWidth / 2, LABEL_PAINT),
		renderLabel(right, rightText, leftWidth + rightWidth / 2, paint),
		"</g></svg>",
	].join("");
}
