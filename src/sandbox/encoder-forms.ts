// The sandbox's forms of embeddings, moderations and reranks: as strict as the providers, and worded as they word it.
import * as z from "zod";
import { shortHash } from "./answer.ts";
import { type SandboxInput, sandboxModeration, sandboxRanks, sandboxVector, sumInputTokens } from "./encoder-answer.ts";
import type { SandboxFaults } from "./faults.ts";
import { type JsonFields, Refusal, type SandboxFormat } from "./format.ts";
import { googleFormat } from "./google.ts";
import { googleError } from "./google-schema.ts";
import cues from "./moderation-cues.json" with { type: "json" };
import { openaiFormat } from "./openai.ts";

/** A valid request of an encoder model. */
export interface EncoderAsked {
	model: string;
	/** What words for faults may stand in. */
	text: string;
	/** The body of the answer: an object, or TEI's list. */
	answer(faults: SandboxFaults): unknown;
}

/** How one address is asked. */
export interface SandboxEncoderForm {
	/** Its error bodies. */
	format: SandboxFormat;
	/** @throws {Refusal} for a body that the provider would not accept. */
	read(body: unknown, provider: string, model: string): EncoderAsked;
}

/** Where no length is asked for, and the model has no known one. */
const DEFAULT_DIMENSIONS = 1_536;
const OWN_DIMENSIONS: Readonly<Record<string, number>> = {
	"text-embedding-3-large": 3_072,
	"gemini-embedding-001": 3_072,
	"gemini-embedding-2": 3_072,
	"mistral-embed": 1_024,
	"embed-multilingual-v3.0": 1_024,
	"embed-english-v3.0": 1_024,
	"text-embedding-v4": 1_024,
	"text-embedding-v3": 1_024,
};

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
	const parsed = schema.safeParse(body);
	if (parsed.success) return parsed.data;
	throw new Refusal(400, `sandbox: ${z.prettifyError(parsed.error)}`);
}

function joinTexts(inputs: readonly SandboxInput[]): string {
	return inputs.filter((input) => typeof input === "string").join("\n");
}

/** One too few, as some servers answer that skip what they cannot read; or one for all, as those that merge inputs. */
function spoil<Entry>(entries: readonly Entry[], { oneShort, merged }: SandboxFaults): Entry[] {
	if (merged) return entries.slice(0, 1);
	return oneShort ? entries.slice(0, -1) : [...entries];
}

/** The vectors of inputs, spoilt where words for faults ask for it. */
function vectorsOf(inputs: readonly SandboxInput[], dimensions: number, faults: SandboxFaults): number[][] {
	const length = faults.shortVectors ? Math.max(1, dimensions - 1) : dimensions;
	return spoil(inputs, faults).map((input) => sandboxVector(input, length));
}

function toBase64(vector: readonly number[]): string {
	const view = new DataView(new ArrayBuffer(vector.length * Float32Array.BYTES_PER_ELEMENT));
	for (const [at, number] of vector.entries()) view.setFloat32(at * Float32Array.BYTES_PER_ELEMENT, number, true);
	return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

const text = z.string().min(1);
const texts = z.array(text).min(1);
const dimensions = z.int().positive().optional();

/** What a provider that speaks OpenAI's form of embeddings takes beside model and texts. */
const EMBEDDINGS_MEMBERS: Readonly<Record<string, z.ZodRawShape>> = {
	openai: {
		input: z.union([texts, z.array(z.array(z.int().min(0)).min(1)).min(1)]),
		encoding_format: z.enum(["float", "base64"]).optional(),
		dimensions,
		user: z.string().optional(),
	},
	mistral: { output_dimension: dimensions, encoding_format: z.literal("float").optional() },
	alibaba: { input: texts.max(10), dimensions, encoding_format: z.literal("float").optional() },
	voyage: {
		input: texts.max(1_000),
		output_dimension: dimensions,
		encoding_format: z.literal("base64").optional(),
		truncation: z.boolean().optional(),
		input_type: z.enum(["query", "document"]).optional(),
	},
};
const COMMON_MEMBERS: z.ZodRawShape = {
	dimensions,
	encoding_format: z.enum(["float", "base64"]).optional(),
	user: z.string().optional(),
};

/** The members that hold what is asked, whichever of them a provider has. */
const askedEmbeddings = z.object({
	input: z.array(z.union([z.string(), z.array(z.number())])),
	dimensions,
	output_dimension: dimensions,
	encoding_format: z.string().optional(),
});

function readEmbeddings(body: unknown, provider: string): EncoderAsked {
	const own = EMBEDDINGS_MEMBERS[provider] ?? COMMON_MEMBERS;
	const request = parse(z.strictObject({ model: text, input: texts, ...own }), body);
	const { input, encoding_format, ...lengths } = askedEmbeddings.parse(request);
	const model = String(request.model);
	const length = lengths.dimensions ?? lengths.output_dimension ?? OWN_DIMENSIONS[model] ?? DEFAULT_DIMENSIONS;
	return {
		model,
		text: joinTexts(input),
		answer(faults) {
			const data = vectorsOf(input, length, faults).map((vector, index) => ({
				object: "embedding",
				index,
				embedding: encoding_format === "base64" ? toBase64(vector) : vector,
			}));
			const tokens = sumInputTokens(input);
			const usage = provider === "voyage" ? { total_tokens: tokens } : { prompt_tokens: tokens, total_tokens: tokens };
			return {
				object: "list",
				data: faults.shuffled ? data.toReversed() : data,
				model,
				...(faults.noUsage ? {} : { usage }),
			};
		},
	};
}

const moderationsSchema = z.strictObject({ model: text, input: texts });

function readModerations(body: unknown, provider: string): EncoderAsked {
	const { model, input } = parse(moderationsSchema, body);
	const isMistral = provider === "mistral";
	return {
		model,
		text: joinTexts(input),
		answer: (faults) => ({
			id: `modr-${shortHash(body)}`,
			model,
			results: spoil(input, faults).map((each) => {
				const { categories, scores } = sandboxModeration(each, isMistral ? cues.mistral : cues.openai);
				const result = { categories, category_scores: scores };
				if (isMistral) return result;
				const types = Object.fromEntries(Object.keys(categories).map((category) => [category, ["text"]]));
				const flagged = Object.values(categories).includes(true);
				return { flagged, ...result, category_applied_input_types: types };
			}),
			...(isMistral && !faults.noUsage ? { usage: { prompt_tokens: sumInputTokens(input) } } : {}),
		}),
	};
}

/** Tokens of a rerank: the query is read with each document. */
function rerankTokens(query: string, documents: readonly string[]): number {
	return sumInputTokens(documents) + documents.length * sumInputTokens([query]);
}

/** The ranks of documents, as many as are asked for, with the score under its name. */
function ranksOf(
	{ query, documents, topN }: { query: string; documents: readonly string[]; topN?: number | undefined },
	faults: SandboxFaults,
	scoreName: "relevance_score" | "score" = "relevance_score",
): JsonFields[] {
	const ranks = spoil(sandboxRanks(query, documents).slice(0, topN), faults);
	return ranks.map(({ index, score }) => ({ index, [scoreName]: score }));
}

const asked = { query: text, documents: texts };
const voyageRerank = z.strictObject({ model: text, ...asked, top_k: z.int().positive().optional() });
const teiRerank = z.strictObject({ query: text, texts });
const jinaRerank = z.strictObject({
	model: text,
	...asked,
	top_n: z.int().positive().optional(),
	return_documents: z.boolean().optional(),
});

function readRerank(body: unknown, provider: string): EncoderAsked {
	if (provider === "tei") {
		const { query, texts: documents } = parse(teiRerank, body);
		const answer = (faults: SandboxFaults) => ranksOf({ query, documents }, faults, "score");
		return { model: "", text: joinTexts([query, ...documents]), answer };
	}
	const isVoyage = provider === "voyage";
	const request = isVoyage ? parse(voyageRerank, body) : parse(jinaRerank, body);
	const { model, query, documents } = request;
	const topN = "top_k" in request ? request.top_k : "top_n" in request ? request.top_n : undefined;
	return {
		model,
		text: joinTexts([query, ...documents]),
		answer: (faults) => ({
			object: "list",
			[isVoyage ? "data" : "results"]: ranksOf({ query, documents, topN }, faults),
			model,
			...(faults.noUsage ? {} : { usage: { total_tokens: rerankTokens(query, documents) } }),
		}),
	};
}

const cohereEmbed = z.strictObject({
	model: text,
	texts: texts.max(96),
	input_type: z.enum(["search_document", "search_query", "classification", "clustering"]),
	embedding_types: z.tuple([z.literal("float")]),
	truncate: z.enum(["NONE", "START", "END"]).optional(),
	output_dimension: z.union([z.literal(256), z.literal(512), z.literal(1_024), z.literal(1_536)]).optional(),
});

function meta(billed: JsonFields, faults: SandboxFaults): JsonFields {
	const version = { api_version: { version: "2" } };
	return { meta: faults.noUsage ? version : { ...version, billed_units: billed } };
}

function readCohereEmbed(body: unknown): EncoderAsked {
	const { model, texts: inputs, output_dimension } = parse(cohereEmbed, body);
	const length = output_dimension ?? OWN_DIMENSIONS[model] ?? DEFAULT_DIMENSIONS;
	return {
		model,
		text: joinTexts(inputs),
		answer: (faults) => ({
			id: shortHash(body),
			embeddings: { float: vectorsOf(inputs, length, faults) },
			texts: inputs,
			...meta({ input_tokens: sumInputTokens(inputs) }, faults),
		}),
	};
}

const cohereRerank = z.strictObject({
	model: text,
	...asked,
	top_n: z.int().positive().optional(),
	max_tokens_per_doc: z.int().positive().optional(),
});

/** Tokens of a piece of a document as Cohere counts searches, the query with it. */
const PIECE_TOKENS = 500;

function readCohereRerank(body: unknown): EncoderAsked {
	const { model, query, documents, top_n: topN } = parse(cohereRerank, body);
	const pieces = documents.reduce(
		(sum, document) => sum + Math.max(1, Math.ceil(sumInputTokens([query, document]) / PIECE_TOKENS)),
		0,
	);
	// From version 5 on tokens are charged.
	const billed = /^rerank-v5/.test(model)
		? { input_tokens: rerankTokens(query, documents) }
		: { search_units: Math.ceil(pieces / 100) };
	return {
		model,
		text: joinTexts([query, ...documents]),
		answer: (faults) => ({
			id: shortHash(body),
			results: ranksOf({ query, documents, topN }, faults),
			...meta(billed, faults),
		}),
	};
}

const googleBatch = z.strictObject({
	requests: z
		.array(
			z.strictObject({
				model: text,
				content: z.strictObject({ parts: z.array(z.strictObject({ text })).min(1) }),
				taskType: z.enum(["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"]).optional(),
				outputDimensionality: z.int().min(1).max(3_072).optional(),
			}),
		)
		.min(1)
		.max(100, "BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"),
});

/** Gemini's vectors have their own length, 1 only at 3,072: shorter ones are cut off. */
function cutOff(input: string, length: number): number[] {
	return sandboxVector(input, 3_072).slice(0, length);
}

function readGoogleBatch(body: unknown, _provider: string, model: string): EncoderAsked {
	const { requests } = parse(googleBatch, body);
	const other = requests.find((request) => request.model !== `models/${model}`);
	if (other) throw new Refusal(400, "", googleError(400, `model does not match the parent model: ${other.model}`));
	// Parts of one content become one vector.
	const inputs = requests.map(({ content }) => content.parts.map((part) => part.text).join("\n"));
	const length = requests[0]?.outputDimensionality ?? 3_072;
	return {
		model,
		text: joinTexts(inputs),
		answer: (faults) => ({
			embeddings: spoil(inputs, faults).map((input) => ({
				values: cutOff(input, faults.shortVectors ? length - 1 : length),
			})),
			...(faults.noUsage ? {} : { usageMetadata: { promptTokenCount: sumInputTokens(inputs) } }),
		}),
	};
}

/** A format of errors that has words alone. */
function wordFormat(member: "message" | "detail"): SandboxFormat {
	const words = ({ status, message }: Refusal) => new Refusal(status, message, { [member]: message });
	return {
		...openaiFormat,
		failure: (status, message, retryAfterSeconds, provider, code) => ({
			...openaiFormat.failure(status, message, retryAfterSeconds, provider, code),
			body: { [member]: message },
		}),
		overflow: (provider) => words(openaiFormat.overflow(provider)),
		refusals: {
			unserved: (model) =>
				words(new Refusal(404, `model '${model}' not found, make sure the correct model ID was used`)),
			forbidden: (model, provider) => words(openaiFormat.refusals.forbidden(model, provider)),
			disliked: (model, provider) => words(new Refusal(403, openaiFormat.refusals.disliked(model, provider).message)),
		},
	};
}

const cohereFormat = wordFormat("message");
const voyageFormat = wordFormat("detail");

/** Addresses of encoder models, behind the provider's. */
export const ENCODER_PATHS = ["embeddings", "moderations", "rerank", "v2/embed", "v2/rerank"] as const;

const READERS: Readonly<Record<(typeof ENCODER_PATHS)[number], SandboxEncoderForm["read"]>> = {
	embeddings: readEmbeddings,
	moderations: readModerations,
	rerank: readRerank,
	"v2/embed": readCohereEmbed,
	"v2/rerank": readCohereRerank,
};

/** The form of an address. */
export function encoderFormAt(provider: string, path: (typeof ENCODER_PATHS)[number]): SandboxEncoderForm {
	const own = provider === "voyage" ? voyageFormat : openaiFormat;
	return { format: path.startsWith("v2/") ? cohereFormat : own, read: READERS[path] };
}

/** Google's form, which names the model in the path. */
export const googleEmbeddings: SandboxEncoderForm = { format: googleFormat, read: readGoogleBatch };
