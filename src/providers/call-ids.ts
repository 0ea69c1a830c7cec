// Ids of tool calls in the form that a provider takes. The mapping is fixed, so a call and its result keep the same id.
// Pure.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** A provider's rule for ids. */
export interface CallIdRule {
	pattern: RegExp;
	/** Length of an id made by the rule, in letters and digits. */
	digits: number;
}

/** OpenAI takes ids of at most 40 characters. The other providers of its format are no stricter. */
export const OPENAI_IDS: CallIdRule = { pattern: /^[A-Za-z0-9_-]{1,40}$/, digits: 24 };
export const MISTRAL_IDS: CallIdRule = { pattern: /^[A-Za-z0-9]{9}$/, digits: 9 };
export const ANTHROPIC_IDS: CallIdRule = { pattern: /^[A-Za-z0-9_-]{1,64}$/, digits: 24 };

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A short id for a text: the first `length` bytes of its SHA-256, one base62 digit each. At most 32; no proof relies on it. */
export function shortDigest(text: string, length: number): string {
	return [...sha256(utf8ToBytes(text)).subarray(0, length)].map((byte) => BASE62.charAt(byte % 62)).join("");
}

/** The id itself where the rule allows it, else one derived from it. The same id always gives the same result. */
export function callIdFor(id: string, { pattern, digits }: CallIdRule): string {
	return pattern.test(id) ? id : shortDigest(id, digits);
}
