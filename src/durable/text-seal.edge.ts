// Seals texts before they are stored or given away: AES-GCM under a key that only this service can derive. What a text is for is
// bound to it by its name. Which key a user's texts have, meter/user-seal.edge.ts says.
import { StorageUnavailableError } from "../failure.ts";

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** What a sealed text has more than the text's UTF-8. */
export const SEAL_BYTES = IV_BYTES + TAG_BYTES;

/** WebCrypto's types require bytes that no other thread shares. */
type SealedBytes = Uint8Array<ArrayBuffer>;

const encode = (text: string): SealedBytes => new TextEncoder().encode(text) as SealedBytes;

const AES_GCM = { name: "AES-GCM", length: 256 };

/** HKDF-SHA-256 (RFC 5869) of KEY_PEPPER. @param purpose the key's `info`: what it seals, and for whom. */
async function deriveSealKey(keyPepper: string, purpose: string): Promise<CryptoKey> {
	const pepper = await crypto.subtle.importKey("raw", encode(keyPepper), "HKDF", false, ["deriveKey"]);
	const info = encode(purpose);
	const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info };
	return crypto.subtle.deriveKey(derivation, pepper, AES_GCM, false, ["encrypt", "decrypt"]);
}

/** Seals and opens what has one purpose. */
export class Seal {
	#toKey: () => Promise<CryptoKey>;
	#made: Promise<CryptoKey> | null = null;

	private constructor(toKey: () => Promise<CryptoKey>) {
		this.#toKey = toKey;
	}

	/** Under a key of KEY_PEPPER. @param purpose for instance `svc.console.v1`. What is sealed for one opens for no other. */
	static ofPepper(keyPepper: string, purpose: string): Seal {
		return new Seal(() => deriveSealKey(keyPepper, purpose));
	}

	/** Under a key of its own. @param key 32 bytes. */
	static ofKey(key: Uint8Array): Seal {
		return new Seal(() => crypto.subtle.importKey("raw", key as SealedBytes, AES_GCM, false, ["encrypt", "decrypt"]));
	}

	/** Made on first use. */
	get #key(): Promise<CryptoKey> {
		this.#made ??= this.#toKey();
		return this.#made;
	}

	/** The sealed text: a random IV, then what AES-GCM writes. @param name of the text, needed to open it. */
	async seal(name: string, text: string): Promise<SealedBytes> {
		const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
		const algorithm = { name: "AES-GCM", iv, additionalData: encode(name) };
		const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, await this.#key, encode(text)));
		const bytes = new Uint8Array(IV_BYTES + sealed.length);
		bytes.set(iv);
		bytes.set(sealed, IV_BYTES);
		return bytes;
	}

	/** The text; null when it was sealed under another name, purpose or pepper, or has been changed. */
	async open(name: string, bytes: SealedBytes): Promise<string | null> {
		const algorithm = { name: "AES-GCM", iv: bytes.slice(0, IV_BYTES), additionalData: encode(name) };
		try {
			const opened = await crypto.subtle.decrypt(algorithm, await this.#key, bytes.slice(IV_BYTES));
			return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(opened);
		} catch {
			return null;
		}
	}
}

/** Seals texts of one user. */
export class TextSeal {
	#seal: Seal;

	constructor(seal: Seal) {
		this.#seal = seal;
	}

	seal(name: string, text: string): Promise<SealedBytes> {
		return this.#seal.seal(name, text);
	}

	/** @throws StorageUnavailableError when it was sealed under another name, user or key. */
	async open(name: string, bytes: SealedBytes): Promise<string> {
		const text = await this.#seal.open(name, bytes);
		if (text === null) throw new StorageUnavailableError("a sealed text does not open");
		return text;
	}
}
