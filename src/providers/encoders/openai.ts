// OpenAI's form of embeddings: POST /embeddings. Sources: openai-node's EmbeddingCreateParams and CreateEmbeddingResponse (installed
// types), read 2026-11-28. Pure.
import * as z from "zod";
import { type EncoderAnswer, type EncoderForm, NO_ENCODER_USAGE } from "./encoder-call.ts";

const embeddingsSchema = z.object({
	data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()) })),
	usage: z
		.object({ prompt_tokens: z.int().min(0) })
		.nullish()
		.catch(null),
});

function parseEmbeddings(body: unknown): EncoderAnswer | null {
	const parsed = embeddingsSchema.safeParse(body);
	if (!parsed.success) return null;
	const { data, usage } = parsed.data;
	// Each vector says whose it is; servers that do not answer in order.
	const inOrder = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
	return {
		kind: "embedding",
		vectors: inOrder.map(({ embedding }) => Float32Array.from(embedding)),
		usage: { ...NO_ENCODER_USAGE, inputTokens: usage?.prompt_tokens ?? null },
	};
}

export const openAiEncoderForm: EncoderForm = {
	render(call, { upstream_model }, { baseUrl }) {
		if (call.kind !== "embedding") throw new Error(`no form for ${call.kind}`);
		const { inputs, dimensions, user } = call;
		return {
			url: `${baseUrl}/embeddings`,
			headers: { "content-type": "application/json" },
			body: JSON.stringify({
				model: upstream_model,
				input: inputs,
				// The client's own default may be base64, and no other server has that.
				encoding_format: "float",
				...(dimensions === null ? {} : { dimensions }),
				...(user === undefined ? {} : { user }),
			}),
		};
	},
	parse: (body) => parseEmbeddings(body),
};
