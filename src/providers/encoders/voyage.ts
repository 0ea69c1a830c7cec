// Voyage's form: POST /embeddings and /rerank, near to OpenAI's and Cohere's with names of its own. Source: EmbedRequest, EmbedResponse,
// RerankRequest and RerankResponse of voyageai 0.4 (types); docs.voyageai.com/reference/embeddings-api (input_type); both read 2026-11-28.
// Pure.
import { optionalMember } from "../../json.ts";
import type { EncoderCall, EncoderForm } from "./encoder-call.ts";
import { parseEmbeddings } from "./openai.ts";
import { parseRanked } from "./ranked.ts";

function toVoyageMembers(call: EncoderCall): Record<string, unknown> {
	if (call.kind === "rerank") {
		const { query, documents, topN } = call;
		return { query, documents, ...(topN === null ? {} : { top_k: topN }) };
	}
	if (call.kind !== "embedding") throw new Error(`Voyage has no form for ${call.kind}`);
	const { inputs: input, dimensions, inputType } = call;
	return {
		input,
		// `float` is no value of it. By default numbers come as text, four times as long.
		encoding_format: "base64",
		// A text that is too long is an error, as at the others: by default its end would be left out unsaid.
		truncation: false,
		...(dimensions === null ? {} : { output_dimension: dimensions }),
		// Without it texts are embedded as they stand; those vectors can be compared with either kind's.
		...optionalMember("input_type", inputType),
	};
}

export const voyageEncoderForm: EncoderForm = {
	takesInputType: () => true,
	render: (call, { upstream_model: model }, { baseUrl }) => ({
		url: `${baseUrl}${call.kind === "rerank" ? "/rerank" : "/embeddings"}`,
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ model, ...toVoyageMembers(call) }),
	}),
	parse(body, call) {
		if (call.kind === "rerank") return parseRanked(body, call);
		return call.kind === "embedding" ? parseEmbeddings(body, call) : null;
	},
};
