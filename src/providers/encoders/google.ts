// Gemini's form of embeddings: POST /models/MODEL:batchEmbedContents, one request in the batch per text, because several parts of one
// content become one vector. Sources, read 2026-11-28: ai.google.dev/api/embeddings (BatchEmbedContentsRequest, outputDimensionality);
// ai.google.dev/gemini-api/docs/embeddings ("Ensure quality for smaller dimensions": only vectors of 3,072 come normalized);
// maximhq/bifrost pull 7295 (usageMetadata of a real answer); docs.znapai.com/gemini-embedding, a reseller (gemini-embedding-2 takes no
// taskType: its task is written into the text). Vertex has no batches. Pure.
import * as z from "zod";
import type { EncoderModel } from "../../catalog/encoder.ts";
import { type EncoderForm, type InputType, NO_ENCODER_USAGE } from "./encoder-call.ts";
import { toUnit } from "./vectors.ts";

const batchSchema = z.lazy(() =>
	z.object({
		embeddings: z.array(z.object({ values: z.array(z.number()) })),
		usageMetadata: z
			.object({ promptTokenCount: z.int().min(0).nullish() })
			.nullish()
			.catch(null),
	}),
);

const TASK_TYPES: Readonly<Record<InputType, string>> = { query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" };

/** Of Gemini's models only this one has task types. A task written into the text would change what is embedded: that is the client's. */
function takesTaskType({ upstream_model }: EncoderModel): boolean {
	return upstream_model === "gemini-embedding-001";
}

export const googleEncoderForm: EncoderForm = {
	takesInputType: takesTaskType,
	render(call, encoder, { baseUrl }) {
		if (call.kind !== "embedding") throw new Error(`Google has no form for ${call.kind}`);
		const model = `models/${encoder.upstream_model}`;
		const { inputs, dimensions, inputType } = call;
		const taskType = inputType && takesTaskType(encoder) ? { taskType: TASK_TYPES[inputType] } : {};
		return {
			url: `${baseUrl}/${model}:batchEmbedContents`,
			headers: { "content-type": "application/json" },
			body: JSON.stringify({
				requests: inputs.map((text) => ({
					model,
					content: { parts: [{ text }] },
					...taskType,
					...(dimensions === null ? {} : { outputDimensionality: dimensions }),
				})),
			}),
		};
	},
	parse(body, call) {
		const parsed = batchSchema.safeParse(body);
		if (!parsed.success || call.kind !== "embedding") return null;
		const vectors = parsed.data.embeddings.map(({ values }) => Float32Array.from(values));
		return {
			kind: "embedding",
			// A shortened vector is cut off, and its length is no longer 1.
			vectors: call.dimensions === null ? vectors : vectors.map(toUnit),
			usage: { ...NO_ENCODER_USAGE, inputTokens: parsed.data.usageMetadata?.promptTokenCount ?? null },
		};
	},
};
