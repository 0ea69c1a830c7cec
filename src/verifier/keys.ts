// Reads trusted public keys in the forms that people save them in.
import * as z from "zod";
import { fromBase64, toKeyId } from "../proof/signing.ts";

/** 32 raw bytes each. */
export type PublicKeys = readonly Uint8Array[];

/** Base64 of the 12 bytes before the key in a SubjectPublicKeyInfo for Ed25519 (RFC 8410, section 4). */
const SPKI_BASE64_PREFIX = "MCowBQYDK2VwAyEA";
const KEY_BYTES = 32;

const publishedKeysSchema = z.looseObject({ keys: z.array(z.looseObject({ public_key: z.string() })) });

function parseRawKey(text: string): Uint8Array | null {
	const bytes = fromBase64(text.replace(/\s/g, ""));
	return bytes?.length === KEY_BYTES ? bytes : null;
}

function parsePemKey(body: string): Uint8Array | null {
	const der = body.replace(/\s/g, "");
	return der.startsWith(SPKI_BASE64_PREFIX) ? parseRawKey(der.slice(SPKI_BASE64_PREFIX.length)) : null;
}

function parsePublishedKeys(text: string): (Uint8Array | null)[] {
	try {
		return publishedKeysSchema.parse(JSON.parse(text)).keys.map(({ public_key }) => parseRawKey(public_key));
	} catch {
		return [null];
	}
}

/** The keys in a text; null for each that is not valid. */
function parseKeys(text: string): (Uint8Array | null)[] {
	// The published answer also contains the keys as PEM.
	if (text.trimStart().startsWith("{")) return parsePublishedKeys(text);
	const pems = [...text.matchAll(/-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----/g)];
	return pems.length > 0 ? pems.map(([, body = ""]) => parsePemKey(body)) : [parseRawKey(text)];
}

/**
 * Reads public keys: one as base64, PEM, or the answer of `GET /v1/proof/pubkey`.
 * @returns null when any of them is not an Ed25519 key.
 */
export function readPublicKeys(text: string): PublicKeys | null {
	const parsed = parseKeys(text);
	const keys = parsed.filter((key) => key !== null);
	return keys.length > 0 && keys.length === parsed.length ? keys : null;
}

/** The ids of keys, for people. */
export function listKeyIds(keys: PublicKeys): string {
	return keys.map(toKeyId).join(", ");
}
