// Secret API keys: `svc_sk_`, 40 base62 characters of randomness, 6 of CRC-32. Only an HMAC of a key is ever stored.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const KEY_PREFIX = "svc_sk_";
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_SHAPE = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** CRC-32 (ISO-HDLC, the one of zip and PNG) of ASCII text. */
function crc32(text: string): number {
	let crc = 0xffffffff;
	for (let i = 0; i < text.length; i++) {
		crc ^= text.charCodeAt(i);
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return (crc ^ 0xffffffff) >>> 0;
}

function checksum(random: string): string {
	let rest = crc32(random);
	let digits = "";
	for (let i = 0; i < CHECKSUM_LENGTH; i++) {
		digits = ALPHABET.charAt(rest % 62) + digits;
		rest = Math.floor(rest / 62);
	}
	return digits;
}

/**
 * A new key.
 * @param randomBytes cryptographically random bytes, as many as asked for.
 */
export function generateApiKey(randomBytes: (count: number) => Uint8Array): string {
	let random = "";
	while (random.length < RANDOM_LENGTH) {
		for (const byte of randomBytes(64)) {
			// 248 = 4 × 62: the bytes from there on would favour the first letters.
			if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET.charAt(byte % 62);
		}
	}
	return KEY_PREFIX + random + checksum(random);
}

/** Whether a text has a key's shape and checksum. Tells typing errors from unknown keys without a lookup. */
export function isWellFormedApiKey(text: string): boolean {
	if (!KEY_SHAPE.test(text)) return false;
	const random = text.slice(KEY_PREFIX.length, KEY_PREFIX.length + RANDOM_LENGTH);
	return checksum(random) === text.slice(-CHECKSUM_LENGTH);
}

/** HMAC-SHA-256 of a key under the service's pepper, hex. Keys are stored and looked up by it. */
export function apiKeyDigest(pepper: string, key: string): string {
	return bytesToHex(hmac(sha256, utf8ToBytes(pepper), utf8ToBytes(key)));
}
