// The shape of models.sources.json, encoders.sources.json and providers.sources.json, which say where the catalog's figures come from, and the
// list of figures that need a source. Only people and the catalog test read those files; the Worker imports neither
// them nor this.
import * as z from "zod";
import type { EncoderModel } from "./encoder.ts";
import type { Model } from "./schema.ts";

/** A source that people can follow: a file at a revision, a page, or a derivation from other figures. */
const sourceText = z.string().min(1);

/** The day the sources were last read. A change of a figure updates this date and the catalog's version. */
const checkedDate = z.iso.date();

const evidenceSchema = z.strictObject({
	/**
	 * `published` by the provider or in a table of its prices and limits; `measured` on the model itself; `proxy`:
	 * measured on its predecessor; `inferred` from other figures.
	 */
	basis: z.enum(["published", "measured", "proxy", "inferred"]),
	source: sourceText,
	/** Members of the figure that the source does not state. */
	inferred: z.array(z.string()).min(1).optional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** JSON Pointer (RFC 6901) from a model in models.json to the figure that the evidence is for. */
const figurePointer = z.string().regex(/^(?:\/[a-z0-9_]+)+$/);

export const modelSourcesFileSchema = z.strictObject({
	/** How old the evidence is. */
	as_of: z.string().min(1),
	test_ease: evidenceSchema,
	/** By model id. */
	models: z.record(
		z.string(),
		z.strictObject({
			checked: checkedDate,
			confidence: z.enum(["high", "medium", "low"]),
			notes: z.string().nullable(),
			evidence: z.record(figurePointer, evidenceSchema),
		}),
	),
});

export const encoderSourcesFileSchema = z.strictObject({ encoders: modelSourcesFileSchema.shape.models });

export const providerSourcesFileSchema = z.strictObject({
	/** By provider id. */
	providers: z.record(
		z.string(),
		z.strictObject({
			checked: checkedDate,
			docs: z.url(),
			sources: z.array(sourceText).min(1),
			notes: z.string().nullable(),
			/** The shape of its error bodies; `verified` against recorded traffic or the source of its own client. */
			error_body: z.strictObject({ shape: z.string().min(1), verified: z.boolean() }),
			rate_limit_headers_verified: z.boolean(),
		}),
	),
});

/** JSON Pointers to the figures of a model that need a source. models.sources.json has exactly these. */
export function sourcedFigures(model: Model): string[] {
	const prices = model.prices.flatMap((price, index) => [
		`/prices/${index}`,
		...price.tiers.map((_, tier) => `/prices/${index}/tiers/${tier}`),
	]);
	return [
		...prices,
		"/limits",
		"/supports",
		...(model.documents ? ["/documents/pdf"] : []),
		...(model.audio ? ["/audio"] : []),
		...(model.reasoning ? ["/reasoning", "/reasoning/tokens"] : []),
		"/request",
		"/quality",
		"/quality/low_effort_ratio",
		...(model.answer_length === null ? [] : ["/answer_length"]),
		"/speed/high_effort",
		"/speed/low_effort",
	];
}

/** The same of an encoder model, for encoders.sources.json. */
export function sourcedEncoderFigures({ prices, dimensions }: EncoderModel): string[] {
	return [...prices.map((_, index) => `/prices/${index}`), "/limits", ...(dimensions ? ["/dimensions"] : [])];
}
