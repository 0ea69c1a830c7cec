// Letters that look like ASCII, folded to ASCII, so that a spelling cannot hide a name; matching uses it, display never.

/** Cyrillic, Greek and other letters that fonts draw like ASCII ones, and the dashes and quotes that editors put in. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
	а: "a",
	е: "e",
	о: "o",
	р: "p",
	с: "c",
	у: "y",
	х: "x",
	і: "i",
	ј: "j",
	ѕ: "s",
	ԁ: "d",
	һ: "h",
	ԛ: "q",
	ԝ: "w",
	ь: "b",
	ɡ: "g",
	ı: "i",
	ӏ: "l",
	к: "k",
	м: "m",
	т: "t",
	в: "b",
	н: "h",
	п: "n",
	г: "r",
	А: "A",
	В: "B",
	Е: "E",
	К: "K",
	М: "M",
	Н: "H",
	О: "O",
	Р: "P",
	С: "C",
	Т: "T",
	Х: "X",
	Ѕ: "S",
	І: "I",
	Ј: "J",
	α: "a",
	ο: "o",
	ρ: "p",
	ν: "v",
	ι: "i",
	κ: "k",
	τ: "t",
	υ: "u",
	χ: "x",
	ϲ: "c",
	ѵ: "v",
	Α: "A",
	Β: "B",
	Ε: "E",
	Ζ: "Z",
	Η: "H",
	Ι: "I",
	Κ: "K",
	Μ: "M",
	Ν: "N",
	Ο: "O",
	Ρ: "P",
	Τ: "T",
	Υ: "Y",
	Χ: "X",
	"‐": "-",
	"‑": "-",
	"‒": "-",
	"–": "-",
	"—": "-",
	"―": "-",
	"−": "-",
	"﹣": "-",
	"⁄": "/",
	"∕": "/",
	"⧸": "/",
	"∖": "\\",
	"․": ".",
	"·": ".",
};

// What a terminal does not show: soft hyphens, zero-width letters, direction marks, variation selectors.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** The ASCII spelling a reader sees; letters that look like nothing in ASCII stay. ASCII text comes back as it is. */
export function foldLookAlikes(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for ASCII, control characters included
	if (/^[\u0000-\u007f]*$/.test(text)) return text;
	const composed = text
		.normalize("NFKC")
		.replace(INVISIBLE, "")
		.normalize("NFD")
		.replace(/\p{M}+/gu, "")
		.normalize("NFC");
	let folded = "";
	for (const letter of composed) folded += LOOK_ALIKES[letter] ?? letter;
	return folded;
}
