// The confidence in an orchestrated answer: one formula for every strategy. It is computed, and never what a model claims. Pure.
//
//   quality     the expected quality of a model on this kind of prompt, by the catalog, 0 to 1
//   support     how far another answer says the same as the accepted one (agreement.ts), 0 to 1
//
// The confidence in a single answer is the quality of its model. With several answers, two values are averaged: the share of all
// answers, weighted by quality, that support the accepted one; and the probability that not all its supporters are wrong, if they
// err independently. The first falls with dissent, the second rises with every supporter. A judge's verdict is averaged in.
import { similarity } from "./agreement.ts";
import type { AnswerKind } from "./final-answer.ts";

/** An answer and the expected quality of its model. */
export interface WeightedAnswer {
	text: string;
	quality: number;
}

/** The confidence in an answer by all answers, itself included. */
export function supportFor(accepted: string, answers: readonly WeightedAnswer[], kind: AnswerKind): number {
	const [only] = answers;
	if (!only) return 0;
	if (answers.length === 1) return only.quality * similarity(accepted, only.text, kind);
	const weighted = answers.map(({ text, quality }) => ({ quality, support: similarity(accepted, text, kind) }));
	const total = weighted.reduce((sum, { quality }) => sum + quality, 0);
	const behind = weighted.reduce((sum, { quality, support }) => sum + quality * support, 0);
	const allWrong = weighted.reduce((product, { quality, support }) => product * (1 - quality * support), 1);
	return ((total === 0 ? 0 : behind / total) + 1 - allWrong) / 2;
}

/** Averages in a judge's verdict, 0 to 1. */
export function withVerdict(support: number, verdict: number): number {
	return (support + verdict) / 2;
}

/** The confidence in an answer made of parts: the mean of theirs. A part that failed counts as 0. */
export function meanConfidence(confidences: readonly number[]): number {
	if (confidences.length === 0) return 0;
	return confidences.reduce((sum, confidence) => sum + confidence, 0) / confidences.length;
}

/** The confidence in a JSON reply in the trace, by whether it could be read. */
export function readability(reading: "read" | "repaired" | "unreadable"): number {
	return { read: 1, repaired: 0.5, unreadable: 0 }[reading];
}
