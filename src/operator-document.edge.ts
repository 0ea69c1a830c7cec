// A document that the operator keeps in KV: the default routing config, or the catalog. Each isolate caches it for a short time. One that
// cannot be read never lifts what the one before restricts: the last that could be read is kept in KV, and stays in force.
import { StorageUnavailableError } from "./failure.ts";
import { logError } from "./http/log.edge.ts";
import { withDeadline } from "./in-time.edge.ts";

/** A change reaches every isolate within this time and that of KV's own cache. */
const CACHE_MS = 60_000;
const KV_CACHE_S = 60;
/** After KV has failed, the cached document is used for this long before the next try. */
const RETRY_MS = 5_000;
/** A read that takes longer has failed. */
const READ_TIMEOUT_MS = 3_000;
const MAX_LOGGED_FAULTS = 5;

/** `invalid`: the text cannot be read. */
export type DocumentState = "none" | "valid" | "invalid";

export interface OperatorDocument<T> {
	state: DocumentState;
	/** The one in force: of an invalid one, the last that could be read. Null when there is none. */
	value: T | null;
}

/** What a text says, or why it cannot be read. */
export type ReadDocument<T> = { ok: true; value: T } | { ok: false; faults: readonly string[] };

/** How a document is read. */
export interface DocumentReader<T> {
	/** The text where KV has none. */
	fallback: string | null;
	/** What the text is read with: with another, it is read anew. */
	basis: object;
	read(text: string): ReadDocument<T> | Promise<ReadDocument<T>>;
}

interface CachedDocument<T> extends OperatorDocument<T> {
	text: string | null;
	basis: object;
	untilMs: number;
}

/** The texts in KV. */
interface StoredTexts {
	current: string | null;
	/** Of the last document that could be read. */
	last: string | null;
}

/** @param name what its log events are called, such as `default_config`. */
export class OperatorDocuments<T> {
	readonly key: string;
	readonly #lastKey: string;
	readonly #name: string;
	/** By KV binding, of which an isolate has one. */
	readonly #cache = new WeakMap<KVNamespace, CachedDocument<T>>();
	/** When a read hung: others do not wait for it as long. A clock that went back ends that. */
	readonly #hungAtMs = new WeakMap<KVNamespace, number>();
	/** The last invalid text that was logged. */
	#lastLogged: string | null = null;

	constructor(key: string, name: string) {
		this.key = key;
		this.#lastKey = `${key}:last`;
		this.#name = name;
	}

	/**
	 * The document as of at most a minute ago.
	 * @throws StorageUnavailableError when KV does not answer and nothing is cached: the document may restrict what users may do.
	 */
	async load(kv: KVNamespace, reader: DocumentReader<T>): Promise<OperatorDocument<T>> {
		const before = this.#cache.get(kv);
		const restMs = before ? before.untilMs - Date.now() : 0;
		// What is to hold for longer was read under a clock that was ahead.
		if (before && before.basis === reader.basis && restMs > 0 && restMs <= CACHE_MS) return before;
		let stored: StoredTexts;
		const readFrom = Date.now();
		try {
			if (this.#isHanging(kv, readFrom)) throw new Error("KV hung a moment ago");
			stored = await this.#readTexts(kv);
			this.#hungAtMs.delete(kv);
		} catch (error) {
			logError(`${this.#name}_unread`, error);
			if (Date.now() - readFrom >= READ_TIMEOUT_MS) this.#hungAtMs.set(kv, Date.now());
			const cached = this.#cache.get(kv);
			if (!cached) throw new StorageUnavailableError("KV did not answer");
			return this.#resolve({ current: cached.text, last: null }, kv, reader, RETRY_MS);
		}
		const document = await this.#resolve(stored, kv, reader, CACHE_MS);
		const text = stored.current ?? reader.fallback;
		if (document.state === "valid" && text !== null && text !== stored.last) await this.#keepLast(text, kv);
		return document;
	}

	#isHanging(kv: KVNamespace, nowMs: number): boolean {
		const sinceMs = nowMs - (this.#hungAtMs.get(kv) ?? Number.NEGATIVE_INFINITY);
		return sinceMs >= 0 && sinceMs < RETRY_MS;
	}

	/** Puts a text that was written just now in force in this isolate. */
	async replace(kv: KVNamespace, text: string, reader: DocumentReader<T>): Promise<OperatorDocument<T>> {
		return this.#resolve({ current: text, last: null }, kv, reader, CACHE_MS);
	}

	async #readTexts(kv: KVNamespace): Promise<StoredTexts> {
		const options = { cacheTtl: KV_CACHE_S };
		const texts = Promise.all([kv.get(this.key, options), kv.get(this.#lastKey, options)]);
		const [current, last] = await withDeadline(texts, READ_TIMEOUT_MS, () => {
			throw new Error(`KV did not answer within ${READ_TIMEOUT_MS} ms`);
		});
		return { current, last };
	}

	/** The document of the texts, which is cached before anything else is waited for. */
	async #resolve(stored: StoredTexts, kv: KVNamespace, reader: DocumentReader<T>, forMs: number) {
		const text = stored.current ?? reader.fallback;
		const document = await this.#toDocument(text, stored.last, this.#cache.get(kv), reader);
		this.#cache.set(kv, { ...document, text, basis: reader.basis, untilMs: Date.now() + forMs });
		return document;
	}

	async #toDocument(
		text: string | null,
		last: string | null,
		cached: CachedDocument<T> | undefined,
		reader: DocumentReader<T>,
	): Promise<OperatorDocument<T>> {
		if (text === null) return { state: "none", value: null };
		const isSame = cached?.basis === reader.basis;
		if (isSame && cached.text === text && cached.value !== null) return { state: cached.state, value: cached.value };
		const value = await this.#read(text, reader);
		if (value !== null) return { state: "valid", value };
		const before = last === null || last === text ? null : await this.#read(last, reader);
		return { state: "invalid", value: before ?? (isSame ? cached.value : null) };
	}

	async #read(text: string, { read }: DocumentReader<T>): Promise<T | null> {
		const result = await read(text);
		if (result.ok) return result.value;
		const { faults } = result;
		if (this.#lastLogged !== text)
			logError(`invalid_${this.#name}`, new Error(`${faults.length} errors`), {
				errors: faults.slice(0, MAX_LOGGED_FAULTS),
			});
		this.#lastLogged = text;
		return null;
	}

	/** Keeps a text that could be read. Isolates may do so at once, or fail: each document that is read anew is a new try. */
	async #keepLast(text: string, kv: KVNamespace): Promise<void> {
		try {
			await kv.put(this.#lastKey, text);
		} catch (error) {
			logError(`${this.#name}_not_kept`, error);
		}
	}
}
