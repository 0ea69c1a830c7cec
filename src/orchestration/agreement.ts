// How alike answers are: their final answers where they have one, else their words. Pure.
import { type AnswerKind, finalAnswer } from "./final-answer.ts";

/** Tokens that make a shingle: single words say what a text is about, pairs how it is said. */
const SHINGLE_TOKENS = 1;

/**
 * Two texts whose words overlap by so much say the same: the lowest tenth at which seven of ten pairs of recorded solutions of
 * the even half have one answer (`npm run eval:orchestration`). Strict, since it is for texts that name no final answer.
 */
export const SAME_TEXT = 0.6;

/** Compared of each text: what two long texts share shows in their beginnings, and all pairs of a panel are compared. */
const COMPARED_CHARS = 20_000;

function shinglesOf(text: string): Set<string> {
	const tokens =
		text
			.slice(0, COMPARED_CHARS)
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? [];
	const count = Math.max(1, tokens.length - SHINGLE_TOKENS + 1);
	return new Set(Array.from({ length: count }, (_, at) => tokens.slice(at, at + SHINGLE_TOKENS).join(" ")));
}

/** Jaccard similarity of two texts' token shingles, 0 to 1 (Broder, "On the resemblance and containment of documents", 1997). */
export function shingleSimilarity(a: string, b: string): number {
	const [left, right] = [shinglesOf(a), shinglesOf(b)];
	const shared = [...left].filter((shingle) => right.has(shingle)).length;
	return shared / (left.size + right.size - shared);
}

/** How far two answers say the same: 1 or 0 where either has a final answer, else the similarity of their words. */
export function similarity(a: string, b: string, kind: AnswerKind): number {
	const [left, right] = [finalAnswer(a, kind), finalAnswer(b, kind)];
	if (left !== null && right !== null) return left === right ? 1 : 0;
	return shingleSimilarity(a, b);
}

/** Whether two answers count as one. */
export function agrees(a: string, b: string, kind: AnswerKind): boolean {
	return similarity(a, b, kind) >= SAME_TEXT;
}

/** Mean pairwise similarity of answers; one alone agrees with itself, none agree on nothing. */
export function agreementOf(texts: readonly string[], kind: AnswerKind): number {
	if (texts.length < 2) return texts.length;
	const pairs = texts.flatMap((a, at) => texts.slice(at + 1).map((b) => similarity(a, b, kind)));
	return pairs.reduce((sum, value) => sum + value, 0) / pairs.length;
}

/** The answer that the others are most like; of equals the first. */
export function medoidOf<T extends { text: string }>(answers: readonly [T, ...T[]], kind: AnswerKind): T {
	const [first, ...rest] = answers.map((answer) => ({
		answer,
		likeness: answers.reduce((sum, other) => sum + similarity(answer.text, other.text, kind), 0),
	}));
	if (!first) return answers[0];
	return rest.reduce((best, next) => (next.likeness > best.likeness ? next : best), first).answer;
}
