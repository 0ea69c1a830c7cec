// A user's data key: 32 random bytes, made once, kept wrapped under KEY_PEPPER. The salts of receipts and the keys of sealed texts
// follow from it; itself it never leaves the object. With its row, what only it opens is lost. Under another pepper the user gets
// another one beside it, as keys have to be made anew then; the first one opens again under its own.
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { Seal } from "../durable/text-seal.edge.ts";
import { StorageUnavailableError } from "../failure.ts";
import { receiptSalt } from "../proof/salted.ts";
import { cachedSettings } from "../settings.ts";

const KEY_BYTES = 32;
const WRAP_PURPOSE = "svc.data-key.v1";
const NAME = "data-key";
const PEPPER_ID_DIGITS = 16;

/** Tells peppers apart. */
function pepperId(keyPepper: string): string {
	const mac = hmac(sha256, utf8ToBytes(keyPepper), utf8ToBytes("svc.data-key-id.v1"));
	return bytesToHex(mac).slice(0, PEPPER_ID_DIGITS);
}

export class DataKey {
	#sql: SqlStorage;
	#env: Env;
	#opened: Promise<Uint8Array> | null = null;

	constructor(sql: SqlStorage, env: Env) {
		this.#sql = sql;
		this.#env = env;
	}

	/** The salt of the hashes in the receipt of a request or a run. @throws StorageUnavailableError when the key does not open. */
	async salt(id: string): Promise<string> {
		return receiptSalt(await this.#key(), id);
	}

	/** A key for one purpose (HKDF-SHA-256, RFC 5869). @throws StorageUnavailableError when the key does not open. */
	async subkey(purpose: string): Promise<Uint8Array> {
		return hkdf(sha256, await this.#key(), undefined, utf8ToBytes(purpose), KEY_BYTES);
	}

	/** The key, opened once while the object lives. A failure is not remembered. */
	async #key(): Promise<Uint8Array> {
		this.#opened ??= this.#open();
		try {
			return await this.#opened;
		} catch (error) {
			this.#opened = null;
			throw error;
		}
	}

	async #open(): Promise<Uint8Array> {
		const { keyPepper } = cachedSettings(this.#env);
		const seal = Seal.ofPepper(keyPepper, WRAP_PURPOSE);
		const pepper = pepperId(keyPepper);
		const wrapped = this.#find(pepper) ?? (await this.#make(seal, pepper));
		const hex = await seal.open(NAME, new Uint8Array(wrapped));
		if (hex === null) throw new StorageUnavailableError("the user's data key does not open");
		return hexToBytes(hex);
	}

	#find(pepper: string): ArrayBuffer | undefined {
		const rows = this.#sql.exec<{ wrapped: ArrayBuffer }>("SELECT wrapped FROM data_key WHERE pepper = ?", pepper);
		return rows.toArray()[0]?.wrapped;
	}

	/** Makes the key. It is wrapped before it is stored, so whoever stores first wins, and everybody reads that one. */
	async #make(seal: Seal, pepper: string): Promise<ArrayBuffer> {
		const made = await seal.seal(NAME, bytesToHex(crypto.getRandomValues(new Uint8Array(KEY_BYTES))));
		this.#sql.exec("INSERT OR IGNORE INTO data_key (pepper, wrapped) VALUES (?, ?)", pepper, made.buffer);
		const stored = this.#find(pepper);
		if (!stored) throw new Error("the data key was stored");
		return stored;
	}
}
