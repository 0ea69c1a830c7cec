// Whether an answer is what was asked for: the forms read what is there, and some providers merge inputs or shorten vectors. Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import type { EncoderAnswer, EncoderCall, RankedDocument } from "../providers/encoders/encoder-call.ts";
import { askedDimensions } from "./encoder-batches.ts";

/** The vectors of a call are as many as its inputs, each of the length that was asked for; without one, all of the same. */
function areVectorsAsAsked(
	vectors: readonly Float32Array[],
	call: Extract<EncoderCall, { kind: "embedding" }>,
	model: Pick<EncoderModel, "dimensions">,
): boolean {
	const length = askedDimensions(call, model) ?? vectors[0]?.length ?? 0;
	return (
		vectors.length === call.inputs.length &&
		length > 0 &&
		vectors.every((vector) => vector.length === length && vector.every(Number.isFinite))
	);
}

/** Each of the documents is there once, or each of the best that were asked for. */
function areResultsAsAsked(
	results: readonly RankedDocument[],
	{ documents, topN }: Extract<EncoderCall, { kind: "rerank" }>,
): boolean {
	const isThere = ({ index, score }: RankedDocument) =>
		Number.isInteger(index) && index >= 0 && index < documents.length && Number.isFinite(score);
	return (
		results.length === Math.min(topN ?? documents.length, documents.length) &&
		results.every(isThere) &&
		new Set(results.map(({ index }) => index)).size === results.length
	);
}

/** Whether an answer is another than was asked for. */
export function findMismatch(
	answer: EncoderAnswer,
	call: EncoderCall,
	model: Pick<EncoderModel, "dimensions">,
): boolean {
	if (answer.kind === "embedding" && call.kind === "embedding") return !areVectorsAsAsked(answer.vectors, call, model);
	if (answer.kind === "moderation" && call.kind === "moderation") return answer.results.length !== call.inputs.length;
	if (answer.kind === "rerank" && call.kind === "rerank") return !areResultsAsAsked(answer.results, call);
	return true;
}
