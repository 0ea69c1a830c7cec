// Splits what is asked into calls that keep a provider's limits. Whose vector is whose stays as asked: calls are runs of neighbours.
// Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import type { EmbeddingInput, EncoderCall } from "../providers/encoders/encoder-call.ts";
import { mostTokens } from "./token-bounds.ts";

/**
 * Numbers of all vectors of one call. An upstream writes up to 24 bytes for each, and an isolate has 128 MB for six calls at once and
 * for the answer.
 */
export const MAX_CALL_NUMBERS = 131_072;

/** Length of vectors where none is known: as long as those of large open models. */
export const ASSUMED_DIMENSIONS = 4_096;

interface BatchLimits {
	inputs: number;
	tokens: number;
}

/** Runs of inputs within limits. An input that is over a limit by itself is a run of its own. */
function toRuns<Input extends EmbeddingInput>(inputs: readonly Input[], limits: BatchLimits): Input[][] {
	const runs: Input[][] = [];
	let run: Input[] = [];
	let tokens = 0;
	for (const input of inputs) {
		const more = mostTokens(input);
		if (run.length > 0 && (run.length === limits.inputs || tokens + more > limits.tokens)) {
			runs.push(run);
			run = [];
			tokens = 0;
		}
		run.push(input);
		tokens += more;
	}
	if (run.length > 0) runs.push(run);
	return runs;
}

/** The length of the vectors that a call asks for; null where the model's own is not known. */
export function askedDimensions(
	{ dimensions: asked }: { dimensions: number | null },
	{ dimensions }: Pick<EncoderModel, "dimensions">,
): number | null {
	return asked ?? dimensions?.default ?? null;
}

/** The calls that a request becomes at a model. A rerank stays one: its scores are compared. */
export function toBatches(call: EncoderCall, model: Pick<EncoderModel, "limits" | "dimensions">): EncoderCall[] {
	if (call.kind === "rerank") return [call];
	const { max_inputs, max_batch_tokens } = model.limits;
	const tokens = max_batch_tokens ?? Number.POSITIVE_INFINITY;
	if (call.kind === "moderation")
		return toRuns(call.inputs, { inputs: max_inputs, tokens }).map((inputs) => ({ ...call, inputs }));
	const numbers = askedDimensions(call, model) ?? ASSUMED_DIMENSIONS;
	const most = Math.max(1, Math.floor(MAX_CALL_NUMBERS / numbers));
	const limits = { inputs: Math.min(max_inputs, most), tokens };
	return toRuns(call.inputs, limits).map((inputs) => ({ ...call, inputs }));
}
