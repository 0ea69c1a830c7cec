// Brings numbers as people, models and LaTeX write them into one plain form, so that equal numbers are equal strings. Which number
// is a text's answer is left to final-answer.ts. Pure.

const PLAIN_DECIMAL = "\\d{1,3}(?:,\\d{2,3})*,\\d{3}(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+";
/** Dots between thousands, where they are unambiguous: two of them, or one before a decimal comma. */
const DOTTED_DECIMAL = "\\d{1,3}(?:\\.\\d{3}){2,}(?:,\\d+)?|\\d{1,3}\\.\\d{3},\\d+";
const POWER_OF_TEN = "10\\s?\\^\\s?[({]?([-+−]?\\d{1,3})[)}]?";
/** A sign, not the hyphen of a range. */
const SIGN = "(?:(?<![\\w)])[-+−]\\s?)?";

/**
 * A number: 1,234.5 · 1.234.567 · 1,00,000 · .5 · 3/4 · 2 3/4 · 1.5e3 · 3 × 10^8 · 10^5. The digits of a name, an index or an
 * exponent (H2O, cm^2) are no number.
 */
const NUMERAL = new RegExp(
	`(?<![A-Za-z^_\\d]|\\d[.,])${SIGN}(?:${POWER_OF_TEN}|(\\d+)\\s(\\d+)/(\\d+)(?![\\d/])|(${DOTTED_DECIMAL}|${PLAIN_DECIMAL})(?:[eE]([-+]?\\d{1,3})(?!\\w)|\\s?[×x*·]\\s?${POWER_OF_TEN}|\\s?/\\s?(\\d+(?:\\.\\d+)?))?)`,
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

/** Moves the point of a decimal to the right and drops needless zeros. No digit is lost, however many there are. */
function shiftPoint(decimal: string, zeros: number): string {
	const [whole = "", fraction = ""] = decimal.split(".");
	const digits = whole + fraction;
	const point = whole.length + zeros;
	const padded = point < 0 ? "0".repeat(-point) + digits : digits.padEnd(point, "0");
	const at = Math.max(point, 0);
	const [above, below] = [padded.slice(0, at).replace(/^0+(?=\d)/, "") || "0", padded.slice(at).replace(/0+$/, "")];
	return below === "" ? above : `${above}.${below}`;
}

function withSign(isNegative: boolean, plain: string): string {
	return isNegative && plain !== "0" ? `-${plain}` : plain;
}

/** A quotient to nine digits; null if it has no finite value. */
function quotient(above: number, below: number): string | null {
	const value = above / below;
	return Number.isFinite(value) ? String(Number(value.toPrecision(9))) : null;
}

/** A longer fraction is rounded like a quotient, since a double cannot tell its digits apart. */
const MAX_FRACTION_DIGITS = 15;

function roundLongFraction(decimal: string): string {
	const isLong = decimal.includes(".") && decimal.length > MAX_FRACTION_DIGITS + 1;
	return isLong ? (quotient(Number(decimal), 1) ?? decimal) : decimal;
}

function toPlainDecimal(written: string): string {
	const isDotted = new RegExp(`^(?:${DOTTED_DECIMAL})$`).test(written);
	return isDotted ? written.replaceAll(".", "").replace(",", ".") : written.replaceAll(",", "");
}

/** The plain form of a match of NUMERAL; null for a quotient without a finite value. */
function toPlainNumber(match: RegExpMatchArray): string | null {
	const [text, power, whole, numerator, denominator, decimal = "", exponent, timesPower, divisor] = match;
	const isNegative = /^[-−]/.test(text);
	const zerosOf = (written: string) => Number(written.replace("−", "-"));
	if (power !== undefined) return withSign(isNegative, shiftPoint("1", zerosOf(power)));
	if (whole !== undefined) {
		const part = quotient(Number(numerator), Number(denominator));
		return part && withSign(isNegative, String(Number((Number(whole) + Number(part)).toPrecision(9))));
	}
	const plain = roundLongFraction(toPlainDecimal(decimal));
	if (divisor !== undefined) {
		const value = quotient(Number(plain), Number(divisor));
		return value && withSign(isNegative, value);
	}
	return withSign(isNegative, shiftPoint(plain, zerosOf(exponent ?? timesPower ?? "0")));
}

/** A comma in the place of the point. Between several numbers it may be just a comma. */
const DECIMAL_COMMA = /(?<![\d.,])(\d+),(\d{1,2})(?![\d.,]*\d)/g;

/** The numbers in a text, each in its plain form, without those that have no finite value. */
export function findNumbers(text: string): string[] {
	return [...text.replace(DECIMAL_COMMA, "$1.$2").matchAll(NUMERAL)].flatMap((match) => toPlainNumber(match) ?? []);
}

/** Words of a unit behind a number, at most. */
const MAX_UNIT_WORDS = 3;
/** A unit with its exponents. A single letter that is no unit is a variable. */
const UNIT_WORD =
	/^(?:[%$€£¥₹]|°[A-Za-z]?|[mgshlLKAVWJNCFTtd]|\p{Script=Han}|[\p{L}/·.'’-]{2,}?)(?:\^?[({]?-?\d[)}]?)?(?:\/[\p{L}]{1,10}(?:\^?[({]?-?\d[)}]?)?)?$/u;
const CURRENCY_BEFORE = /^[\s$€£¥₹≈~=]*(?:(?:USD|US\$|EUR|GBP|INR|Rs\.?)\s*)?/i;
/** Thousands separated by spaces, in a text that is one number. */
const SPACED_THOUSANDS = /^([-+−]?\d{1,3}(?: \d{3})+)(?!\d)/;

function areUnits(words: readonly string[]): boolean {
	return words.length <= MAX_UNIT_WORDS && words.every((word) => UNIT_WORD.test(word));
}

/** The plain form of a text that is only a number, with a currency, a scale or a unit; null if it says more. */
export function parseSingleNumber(text: string): string | null {
	const before = CURRENCY_BEFORE.exec(text)?.[0] ?? "";
	const sign = /^[-−]\s?[$€£¥₹]/.test(text) ? "-" : "";
	const bare = (sign === "" ? text.slice(before.length) : text.replace(/^[-−]\s?[$€£¥₹]\s?/, "-")).replace(
		SPACED_THOUSANDS,
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
	const plain = toPlainNumber(match);
	if (plain === null || !areUnits(scale ? rest : first === "" ? [] : [first, ...rest])) return null;
	if (!scale) return plain;
	const isNegative = plain.startsWith("-");
	const scaled = scale.factor === 1 ? plain.replace("-", "") : String(Math.abs(Number(plain)) * scale.factor);
	return withSign(isNegative, shiftPoint(scaled, scale.zeros));
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Writes digits of every script, raised digits and fraction characters in ASCII. */
export function toAsciiDigits(text: string): string {
	return text
		.replace(/[⁺⁻]?[⁰¹²³⁴-⁹]+/g, (raised) => {
			const digits = [...raised].map((one) => (one === "⁻" ? "-" : one === "⁺" ? "" : SUPERSCRIPTS.indexOf(one)));
			return `^${digits.join("")}`;
		})
		.replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, " ")
		.normalize("NFKC")
		.replaceAll("⁄", "/")
		.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** The value of a digit: each script's digits have successive code points, from 0 to 9. */
function digitValue(digit: string): number {
	const code = digit.codePointAt(0) ?? 0;
	let value = 0;
	while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
	return value;
}
