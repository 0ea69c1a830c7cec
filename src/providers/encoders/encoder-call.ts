// What encoder models are asked and answer, the same for every provider; and the interface of a provider's form of it. Pure.
import type { EncoderModel } from "../../catalog/encoder.ts";
import type { ProviderAccess } from "../../settings.ts";
import type { UpstreamError } from "../wire.ts";

/** An input of an embedding: a text, or a text that the client has cut into tokens. */
export type EmbeddingInput = string | readonly number[];

/** What one upstream call asks. */
export type EncoderCall =
	| {
			kind: "embedding";
			inputs: readonly EmbeddingInput[];
			/** Null: the model's own. */
			dimensions: number | null;
			/** The client's mark of its end user. */
			user?: string;
	  }
	| { kind: "moderation"; inputs: readonly string[] }
	| {
			kind: "rerank";
			query: string;
			documents: readonly string[];
			/** Only so many of the best are answered; null: all. */
			topN: number | null;
	  };

/** What a moderation found in one input, by category. Categories are the model's own words. */
export interface ModerationResult {
	flagged: boolean;
	categories: Record<string, boolean>;
	/** From 0 to 1. */
	scores: Record<string, number>;
}

/** A document of a rerank: its place in the request, and how well it answers the query. */
export interface RankedDocument {
	index: number;
	score: number;
}

/** Usage as reported; null where it was not. */
export interface EncoderUsage {
	inputTokens: number | null;
	/** Search units, of providers that charge by them. */
	searches: number | null;
}

/** Where nothing was reported. */
export const NO_ENCODER_USAGE: EncoderUsage = { inputTokens: null, searches: null };

/** What one upstream call answered. Vectors and results stand in the order of the inputs, ranked documents from the best on. */
export type EncoderAnswer =
	| { kind: "embedding"; vectors: Float32Array[]; usage: EncoderUsage }
	| { kind: "moderation"; results: ModerationResult[]; usage: EncoderUsage }
	| { kind: "rerank"; results: RankedDocument[]; usage: EncoderUsage };

/** A rendered upstream request, without the key. */
export interface EncoderRequestText {
	url: string;
	headers: Record<string, string>;
	body: string;
}

/** How a provider is asked and answers. One file per form. */
export interface EncoderForm {
	/** A call of a kind that it has no words for (catalog/encoder.ts, servesKind) is a bug. */
	render(call: EncoderCall, model: EncoderModel, access: ProviderAccess): EncoderRequestText;
	/**
	 * Reads the JSON of a whole answer. The engine checks that there is one vector or result per input, and each vector's length: a form
	 * returns what is there.
	 * @returns null for what is not the form.
	 */
	parse(body: unknown, call: EncoderCall): EncoderAnswer | null;
	/** Reads an error, where the provider's chat wire does not. */
	parseError?(body: unknown): UpstreamError | null;
}
