// POST /v1/rerank in Cohere's form, and the same at /v2/rerank, where Cohere's newer client asks: by the rerank models of all providers.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { nameFields } from "../account/request-names.ts";
import { fail } from "../failure.ts";
import { knownFields } from "../inference/unknown-fields.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { encode } from "./encode.edge.ts";
import { encoderBlockSchema, sandboxHeaders, toEncoderBlock } from "./encoder-block.ts";
import { droppedWarnings } from "./encoder-texts.ts";
import { findEncoder } from "./find-encoder.ts";
import { findRerankFaults, MAX_DOCUMENTS, readRerankDocuments, warnOfLongDocuments } from "./rerank-input.ts";

const DOCUMENT = {
	anyOf: [
		{ type: "string", minLength: 1 },
		{ type: "object", properties: { text: { type: "string", minLength: 1 } }, required: ["text"] },
	],
};

const rerankRequestSchema = z.lazy(() =>
	z.looseObject({
		model: z.string().min(1).max(256).nullish().describe("An id of list_models with `kind` rerank."),
		query: z.string().min(1, "must not be an empty string").describe("What is searched for."),
		documents: z
			.array(z.unknown().meta(DOCUMENT))
			.min(1, "must not be an empty list")
			.max(MAX_DOCUMENTS, `must have at most ${MAX_DOCUMENTS}: rank in several requests, and then the best of each`)
			.describe("Texts, or objects with a `text`, to be ranked."),
		top_n: z
			.int("must be a whole number from 1")
			.min(1, "must be a whole number from 1")
			.nullish()
			.describe("Only so many of the best are answered. Default: all."),
		return_documents: z.boolean().nullish().describe("Whether each result has its document. Default: false."),
		...nameFields(),
		...ruleFields(),
	}),
);

const count = z.int().optional();

const rerankSchema = z.lazy(() =>
	z.object({
		id: z.string().describe("The id of the request."),
		results: z
			.array(
				z.object({
					index: z.int().describe("Place of the document in the request."),
					relevance_score: z.number().describe("Higher is better; scores of two models do not compare."),
					document: z.looseObject({ text: z.string() }).optional().describe("With `return_documents`."),
				}),
			)
			.describe("From the best on."),
		meta: z
			.object({
				api_version: z.object({ version: z.string() }),
				billed_units: z.object({ search_units: count, input_tokens: count }),
			})
			.describe("What the provider reported as billed."),
		svc: encoderBlockSchema.describe("Model, cost and receipt."),
	}),
);

async function rerank(body: z.output<typeof rerankRequestSchema>, context: KeyContext, version: "1" | "2") {
	const read = readRerankDocuments(body.documents);
	if (!read.ok) return read;
	const choice = findEncoder({ kind: "rerank", asked: body.model, byDefault: null }, context.settings.catalog);
	if (!choice.ok) return choice;
	const { query } = body;
	const documents = read.value;
	const { named } = choice.value;
	const issues = findRerankFaults(query, documents, named);
	if (issues.length > 0) return fail({ reason: "invalid_request", issues });
	const outcome = await encode(
		{
			choice: choice.value,
			call: { kind: "rerank", query, documents, topN: body.top_n ?? null },
			isList: true,
			rules: body,
			endpoint: "rerank",
			warnings: [
				...droppedWarnings(body, knownFields(rerankRequestSchema)),
				...warnOfLongDocuments(query, documents, named),
			],
		},
		context,
	);
	if (!outcome.ok) return outcome;
	const { answer, receipt } = outcome.value;
	if (answer.kind !== "rerank") throw new Error("a rerank model ranks");
	const { searches, inputTokens } = answer.usage;
	const toDocument = (index: number) => {
		const text = documents[index] ?? "";
		const document = body.documents[index];
		return typeof document === "object" ? { ...document, text } : { text };
	};
	return {
		ok: true as const,
		value: {
			id: receipt.request_id,
			results: answer.results.map(({ index, score }) => ({
				index,
				relevance_score: score,
				...(body.return_documents ? { document: toDocument(index) } : {}),
			})),
			meta: {
				api_version: { version },
				billed_units: {
					...(searches === null ? {} : { search_units: searches }),
					...(inputTokens === null ? {} : { input_tokens: inputTokens }),
				},
			},
			svc: toEncoderBlock(outcome.value),
		},
		headers: sandboxHeaders(outcome.value),
	};
}

const EXAMPLE = {
	model: "rerank-v3.5",
	query: "What is the capital of the United States?",
	documents: [
		"Carson City is the capital city of the American state of Nevada.",
		"Washington, D.C. is the capital of the United States.",
		"Capital punishment has existed in the United States since before it was a country.",
	],
	top_n: 2,
};

const shared = {
	method: "POST",
	access: "key",
	admission: "handler",
	requestKind: "rerank",
	bodyLimit: "chat",
	body: rerankRequestSchema,
	result: rerankSchema,
	ids: "none",
	example: { body: EXAMPLE },
} as const;

export const rerankEndpoint = endpoint({
	...shared,
	id: "rerank",
	path: "/v1/rerank",
	toolGroup: "chat",
	summary: "Ranks documents by how well they answer a query, with cost and receipt.",
	handle: ({ body, context }) => rerank(body, context, "1"),
});

export const rerankV2Endpoint = endpoint({
	...shared,
	id: "rerank_v2",
	path: "/v2/rerank",
	toolGroup: null,
	summary: "The same as `POST /v1/rerank`, where Cohere's newer client asks for it.",
	handle: ({ body, context }) => rerank(body, context, "2"),
});
