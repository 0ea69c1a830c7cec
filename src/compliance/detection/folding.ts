// Folds a text: without invisible characters, with the digits, letters, spaces and dashes of Unicode that look like ASCII's.
import { type View, ViewBuilder } from "./view-builder.ts";

/**
 * What folding changes: digits of every script (Nd), characters that show nothing (Cf, DI), spaces, dashes, and the blocks of
 * characters that are another form of a letter or a digit (NFKC).
 */
const FOLDABLE =
	/[[\p{Nd}\p{Cf}\p{DI}\p{Zs}\p{Zl}\p{Zp}\p{Pd}\u00b2\u00b3\u00b9\u0305\u0332-\u0338\u2070-\u209c\u20d0-\u20f0\u2100-\u214f\u2212\u2460-\u24ff\u2776-\u2793\ufb00-\ufb06\ufe50-\ufe6b\uff00-\uffef\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f189}\u{e0020}-\u{e007e}]--\p{ASCII}]+/gv;
const NOT_ASCII = /[\u0080-\uffff]/;
/** Characters that show nothing, and marks that are drawn over, under or around others. */
const INVISIBLE = /^(?:\p{Cf}|\p{DI}|\u0305|[\u0332-\u0338]|[\u20d0-\u20f0])$/u;
/** Tags show nothing, and say ASCII all the same. */
const TAG_BASE = 0xe0000;
const FIRST_TAG = 0xe0020;
const LAST_TAG = 0xe007e;
/** Digits in black circles: 1 to 9 in a row. They have no compatible form. */
const CIRCLED_ONES = [0x24f5, 0x2776, 0x2780, 0x278a];
/** What a digit with brackets, a full stop or a comma is compatible with. */
const DRESSED_DIGITS = /^\(?(\d{1,2})[).,]$/;
const LINE_END = /^[\p{Zl}\p{Zp}]$/u;
const SPACE_SEPARATOR = /^\p{Zs}$/u;
const DASH = /^[\p{Pd}\u2212]$/u;
const DECIMAL_DIGIT = /^\p{Nd}$/u;
const MAX_CACHED = 4_096;

const foldedByCharacter = new Map<string, string>();

/** The value of a decimal digit: each script has ten in a row, from zero on. */
function toDigit(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	let zero = code;
	while (zero > code - 9 && DECIMAL_DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
	return String(code - zero);
}

function fold(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	if (code >= FIRST_TAG && code <= LAST_TAG) return String.fromCharCode(code - TAG_BASE);
	const one = CIRCLED_ONES.find((first) => code >= first && code < first + 9);
	if (one !== undefined) return String(code - one + 1);
	if (code === 0x24ff) return "0";
	if (INVISIBLE.test(character)) return "";
	if (LINE_END.test(character)) return "\n";
	if (SPACE_SEPARATOR.test(character)) return " ";
	if (DASH.test(character)) return "-";
	const compatible = character.normalize("NFKC").replace(DRESSED_DIGITS, "$1");
	return DECIMAL_DIGIT.test(compatible) && compatible > "9" ? toDigit(compatible) : compatible;
}

/** What a character is read as; empty for an invisible one. */
export function foldCharacter(character: string): string {
	if (character < "\u0080") return character;
	const known = foldedByCharacter.get(character);
	if (known !== undefined) return known;
	const folded = fold(character);
	if (foldedByCharacter.size < MAX_CACHED) foldedByCharacter.set(character, folded);
	return folded;
}

/** Adds a run of characters, each folded by itself. */
function addFolded(builder: ViewBuilder, run: string, start: number): void {
	let pending = "";
	let at = start;
	for (const character of run) {
		const folded = foldCharacter(character);
		if (folded.length === character.length) pending += folded;
		else {
			builder.copyAs(pending, at - pending.length);
			builder.replace(folded, at, at + character.length);
			pending = "";
		}
		at += character.length;
	}
	builder.copyAs(pending, at - pending.length);
}

/** The folded text. */
export function toFoldedView(text: string): View {
	const unchanged: View = { text, origin: (start, end) => [start, end] };
	if (!NOT_ASCII.test(text)) return unchanged;
	const builder = new ViewBuilder(unchanged);
	let copied = 0;
	for (const { 0: run, index } of text.matchAll(FOLDABLE)) {
		builder.copy(copied, index);
		addFolded(builder, run, index);
		copied = index + run.length;
	}
	if (copied === 0) return unchanged;
	builder.copy(copied, text.length);
	return builder.build();
}
