// Packs texts that repeat a base, for site/packed-text.ts to unpack: what stands in the base is said as a copy of it.
import { COPY_MARK, COPY_RADIX } from "../../site/packed-text.ts";

/** Shorter repetitions take as much to say as they save. */
const MIN_COPIED_CHARS = 20;
/** The base is looked up at every fourth place: a quarter of the time, and only the shortest repetitions are missed. */
const LOOKED_UP_EVERY = 4;

/** Packs texts over a base. */
export class TextPacker {
	#base: string;
	/** Places in the base, by the text that begins there. */
	#places = new Map<string, number>();

	constructor(base: string) {
		this.#base = base;
		for (let place = 0; place + MIN_COPIED_CHARS <= base.length; place += LOOKED_UP_EVERY)
			this.#places.set(base.slice(place, place + MIN_COPIED_CHARS), place);
	}

	/** @throws Error for a text that holds the mark of copies. */
	pack(text: string): string {
		if (text.includes(COPY_MARK)) throw new Error("a text of the site holds the mark of copies");
		let packed = "";
		let done = 0;
		let copied = 0;
		for (let at = 0; at + MIN_COPIED_CHARS <= text.length; ) {
			const place = this.#places.get(text.slice(at, at + MIN_COPIED_CHARS));
			if (place === undefined) {
				at++;
				continue;
			}
			const [start, end] = this.#extend(text, place, at, done);
			const from = at - (place - start);
			packed += `${text.slice(done, from)}${COPY_MARK}${(start - copied).toString(COPY_RADIX)},${(end - start).toString(COPY_RADIX)}${COPY_MARK}`;
			copied = end;
			at = from + end - start;
			done = at;
		}
		return packed + text.slice(done);
	}

	/** The longest part of the base around a place that stands in a text around an index, from `done` on. */
	#extend(text: string, place: number, at: number, done: number): [start: number, end: number] {
		const base = this.#base;
		let start = place;
		let end = place + MIN_COPIED_CHARS;
		while (start > 0 && at - (place - start) > done && base[start - 1] === text[at - (place - start) - 1]) start--;
		while (end < base.length && at + end - place < text.length && base[end] === text[at + end - place]) end++;
		return [start, end];
	}
}
