// The hash primitives of docs/proofs.md: H over bytes, texts and typed objects.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./canonical.ts";

/** `sha256:` and 64 lower-case hex digits. */
export type Hash = `sha256:${string}`;

/** A complete hash in lower case. */
export const HASH_FORM = /^sha256:[0-9a-f]{64}$/;

/** A SHA-256 digest in the form of `H`. */
export function asHash(digest: Uint8Array): Hash {
	return `sha256:${bytesToHex(digest)}`;
}

/** The 32 bytes of a hash in the form of `H`; null for any other text. */
export function toDigest(hash: string): Uint8Array | null {
	return HASH_FORM.test(hash) ? hexToBytes(hash.slice("sha256:".length)) : null;
}

/** H(bytes): `sha256:` and the hex digits of SHA-256. */
export function hashBytes(bytes: Uint8Array): Hash {
	return asHash(sha256(bytes));
}

/** H over the UTF-8 bytes of a text, without trimming or normalization. */
export function hashText(text: string): Hash {
	return hashBytes(utf8ToBytes(text));
}

/** Longer texts are worth the detour over the platform. */
const LONG_TEXT_CHARS = 4_096;

/** {@link hashText} for texts that may be long: the platform hashes one of some MiB twenty times as fast. */
export async function hashLongText(text: string): Promise<Hash> {
	if (text.length < LONG_TEXT_CHARS) return hashText(text);
	return asHash(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/**
 * H(C(object)). The `type` member keeps objects of one kind from passing as another.
 * @throws NotCanonicalError for anything JCS cannot represent.
 */
export function hashObject(object: { type: string } & Record<string, unknown>): Hash {
	return hashText(canonicalJson(object));
}
