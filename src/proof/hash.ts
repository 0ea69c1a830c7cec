// The hash primitives of docs/proofs.md: H over bytes, texts and typed objects.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./canonical.ts";

/** `sha256:` and 64 lower-case hex digits. */
export type Hash = `sha256:${string}`;

/** A whole hash; a cut one, or one in capitals, is none. */
export const HASH_FORM = /^sha256:[0-9a-f]{64}$/;

/** 32 bytes in the form of `H`. */
export function asHash(digest: Uint8Array): Hash {
	return `sha256:${bytesToHex(digest)}`;
}

/** The 32 bytes of a hash in the form of `H`; null for any other text. */
export function toDigest(hash: string): Uint8Array | null {
	return HASH_FORM.test(hash) ? hexToBytes(hash.slice("sha256:".length)) : null;
}

/** H(bytes): `sha256:` + hex of SHA-256. */
export function hashBytes(bytes: Uint8Array): Hash {
	return asHash(sha256(bytes));
}

/** H over the UTF-8 bytes of a text as it is: no trimming, no normalization. */
export function hashText(text: string): Hash {
	return hashBytes(utf8ToBytes(text));
}

/** H(C(object)). The `type` member keeps one kind of object from being passed off as another. */
export function hashObject(object: { type: string } & Record<string, unknown>): Hash {
	return hashText(canonicalJson(object));
}
