// The rows that an operator writes by hand: providers and models beside those that ship. Each member has a message for what is wrong
// with it. extend.ts makes a catalog of the rows. Pure.
import * as z from "zod";
import { modelSchema, providerSchema } from "../catalog/schema.ts";
import { findPlaces, findStandard, STANDARDS } from "../catalog/standards.ts";
import {
	AUDIO_FORMATS,
	CREDENTIAL_FORMS,
	EFFORTS,
	ENCODER_FORM_NAMES,
	ENCODER_KINDS,
	PLAN_IDS,
	QUALITY_INTENTS,
	TIERS,
	TRAINING_USES,
	WIRE_NAMES,
} from "../catalog/vocabulary.ts";
import { mappingMessages } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import templates from "./templates.json" with { type: "json" };

/** Bytes of a catalog as JSON: every isolate reads it when it starts. */
export const MAX_CATALOG_BYTES = 1_048_576;
const MAX_PROVIDERS = 50;
const MAX_MODELS = 500;
const MAX_LISTED = 50;
const MAX_NAME_CHARS = 128;
const MAX_URL_CHARS = 512;
/** No model reads or writes more at once. With the highest price, the cost of a call is a safe integer of nano-USD. */
export const MAX_TOKENS = 10_000_000;
/** The default of UPSTREAM_TOTAL_TIMEOUT_MS: no call waits longer. */
const MAX_TIMEOUT_MS = 600_000;
/** As long as the longest body that any operator allows. */
const MAX_DOCUMENT_BYTES = 100_000_000;
/** USD per million tokens. No model costs a hundredth of it; it keeps a slipped decimal point out of every sum. */
const MAX_RATE = 100_000;

/** Names of the templates, in the order of their file. */
export const TEMPLATE_NAMES = Object.keys(templates) as readonly (keyof typeof templates)[];

/** What a model may be for. */
const MODEL_KINDS = ["chat", ...ENCODER_KINDS] as const;

/** A mapping of known members. */
function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
	return z.strictObject(shape, { error: mappingMessages(Object.keys(shape)) });
}

/** @param named what a row could have here; default: what is allowed in this one. */
function wordAmong<const T extends readonly string[]>(allowed: T, named: readonly string[] = allowed) {
	return z.enum(allowed, {
		error({ input }) {
			if (typeof input !== "string") return `must be one of ${named.join(", ")}`;
			return `must be one of ${named.join(", ")}, not ${quoteInput(input)}${renderSuggestion(input, named)}`;
		},
	});
}

const text = (maxChars = MAX_NAME_CHARS) =>
	z
		.string("must be a text")
		.trim()
		.min(1, "must be a text")
		.max(maxChars, `must have at most ${maxChars} characters`)
		.refine((value) => !/\p{Cc}/u.test(value), "must not hold control characters");
const texts = z.array(text(), "must be a list of texts").max(MAX_LISTED, `must have at most ${MAX_LISTED} entries`);
const flag = z.boolean("must be true or false");
const count = z
	.int("must be a whole number")
	.positive("must be above 0")
	.max(MAX_TOKENS, `must be at most ${MAX_TOKENS}`);
/** Absent is null. */
const nullable = <T extends z.ZodType>(value: T) => value.nullish().transform((given) => given ?? null);
const share = z.number("must be a number from 0 to 1").min(0, "must not be below 0").max(1, "must be at most 1");
const date = z
	.string("must be a date: YYYY, YYYY-MM or YYYY-MM-DD")
	.regex(/^\d{4}(?:-\d{2}){0,2}$/, "must be a date: YYYY, YYYY-MM or YYYY-MM-DD")
	.refine((value) => Number.isFinite(Date.parse(value)), "is no date of the calendar");

/** Part of names of secrets, and of lists, answers and logs. */
const providerId = z
	.string("must be an id, such as my-vllm")
	.regex(
		/^[a-z][a-z0-9-]{0,39}$/,
		"must be lower-case letters, digits and hyphens, at most 40, and begin with a letter",
	);
const modelId = z
	.string("must be an id, such as qwen3-8b")
	.regex(/^[a-z0-9][\w.:/@-]{0,127}$/i, "must be letters, digits and . _ : / @ -, at most 128");

const RATE_TEXT = "must be a number: USD per million tokens, and 0 where it costs nothing";
const rate = z.number(RATE_TEXT).min(0, RATE_TEXT).max(MAX_RATE, `must be at most ${MAX_RATE}: USD per million tokens`);
const rates = {
	input: rate,
	output: rate,
	cached_input: nullable(rate),
	cache_write: nullable(rate),
};
const hour = (least: number, most: number) => z.int("must be an hour").min(least).max(most);
const tier = mapping({
	when: z.union(
		[
			mapping({ above_input_tokens: count }),
			mapping({
				utc_hours: z
					.array(z.tuple([hour(0, 23), hour(1, 24)]))
					.min(1)
					.refine((ranges) => ranges.every(([from, to]) => from < to)),
			}),
		],
		"must be {above_input_tokens: N} or {utc_hours: [[from, to]]}, from before to",
	),
	...rates,
});
const effectiveFrom = nullable(z.iso.datetime("must be a time such as 2027-01-01T00:00:00Z"));
const price = mapping({
	...rates,
	tiers: z
		.array(tier, "must be a list")
		.max(MAX_LISTED, `must have at most ${MAX_LISTED} entries`)
		.nullish()
		.transform((value) => value ?? []),
	effective_from: effectiveFrom,
});
/** One price, or several of which the first holds from the beginning. */
function priceList<Price extends z.ZodType<{ effective_from: string | null }>>(each: Price, form: string) {
	const message = `must be ${form}, or a list of such`;
	return z.preprocess(
		(written) => (isJsonObject(written) ? [written] : written),
		z
			.array(each, message)
			.min(1, message)
			.max(MAX_LISTED, `must have at most ${MAX_LISTED} entries`)
			.refine(
				(list) => list.every(({ effective_from }, index) => (effective_from === null) === (index === 0)),
				"must begin with a price without effective_from, and every later one has it",
			),
	);
}
const prices = priceList(price, "{input, output}");

/** Headers that a request has besides its key. */
const OWN_HEADERS = ["accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"];

const auth = z.union(
	[
		z.enum(["bearer", "none", ...CREDENTIAL_FORMS]),
		mapping({
			header: text()
				.regex(/^[\w-]+$/, "must be the name of a header")
				.refine((name) => !OWN_HEADERS.includes(name.toLowerCase()), "is a header of every request, and no key's"),
		}),
	],
	{
		error: `must be bearer, none, ${CREDENTIAL_FORMS.join(", ")} or {header: NAME}`,
	},
);

const placeMessage = (word: string) => `${quoteInput(word)} is no country: give its code of ISO 3166-1 alpha-2, or EU`;

/** One country, or the EU. */
const place = text().transform((word, issues) => {
	const [found, ...more] = findPlaces(word) ?? [];
	if (found !== undefined && more.length === 0) return found;
	issues.addIssue(placeMessage(word));
	return z.NEVER;
});
/** Countries; `*` is anywhere. */
const regions = texts.transform((words, issues) =>
	words.flatMap((word) => {
		const found = word === "*" ? [word] : findPlaces(word);
		if (!found) issues.addIssue(placeMessage(word));
		return found ?? [];
	}),
);
const standards = texts.transform((words, issues) =>
	words.flatMap((word) => {
		const found = findStandard(word);
		if (found === null)
			issues.addIssue(
				`unknown framework or certification ${quoteInput(word)}${renderSuggestion(word, Object.values(STANDARDS))}`,
			);
		return found ?? [];
	}),
);

const facts = {
	/** A cloud's parent is known. */
	jurisdiction: mapping({ contract: place, parent: place.optional() }),
	regions,
	frameworks: standards,
	certifications: standards,
	zero_retention: wordAmong(["default", "on_request"]),
	trains_on_inputs: wordAmong(TRAINING_USES),
};

const dialect = providerSchema.shape;
/** Parts of hosts and paths. */
const namePart = (form: RegExp, like: string) => text().regex(form, `must be ${like}`);
const path = text(MAX_URL_CHARS).regex(/^\/[^\s#]*$/, "must begin with / and hold no spaces");
const maxTokensField = wordAmong(["max_tokens", "max_completion_tokens"]).optional();

/** A provider: one that ships with other members, one of a template, or one of the operator's own. */
export const providerRowSchema = mapping({
	id: providerId,
	template: wordAmong(TEMPLATE_NAMES).optional(),
	name: text().optional(),
	wire: wordAmong(WIRE_NAMES).optional(),
	base_url: text(MAX_URL_CHARS).optional(),
	/** How its models of embeddings, moderations and reranks are asked, if not as its wire has it. */
	encoder_form: wordAmong(ENCODER_FORM_NAMES).optional(),
	/** What a cloud's address and facts follow from (clouds.ts). */
	region: namePart(/^[a-z][a-z0-9-]{0,39}$/, "the id of a region, such as europe-west4").optional(),
	project: namePart(/^[a-z0-9][a-z0-9.:-]*$/, "the id of a project").optional(),
	resource: namePart(/^[A-Za-z0-9][A-Za-z0-9-]{1,63}$/, "the name of a resource, without its domain").optional(),
	api_version: namePart(/^[\w.-]+$/, "a version such as 2024-10-21").optional(),
	/** What follows the address, if not what the wire has; `{model}` is the model's name. */
	paths: mapping({ whole: path, stream: path }).optional(),
	/** Members of a body in place of the model's name. */
	model_members: z.record(z.string(), text(), "must be a mapping of texts").optional(),
	auth: auth.optional(),
	drops: texts.optional(),
	renames: z.record(z.string(), text(), "must be a mapping of names").optional(),
	stream_usage: wordAmong(dialect.stream_usage.options).optional(),
	/** How it is asked for any JSON object. */
	json_mode: wordAmong(dialect.json_mode.unwrap().options).optional(),
	tool_call_ids: wordAmong(dialect.tool_call_ids.options).optional(),
	/** An image may be an https address, as far as the wire knows such images; default true. */
	remote_images: flag.optional(),
	shows_reasoning: flag.optional(),
	passes: texts.optional(),
	custom_tools: flag.optional(),
	returns_reasoning: flag.optional(),
	/** How its models call the output limit where they do not say it themselves. */
	max_tokens_field: maxTokensField,
	/** How long an answer may take to begin, for a server that loads models when they are called. Default: UPSTREAM_TIMEOUT_MS. */
	timeout_ms: count.max(MAX_TIMEOUT_MS, `must be at most ${MAX_TIMEOUT_MS}: milliseconds`).optional(),
	/** What the operator knows of it. What is absent is unknown, and not allowed under a policy that asks for it. */
	facts: z
		.strictObject(facts, { error: mappingMessages(Object.keys(facts)) })
		.partial()
		.optional(),
});

const limits = {
	context_window: count,
	max_input_tokens: count.nullish().transform((value) => value ?? null),
	max_output_tokens: count,
};
const quality = mapping({
	general: share,
	by_intent: z.partialRecord(z.enum(QUALITY_INTENTS), share, "must be a mapping of intents").optional(),
	low_effort_ratio: share.optional(),
});
/** A figure that times are worked out from: none becomes infinite. */
const figure = (least: number, most: number) => {
	const range = `must be a number from ${least} to ${most}`;
	return z.number(range).min(least, range).max(most, range);
};
const speed = mapping({ output_tokens_per_s: figure(0.01, 100_000), ttft_s: figure(0.001, 600) });
const reasoning = modelSchema.shape.reasoning.unwrap().shape;
const tokens = z.int("must be a whole number").min(0, "must not be below 0").max(MAX_TOKENS);

/** A model. extend.ts says what it keeps of the shipped model that it replaces. */
export const modelRowSchema = mapping({
	id: modelId.optional(),
	/** What it is for. A row of another kind than chat is one of encoderRowSchema. */
	kind: wordAmong(MODEL_KINDS).optional(),
	/** The shipped model whose place it takes. */
	replaces: modelId.optional(),
	/** The shipped model that it is, at another provider. */
	same_as: modelId.optional(),
	provider: providerId.optional(),
	/** What its provider calls it. Default: its id. */
	upstream: text().optional(),
	name: text().optional(),
	tier: wordAmong(TIERS).optional(),
	prices: prices.optional(),
	limits: mapping(limits).optional(),
	supports: mapping({
		tools: flag.optional(),
		vision: flag.optional(),
		json_schema: flag.optional(),
		logprobs: flag.optional(),
	}).optional(),
	reasoning: mapping({
		control: wordAmong(reasoning.control.options),
		efforts: z
			.array(wordAmong(EFFORTS), "must be a list of efforts")
			.min(1, "must name an effort")
			.transform((named) => EFFORTS.filter((effort) => named.includes(effort))),
		inside_max_tokens: flag.optional(),
		tokens: mapping({ low_effort: tokens, high_effort: tokens }).optional(),
	})
		.nullable()
		.optional(),
	max_tokens_field: maxTokensField,
	rejects: texts.optional(),
	/** Tokens that an image counts as, at most. */
	image_tokens: count.optional(),
	documents: mapping({
		pdf: mapping({
			max_pages: nullable(count),
			max_bytes: z
				.int("must be a whole number")
				.positive("must be above 0")
				.max(MAX_DOCUMENT_BYTES, `must be at most ${MAX_DOCUMENT_BYTES}: no request is longer`),
			tokens_per_page: nullable(count),
		}),
	}).optional(),
	audio: mapping({
		formats: z.array(wordAmong(AUDIO_FORMATS), "must be a list of formats").min(1, "must name a format"),
		tokens_per_second: figure(0.01, 10_000),
		max_seconds: count,
	}).optional(),
	quality: quality.optional(),
	answer_length: figure(0.01, 100).nullable().optional(),
	speed: speed.optional(),
	/** Whether requests that name no model may be answered by it although it has no quality figures. */
	auto: flag.optional(),
	/** The plans whose keys may call it. Default: all but free. */
	plans: z.array(wordAmong(PLAN_IDS), "must be a list of plans").min(1, "must name a plan").optional(),
	/** Neither listed nor chosen; who names it is answered. */
	hidden: flag.optional(),
	/** Further ids that mean it. */
	aliases: z.array(modelId, "must be a list of ids").max(MAX_LISTED).optional(),
	released: date.optional(),
	knowledge_cutoff: date.optional(),
	open_weights: flag.optional(),
});

/** Inputs of a call, where a row says nothing: the default of text-embeddings-inference, read 2026-11-28. */
const DEFAULT_MAX_INPUTS = 32;
const encoderPrice = mapping({
	input: rate,
	/** USD per thousand searches, where a rerank is charged by them. */
	search: rate.optional(),
	effective_from: effectiveFrom,
});

/** A model that makes no text. encoders.ts says what it keeps of a shipped one. */
export const encoderRowSchema = mapping({
	id: modelId.optional(),
	kind: wordAmong(ENCODER_KINDS, MODEL_KINDS),
	/** The shipped model whose place it takes. */
	replaces: modelId.optional(),
	/** The model that it is, at another provider: either stands in for the other. */
	same_as: modelId.optional(),
	provider: providerId.optional(),
	/** What its provider calls it. Default: its id. */
	upstream: text().optional(),
	name: text().optional(),
	prices: priceList(encoderPrice, "{input}").optional(),
	limits: mapping({
		context_window: count,
		max_inputs: count.optional().transform((given) => given ?? DEFAULT_MAX_INPUTS),
		max_batch_tokens: nullable(count),
	}).optional(),
	dimensions: mapping({
		default: count,
		sizes: z
			.union([z.array(count).min(1).max(MAX_LISTED), mapping({ min: count, max: count })], {
				error: "must be a list of lengths, or {min, max}",
			})
			.nullish()
			.transform((given) => given ?? null),
	}).optional(),
	token_inputs: flag.optional(),
	plans: z.array(wordAmong(PLAN_IDS), "must be a list of plans").min(1, "must name a plan").optional(),
	hidden: flag.optional(),
	aliases: z.array(modelId, "must be a list of ids").max(MAX_LISTED).optional(),
	released: date.optional(),
	open_weights: flag.optional(),
});

/** A list whose rows are all commented out is null in YAML. */
const listOf = <T extends z.ZodType>(row: T, maxRows: number) =>
	z
		.array(row, "must be a list")
		.max(maxRows, `must have at most ${maxRows} entries`)
		.nullish()
		.transform((rows) => rows ?? undefined);

/** An operator's catalog as it is written. */
export const operatorCatalogSchema = mapping({
	providers: listOf(providerRowSchema, MAX_PROVIDERS),
	models: listOf(modelRowSchema, MAX_MODELS),
});

export type ProviderRow = z.output<typeof providerRowSchema>;
export type ModelRow = z.output<typeof modelRowSchema>;
export type EncoderRow = z.output<typeof encoderRowSchema>;
export type OperatorRows = z.output<typeof operatorCatalogSchema>;
