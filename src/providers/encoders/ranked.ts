// The answer of a rerank as Cohere words it, and those who took its form over: Jina, vLLM, llama.cpp, Voyage with other names. Pure.
import * as z from "zod";
import type { EncoderAnswer, EncoderCall, RankedDocument } from "./encoder-call.ts";
import { encoderUsageSchema, reportedInputTokens } from "./encoder-usage.ts";

const rankedSchema = z.lazy(() => z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })));

const rerankSchema = z.lazy(() =>
	z.union([
		z.object({ results: rankedSchema, usage: encoderUsageSchema, meta: encoderUsageSchema }),
		z.object({ data: rankedSchema, usage: encoderUsageSchema }).transform(({ data: results, usage }) => ({
			results,
			usage,
			meta: null,
		})),
	]),
);

/** Documents from the best on, as many as were asked for: some servers leave order and number to the client. */
export function rankDocuments(
	results: readonly RankedDocument[],
	{ topN }: Extract<EncoderCall, { kind: "rerank" }>,
): RankedDocument[] {
	return results.toSorted((a, b) => b.score - a.score || a.index - b.index).slice(0, topN ?? results.length);
}

/** Reads the answer to a rerank. @returns null for what is not the form. */
export function parseRanked(body: unknown, call: Extract<EncoderCall, { kind: "rerank" }>): EncoderAnswer | null {
	const parsed = rerankSchema.safeParse(body);
	if (!parsed.success) return null;
	const { results, usage, meta } = parsed.data;
	return {
		kind: "rerank",
		results: rankDocuments(
			results.map(({ index, relevance_score: score }) => ({ index, score })),
			call,
		),
		usage: {
			inputTokens: reportedInputTokens(meta) ?? reportedInputTokens(usage),
			searches: meta?.billed_units?.search_units ?? null,
		},
	};
}
