// OpenAI's form of embeddings and moderations, which Mistral, Alibaba, vLLM, Ollama and others speak; and Cohere's form of reranks at the
// addresses where such servers have it. Sources, read 2026-11-28: EmbeddingCreateParams, CreateEmbeddingResponse and
// ModerationCreateResponse of openai-node 7.55 (types); EmbeddingRequest, ClassificationRequest and ModerationObject of
// @mistralai/mistralai 2.7 (types); developers.openai.com/api/reference/resources/embeddings.md; docs of Jina and vLLM, `/v1/rerank`.
// Pure.
import * as z from "zod";
import type { EncoderModel } from "../../catalog/encoder.ts";
import type { ProviderAccess } from "../../settings.ts";
import { type EncoderAnswer, type EncoderCall, type EncoderForm, NO_ENCODER_USAGE } from "./encoder-call.ts";
import { encoderUsageSchema, reportedInputTokens } from "./encoder-usage.ts";
import { withKnownCategories } from "./moderation-categories.ts";
import { parseRanked } from "./ranked.ts";
import { orderByIndex, vectorSchema } from "./vectors.ts";

const embeddingsSchema = z.lazy(() =>
	z.object({
		data: z.array(z.object({ index: z.int().min(0).optional(), embedding: vectorSchema })),
		usage: encoderUsageSchema,
	}),
);

/** Reads the answer to an embeddings call. @returns null for what is not the form. */
export function parseEmbeddings(
	body: unknown,
	{ inputs }: Extract<EncoderCall, { kind: "embedding" }>,
): EncoderAnswer | null {
	const parsed = embeddingsSchema.safeParse(body);
	const inOrder = parsed.success ? orderByIndex(parsed.data.data, inputs.length) : null;
	if (!parsed.success || !inOrder) return null;
	return {
		kind: "embedding",
		vectors: inOrder.map(({ embedding }) => embedding),
		usage: { ...NO_ENCODER_USAGE, inputTokens: reportedInputTokens(parsed.data.usage) },
	};
}

const moderationsSchema = z.lazy(() =>
	z.object({
		results: z.array(
			z.object({
				// Mistral has none.
				flagged: z.boolean().optional(),
				// Null: the model does not judge it.
				categories: z.record(z.string(), z.boolean().nullable()),
				category_scores: z.record(z.string(), z.number().nullable()),
			}),
		),
		usage: encoderUsageSchema,
	}),
);

/** A record without what is null. */
function withoutNulls<Value>(record: Readonly<Record<string, Value | null>>): Record<string, Value> {
	return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, Value & {}] => entry[1] !== null));
}

function parseModerations(body: unknown): EncoderAnswer | null {
	const parsed = moderationsSchema.safeParse(body);
	if (!parsed.success) return null;
	const { usage } = parsed.data;
	const results = parsed.data.results.map(({ flagged, categories: judged, category_scores: scored }) => {
		const categories = withoutNulls(judged);
		return withKnownCategories({
			// A text of which one category is flagged is not harmless, whatever is said of the whole.
			flagged: flagged === true || Object.values(categories).includes(true),
			categories,
			scores: withoutNulls(scored),
		});
	});
	// What is judged in no category is not judged: it must not pass as harmless.
	if (results.some(({ categories }) => Object.keys(categories).length === 0)) return null;
	return {
		kind: "moderation",
		results,
		usage: { ...NO_ENCODER_USAGE, inputTokens: reportedInputTokens(usage) },
	};
}

/** How vectors are asked for. Base64 is a quarter of the size; OpenAI and Azure document it, most servers that speak the form do not. */
type Writing = "float" | "base64";

const PATHS: Readonly<Record<EncoderCall["kind"], string>> = {
	embedding: "/embeddings",
	moderation: "/moderations",
	rerank: "/rerank",
};

/** Members of a body beside the model. */
function toOpenAiMembers(call: EncoderCall, writing: Writing): Record<string, unknown> {
	if (call.kind === "embedding") {
		const { inputs: input, dimensions, user } = call;
		return { input, encoding_format: writing, ...(dimensions === null ? {} : { dimensions }), user };
	}
	if (call.kind === "moderation") return { input: call.inputs };
	const { query, documents, topN } = call;
	// Jina sends every document back unless it is told not to.
	return { query, documents, ...(topN === null ? {} : { top_n: topN }), return_documents: false };
}

/** A deployment of Azure's has its name in the path of its chats. */
function toUrl({ provider, baseUrl }: ProviderAccess, { upstream_model }: EncoderModel, path: string): string {
	const deployment = provider.paths?.whole.replace("/chat/completions", path);
	return baseUrl + (deployment?.replace("{model}", encodeURIComponent(upstream_model)) ?? path);
}

function createOpenAiForm(writing: Writing): EncoderForm {
	return {
		render(call, model, access) {
			const { drops, renames } = access.provider;
			const members = Object.entries(toOpenAiMembers(call, writing))
				.filter(([name]) => !drops.includes(name))
				.map(([name, value]) => [renames[name] ?? name, value]);
			return {
				url: toUrl(access, model, PATHS[call.kind]),
				headers: { "content-type": "application/json" },
				body: JSON.stringify({ model: model.upstream_model, ...Object.fromEntries(members) }),
			};
		},
		parse(body, call) {
			if (call.kind === "embedding") return parseEmbeddings(body, call);
			return call.kind === "moderation" ? parseModerations(body) : parseRanked(body, call);
		},
	};
}

export const openAiEncoderForm = createOpenAiForm("base64");
export const openAiCompatibleEncoderForm = createOpenAiForm("float");
