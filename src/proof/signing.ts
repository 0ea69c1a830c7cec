// Ed25519 signatures (RFC 8032) and the public keys that verify them. WebCrypto signs and verifies; noble derives
// public keys, and signs where the code cannot await. ed25519-encoding.ts decides which encodings are refused.
import { getPublicKey, hashes, sign } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { isSoundPoint, isSoundScalar } from "./ed25519-encoding.ts";

hashes.sha512 = sha512;

/** DER header of a PKCS #8 Ed25519 private key (RFC 8410, section 7): the 32-byte seed follows. */
const PKCS8_HEADER = hexToBytes("302e020100300506032b657004220420");
/** DER header of a SubjectPublicKeyInfo for Ed25519 (RFC 8410, section 4): the 32 raw bytes follow. */
const SPKI_HEADER = hexToBytes("302a300506032b6570032100");

/** WebCrypto's types require bytes that no other thread shares. */
type UnsharedBytes = Uint8Array<ArrayBuffer>;

/** Bytes that one call turns into characters: each is an argument, and a call takes some ten thousand. */
const BYTES_PER_CALL = 8_192;

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
	let binary = "";
	for (let at = 0; at < bytes.length; at += BYTES_PER_CALL)
		binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_PER_CALL));
	return btoa(binary);
}

const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The six bits of each base64 character by its code; 64 for any other character. */
const SEXTETS = Uint8Array.from({ length: 128 }, (_, code) => {
	const value = BASE64_DIGITS.indexOf(String.fromCharCode(code));
	return value < 0 ? 64 : value;
});

/**
 * The bytes of a standard base64 string with padding; null for anything else. A signature must have exactly one form,
 * but `atob` also accepts white space, missing padding and stray bits. Decoding here takes a tenth of the time of
 * `atob` and back, which matters for a chain of ten thousand signatures.
 */
export function fromBase64(text: string): UnsharedBytes | null {
	if (text.length % 4 !== 0) return null;
	const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
	const digits = text.length - padding;
	const bytes = new Uint8Array((text.length / 4) * 3 - padding);
	let bits = 0;
	let pending = 0;
	let written = 0;
	for (let at = 0; at < digits; at++) {
		const sextet = SEXTETS[text.charCodeAt(at)] ?? 64;
		if (sextet === 64) return null;
		bits = ((bits << 6) | sextet) & 0xffff;
		pending += 6;
		if (pending < 8) continue;
		pending -= 8;
		bytes[written++] = bits >> pending;
	}
	return (bits & ((1 << pending) - 1)) === 0 ? bytes : null;
}

/** First 16 hex digits of SHA-256 over the 32 raw public-key bytes. */
export function toKeyId(publicKey: Uint8Array): string {
	return bytesToHex(sha256(publicKey)).slice(0, 16);
}

/** One public key in the forms that common tools read. */
export interface PublicKeyEntry {
	key_id: string;
	status: "current" | "retired";
	/** 32 raw bytes, standard base64. */
	public_key: string;
	/** SubjectPublicKeyInfo. */
	pem: string;
	/** RFC 8037. */
	jwk: { kty: "OKP"; crv: "Ed25519"; x: string; kid: string; use: "sig"; alg: "EdDSA" };
}

/**
 * The published forms of a public key.
 * @param publicKey 32 raw bytes.
 */
export function toPublicKeyEntry(publicKey: Uint8Array, status: PublicKeyEntry["status"]): PublicKeyEntry {
	const raw = toBase64(publicKey);
	const key_id = toKeyId(publicKey);
	const der = toBase64(new Uint8Array([...SPKI_HEADER, ...publicKey]));
	return {
		key_id,
		status,
		public_key: raw,
		pem: `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`,
		jwk: {
			kty: "OKP",
			crv: "Ed25519",
			x: raw.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
			kid: key_id,
			use: "sig",
			alg: "EdDSA",
		},
	};
}

/** Signs with the service's current key. */
export interface Signer {
	keyId: string;
	publicKey: Uint8Array;
	/** Signature over the UTF-8 bytes of `text`, standard base64 with padding. */
	sign(text: string): Promise<string>;
	/** The same signature without waiting (RFC 8032 is deterministic). Made by noble, which is slower than `sign`. */
	signSync(text: string): string;
}

/** @param seed 32 bytes, the RFC 8032 private key. */
export function createSigner(seed: Uint8Array): Signer {
	const publicKey = getPublicKey(seed);
	const pkcs8 = new Uint8Array([...PKCS8_HEADER, ...seed]);
	const imported = crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
	return {
		keyId: toKeyId(publicKey),
		publicKey,
		async sign(text) {
			const signature = await crypto.subtle.sign("Ed25519", await imported, utf8ToBytes(text) as UnsharedBytes);
			return toBase64(new Uint8Array(signature));
		},
		signSync: (text) => toBase64(sign(utf8ToBytes(text), seed)),
	};
}

/** Verifies signatures of one key, which is imported once. */
export interface Verifier {
	/** Whether `signature` (standard base64 with padding) is valid over the UTF-8 bytes of `text`. Never throws. */
	verify(text: string, signature: string): Promise<boolean>;
	/** Whether 64 raw bytes are a valid signature over `message`. Never throws. */
	verifyBytes(message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

async function importPublicKey(publicKey: Uint8Array): Promise<CryptoKey | null> {
	try {
		return await crypto.subtle.importKey("raw", publicKey as UnsharedBytes, "Ed25519", false, ["verify"]);
	} catch {
		// Some platforms refuse bytes that are not on the curve here, others when verifying.
		return null;
	}
}

/**
 * Verifies as docs/proofs.md, "Signing keys", defines: S < L, A and R canonical and neither of small order, then the
 * native verification. Under an invalid key, every signature is false.
 * @param publicKey 32 raw bytes.
 */
export function createVerifier(publicKey: Uint8Array): Verifier {
	const soundKey = isSoundPoint(publicKey);
	// The key is cached, not its promise: on Workers, one request must not wait for another's promise.
	let key: CryptoKey | null | undefined;
	const verifyBytes: Verifier["verifyBytes"] = async (message, signature) => {
		if (!soundKey || signature.length !== 64) return false;
		if (!isSoundPoint(signature.subarray(0, 32)) || !isSoundScalar(signature.subarray(32))) return false;
		if (key === undefined) key = await importPublicKey(publicKey);
		return key !== null && crypto.subtle.verify("Ed25519", key, signature as UnsharedBytes, message as UnsharedBytes);
	};
	return {
		async verify(text, signature) {
			const bytes = fromBase64(signature);
			return bytes !== null && verifyBytes(utf8ToBytes(text), bytes);
		},
		verifyBytes,
	};
}

/**
 * Verifies one Ed25519 signature over the UTF-8 bytes of `text`. For many signatures of one key, use `createVerifier`.
 * @param publicKey 32 raw bytes.
 */
export async function verifySignature(publicKey: Uint8Array, text: string, signature: string): Promise<boolean> {
	return createVerifier(publicKey).verify(text, signature);
}
