// Reranks of Text Embeddings Inference: POST /rerank beside /v1, with `texts`, and a list as its answer. Its embeddings are OpenAI's form.
// Sources, read 2026-11-28: crates operonx 0.8.3 (providers/rerankers/tei.rs) and rig-tei 0.1.5, which call it. Pure.
import * as z from "zod";
import { type EncoderForm, NO_ENCODER_USAGE } from "./encoder-call.ts";
import { openAiCompatibleEncoderForm } from "./openai.ts";
import { rankDocuments } from "./ranked.ts";

const ranksSchema = z.lazy(() => z.array(z.object({ index: z.int().min(0), score: z.number() })));

export const teiEncoderForm: EncoderForm = {
	render(call, model, access) {
		if (call.kind !== "rerank") return openAiCompatibleEncoderForm.render(call, model, access);
		const { query, documents: texts } = call;
		return {
			url: `${access.baseUrl.replace(/\/v1$/, "")}/rerank`,
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ query, texts }),
		};
	},
	parse(body, call) {
		if (call.kind !== "rerank") return openAiCompatibleEncoderForm.parse(body, call);
		const parsed = ranksSchema.safeParse(body);
		if (!parsed.success) return null;
		return { kind: "rerank", results: rankDocuments(parsed.data, call), usage: NO_ENCODER_USAGE };
	},
};
