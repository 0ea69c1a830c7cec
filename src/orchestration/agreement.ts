// How similar answers are: by their final answers if they have one, else by their words. Pure.
import { type AnswerKind, findFinalAnswer } from "./final-answer.ts";

/** Tokens per shingle. Single words tell what a text is about; pairs would tell how it is phrased. */
const SHINGLE_TOKENS = 1;

/**
 * Two texts say the same from this similarity on: the lowest tenth at which seven of ten pairs of recorded solutions, of the even
 * half, have the same answer (`npm run eval:orchestration`). It is strict, since it is for texts that name no final answer.
 */
export const SAME_TEXT = 0.6;

/** Of a longer text, only the beginning is compared: it shows enough, and all pairs of a panel are compared. */
const MAX_COMPARED_CHARS = 20_000;

function toShingles(text: string): Set<string> {
	const tokens =
		text
			.slice(0, MAX_COMPARED_CHARS)
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? [];
	const count = Math.max(1, tokens.length - SHINGLE_TOKENS + 1);
	return new Set(Array.from({ length: count }, (_, at) => tokens.slice(at, at + SHINGLE_TOKENS).join(" ")));
}

/** Jaccard similarity of two texts' token shingles, 0 to 1 (Broder, "On the resemblance and containment of documents", 1997). */
export function shingleSimilarity(a: string, b: string): number {
	const [left, right] = [toShingles(a), toShingles(b)];
	const shared = [...left].filter((shingle) => right.has(shingle)).length;
	return shared / (left.size + right.size - shared);
}

/** How far two answers say the same: 1 or 0 if both have a final answer, else the similarity of their words. */
export function similarity(a: string, b: string, kind: AnswerKind): number {
	const [left, right] = [findFinalAnswer(a, kind), findFinalAnswer(b, kind)];
	if (left !== null && right !== null) return left === right ? 1 : 0;
	return shingleSimilarity(a, b);
}

/** Whether two answers count as the same. */
export function agrees(a: string, b: string, kind: AnswerKind): boolean {
	return similarity(a, b, kind) >= SAME_TEXT;
}

/** Mean pairwise similarity of answers: 1 for a single answer, 0 for none. */
export function meanAgreement(texts: readonly string[], kind: AnswerKind): number {
	if (texts.length < 2) return texts.length;
	const pairs = texts.flatMap((a, at) => texts.slice(at + 1).map((b) => similarity(a, b, kind)));
	return pairs.reduce((sum, value) => sum + value, 0) / pairs.length;
}

/** The answer most similar to the others; the first of equals. */
export function findMedoid<T extends { text: string }>(answers: readonly [T, ...T[]], kind: AnswerKind): T {
	const [first, ...rest] = answers.map((answer) => ({
		answer,
		likeness: answers.reduce((sum, other) => sum + similarity(answer.text, other.text, kind), 0),
	}));
	if (!first) return answers[0];
	return rest.reduce((best, next) => (next.likeness > best.likeness ? next : best), first).answer;
}
