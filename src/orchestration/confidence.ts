// How sure an orchestrated answer is: one formula for every strategy, from what was computed and never from what a model claims.
// Pure; the only place that says it.
//
//   quality     what the catalog expects of a model on this kind of prompt, 0 to 1
//   support     how far each other answer says the same as the accepted one (agreement.ts), 0 to 1
//
// One answer alone is as sure as its model is expected to be good. With several, two views are averaged: the share of all
// answers, weighted by quality, that stand behind the accepted one; and the chance that not all of its supporters are wrong, as
// if they erred independently. The first falls with dissent, the second rises with every supporter. A judge's verdict, where there
// is one, is averaged in.
import { similarity } from "./agreement.ts";
import type { AnswerKind } from "./final-answer.ts";

/** An answer and what is expected of who gave it. */
export interface Voice {
	text: string;
	quality: number;
}

/** Confidence in an answer by what all answers say, its own among them. */
export function supportFor(accepted: string, voices: readonly Voice[], kind: AnswerKind): number {
	const [only] = voices;
	if (!only) return 0;
	if (voices.length === 1) return only.quality * similarity(accepted, only.text, kind);
	const weighed = voices.map(({ text, quality }) => ({ quality, support: similarity(accepted, text, kind) }));
	const total = weighed.reduce((sum, { quality }) => sum + quality, 0);
	const behind = weighed.reduce((sum, { quality, support }) => sum + quality * support, 0);
	const allWrong = weighed.reduce((product, { quality, support }) => product * (1 - quality * support), 1);
	return ((total === 0 ? 0 : behind / total) + 1 - allWrong) / 2;
}

/** The same with a judge's verdict, 0 to 1. */
export function judged(support: number, verdict: number): number {
	return (support + verdict) / 2;
}

/** Confidence in an answer put together from parts, each as sure as it is; a part that failed counts as 0. */
export function overParts(confidences: readonly number[]): number {
	if (confidences.length === 0) return 0;
	return confidences.reduce((sum, confidence) => sum + confidence, 0) / confidences.length;
}

/** What a judge's or a planner's reply is worth in the trace: readable at once, after a repair, or not at all. */
export function readability(reading: "read" | "repaired" | "unreadable"): number {
	return { read: 1, repaired: 0.5, unreadable: 0 }[reading];
}
