// The shape of encoders.json: the models that make no text. They turn texts into vectors, scores or an order, are only called by name,
// and are never chosen or exchanged. A change of a figure there also changes its source in encoders.sources.json, and the version in models.json. Pure.
import * as z from "zod";
import type { Provider } from "./schema.ts";
import { ENCODER_KINDS, type EncoderFormName, type EncoderKind, PLAN_IDS } from "./vocabulary.ts";

/** A price. What is charged is the sum of both. */
const encoderPriceSchema = z.strictObject({
	/** ISO time from which the price holds; null for the first price. */
	effective_from: z.iso.datetime().nullable(),
	/** USD per million input tokens. */
	input: z.number().min(0),
	/** USD per thousand searches, where the provider charges by search: one is a query with up to SEARCH_DOCUMENTS documents. */
	search: z.number().min(0).optional(),
});

/** Documents of one search as Cohere charges it; a longer document is counted in pieces. */
export const SEARCH_DOCUMENTS = 100;

export const encoderModelSchema = z.lazy(() =>
	z.strictObject({
		id: z.string().min(1),
		upstream_model: z.string().min(1),
		display_name: z.string().min(1),
		provider: z.string().min(1),
		kind: z.enum(ENCODER_KINDS),
		released: z.string().nullable(),
		open_weights: z.boolean(),
		prices: z.array(encoderPriceSchema).min(1),
		limits: z.strictObject({
			/** Tokens of one input; of a rerank, of the query and one document. */
			context_window: z.int().positive(),
			/** Inputs of one upstream call; of a rerank, documents. */
			max_inputs: z.int().positive(),
			/** Tokens of all inputs of one upstream call; null where the provider names no limit. */
			max_batch_tokens: z.int().positive().nullable(),
		}),
		/** Lengths of its vectors: those that can be asked for, or null where they cannot be chosen. Only of kind embedding. */
		dimensions: z
			.strictObject({
				default: z.int().positive(),
				sizes: z.union([
					z.array(z.int().positive()).min(1),
					z.strictObject({ min: z.int().positive(), max: z.int().positive() }),
					z.null(),
				]),
			})
			.optional(),
		/** It takes inputs that are arrays of tokens. */
		token_inputs: z.literal(true).optional(),
		/** The members below are those of an operator's rows; no shipped model has them. */
		owner: z.literal("operator").optional(),
		/** The plans whose keys may call it. Absent: all but free. */
		plans: z.array(z.enum(PLAN_IDS)).min(1).optional(),
		/** Not listed; who names it is answered. */
		hidden: z.literal(true).optional(),
		/** The model that this is at another host: it stands in for that one, and that one for it. */
		same_as: z.string().optional(),
		/** Further ids that mean it. */
		aliases: z.array(z.string()).optional(),
	}),
);

export const encodersFileSchema = z.lazy(() =>
	z.strictObject({
		unit: z.literal("USD per million tokens, USD per thousand searches"),
		encoders: z.array(encoderModelSchema),
	}),
);

export type EncoderModel = z.infer<typeof encoderModelSchema>;
export type EncoderPrice = z.infer<typeof encoderPriceSchema>;

/** What is spoken to a provider's encoder models, and which kinds it has words for. */
const DIALECTS = {
	openai: ENCODER_KINDS,
	openai_compatible: ENCODER_KINDS,
	google: ["embedding"],
	cohere: ["embedding", "rerank"],
	voyage: ["embedding", "rerank"],
	tei: ["embedding", "rerank"],
} as const satisfies Record<EncoderFormName | "openai_compatible" | "google", readonly EncoderKind[]>;

export type EncoderDialect = keyof typeof DIALECTS;
type Speaker = Pick<Provider, "wire" | "encoder_form" | "region">;

/** What is spoken to a provider's encoder models: what its row says, else by its wire; null where it serves none. */
export function encoderDialectOf({ wire, encoder_form, region }: Speaker): EncoderDialect | null {
	if (encoder_form) return encoder_form;
	if (wire === "openai") return "openai_compatible";
	// Vertex has no batches of embeddings.
	return wire === "google" && region === undefined ? "google" : null;
}

/** Whether a provider can be asked for models of a kind. */
export function servesKind(provider: Speaker, kind: EncoderKind): boolean {
	const dialect = encoderDialectOf(provider);
	return dialect !== null && DIALECTS[dialect].some((each) => each === kind);
}

/** The encoder models that lists show. Who names a hidden one is answered. */
export function listedEncoders({ encoders }: { encoders: readonly EncoderModel[] }): EncoderModel[] {
	return encoders.filter(({ hidden }) => !hidden);
}

/** Whether vectors of this length can be asked for. */
export function hasDimensions({ dimensions }: Pick<EncoderModel, "dimensions">, asked: number): boolean {
	if (!dimensions) return false;
	const { sizes } = dimensions;
	if (sizes === null) return asked === dimensions.default;
	return Array.isArray(sizes) ? sizes.includes(asked) : asked >= sizes.min && asked <= sizes.max;
}

const USES: Readonly<Record<EncoderKind, string>> = {
	embedding: "makes vectors and writes no text: POST /v1/embeddings",
	moderation: "moderates texts and writes none: POST /v1/moderations",
	rerank: "ranks documents and writes no text: POST /v1/rerank",
};

/** What an encoder model is for, for a request that asks it for something else. */
export function explainEncoderUse({ id, kind }: EncoderModel): string {
	return `${id} ${USES[kind]}`;
}
