// The shape of models.json and providers.json, the figures that the service computes with. A change of a figure there
// also changes its source in models.sources.json or providers.sources.json (evidence.ts). The catalog test checks the
// files; the Worker imports only the types.
import * as z from "zod";
import {
	AUDIO_FORMATS,
	CREDENTIAL_FORMS,
	EFFORTS,
	ENCODER_FORM_NAMES,
	PLAN_IDS,
	QUALITY_INTENTS,
	TIERS,
	TRAINING_USES,
	WIRE_NAMES,
} from "./vocabulary.ts";

/** USD per million tokens. Only an operator's own model costs nothing. */
const rateSchema = z.number().min(0);
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
	/** ISO time from which the price holds; null for the first price. */
	effective_from: z.iso.datetime().nullable(),
	input: rateSchema,
	output: rateSchema,
	/** Null: cached tokens cost the input rate. */
	cached_input: rateSchema.nullable(),
	/** Null: tokens written to a cache cost the input rate. */
	cache_write: rateSchema.nullable(),
	tiers: z.array(priceTierSchema),
});

const speedSchema = z.strictObject({
	output_tokens_per_s: z.number().positive(),
	/** Seconds to the first token. */
	ttft_s: z.number().positive(),
});

/** Documents that a model takes. */
const documentsSchema = z.strictObject({
	pdf: z.strictObject({
		/** Of all files of a request together; null where only the other limits hold. */
		max_pages: z.int().positive().nullable(),
		/** Of all files of a request together, before base64. */
		max_bytes: z.int().positive(),
		/** Of text and image of one page, at most; null where it is not published: a file may then fill the input. */
		tokens_per_page: z.int().positive().nullable(),
	}),
});

/** Recordings that a model takes, at the rate of its other input. */
const audioSchema = z.strictObject({
	formats: z.array(z.enum(AUDIO_FORMATS)).min(1),
	tokens_per_second: z.number().positive(),
	/** Of all recordings of a request together. */
	max_seconds: z.int().positive(),
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
		/** Input and output tokens together. */
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
	/** Absent: it takes none. */
	documents: documentsSchema.optional(),
	/** Absent: it takes none. */
	audio: audioSchema.optional(),
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
			/** In rising order. `none` is listed when reasoning can be switched off. */
			efforts: z.array(z.enum(EFFORTS)).min(1),
			/** Whether the upstream counts reasoning inside the output limit that it is sent. */
			inside_max_tokens: z.boolean(),
			/** Reasoning tokens of a typical answer at the lowest and at the highest effort. */
			tokens: z.strictObject({ low_effort: z.int().min(0), high_effort: z.int().min(0) }),
		})
		.nullable(),
	request: z.strictObject({
		max_tokens_field: z.enum(["max_tokens", "max_completion_tokens"]),
		/** Sampling parameters that the model refuses. */
		rejects: z.array(z.string()),
	}),
	/** Shares of the tasks of public, hard tests that the model solves, at its highest effort. */
	quality: z.strictObject({
		general: fractionSchema,
		/** By intent, or `tools`: only where there is a figure. The others count as general. */
		by_intent: z.partialRecord(z.enum(QUALITY_INTENTS), fractionSchema),
		/** The share of that quality which is left at the model's lowest effort. */
		low_effort_ratio: fractionSchema,
	}),
	/** The members below are those of an operator's rows; no shipped model has them. */
	owner: z.literal("operator").optional(),
	/** False: requests that name no model leave it out. */
	auto: z.literal(false).optional(),
	/** It has no quality figures of its own; those below are the lowest of its tier. */
	assumed_quality: z.literal(true).optional(),
	/** The plans whose keys may call it. Absent: all, but free only for the catalog's free models. */
	plans: z.array(z.enum(PLAN_IDS)).min(1).optional(),
	/** Neither listed nor chosen; who names it is answered. */
	hidden: z.literal(true).optional(),
	/** Further ids that mean it, with that of the shipped model whose place it takes. */
	aliases: z.array(z.string()).optional(),
	/** Tokens that an image counts as, at most. */
	image_tokens: z.int().positive().optional(),
	/** Length of its answers as a multiple of the typical one, without reasoning; null when it is not known. */
	answer_length: z.number().positive().nullable(),
	speed: z.strictObject({ high_effort: speedSchema, low_effort: speedSchema }),
});

/** What an operator says of a provider. What is absent is unknown. Places and standards are spelled as in standards.ts. */
const operatorFactsSchema = z
	.strictObject({
		/** Of the contract, and of the parent company. */
		jurisdiction: z.strictObject({ contract: z.string(), parent: z.string() }),
		/** Where data may be stored or processed; `*` is anywhere. */
		regions: z.array(z.string()),
		frameworks: z.array(z.string()),
		certifications: z.array(z.string()),
		zero_retention: z.enum(["default", "on_request"]),
		trains_on_inputs: z.enum(TRAINING_USES),
	})
	.partial();

export const providerSchema = z.strictObject({
	id: z.string().min(1),
	name: z.string().min(1),
	wire: z.enum(WIRE_NAMES),
	base_url: z.url(),
	/** How its encoder models are asked, if not as its wire has it: OpenAI's form with vectors as base64, or another provider's. */
	encoder_form: z.enum(ENCODER_FORM_NAMES).optional(),
	/** `<PREFIX>_API_KEY` and `<PREFIX>_BASE_URL` configure the provider. */
	env_prefix: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
	/**
	 * How it takes its key, if not as its wire does; `none` takes no key. `google` and `entra` are tokens that credentials are changed
	 * for, `aws` signs each request. Only of an operator's rows.
	 */
	auth: z.union([z.enum(["bearer", "none", ...CREDENTIAL_FORMS]), z.strictObject({ header: z.string() })]).optional(),
	/** The region of a cloud that it is. Only of an operator's rows. */
	region: z.string().optional(),
	/** What follows base_url, if not what its wire has: `{model}` is the model's name. Only of an operator's rows. */
	paths: z.strictObject({ whole: z.string(), stream: z.string() }).optional(),
	/** Members of each body in place of the model's name, which the path holds. Only of an operator's rows. */
	model_members: z.record(z.string(), z.string()).optional(),
	/** How long its answers may take to begin, if not as long as UPSTREAM_TIMEOUT_MS says. Only of an operator's rows. */
	timeout_ms: z.int().positive().optional(),
	owner: z.literal("operator").optional(),
	facts: operatorFactsSchema.optional(),
	/** What its cloud publishes of it and its region. Only of an operator's rows. */
	published: operatorFactsSchema.optional(),
	/** The address of the product that ships, where an operator's row has another. What is published holds for the product. */
	product_url: z.url().optional(),
	key_env_alternatives: z.array(z.string()),
	/** Request fields that the provider refuses. From its public reference, not verified by a call. */
	drops: z.array(z.string()),
	/** Request fields that it knows under another name. */
	renames: z.record(z.string(), z.string()),
	/**
	 * `ask`: streams report usage only when stream_options asks for it. `unasked`: they always do, and asking may be
	 * refused.
	 */
	stream_usage: z.enum(["ask", "unasked"]),
	/**
	 * How it is asked for any JSON object. Default: `json_object`. `json_schema` is by a schema that every object meets. Only of an
	 * operator's rows.
	 */
	json_mode: z.enum(["json_object", "json_schema"]).optional(),
	/**
	 * Ids of tool calls that it takes. `common` is OpenAI's form or the wire's own, `nine_alphanumerics` is Mistral's; `none` of Gemini on
	 * Vertex, which refuses them.
	 */
	tool_call_ids: z.enum(["common", "nine_alphanumerics", "none"]),
	/**
	 * Whether a stream shows all of the model's reasoning. From recorded traffic; false when none was seen to show it.
	 */
	shows_reasoning: z.boolean(),
	/** Unknown fields in OpenAI's format that this provider may be sent. None raises the price or keeps text longer. */
	passes: z.array(z.string()),
	/** An image may be no address, although the wire knows such images. Only of an operator's rows. */
	remote_images: z.literal(false).optional(),
	/** Whether tools may be of type `custom`: their argument is a text, held to a grammar where there is one. */
	custom_tools: z.boolean(),
	/** Whether an assistant turn must return with its reasoning_content. */
	returns_reasoning: z.boolean(),
});

export const modelsFileSchema = z.strictObject({
	/** The day of the last change, of the encoder models, too; part of every receipt. */
	version: z.iso.date(),
	unit: z.literal("USD per million tokens"),
	/** By intent: how much easier its public test is than the general one, in logits. */
	test_ease: z.partialRecord(z.enum(QUALITY_INTENTS), z.number()),
	models: z.array(modelSchema),
});
export const providersFileSchema = z.strictObject({ providers: z.array(providerSchema) });

/** Which catalog models stand for ids of a provider that the catalog does not have. */
export const aliasesFileSchema = z.strictObject({
	version: z.iso.date(),
	source: z.string().min(1),
	/** What other gateways and providers write before a model's id, and the provider that it means. Ids of providers mean themselves. */
	prefixes: z.record(z.string().regex(/^[a-z_-]+$/), z.string()),
	brands: z.array(
		z.strictObject({
			/** What ids begin with, before the first digit or hyphen. */
			brand: z.string().regex(/^[a-z]+$/),
			/** Words of ids that make no other family. */
			silent: z.array(z.string()),
			families: z.array(
				z.strictObject({
					/** The word that tells the family; null for ids without one. */
					word: z.string().nullable(),
					models: z.array(z.strictObject({ id: z.string(), version: z.number().positive() })).min(1),
				}),
			),
		}),
	),
});

export type AliasesFile = z.infer<typeof aliasesFileSchema>;
export type Model = z.infer<typeof modelSchema>;
export type Price = z.infer<typeof priceSchema>;
export type OperatorFacts = z.infer<typeof operatorFactsSchema>;
export type Provider = z.infer<typeof providerSchema>;
