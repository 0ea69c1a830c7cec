// An entry in the tables of phrases: the words that start one, the pattern around them, and what else must be near.
import type { DataKind } from "./kinds.ts";

/** A phrase is tried at each of its words. Its pattern is matched against a window of bounded length around the word. */
export interface Phrase {
	readonly kind: DataKind;
	/** In lower case. A name of several words is listed under the rarest of them. */
	readonly words: readonly string[];
	/** How many characters before and after the start of the word the pattern sees. */
	readonly window: readonly [before: number, after: number];
	/** Without nested quantifiers; every quantifier is bounded. A sticky pattern is matched against the text at the word. */
	readonly pattern: RegExp;
	/**
	 * A part that every match of the pattern has somewhere in the window. It is global: the text is searched for it once, and
	 * windows without it are skipped.
	 */
	readonly core?: RegExp;
	/** Must match the lower-cased window, too. */
	readonly near?: RegExp;
	/** Where it matches the lower-cased window, the phrase does not count. */
	readonly unless?: RegExp;
}
