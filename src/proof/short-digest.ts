// Short names of longer texts, of letters and digits only: not for proofs, for ids. Pure.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The first `length` base62 digits of a text's SHA-256; at most 32. */
export function shortDigest(text: string, length: number): string {
	return [...sha256(utf8ToBytes(text)).subarray(0, length)].map((byte) => BASE62.charAt(byte % 62)).join("");
}
