// Cohere's own form: POST /v2/embed and /v2/rerank. Sources, read 2026-11-28: V2EmbedRequest, EmbedByTypeResponse, V2RerankRequest,
// V2RerankResponse and ApiMeta of cohere-ai 8.1 (types); cohere-openapi.yaml of cohere-ai/cohere-developer-experience. Pure.
import * as z from "zod";
import { type EncoderAnswer, type EncoderCall, type EncoderForm, NO_ENCODER_USAGE } from "./encoder-call.ts";
import { encoderUsageSchema, reportedInputTokens } from "./encoder-usage.ts";
import { parseRanked } from "./ranked.ts";
import { vectorSchema } from "./vectors.ts";

const embedSchema = z.lazy(() =>
	z.object({ embeddings: z.object({ float: z.array(vectorSchema) }), meta: encoderUsageSchema }),
);

function parseEmbed(body: unknown): EncoderAnswer | null {
	const parsed = embedSchema.safeParse(body);
	if (!parsed.success) return null;
	const { embeddings, meta } = parsed.data;
	return {
		kind: "embedding",
		vectors: embeddings.float,
		usage: { ...NO_ENCODER_USAGE, inputTokens: reportedInputTokens(meta) },
	};
}

/** What follows the address of a call, and the members beside the model. */
function toAsked(call: EncoderCall): { path: string; members: Record<string, unknown> } {
	if (call.kind === "rerank") {
		const { query, documents, topN } = call;
		return { path: "/v2/rerank", members: { query, documents, ...(topN === null ? {} : { top_n: topN }) } };
	}
	if (call.kind !== "embedding") throw new Error(`Cohere has no form for ${call.kind}`);
	const { inputs: texts, dimensions, inputType } = call;
	return {
		path: "/v2/embed",
		members: {
			texts,
			// Required from version 3 on. Where the client does not say what a text is for: most are stored to be found.
			input_type: inputType === "query" ? "search_query" : "search_document",
			// Of base64 no page says what the bytes are.
			embedding_types: ["float"],
			// A text that is too long is an error, as at the others: by default its end would be left out unsaid.
			truncate: "NONE",
			...(dimensions === null ? {} : { output_dimension: dimensions }),
		},
	};
}

export const cohereEncoderForm: EncoderForm = {
	takesInputType: () => true,
	render(call, { upstream_model: model }, { baseUrl }) {
		const { path, members } = toAsked(call);
		return {
			// Chats are sent to the part of the API that speaks OpenAI's form.
			url: baseUrl.replace(/\/compatibility\/v1$/, "") + path,
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ model, ...members }),
		};
	},
	parse: (body, call) => (call.kind === "rerank" ? parseRanked(body, call) : parseEmbed(body)),
};
