// The form of an entry in the tables of phrases: words that start one, the pattern around them, what else must be near.
import type { DataKind } from "./kinds.ts";

/** A phrase is tried at each of its words. Its pattern is held against a window of bounded length around the word. */
export interface Phrase {
	readonly kind: DataKind;
	/** Lower-case; a name of several words is waited for under the rarest of them. */
	readonly words: readonly string[];
	/** Characters before and behind the word's first that the pattern sees. */
	readonly window: readonly [before: number, after: number];
	/** Without nested quantifiers; every quantifier is bounded. A sticky one is held against the text at the word instead. */
	readonly pattern: RegExp;
	/**
	 * What no match of the pattern is without, wherever in the window: a global pattern, so that the text is searched for it
	 * once, and no window is looked into where it does not stand.
	 */
	readonly core?: RegExp;
	/** Also held against the window, in lower case. */
	readonly near?: RegExp;
	/** Held against the window too: where it matches, the phrase does not count. */
	readonly unless?: RegExp;
	/** Where it does not count, as it is said there of the public or the invented too: in what is published, or in exercises as well. */
	readonly ignoredIn?: "print" | "stories";
}
