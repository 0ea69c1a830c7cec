// Numbers as people, models and LaTeX write them, in one plain form in which equals are equal. What a text means by them is
// final-answer.ts's. Pure.

const PLAIN = "\\d{1,3}(?:,\\d{2,3})*,\\d{3}(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+";
/** Dots between thousands, where there can be no doubt: twice, or before a decimal comma. */
const DOTTED = "\\d{1,3}(?:\\.\\d{3}){2,}(?:,\\d+)?|\\d{1,3}\\.\\d{3},\\d+";
const POWER_OF_TEN = "10\\s?\\^\\s?[({]?([-+−]?\\d{1,3})[)}]?";
/** A sign, not the hyphen of a range. */
const SIGN = "(?:(?<![\\w)])[-+−]\\s?)?";

/**
 * A number: 1,234.5 · 1.234.567 · 1,00,000 · .5 · 3/4 · 2 3/4 · 1.5e3 · 3 × 10^8 · 10^5. Digits of a name, an index or an exponent
 * (H2O, cm^2) are none.
 */
const NUMERAL = new RegExp(
	`(?<![A-Za-z^_\\d]|\\d[.,])${SIGN}(?:${POWER_OF_TEN}|(\\d+)\\s(\\d+)/(\\d+)(?![\\d/])|(${DOTTED}|${PLAIN})(?:[eE]([-+]?\\d{1,3})(?!\\w)|\\s?[×x*·]\\s?${POWER_OF_TEN}|\\s?/\\s?(\\d+(?:\\.\\d+)?))?)`,
	"g",
);

/** Words for powers of ten, and the dozen. */
const SCALES: Readonly<Record<string, { factor: number; zeros: number }>> = {
	dozen: { factor: 12, zeros: 0 },
	hundred: { factor: 1, zeros: 2 },
	thousand: { factor: 1, zeros: 3 },
	million: { factor: 1, zeros: 6 },
	billion: { factor: 1, zeros: 9 },
	trillion: { factor: 1, zeros: 12 },
};

/** A decimal with its point moved to the right, without needless zeros: no digit is lost, however many there are. */
function shifted(decimal: string, zeros: number): string {
	const [whole = "", fraction = ""] = decimal.split(".");
	const digits = whole + fraction;
	const point = whole.length + zeros;
	const padded = point < 0 ? "0".repeat(-point) + digits : digits.padEnd(point, "0");
	const at = Math.max(point, 0);
	const [above, below] = [padded.slice(0, at).replace(/^0+(?=\d)/, "") || "0", padded.slice(at).replace(/0+$/, "")];
	return below === "" ? above : `${above}.${below}`;
}

function signed(isNegative: boolean, plain: string): string {
	return isNegative && plain !== "0" ? `-${plain}` : plain;
}

/** A quotient to nine digits; null where it has no value. */
function quotient(above: number, below: number): string | null {
	const value = above / below;
	return Number.isFinite(value) ? String(Number(value.toPrecision(9))) : null;
}

/** Of a fraction with more digits than a double tells apart, as many as a quotient has. */
const MAX_FRACTION_DIGITS = 15;

function told(decimal: string): string {
	const isLong = decimal.includes(".") && decimal.length > MAX_FRACTION_DIGITS + 1;
	return isLong ? (quotient(Number(decimal), 1) ?? decimal) : decimal;
}

function plainDecimal(written: string): string {
	const isDotted = new RegExp(`^(?:${DOTTED})$`).test(written);
	return isDotted ? written.replaceAll(".", "").replace(",", ".") : written.replaceAll(",", "");
}

/** The plain form of a match of NUMERAL; null for a quotient without a value. */
function plainOf(match: RegExpMatchArray): string | null {
	const [text, power, whole, numerator, denominator, decimal = "", exponent, timesPower, divisor] = match;
	const isNegative = /^[-−]/.test(text);
	const zerosOf = (written: string) => Number(written.replace("−", "-"));
	if (power !== undefined) return signed(isNegative, shifted("1", zerosOf(power)));
	if (whole !== undefined) {
		const part = quotient(Number(numerator), Number(denominator));
		return part && signed(isNegative, String(Number((Number(whole) + Number(part)).toPrecision(9))));
	}
	const plain = told(plainDecimal(decimal));
	if (divisor !== undefined) {
		const value = quotient(Number(plain), Number(divisor));
		return value && signed(isNegative, value);
	}
	return signed(isNegative, shifted(plain, zerosOf(exponent ?? timesPower ?? "0")));
}

/** A comma that stands for the point; between several numbers it may be just a comma. */
const DECIMAL_COMMA = /(?<![\d.,])(\d+),(\d{1,2})(?![\d.,]*\d)/g;

/** The numbers in a text, each in its plain form; those without a value left out. */
export function numbersIn(text: string): string[] {
	return [...text.replace(DECIMAL_COMMA, "$1.$2").matchAll(NUMERAL)].flatMap((match) => plainOf(match) ?? []);
}

/** Words that may stand behind a number as its unit. */
const MAX_UNIT_WORDS = 3;
/** A unit, with its exponents; a lone letter that is no unit is a variable. */
const UNIT_WORD =
	/^(?:[%$€£¥₹]|°[A-Za-z]?|[mgshlLKAVWJNCFTtd]|\p{Script=Han}|[\p{L}/·.'’-]{2,}?)(?:\^?[({]?-?\d[)}]?)?(?:\/[\p{L}]{1,10}(?:\^?[({]?-?\d[)}]?)?)?$/u;
const CURRENCY_BEFORE = /^[\s$€£¥₹≈~=]*(?:(?:USD|US\$|EUR|GBP|INR|Rs\.?)\s*)?/i;
/** Thousands apart by spaces, where the whole text is one number. */
const SPACED = /^([-+−]?\d{1,3}(?: \d{3})+)(?!\d)/;

function areUnits(words: readonly string[]): boolean {
	return words.length <= MAX_UNIT_WORDS && words.every((word) => UNIT_WORD.test(word));
}

/** A text that is a number alone, with its currency, its scale or its unit, in its plain form; null for anything that says more. */
export function numberAlone(text: string): string | null {
	const before = CURRENCY_BEFORE.exec(text)?.[0] ?? "";
	const sign = /^[-−]\s?[$€£¥₹]/.test(text) ? "-" : "";
	const bare = (sign === "" ? text.slice(before.length) : text.replace(/^[-−]\s?[$€£¥₹]\s?/, "-")).replace(
		SPACED,
		(digits) => digits.replaceAll(" ", ""),
	);
	const [match] = bare.matchAll(NUMERAL);
	if (match?.index !== 0) return null;
	const [first = "", ...rest] = bare
		.slice(match[0].length)
		.replace(/[,;:!)\]]+|\.(?=\s|$)/g, " ")
		.trim()
		.split(/\s+/)
		.filter(Boolean);
	const scale = SCALES[first.toLowerCase()];
	const plain = plainOf(match);
	if (plain === null || !areUnits(scale ? rest : first === "" ? [] : [first, ...rest])) return null;
	if (!scale) return plain;
	const isNegative = plain.startsWith("-");
	const scaled = scale.factor === 1 ? plain.replace("-", "") : String(Math.abs(Number(plain)) * scale.factor);
	return signed(isNegative, shifted(scaled, scale.zeros));
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Digits of every script, raised digits and characters that are fractions, in ASCII. */
export function asciiDigits(text: string): string {
	return text
		.replace(/[⁺⁻]?[⁰¹²³⁴-⁹]+/g, (raised) => {
			const digits = [...raised].map((one) => (one === "⁻" ? "-" : one === "⁺" ? "" : SUPERSCRIPTS.indexOf(one)));
			return `^${digits.join("")}`;
		})
		.replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, " ")
		.normalize("NFKC")
		.replaceAll("⁄", "/")
		.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOfDigit(digit)));
}

/** Each script's digits stand in a row, from 0 to 9. */
function valueOfDigit(digit: string): number {
	const code = digit.codePointAt(0) ?? 0;
	let value = 0;
	while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
	return value;
}
