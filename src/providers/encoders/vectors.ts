// Vectors as providers write them: lists of numbers, or base64 of little-endian float32; and the order of what names its place. Pure.
import * as z from "zod";
import { fromBase64 } from "../../proof/signing.ts";
import { readVector } from "../../proof/vector-bytes.ts";

/** A vector in either writing. Whether its numbers are finite as float32, the engine checks. */
export const vectorSchema = z.lazy(() =>
	z.union([
		z.array(z.number()).transform((numbers) => Float32Array.from(numbers)),
		z.string().transform((text, context) => {
			const bytes = fromBase64(text);
			const vector = bytes && readVector(bytes);
			if (vector) return vector;
			context.addIssue({ code: "custom", message: "is no base64 of float32" });
			return z.NEVER;
		}),
	]),
);

/**
 * Entries in the order of the inputs whose places they name. Where none names a place, they are taken as they stand.
 * @param inputs how many there are.
 * @returns null where only some name one, two the same, or one a place that no input has: whose answer is whose is not known then.
 */
export function orderByIndex<Entry extends { index?: number | undefined }>(
	entries: readonly Entry[],
	inputs: number,
): Entry[] | null {
	if (entries.every(({ index }) => index === undefined)) return [...entries];
	const places = new Set(entries.map(({ index }) => index));
	if (places.size < entries.length || entries.some(({ index = inputs }) => index >= inputs)) return null;
	return entries.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
}

/** A vector at length 1. One of zeros stays. */
export function toUnit(vector: Float32Array): Float32Array {
	const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
	return length === 0 ? vector : vector.map((number) => number / length);
}
