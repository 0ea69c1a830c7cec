// What the sandbox says of texts, the same for every format: vectors, moderations and ranks, by the words that texts have in common.
import { hashUnits, mixHash } from "../text/hash.ts";
import { countTokens } from "./answer.ts";

/** A text, or the tokens of one. */
export type SandboxInput = string | readonly number[];

/** Numbers that a word adds to: two words hardly ever share all of them. */
const MARKS_PER_WORD = 4;

/** Words as short as this are mostly grammar. */
const SHORT_WORD_CHARS = 3;
const SHORT_WORD_WEIGHT = 0.2;

/** A word; of writing without spaces, a character. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

/** The words of a text, without a plural's s. */
function wordsOf(text: string): string[] {
	const words = text.toLowerCase().match(WORD) ?? [text];
	return words.map((word) => (word.length > SHORT_WORD_CHARS ? word.replace(/s$/, "") : word));
}

function weigh(word: string): number {
	return word.length <= SHORT_WORD_CHARS && /^[a-z]+$/.test(word) ? SHORT_WORD_WEIGHT : 1;
}

/** The unit vector of an input. Of tokens each is a word. */
export function sandboxVector(input: SandboxInput, dimensions: number): number[] {
	const vector = new Array<number>(dimensions).fill(0);
	const words = typeof input === "string" ? wordsOf(input) : input.map((token) => `${token}`);
	for (const word of words) {
		const weight = typeof input === "string" ? weigh(word) : 1;
		for (let mark = 0; mark < MARKS_PER_WORD; mark++) {
			const hash = mixHash(hashUnits(`${mark} ${word}`));
			const at = hash % dimensions;
			vector[at] = (vector[at] ?? 0) + (hash >= 2 ** 31 ? weight : -weight);
		}
	}
	const length = Math.hypot(...vector);
	// The words cancelled each other out.
	if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0));
	return vector.map((number) => number / length);
}

/** Tokens that inputs count as. */
export function sumInputTokens(inputs: readonly SandboxInput[]): number {
	return inputs.reduce((sum, input) => sum + (typeof input === "string" ? countTokens(input) : input.length), 0);
}

/** What a text is flagged for. @param cues words by category. */
export function sandboxModeration(
	text: string,
	cues: Readonly<Record<string, readonly string[]>>,
): { categories: Record<string, boolean>; scores: Record<string, number> } {
	const words = ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `;
	const found = Object.entries(cues).map(([category, list]): [string, boolean] => [
		category,
		list.some((cue) => words.includes(` ${cue} `)),
	]);
	return {
		categories: Object.fromEntries(found),
		scores: Object.fromEntries(found.map(([category, isFound]) => [category, isFound ? 0.96 : 0.0004])),
	};
}

/** The part of a score that says how much of a document is about the query. */
const FOCUS_SHARE = 0.1;

/** Documents from the best on: by the words of the query that they have. A word that fewer documents have counts more. */
export function sandboxRanks(query: string, documents: readonly string[]): { index: number; score: number }[] {
	const asked = [...new Set(wordsOf(query))];
	const bags = documents.map((document) => new Set(wordsOf(document)));
	const weights = asked.map((word) => {
		const holders = bags.filter((bag) => bag.has(word)).length;
		return weigh(word) * Math.log(1 + (documents.length + 1) / (holders + 1));
	});
	const most = weights.reduce((sum, weight) => sum + weight, 0);
	const ranks = bags.map((bag, index) => {
		const covered = asked.reduce((sum, word, at) => sum + (bag.has(word) ? (weights[at] ?? 0) : 0), 0) / most;
		const focus = asked.filter((word) => bag.has(word)).length / Math.max(1, bag.size);
		const score = covered * (1 - FOCUS_SHARE) + Math.min(1, focus) * FOCUS_SHARE;
		return { index, score: Math.round(score * 1e6) / 1e6 };
	});
	return ranks.toSorted((a, b) => b.score - a.score || a.index - b.index);
}
