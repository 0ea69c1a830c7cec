// Folds a text: without invisible characters, with the digits, letters, spaces and dashes of Unicode that look like ASCII's.
import { type View, ViewBuilder } from "./view-builder.ts";

/**
 * What folding changes: digits of every script (Nd), characters that show nothing (Cf, DI), spaces, dashes, and the blocks of
 * characters that are another form of a letter or a digit (NFKC).
 */
const FOLDABLE =
	/[[\p{Nd}\p{Cf}\p{DI}\p{Zs}\p{Zl}\p{Zp}\p{Pd}\u2070-\u209c\u2100-\u214f\u2212\u2460-\u24ff\u2776-\u2793\ufb00-\ufb06\ufe50-\ufe6b\uff00-\uffef\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f189}]--\p{ASCII}]+/gv;
const NOT_ASCII = /[\u0080-\uffff]/;
const INVISIBLE = /^[\p{Cf}\p{DI}]$/u;
const LINE_END = /^[\p{Zl}\p{Zp}]$/u;
const SPACE = /^\p{Zs}$/u;
const DASH = /^[\p{Pd}\u2212]$/u;
const DIGIT = /^\p{Nd}$/u;
const MAX_CACHED = 4_096;

const foldedByCharacter = new Map<string, string>();

/** The value of a decimal digit: each script has ten in a row, from zero on. */
function toDigit(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	let zero = code;
	while (zero > code - 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
	return String(code - zero);
}

function fold(character: string): string {
	if (INVISIBLE.test(character)) return "";
	if (LINE_END.test(character)) return "\n";
	if (SPACE.test(character)) return " ";
	if (DASH.test(character)) return "-";
	const compatible = character.normalize("NFKC");
	return DIGIT.test(compatible) && compatible > "9" ? toDigit(compatible) : compatible;
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
