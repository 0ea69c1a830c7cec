// The row numbers of requests: made of an id's time and of the first bits of its random half, so that an id leads to its row and rows lie in
// the order of their ids, without an index. Pure.

/** 2020-01-01. Numbers count from here, and stay exact integers of JavaScript for 69 years. */
const EPOCH_MS = 1_577_836_800_000;
/** Numbers of one millisecond. */
const NUMBERS_PER_MS = 4_096;
/** Requests whose ids have one number have this and the next ones, so many at most. */
export const MOST_COLLISIONS = 1_000;
/** Crockford's Base32, as in ULIDs. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_DIGITS = 10;
/** Of the random half: together 15 bits, of which 12 count. */
const RANDOM_DIGITS = 3;
const DROPPED = 8;

/** Row numbers from one on, and before another one. */
export interface NumberRange {
	from: number;
	before: number;
}

/** The first number of a time, ms since the epoch. Times before 2020 share 0. */
export function firstNumberAt(atMs: number): number {
	return Math.max(0, Math.floor(atMs) - EPOCH_MS) * NUMBERS_PER_MS;
}

/** The time of a number, ms since the epoch. */
export function numberTimeMs(n: number): number {
	return EPOCH_MS + Math.floor(n / NUMBERS_PER_MS);
}

function fromDigits(digits: string): number {
	let value = 0;
	for (const digit of digits) value = value * 32 + DIGITS.indexOf(digit);
	return value;
}

/**
 * The number that a request's row has, unless rows of the same number were there before: then it has the next free one.
 * @param id four characters, such as `svc-`, and a ULID.
 */
export function requestNumber(id: string): number {
	const time = fromDigits(id.slice(4, 4 + TIME_DIGITS));
	const random = fromDigits(id.slice(4 + TIME_DIGITS, 4 + TIME_DIGITS + RANDOM_DIGITS));
	return firstNumberAt(time) + Math.floor(random / DROPPED);
}
