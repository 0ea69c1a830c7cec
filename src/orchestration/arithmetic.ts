// Works out the arithmetic that a prompt asks for and nothing else, so that an answer can be checked without a model. Exact: fractions
// of whole numbers. What it does not read for certain it leaves alone. Pure; takes bounded time.

/** The words around an expression, in several languages; with any other word, something else may be asked. */
const FRAME =
	/^(?:(?:please|bitte|por favor|per favore|s'il te plaît)[ ,]*)?(?:what(?:'s| is| does)?|how much is|calculate|compute|evaluate|work out|solve|was (?:ist|ergibt)|wie ?viel (?:ist|ergibt)|berechne|combien (?:font|fait)|calcule[rz]?|calcula(?:te)?|cu[aá]nto (?:es|son)|quanto (?:fa|é|dá)|ile (?:to|jest)|oblicz|сколько будет|вычисли|посчитай|计算|等于多少|を計算して(?:ください)?)?[\s:]*§(?:\s*(?:equal|make|ergibt|等于多少|等于几|は|を計算して(?:ください)?|はいくつですか))?[\s=?.!？。]*$/iu;
const EXPRESSION = /[-−+(]*\d(?:[\d\s.,()+*/×÷·^−-]|(?<=[\d)]\s?)x(?=\s?[\d(]))*[\d)]/gu;
const MAX_PROMPT_CHARS = 200;
const MAX_TOKENS = 60;
/** Of a number as it is written, and of whatever is worked out. */
const MAX_NUMBER_DIGITS = 18;
const MAX_RESULT_BITS = 400;
const MAX_EXPONENT = 64n;

/** Above and below the line; the lower one is positive. */
type Fraction = readonly [above: bigint, below: bigint];

const WRITTEN_NUMBER = /^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/;

function readNumber(written: string): Fraction | null {
	if (!WRITTEN_NUMBER.test(written) || written.replace(/\D/g, "").length > MAX_NUMBER_DIGITS) return null;
	const [whole = "", decimals = ""] = written.replaceAll(",", "").split(".");
	return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)];
}

function bitLength(value: bigint): number {
	return value.toString(16).length * 4;
}

/** A fraction with a positive lower part; null where it has no value or grows too long. */
function toFraction(above: bigint, below: bigint): Fraction | null {
	if (below === 0n || bitLength(above) > MAX_RESULT_BITS || bitLength(below) > MAX_RESULT_BITS) return null;
	return below < 0n ? [-above, -below] : [above, below];
}

function raise([above, below]: Fraction, [exponent, one]: Fraction): Fraction | null {
	if (exponent % one !== 0n) return null;
	const power = exponent / one;
	if (power < 0n || power > MAX_EXPONENT || Number(power) * bitLength(above > below ? above : below) > MAX_RESULT_BITS)
		return null;
	return toFraction(above ** power, below ** power);
}

/** Reads sums of products of powers, as they are written. Every method is null where the rest is not one. */
class ExpressionReader {
	readonly #tokens: readonly string[];
	#at = 0;

	constructor(tokens: readonly string[]) {
		this.#tokens = tokens;
	}

	/** The value of all tokens. */
	readAll(): Fraction | null {
		const value = this.#sum();
		return this.#at === this.#tokens.length ? value : null;
	}

	#take(...wanted: string[]): string | null {
		const token = this.#tokens[this.#at];
		if (token === undefined || !wanted.includes(token)) return null;
		this.#at++;
		return token;
	}

	#sum(): Fraction | null {
		let left = this.#product();
		for (let sign = this.#take("+", "-"); left && sign; sign = this.#take("+", "-")) {
			const right = this.#product();
			if (!right) return null;
			const added = sign === "+" ? right[0] : -right[0];
			left = toFraction(left[0] * right[1] + added * left[1], left[1] * right[1]);
		}
		return left;
	}

	#product(): Fraction | null {
		let left = this.#signed();
		for (let sign = this.#take("*", "/"); left && sign; sign = this.#take("*", "/")) {
			const right = this.#signed();
			if (!right) return null;
			const [above, below] = sign === "*" ? right : [right[1], right[0]];
			left = toFraction(left[0] * above, left[1] * below);
		}
		return left;
	}

	#signed(): Fraction | null {
		if (!this.#take("-")) return this.#power();
		const value = this.#signed();
		return value && [-value[0], value[1]];
	}

	#power(): Fraction | null {
		const base = this.#atom();
		if (!base || !this.#take("^")) return base;
		const exponent = this.#signed();
		return exponent && raise(base, exponent);
	}

	#atom(): Fraction | null {
		if (this.#take("(")) {
			const value = this.#sum();
			return this.#take(")") ? value : null;
		}
		const token = this.#tokens[this.#at++];
		return token === undefined ? null : readNumber(token);
	}
}

const SIGNS: Readonly<Record<string, string>> = { "×": "*", "·": "*", x: "*", "÷": "/", "−": "-", "**": "^" };

/** The value that a prompt asks for; null unless it is one expression with an operator, in a frame of a few words. */
function workOut(prompt: string): Fraction | null {
	if (prompt.length > MAX_PROMPT_CHARS) return null;
	const found = [...prompt.matchAll(EXPRESSION)];
	const [only] = found;
	if (!only || found.length > 1 || !FRAME.test(prompt.trim().replace(only[0], "§"))) return null;
	const tokens = (only[0].match(/\*\*|[\d.,]+|\S/gu) ?? []).map((token) => SIGNS[token] ?? token);
	if (tokens.length > MAX_TOKENS || !tokens.some((token) => /^[-+*/^]$/.test(token))) return null;
	return new ExpressionReader(tokens).readAll();
}

/** Fewer decimals of a fraction that does not end are too few to tell. */
const MIN_ROUNDED_DECIMALS = 2;

/**
 * Whether a number is what a prompt's arithmetic comes to, or that rounded to two decimals or more; null where the prompt asks for
 * anything else.
 * @param value in its plain form (numeral.ts).
 */
export function checkArithmetic(prompt: string, value: string): boolean | null {
	const written = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value);
	const worked = written && workOut(prompt);
	if (!written || !worked) return null;
	const [, sign, whole = "", decimals = ""] = written;
	const scale = 10n ** BigInt(decimals.length);
	const said = BigInt(whole + decimals) * (sign === "-" ? -1n : 1n);
	const off = said * worked[1] - worked[0] * scale;
	if (off === 0n) return true;
	return decimals.length >= MIN_ROUNDED_DECIMALS && (off < 0n ? -off : off) * 2n <= worked[1];
}
