// Ed25519 signatures (RFC 8032) and the public keys that verify them. WebCrypto does the work; noble derives public keys.
import { getPublicKey, hashes } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

hashes.sha512 = sha512;

/** DER header of a PKCS #8 Ed25519 private key (RFC 8410, section 7): the 32-byte seed follows. */
const PKCS8_HEADER = hexToBytes("302e020100300506032b657004220420");
/** DER header of a SubjectPublicKeyInfo for Ed25519 (RFC 8410, section 4): the 32 raw bytes follow. */
const SPKI_HEADER = hexToBytes("302a300506032b6570032100");

/** Standard base64 with padding. */
export function base64(bytes: Uint8Array): string {
	return btoa(String.fromCharCode(...bytes));
}

/** The bytes of a standard base64 string, or null when it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
	try {
		return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
	} catch {
		return null;
	}
}

/** First 16 hex digits of SHA-256 over the 32 raw public-key bytes. */
export function keyIdOf(publicKey: Uint8Array): string {
	return bytesToHex(sha256(publicKey)).slice(0, 16);
}

/** One public key in every form that common tools read. */
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

/** @param publicKey 32 raw bytes. */
export function describePublicKey(publicKey: Uint8Array, status: PublicKeyEntry["status"]): PublicKeyEntry {
	const raw = base64(publicKey);
	const key_id = keyIdOf(publicKey);
	const der = base64(new Uint8Array([...SPKI_HEADER, ...publicKey]));
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

/** Signs with the current key. */
export interface Signer {
	keyId: string;
	publicKey: Uint8Array;
	/** Signature over the UTF-8 bytes of `text`, standard base64 with padding. */
	sign(text: string): Promise<string>;
}

/** @param seed 32 bytes, the RFC 8032 private key. */
export function createSigner(seed: Uint8Array): Signer {
	const publicKey = getPublicKey(seed);
	const pkcs8 = new Uint8Array([...PKCS8_HEADER, ...seed]);
	const imported = crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
	return {
		keyId: keyIdOf(publicKey),
		publicKey,
		async sign(text) {
			const signature = await crypto.subtle.sign(
				"Ed25519",
				await imported,
				utf8ToBytes(text) as Uint8Array<ArrayBuffer>,
			);
			return base64(new Uint8Array(signature));
		},
	};
}

/**
 * Verifies an Ed25519 signature over the UTF-8 bytes of `text`. A signature that is not 64 base64 bytes is false.
 * @param publicKey 32 raw bytes.
 */
export async function verifySignature(publicKey: Uint8Array, text: string, signature: string): Promise<boolean> {
	const bytes = fromBase64(signature);
	if (bytes?.length !== 64) return false;
	const key = await crypto.subtle.importKey("raw", publicKey as Uint8Array<ArrayBuffer>, "Ed25519", false, ["verify"]);
	return crypto.subtle.verify("Ed25519", key, bytes, utf8ToBytes(text) as Uint8Array<ArrayBuffer>);
}
