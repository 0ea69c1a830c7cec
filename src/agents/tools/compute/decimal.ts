// Decimal numbers of the tool compute: exact sums, differences and products, so that money stays what it is. 34 significant digits as
// IEEE 754 decimal128; a result with more is rounded half to even. Zeros behind the point are kept: 12.50 + 7.50 is 20.00. Pure.

/** Significant digits of a result. */
export const DECIMAL_DIGITS = 34;
/** Digits before the point, and behind it. Beyond, a number is too large, or rounded. */
const MAX_INTEGER_DIGITS = 100;
const MAX_SCALE = 100;
/** A text that is longer is no number. */
const MAX_NUMBER_CHARS = 200;
/** The scale of an exponent is bounded before a power of ten is made of it. */
const MAX_EXPONENT = 400;

/** The number `coefficient / 10^scale`. */
export interface Decimal {
	coefficient: bigint;
	/** From 0 to 100. */
	scale: number;
}

/** A calculation without a result, in words. */
export class DecimalError extends Error {}

const POWERS: bigint[] = [1n];

function tenTo(exponent: number): bigint {
	for (let next = POWERS.length; next <= exponent; next++) POWERS.push((POWERS[next - 1] ?? 1n) * 10n);
	return POWERS[exponent] ?? 1n;
}

const absolute = (value: bigint) => (value < 0n ? -value : value);

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
	const quotient = dividend / divisor;
	const twice = 2n * absolute(dividend % divisor);
	const size = absolute(divisor);
	if (twice < size || (twice === size && quotient % 2n === 0n)) return quotient;
	return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/** Within the digits that are kept. @param scale may be negative. */
function toDecimal(coefficient: bigint, scale: number): Decimal {
	const digits = absolute(coefficient).toString().length;
	const surplus = Math.max(0, digits - DECIMAL_DIGITS, scale - MAX_SCALE);
	let kept = surplus === 0 ? coefficient : divideHalfEven(coefficient, tenTo(surplus));
	if (kept === 0n && surplus > 0) return { coefficient: 0n, scale: 0 };
	let keptScale = scale - surplus;
	if (digits - scale > MAX_INTEGER_DIGITS && kept !== 0n)
		throw new DecimalError(`the result has more than ${MAX_INTEGER_DIGITS} digits before the point`);
	if (keptScale < 0) {
		kept *= tenTo(-keptScale);
		keptScale = 0;
	}
	return { coefficient: kept, scale: keptScale };
}

export const decimalFrom = (integer: number | bigint): Decimal => ({ coefficient: BigInt(integer), scale: 0 });

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** A number as JSON writes it; null for another text. Codes such as `0017` are none. */
export function parseDecimal(text: string): Decimal | null {
	if (text.length > MAX_NUMBER_CHARS) return null;
	const [whole, fraction = "", exponent = "0"] = PLAIN_NUMBER.exec(text) ?? [];
	if (whole === undefined) return null;
	const shift = Number(exponent);
	if (Math.abs(shift) > MAX_EXPONENT) return null;
	const mantissa = /^[^eE]*/.exec(whole)?.[0].replace(".", "") ?? "0";
	try {
		return toDecimal(BigInt(mantissa), fraction.length - shift);
	} catch (error) {
		if (error instanceof DecimalError) return null;
		throw error;
	}
}

export function renderDecimal({ coefficient, scale }: Decimal): string {
	const digits = absolute(coefficient)
		.toString()
		.padStart(scale + 1, "0");
	const sign = coefficient < 0n ? "-" : "";
	return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Equal numbers have one text: without zeros behind the point. */
export function decimalKey(value: Decimal): string {
	const text = renderDecimal(value);
	return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
	const scale = Math.max(a.scale, b.scale);
	return [a.coefficient * tenTo(scale - a.scale), b.coefficient * tenTo(scale - b.scale), scale];
}

export function compareDecimals(a: Decimal, b: Decimal): number {
	const [left, right] = aligned(a, b);
	return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
	const [left, right, scale] = aligned(a, b);
	return toDecimal(left + right, scale);
}

export const negateDecimal = ({ coefficient, scale }: Decimal): Decimal => ({ coefficient: -coefficient, scale });

export const subtractDecimals = (a: Decimal, b: Decimal): Decimal => addDecimals(a, negateDecimal(b));

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal =>
	toDecimal(a.coefficient * b.coefficient, a.scale + b.scale);

/** Without needless zeros, but not under a scale. */
function trimZeros({ coefficient, scale }: Decimal, leastScale: number): Decimal {
	let trimmed = coefficient;
	let left = scale;
	while (left > leastScale && trimmed % 10n === 0n) {
		trimmed /= 10n;
		left--;
	}
	return { coefficient: trimmed, scale: left };
}

export function divideDecimals(a: Decimal, b: Decimal): Decimal {
	if (b.coefficient === 0n) throw new DecimalError("division by zero");
	const missing = DECIMAL_DIGITS + absolute(b.coefficient).toString().length;
	const [dividend, scale] = [a.coefficient * tenTo(missing), a.scale + missing - b.scale];
	// A quotient that goes on is told from one that ends by a digit more, so that it is rounded once.
	const quotient = dividend / b.coefficient;
	const rest = dividend % b.coefficient === 0n ? 0n : dividend < 0n === b.coefficient < 0n ? 1n : -1n;
	return trimZeros(toDecimal(quotient * 10n + rest, scale + 1), Math.max(0, a.scale - b.scale));
}

/** What is left of a division without a fraction, with the sign of the dividend. */
export function decimalRemainder(a: Decimal, b: Decimal): Decimal {
	if (b.coefficient === 0n) throw new DecimalError("division by zero");
	const [left, right, scale] = aligned(a, b);
	return toDecimal(left % right, scale);
}

export type Rounding = "half_up" | "half_even" | "down" | "floor" | "ceil";

/** The quotient without a fraction, as it is rounded. `half_up` is commercial: halves go away from zero. */
function divideRounded(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
	if (rounding === "half_even") return divideHalfEven(dividend, divisor);
	const quotient = dividend / divisor;
	const rest = dividend % divisor;
	if (rest === 0n || rounding === "down") return quotient;
	const away = dividend < 0n ? quotient - 1n : quotient + 1n;
	if (rounding === "half_up") return 2n * absolute(rest) >= divisor ? away : quotient;
	return (rounding === "floor") === dividend < 0n ? away : quotient;
}

/** @param places behind the point, 0 to 34. */
export function roundDecimal({ coefficient, scale }: Decimal, places: number, rounding: Rounding): Decimal {
	if (scale <= places) return toDecimal(coefficient * tenTo(places - scale), places);
	return { coefficient: divideRounded(coefficient, tenTo(scale - places), rounding), scale: places };
}

/** @param exponent a whole number from -1000 to 1000. */
export function raiseDecimal(base: Decimal, exponent: number): Decimal {
	let result = decimalFrom(1);
	let square = base;
	for (let left = Math.abs(exponent); left > 0; left = Math.floor(left / 2)) {
		if (left % 2 === 1) result = multiplyDecimals(result, square);
		if (left > 1) square = multiplyDecimals(square, square);
	}
	return exponent < 0 ? divideDecimals(decimalFrom(1), result) : result;
}

/** By Newton's method on integers. */
export function decimalRoot(value: Decimal): Decimal {
	if (value.coefficient < 0n) throw new DecimalError("the square root of a negative number");
	if (value.coefficient === 0n) return value;
	const scale = value.scale % 2 === 0 ? value.scale : value.scale + 1;
	const more = 2 * DECIMAL_DIGITS;
	const square = value.coefficient * tenTo(scale - value.scale + more);
	let root = tenTo(Math.ceil(square.toString().length / 2));
	for (let next = (root + square / root) / 2n; next < root; next = (root + square / root) / 2n) root = next;
	const exact = root * root === square;
	return trimZeros(toDecimal(exact ? root : root * 10n + 1n, (scale + more) / 2 + (exact ? 0 : 1)), 0);
}

/** The number as JavaScript has it, for counts and places; null where it is not whole, or not exact. */
export function toWholeNumber(value: Decimal): number | null {
	const key = decimalKey(value);
	const number = Number(key);
	return /^-?\d+$/.test(key) && Number.isSafeInteger(number) ? number : null;
}
