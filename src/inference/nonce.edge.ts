// Draws the nonce of a request's prompts (material.ts).
import { bytesToHex } from "@noble/hashes/utils.js";
import { NONCE_DIGITS } from "./material.ts";

/** A random nonce, hex. */
export function createNonce(): string {
	return bytesToHex(crypto.getRandomValues(new Uint8Array(NONCE_DIGITS / 2)));
}
