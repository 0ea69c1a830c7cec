// The answers of a request's calls as one, and the bytes that its receipt hashes. Pure.
import { canonicalJson } from "../proof/canonical.ts";
import { vectorBytes } from "../proof/vector-bytes.ts";
import type { EncoderAnswer, EncoderUsage } from "../providers/encoders/encoder-call.ts";

/** What all calls reported; null where one did not. */
function sumUsage(answers: readonly EncoderAnswer[]): EncoderUsage {
	const sum = (amounts: readonly (number | null)[]) =>
		amounts.reduce((total, amount) => (total === null || amount === null ? null : total + amount), 0);
	return {
		inputTokens: sum(answers.map(({ usage }) => usage.inputTokens)),
		searches: sum(answers.map(({ usage }) => usage.searches)),
	};
}

/** Answers in the order of their inputs as one. */
export function joinCallAnswers(answers: readonly EncoderAnswer[]): EncoderAnswer {
	const [first] = answers;
	if (!first) throw new Error("a request has an answer");
	if (answers.length === 1) return first;
	const usage = sumUsage(answers);
	if (first.kind === "embedding")
		return { kind: "embedding", vectors: answers.flatMap((a) => (a.kind === "embedding" ? a.vectors : [])), usage };
	if (first.kind === "moderation")
		return { kind: "moderation", results: answers.flatMap((a) => (a.kind === "moderation" ? a.results : [])), usage };
	return first;
}

/** What a receipt's `output_hash` is over (docs/proofs.md, "Receipts"). */
export function answerBytes(answer: EncoderAnswer): Uint8Array | string {
	if (answer.kind === "embedding") return vectorBytes(answer.vectors);
	return canonicalJson({ type: "svc.results.v1", results: answer.results });
}
