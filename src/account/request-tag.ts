// Ids of requests and runs, which lead to their user's meter: half of a ULID's random bits hold the user's number, encrypted.
// So a receipt that D1 does not have yet is found at once, and a stranger learns nothing from an id, not even whether two ids
// are of one user. Pure; randomness is an argument.
//
// id = svc- or agt_ ‖ 48 bits of time ‖ 40 random bits r ‖ 40 bits (32-bit number ‖ 8 zero bits) XOR HMAC-SHA-256(key, time ‖ r)[0..5]
//
// The pad is fresh as long as (time, r) is. Two ids of one millisecond share it with a chance of 2⁻⁴⁰, and then show whether
// their users are the same. The zero bits tell our ids from others, except one in 256: the number is a hint where to look.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** `svc-` of a request, `agt_` of an agent's run. */
export type RequestIdPrefix = "svc-" | "agt_";
/** Crockford's Base32, as in ULIDs. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID_SHAPE = new RegExp(`^(?:svc-|agt_)([0-7][${DIGITS}]{9})([${DIGITS}]{8})([${DIGITS}]{8})$`);
const TIME_BYTES = 6;
/** Length of the random half, and of the tag. */
const HALF_BYTES = 5;
const TIME_DIGITS = 10;
const HALF_DIGITS = 8;
const MAX_USER_NUMBER = 2 ** 32 - 1;

/** The key of a service's tags. */
export type TagKey = ReturnType<typeof hmac.create>;

/** Derives the key from the service's pepper, which also keys the digests of API keys. */
export function deriveTagKey(pepper: string): TagKey {
	return hmac.create(sha256, hmac(sha256, utf8ToBytes(pepper), utf8ToBytes("svc.request-tag.v1")));
}

function toBytes(value: number, count: number): Uint8Array {
	const bytes = new Uint8Array(count);
	for (let i = count - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
	return bytes;
}

function fromBytes(bytes: Uint8Array): number {
	return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function toDigits(value: number, count: number): string {
	let digits = "";
	for (let i = 0, rest = value; i < count; i++, rest = Math.floor(rest / 32))
		digits = DIGITS.charAt(rest % 32) + digits;
	return digits;
}

function fromDigits(digits: string): number {
	return [...digits].reduce((value, digit) => value * 32 + DIGITS.indexOf(digit), 0);
}

/** The plain tag XOR its pad: encrypts and decrypts. */
function applyPad(key: TagKey, atMs: number, random: Uint8Array, plain: Uint8Array): Uint8Array {
	const pad = key.clone().update(toBytes(atMs, TIME_BYTES)).update(random).digest();
	return plain.map((byte, i) => byte ^ (pad[i] ?? 0));
}

/**
 * A request id of a user.
 * @param random five cryptographically random bytes.
 */
export function encodeRequestId(
	key: TagKey,
	userNumber: number,
	atMs: number,
	random: Uint8Array,
	prefix: RequestIdPrefix = "svc-",
): string {
	if (random.length !== HALF_BYTES || !Number.isInteger(userNumber) || userNumber < 0 || userNumber > MAX_USER_NUMBER) {
		throw new Error("a request id takes five random bytes and a number of 32 bits");
	}
	const tag = applyPad(key, atMs, random, toBytes(userNumber * 256, HALF_BYTES));
	return `${prefix}${toDigits(atMs, TIME_DIGITS)}${toDigits(fromBytes(random), HALF_DIGITS)}${toDigits(fromBytes(tag), HALF_DIGITS)}`;
}

/** The parts of an id. */
export interface RequestIdParts {
	/** When the request arrived, ms since the epoch. */
	atMs: number;
	/** The number of its user; null for an id without a tag under this key. */
	userNumber: number | null;
}

/** Reads an id; null for a text that is not an id. */
export function decodeRequestId(key: TagKey, id: string): RequestIdParts | null {
	const [, time = "", random = "", tag = ""] = ID_SHAPE.exec(id) ?? [];
	if (time === "") return null;
	const atMs = fromDigits(time);
	const plain = applyPad(key, atMs, toBytes(fromDigits(random), HALF_BYTES), toBytes(fromDigits(tag), HALF_BYTES));
	return { atMs, userNumber: plain[HALF_BYTES - 1] === 0 ? Math.floor(fromBytes(plain) / 256) : null };
}
