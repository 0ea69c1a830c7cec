// POST /v1/embeddings in OpenAI's form. Every provider's answer is written anew, in the form that the client asked for.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { nameFields } from "../account/request-names.ts";
import { fail } from "../failure.ts";
import { knownFields } from "../inference/unknown-fields.ts";
import { optionalMember } from "../json.ts";
import { toBase64 } from "../proof/signing.ts";
import { vectorBytes } from "../proof/vector-bytes.ts";
import { INPUT_TYPES } from "../providers/encoders/encoder-call.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import { ENCODING_FORMATS, type EncodingFormat, findEmbeddingFaults, readEmbeddingInput } from "./embedding-input.ts";
import { encode } from "./encode.edge.ts";
import { encoderBlockSchema, promptTokens, sandboxHeaders, toEncoderBlock } from "./encoder-block.ts";
import { droppedWarnings } from "./encoder-texts.ts";
import { findEncoder } from "./find-encoder.ts";
import { MAX_INPUTS } from "./text-limits.ts";

const TOKENS = { type: "array", items: { type: "integer", minimum: 0 }, minItems: 1 };

/** `input` is read by embedding-input.ts: a union of lists would name every entry of a wrong one. */
const embeddingsRequestSchema = z.lazy(() =>
	z.looseObject({
		input: z
			.unknown()
			.meta({
				anyOf: [
					{ type: "string", minLength: 1 },
					{ type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: MAX_INPUTS },
					TOKENS,
					{ type: "array", items: TOKENS, minItems: 1, maxItems: MAX_INPUTS },
				],
			})
			.describe("A text, texts, the tokens of a text, or those of texts: at most 2,048."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("An id of list_models with `kind` embedding. `auto` only where the operator names a default."),
		dimensions: z.int().positive().nullish().describe("Length of the vectors, where the model can shorten them."),
		encoding_format: z
			.enum(ENCODING_FORMATS)
			.nullish()
			.describe("`float`, the default, or `base64` of little-endian float32."),
		input_type: z
			.enum(INPUT_TYPES)
			.nullish()
			.describe("What the texts are for, where the model is told: `query` to find others, `document` to be found."),
		...nameFields(),
		...ruleFields(),
	}),
);

const embeddingsSchema = z.lazy(() =>
	z.object({
		object: z.literal("list"),
		data: z
			.array(
				z.object({
					object: z.literal("embedding"),
					index: z.int(),
					embedding: z.union([z.array(z.number()), z.string()]).describe("Numbers, or base64."),
				}),
			)
			.describe("A vector for each input, in their order."),
		model: z.string().describe("The model that made them."),
		usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }).describe("Tokens of all inputs."),
		svc: encoderBlockSchema.describe("Model, cost and receipt."),
	}),
);

function toEmbedding(vector: Float32Array, format: EncodingFormat): number[] | string {
	return format === "base64" ? toBase64(vectorBytes([vector])) : Array.from(vector);
}

export const createEmbeddingsEndpoint = endpoint({
	id: "create_embeddings",
	method: "POST",
	path: "/v1/embeddings",
	access: "key",
	admission: "handler",
	requestKind: "embedding",
	bodyLimit: "chat",
	toolGroup: "chat",
	summary: "Vectors of texts by the embedding model that is named, with cost and receipt.",
	description:
		"For search, clustering and recommendations; it costs what the model's input tokens cost. Vectors of two models do not mix, so the model is named and never exchanged; the same model at another host may stand in. Say `input_type` where queries are to find documents: several models embed them differently.",
	body: embeddingsRequestSchema,
	result: embeddingsSchema,
	ids: "none",
	example: { body: { model: "text-embedding-3-small", input: "The food was delicious", dimensions: 8 } },
	async handle({ body, context }) {
		const read = readEmbeddingInput(body.input);
		if (!read.ok) return read;
		const { catalog, defaultEmbeddingModel: byDefault } = context.settings;
		const naming = { id: byDefault ?? "", source: "DEFAULT_EMBEDDING_MODEL" };
		const choice = findEncoder(
			{ kind: "embedding", asked: body.model, byDefault: byDefault === null ? null : naming },
			catalog,
		);
		if (!choice.ok) return choice;
		const format = body.encoding_format ?? "float";
		const dimensions = body.dimensions ?? null;
		const issues = findEmbeddingFaults(read.value, { dimensions, format }, choice.value.named);
		if (issues.length > 0) return fail({ reason: "invalid_request", issues });
		const { inputs, isList } = read.value;
		const outcome = await encode(
			{
				choice: choice.value,
				call: {
					kind: "embedding",
					inputs,
					dimensions,
					...optionalMember("inputType", body.input_type),
					...optionalMember("user", body.user),
				},
				isList,
				rules: body,
				endpoint: "embeddings",
				warnings: droppedWarnings(body, knownFields(embeddingsRequestSchema)),
			},
			context,
		);
		if (!outcome.ok) return outcome;
		const { answer, model } = outcome.value;
		if (answer.kind !== "embedding") throw new Error("an embedding model answers with vectors");
		const tokens = promptTokens(outcome.value);
		return {
			ok: true,
			value: {
				object: "list" as const,
				data: answer.vectors.map((vector, index) => ({
					object: "embedding" as const,
					index,
					embedding: toEmbedding(vector, format),
				})),
				model: model.id,
				usage: { prompt_tokens: tokens, total_tokens: tokens },
				svc: toEncoderBlock(outcome.value),
			},
			headers: sandboxHeaders(outcome.value),
		};
	},
});
