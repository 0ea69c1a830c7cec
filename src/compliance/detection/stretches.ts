// Cuts a text into stretches, so that a reader can pause between them. Patterns see the whole text across the cuts.
import { isWordAt } from "./ascii-words.ts";

/** Reads on from where it stopped, up to an offset. Offsets only rise; the last is the length of the text. */
export type StretchReader = (to: number) => void;

/**
 * Characters between two pauses. They take 4 ms of prose and up to 80 ms of texts made to be slow (those of bench:sensitive).
 * Shorter stretches make each search for context words begin more often.
 */
export const STRETCH_CHARS = 32_768;

/** The stretches of a text, in order. None begins or ends within a word of ASCII letters and digits. */
export function* stretches(text: string): Generator<readonly [from: number, to: number]> {
	for (let from = 0; from < text.length; ) {
		let to = Math.min(text.length, from + STRETCH_CHARS);
		while (to < text.length && isWordAt(text, to)) to++;
		yield [from, to];
		from = to;
	}
}
