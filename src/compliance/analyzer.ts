// What is asked of a Presidio-compatible analyzer, and what its answer says. Its API takes a list of texts and answers a list of
// entities each, with offsets in code points (Python). Pure; analyzer.edge.ts calls it.
import * as z from "zod";
import { findEntityKind } from "./analyzer-entities.ts";
import type { Conversation } from "./conversation.ts";
import { type Detection, DetectionCollector } from "./findings.ts";

/** More is not sent: it counts as unread. An analyzer reads about a hundred thousand characters a second. */
export const MAX_ANALYZED_CHARS = 262_144;

/** A longer text is sent in parts. spaCy's own limit is a million. */
const MAX_PART_CHARS = 32_768;

/** Analyzers report what they are less sure of with scores down to 0.01. */
const MIN_SCORE = 0.5;

/** The language whose recognizers are used; those of patterns are the same in all. */
const LANGUAGE = "en";

/** A part of a text. */
export interface AnalyzedPart {
	/** Index in the conversation's texts. */
	readonly text: number;
	/** Where the part begins. */
	readonly start: number;
	readonly part: string;
}

const WHITESPACE = /\s/;

/** Where a part ends: at the last white space of its second half, else before a surrogate pair. */
function findPartEnd(text: string, start: number): number {
	const most = start + MAX_PART_CHARS;
	if (most >= text.length) return text.length;
	for (let at = most; at > start + MAX_PART_CHARS / 2; at--) if (WHITESPACE.test(text.charAt(at))) return at;
	const isPairCut = text.charCodeAt(most) >= 0xdc00 && text.charCodeAt(most) <= 0xdfff;
	return isPairCut ? most - 1 : most;
}

/** The parts that an analyzer is sent; null if the conversation is too long. */
export function toAnalyzedParts({ texts }: Conversation): AnalyzedPart[] | null {
	if (texts.reduce((sum, { text }) => sum + text.length, 0) > MAX_ANALYZED_CHARS) return null;
	return texts.flatMap(({ text }, index) => {
		const parts: AnalyzedPart[] = [];
		for (let start = 0; start < text.length; ) {
			const end = findPartEnd(text, start);
			const part = text.slice(start, end);
			if (part.trim() !== "") parts.push({ text: index, start, part });
			start = end;
		}
		return parts;
	});
}

/** The body of `POST /analyze`. */
export function toAnalyzerRequest(parts: readonly AnalyzedPart[]) {
	return { text: parts.map(({ part }) => part), language: LANGUAGE, score_threshold: MIN_SCORE };
}

const entitySchema = z.object({
	entity_type: z.string(),
	start: z.int().nonnegative(),
	end: z.int().nonnegative(),
	score: z.number(),
});
const answerSchema = z.array(z.array(entitySchema));

/** The UTF-16 offset of every code point of a text, and of its end. */
function codePointOffsets(text: string): number[] {
	const offsets: number[] = [];
	let offset = 0;
	for (const character of text) {
		offsets.push(offset);
		offset += character.length;
	}
	return [...offsets, offset];
}

/** What an analyzer found in the parts; null if its answer is not one, or not to them. */
export function parseAnalyzerAnswer(answer: unknown, parts: readonly AnalyzedPart[]): Detection | null {
	const parsed = answerSchema.safeParse(answer);
	if (!parsed.success || parsed.data.length !== parts.length) return null;
	const found = new DetectionCollector();
	for (const [index, { text, start: partStart, part }] of parts.entries()) {
		found.enter((_, start, end) => [{ text, start, end }]);
		const offsets = codePointOffsets(part);
		for (const { entity_type, start, end, score } of parsed.data[index] ?? []) {
			const [from, to] = [offsets[start], offsets[end]];
			if (from === undefined || to === undefined || from >= to) return null;
			const kind = findEntityKind(entity_type);
			if (kind !== null && score >= MIN_SCORE) found.add(kind, partStart + from, partStart + to);
		}
	}
	return found.toDetection();
}
