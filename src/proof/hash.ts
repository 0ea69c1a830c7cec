// The hash primitives of docs/proofs.md: H over bytes, texts and typed objects.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { utf8Length } from "../text/utf8.ts";
import type { Steps } from "../turns/steps.ts";
import { canonicalJson, canonicalPartsInSteps } from "./canonical.ts";

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
export const LONG_TEXT_CHARS = 4_096;
/** Encoding takes so much less time for a character than reading (turns/steps.ts): about 1 ns. */
const ENCODED_SHARE = 128;

/** Canonical JSON: a short one as text, a long one as its UTF-8 bytes. */
export function* encodeCanonicalInSteps(
	object: { type: string } & Record<string, unknown>,
): Steps<string | Uint8Array<ArrayBuffer>> {
	const parts = yield* canonicalPartsInSteps(object);
	const chars = parts.reduce((sum, part) => sum + part.length, 0);
	if (chars < LONG_TEXT_CHARS) return parts.join("");
	const bytes = new Uint8Array(parts.reduce((sum, part) => sum + utf8Length(part), 0));
	const encoder = new TextEncoder();
	let at = 0;
	for (const part of parts) {
		at += encoder.encodeInto(part, bytes.subarray(at)).written;
		yield Math.ceil(part.length / ENCODED_SHARE);
	}
	return bytes;
}

/**
 * H(C(object)). The `type` member keeps objects of one kind from passing as another.
 * @throws NotCanonicalError for anything JCS cannot represent.
 */
export function hashObject(object: { type: string } & Record<string, unknown>): Hash {
	return hashText(canonicalJson(object));
}
