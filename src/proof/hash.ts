// The hash primitives of docs/proofs.md: H over bytes, texts and typed objects.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./canonical.ts";

/** `sha256:` and 64 lower-case hex digits. */
export type Hash = `sha256:${string}`;

/** H(bytes): `sha256:` + hex of SHA-256. */
export function hashBytes(bytes: Uint8Array): Hash {
	return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** H over the UTF-8 bytes of a text as it is: no trimming, no normalization. */
export function hashText(text: string): Hash {
	return hashBytes(utf8ToBytes(text));
}

/** H(C(object)). The `type` member keeps one kind of object from being passed off as another. */
export function hashObject(object: { type: string } & Record<string, unknown>): Hash {
	return hashText(canonicalJson(object));
}
