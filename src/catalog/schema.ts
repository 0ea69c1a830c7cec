// The shape of models.json and providers.json, which hold what the service computes with. Whoever edits a figure there edits its source in
// models.sources.json or providers.sources.json too (evidence.ts). The catalog test checks the files; the Worker takes only the types.
import * as z from "zod";
import { EFFORTS, TIERS, WIRE_NAMES } from "./vocabulary.ts";

/** USD per million tokens. */
const rateSchema = z.number().positive();
const fractionSchema = z.number().min(0).max(1);

/** Hours of the day in UTC, `[from, to)`. */
const utcHoursSchema = z.array(z.tuple([z.number().int().min(0).max(23), z.number().int().min(1).max(24)])).min(1);

const priceTierSchema = z.strictObject({
	when: z.union([
		z.strictObject({ above_input_tokens: z.int().positive() }),
		z.strictObject({ utc_hours: utcHoursSchema }),
	]),
	input: rateSchema,
	output: rateSchema,
	cached_input: rateSchema.nullable(),
	cache_write: rateSchema.nullable(),
});

const priceSchema = z.strictObject({
	/** ISO time from which the price holds; null for the first one. */
	effective_from: z.iso.datetime().nullable(),
	input: rateSchema,
	output: rateSchema,
	/** Null: cached tokens cost the input rate. */
	cached_input: rateSchema.nullable(),
	/** Null: written tokens cost the input rate. */
	cache_write: rateSchema.nullable(),
	tiers: z.array(priceTierSchema),
});

const speedSchema = z.strictObject({
	output_tokens_per_s: z.number().positive(),
	/** Seconds to the first token. */
	ttft_s: z.number().positive(),
});

export const modelSchema = z.strictObject({
	id: z.string().min(1),
	upstream_model: z.string().min(1),
	display_name: z.string().min(1),
	provider: z.string().min(1),
	tier: z.enum(TIERS),
	hyper_frontier: z.boolean(),
	released: z.string().nullable(),
	knowledge_cutoff: z.string().nullable(),
	open_weights: z.boolean(),
	prices: z.array(priceSchema).min(1),
	limits: z.strictObject({
		/** Tokens in and out together. */
		context_window: z.int().positive(),
		max_input_tokens: z.int().positive().nullable(),
		max_output_tokens: z.int().positive(),
	}),
	supports: z.strictObject({
		tools: z.boolean(),
		vision: z.boolean(),
		json_schema: z.boolean(),
		logprobs: z.boolean(),
	}),
	reasoning: z
		.strictObject({
			control: z.enum([
				"reasoning_effort",
				"thinking_type",
				"thinking_type_and_effort",
				"thinking_type_and_output_config",
				"enable_thinking",
				"anthropic_effort",
				"google_thinking_budget",
				"google_thinking_level",
			]),
			/** Rising; `none` is there when reasoning can be switched off. */
			efforts: z.array(z.enum(EFFORTS)).min(1),
			/** Whether the upstream counts reasoning inside the output limit it is sent. */
			inside_max_tokens: z.boolean(),
		})
		.nullable(),
	request: z.strictObject({
		max_tokens_field: z.enum(["max_tokens", "max_completion_tokens"]),
		/** Sampling knobs the model refuses. */
		rejects: z.array(z.string()),
	}),
	/** Share of the best model's public score, at the model's highest effort; null where no figure is stored. */
	quality: z.strictObject({
		general: fractionSchema,
		reasoning: fractionSchema,
		code: fractionSchema.nullable(),
		tools: fractionSchema.nullable(),
		/** What is left of it at the model's lowest effort. */
		low_effort_ratio: fractionSchema,
	}),
	speed: z.strictObject({ high_effort: speedSchema, low_effort: speedSchema }),
});

export const providerSchema = z.strictObject({
	id: z.string().min(1),
	name: z.string().min(1),
	wire: z.enum(WIRE_NAMES),
	base_url: z.url(),
	/** `<PREFIX>_API_KEY` and `<PREFIX>_BASE_URL` configure the provider. */
	env_prefix: z.string().regex(/^[A-Z]+$/),
	key_env_alternatives: z.array(z.string()),
	/** Request fields the provider refuses; from its public reference, not verified by a call. */
	drops: z.array(z.string()),
	/** Request fields it knows under another name. */
	renames: z.record(z.string(), z.string()),
	/** `ask`: usage comes in streams only when stream_options asks for it; `unasked`: it comes anyway, and asking may be refused. */
	stream_usage: z.enum(["ask", "unasked"]),
	/** Ids of tool calls it takes: `common` is OpenAI's form or its format's own, `nine_alphanumerics` Mistral's. */
	tool_call_ids: z.enum(["common", "nine_alphanumerics"]),
	/** Whether a stream shows all that its model reasons; from recorded traffic, false where none was seen to. */
	shows_reasoning: z.boolean(),
	/** Request fields of OpenAI's format that this provider may be sent unread: none raises the price or keeps text longer. */
	passes: z.array(z.string()),
	/** Whether an assistant turn must come back with its reasoning_content. */
	returns_reasoning: z.boolean(),
});

export const modelsFileSchema = z.strictObject({
	/** The day of the last change; part of every receipt. */
	version: z.iso.date(),
	unit: z.literal("USD per million tokens"),
	models: z.array(modelSchema),
});
export const providersFileSchema = z.strictObject({ providers: z.array(providerSchema) });

export type Model = z.infer<typeof modelSchema>;
export type Price = z.infer<typeof priceSchema>;
export type Provider = z.infer<typeof providerSchema>;
