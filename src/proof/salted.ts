// Salted hashes of users' texts (docs/proofs.md, "Salted hashes"): receipts are public, and a bare hash confirms a guess.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { asHash, type Hash, hashBytes, hashText, LONG_TEXT_CHARS } from "./hash.ts";

const SALT_BYTES = 16;

/** A salt as it is shown: 32 lower-case hex digits. */
export const SALT_FORM = /^[0-9a-f]{32}$/;

const HASH_PREFIX = utf8ToBytes("svc.salted.v2\0");

/** HS(salt, text): H over a prefix, the salt and the UTF-8 bytes of the text. */
export function hashSalted(salt: string, text: string | Uint8Array): Hash {
	const bytes = typeof text === "string" ? utf8ToBytes(text) : text;
	return asHash(sha256.create().update(HASH_PREFIX).update(hexToBytes(salt)).update(bytes).digest());
}

/** {@link hashSalted} for texts that may be long, which the platform hashes twenty times as fast. */
export async function hashSaltedLong(salt: string, text: string | Uint8Array): Promise<Hash> {
	if (text.length < LONG_TEXT_CHARS) return hashSalted(salt, text);
	const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
	const head = [HASH_PREFIX, hexToBytes(salt)];
	const salted = new Uint8Array(HASH_PREFIX.length + SALT_BYTES + bytes.length);
	let at = 0;
	for (const part of [...head, bytes]) {
		salted.set(part, at);
		at += part.length;
	}
	return asHash(new Uint8Array(await crypto.subtle.digest("SHA-256", salted)));
}

/** Hashes one user's texts for one receipt. */
export type TextHash = (text: string) => Hash;

/** How texts are hashed under a salt; without one, as in version 1. */
export function textHash(salt: string | undefined): (text: string | Uint8Array) => Hash {
	if (salt !== undefined) return (text) => hashSalted(salt, text);
	return (text) => (typeof text === "string" ? hashText(text) : hashBytes(text));
}

/**
 * The salt of a request or a run.
 * @param dataKey the user's, 32 bytes.
 * @param id of the request or the run.
 */
export function receiptSalt(dataKey: Uint8Array, id: string): string {
	return bytesToHex(hmac(sha256, dataKey, utf8ToBytes(`svc.receipt-salt.v1\0${id}`)).slice(0, SALT_BYTES));
}
