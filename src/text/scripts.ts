// Which writing system a character belongs to, by its UTF-16 code unit. Pure.

/** Writing systems that prompts are told apart by. */
export const SCRIPTS = [
	"latin",
	"cyrillic",
	"han",
	"kana",
	"hangul",
	"thai",
	"arabic",
	"hebrew",
	"greek",
	"devanagari",
	"other",
] as const;
export type Script = (typeof SCRIPTS)[number];

/** The first code unit after each range, in rising order. `null` is punctuation and symbols. */
const RANGES: readonly (readonly [end: number, script: Script | null])[] = [
	[0x61, null],
	[0x7b, "latin"],
	[0xaa, null],
	[0xab, "latin"],
	[0xb5, null],
	[0xb6, "latin"],
	[0xba, null],
	[0xbb, "latin"],
	[0xc0, null],
	[0xd7, "latin"],
	[0xd8, null],
	[0xf7, "latin"],
	[0xf8, null],
	[0x2b0, "latin"],
	[0x300, null],
	[0x370, "latin"],
	[0x400, "greek"],
	[0x530, "cyrillic"],
	[0x590, "other"],
	[0x600, "hebrew"],
	[0x780, "arabic"],
	[0x900, "other"],
	[0x980, "devanagari"],
	[0xe00, "other"],
	[0xe80, "thai"],
	[0x1e00, "other"],
	[0x1f00, "latin"],
	[0x2000, "greek"],
	[0x3040, null],
	[0x3100, "kana"],
	[0x3400, null],
	[0xa000, "han"],
	[0xac00, "other"],
	[0xd7b0, "hangul"],
	[0xf900, null],
	[0xfb00, "han"],
	[0xfe00, "arabic"],
	[0xfe70, null],
	[0xff00, "arabic"],
	[0x10000, null],
];

const NO_SCRIPT = 255;

/** Position in SCRIPTS of each code unit's script. */
const SCRIPT_INDEX = new Uint8Array(0x10000);
{
	let start = 0;
	for (const [end, script] of RANGES) {
		SCRIPT_INDEX.fill(script === null ? NO_SCRIPT : SCRIPTS.indexOf(script), start, end);
		start = end;
	}
}

/** The position in SCRIPTS of a lower-case letter's script; -1 for anything that is no letter. */
export function scriptIndex(unit: number): number {
	const index = SCRIPT_INDEX[unit] ?? NO_SCRIPT;
	return index === NO_SCRIPT ? -1 : index;
}

/** Positions in SCRIPTS. */
export const LATIN = SCRIPTS.indexOf("latin");
export const HANGUL = SCRIPTS.indexOf("hangul");
const HAN = SCRIPTS.indexOf("han");
const KANA = SCRIPTS.indexOf("kana");
const THAI = SCRIPTS.indexOf("thai");

/** Whether the script at a position of SCRIPTS is written without spaces between words. */
export function isSpaceless(index: number): boolean {
	return index === HAN || index === KANA || index === THAI;
}
