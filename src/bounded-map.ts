// A map with a maximum size, for what an isolate remembers. Pure.

/** A map of at most `maxEntries`. Setting a key makes it the newest; when the map is full, the oldest entry is dropped. */
export class BoundedMap<K, V> extends Map<K, V> {
	readonly #maxEntries: number;

	constructor(maxEntries: number) {
		super();
		this.#maxEntries = maxEntries;
	}

	override set(key: K, value: V): this {
		this.delete(key);
		for (const oldest of this.keys()) {
			if (this.size < this.#maxEntries) break;
			this.delete(oldest);
		}
		return super.set(key, value);
	}
}
