// A small catalog of the tests' own: four invented providers, eight invented models. A test that is not about the shipped catalog
// takes this one, so that a new price or model upstream changes no test.
import { type Catalog, createCatalog } from "../../src/catalog/catalog.ts";
import type { EncoderModel } from "../../src/catalog/encoder.ts";
import type { Model, Price, Provider } from "../../src/catalog/schema.ts";

/** A provider that needs nothing special. */
export function plainProvider(id: string, wire: Provider["wire"], more: Partial<Provider> = {}): Provider {
	return {
		id,
		name: `${id} Inc.`,
		wire,
		base_url: `https://${id}.test/v1`,
		env_prefix: id.toUpperCase(),
		key_env_alternatives: [],
		drops: [],
		renames: {},
		stream_usage: "unasked",
		tool_call_ids: "common",
		shows_reasoning: false,
		passes: [],
		custom_tools: false,
		returns_reasoning: false,
		...more,
	};
}

/** Two of the OpenAI format, one of each other. */
const PROVIDERS = [
	plainProvider("cairn", "openai", {
		drops: ["logit_bias"],
		renames: { seed: "random_seed" },
		returns_reasoning: true,
	}),
	plainProvider("ostrom", "openai", { stream_usage: "ask", key_env_alternatives: ["OSTROM_TOKEN"] }),
	plainProvider("aldine", "anthropic"),
	plainProvider("lumen", "google"),
];

type Rates = Pick<Price, "input" | "output" | "cached_input" | "cache_write">;

/** USD per million tokens. */
function rates(input: number, output: number, cached: Partial<Rates> = {}): Rates {
	return { input, output, cached_input: null, cache_write: null, ...cached };
}

function price(first: Rates, more: Partial<Price> = {}): Price {
	return { effective_from: null, tiers: [], ...first, ...more };
}

/** What a model says for itself; the rest is a model of 2026 without reasoning that can do the usual. */
type Particulars = Pick<Model, "id" | "provider" | "tier" | "prices" | "quality" | "speed"> &
	Partial<Omit<Model, "supports" | "limits">> & {
		supports?: Partial<Model["supports"]>;
		limits?: Partial<Model["limits"]>;
	};

function model({ supports, limits, ...own }: Particulars): Model {
	return {
		// Not the id, so that a test sees which of the two goes out.
		upstream_model: `${own.id}-2026`,
		display_name: own.id.replace(/(?:^|-)(\w)/g, (_, letter: string) => ` ${letter.toUpperCase()}`).trim(),
		hyper_frontier: false,
		released: "2026-01-01",
		knowledge_cutoff: null,
		open_weights: false,
		limits: { context_window: 1_000_000, max_input_tokens: null, max_output_tokens: 128_000, ...limits },
		supports: { tools: true, vision: true, json_schema: true, logprobs: false, ...supports },
		reasoning: null,
		request: { max_tokens_field: "max_tokens", rejects: [] },
		answer_length: null,
		...own,
	};
}

/** Shares of tasks solved; intents that are left out are not known. */
function quality(general: number, lowEffortRatio = 1, byIntent: Model["quality"]["by_intent"] = {}): Model["quality"] {
	return { general, by_intent: { reasoning: general, ...byIntent }, low_effort_ratio: lowEffortRatio };
}

/** The same at every effort, but for the wait: reasoning comes before the first token. */
function speed(output_tokens_per_s: number, ttft_s: number, reasoned_ttft_s = ttft_s): Model["speed"] {
	return {
		high_effort: { output_tokens_per_s, ttft_s: reasoned_ttft_s },
		low_effort: { output_tokens_per_s, ttft_s },
	};
}

const MODELS = [
	model({
		// The cheapest, and the one that can do least.
		id: "pebble-budget",
		provider: "cairn",
		tier: "budget",
		prices: [price(rates(0.02, 0.02))],
		limits: { context_window: 131_072, max_output_tokens: 16_384 },
		supports: { tools: false, vision: false, json_schema: false },
		quality: quality(0.04),
		speed: speed(50, 0.6),
	}),
	model({
		// Its cached tokens cost a fraction of a nano-USD more than a whole number of them.
		id: "ember-budget",
		provider: "ostrom",
		tier: "budget",
		prices: [price(rates(0.05, 0.4, { cached_input: 0.0025 }))],
		limits: { context_window: 400_000, max_input_tokens: 272_000 },
		reasoning: {
			control: "reasoning_effort",
			efforts: ["minimal", "low", "medium", "high"],
			inside_max_tokens: true,
			tokens: { low_effort: 0, high_effort: 12_000 },
		},
		request: { max_tokens_field: "max_completion_tokens", rejects: ["temperature", "top_p"] },
		quality: quality(0.2, 0.4),
		speed: speed(140, 0.7, 90),
	}),
	model({
		id: "glint-budget",
		provider: "lumen",
		tier: "budget",
		prices: [price(rates(0.1, 0.4, { cached_input: 0.01 }))],
		limits: { max_output_tokens: 65_536 },
		reasoning: {
			control: "google_thinking_budget",
			efforts: ["none", "low", "high"],
			inside_max_tokens: true,
			tokens: { low_effort: 0, high_effort: 700 },
		},
		quality: quality(0.15, 0.6),
		speed: speed(210, 0.5, 4),
	}),
	model({
		// Dear at peak hours; writes long answers, says how sure it is, reasons beside its output limit.
		id: "tide-mid",
		provider: "cairn",
		tier: "mid",
		prices: [
			price(rates(0.3, 1.2, { cached_input: 0.006 }), {
				tiers: [
					{
						when: {
							utc_hours: [
								[0, 1],
								[4, 6],
								[10, 24],
							],
						},
						...rates(0.15, 0.6, { cached_input: 0.003 }),
					},
				],
			}),
		],
		limits: { max_output_tokens: 384_000 },
		supports: { vision: false, logprobs: true },
		reasoning: {
			control: "thinking_type",
			efforts: ["none", "high"],
			inside_max_tokens: false,
			tokens: { low_effort: 0, high_effort: 1_200 },
		},
		quality: quality(0.37, 0.7),
		speed: speed(90, 1.2, 15),
	}),
	model({
		// An introductory price that ends.
		id: "prism-mid",
		provider: "lumen",
		tier: "mid",
		prices: [
			price(rates(0.75, 3.75, { cached_input: 0.075 })),
			price(rates(1.5, 7.5, { cached_input: 0.15 }), { effective_from: "2027-01-01T00:00:00.000Z" }),
		],
		limits: { max_output_tokens: 65_536 },
		reasoning: {
			control: "google_thinking_level",
			efforts: ["low", "medium", "high"],
			inside_max_tokens: true,
			tokens: { low_effort: 200, high_effort: 2_000 },
		},
		quality: quality(0.42, 0.85, { code: 0.45, tools: 0.36 }),
		speed: speed(200, 1, 12),
	}),
	model({
		// Five times dearer with a long prompt; its cache costs to fill.
		id: "summit-premium",
		provider: "aldine",
		tier: "premium",
		prices: [
			price(rates(2, 10, { cached_input: 0.2, cache_write: 2.5 }), {
				tiers: [{ when: { above_input_tokens: 100_000 }, ...rates(10, 50, { cached_input: 1, cache_write: 12.5 }) }],
			}),
		],
		quality: quality(0.52, 1, { code: 0.54, tools: 0.5 }),
		speed: speed(80, 1.5),
	}),
	model({
		id: "apex-frontier",
		provider: "ostrom",
		tier: "frontier",
		prices: [price(rates(3, 15, { cached_input: 0.3 }))],
		quality: quality(0.56, 1, { code: 0.57, tools: 0.54 }),
		speed: speed(70, 2),
	}),
	model({
		// The dearest.
		id: "zenith-frontier",
		provider: "aldine",
		tier: "frontier",
		hyper_frontier: true,
		prices: [price(rates(10, 50, { cached_input: 1 }))],
		reasoning: {
			control: "thinking_type_and_output_config",
			efforts: ["none", "low", "medium", "high", "max"],
			inside_max_tokens: true,
			tokens: { low_effort: 0, high_effort: 1_600 },
		},
		request: { max_tokens_field: "max_tokens", rejects: ["temperature", "top_p"] },
		quality: quality(0.62, 0.8),
		speed: speed(55, 1.5, 30),
	}),
];

const ENCODERS: EncoderModel[] = [
	{
		id: "pebble-embed",
		upstream_model: "pebble-embed",
		display_name: "Pebble Embed",
		provider: "cairn",
		kind: "embedding",
		released: null,
		open_weights: false,
		prices: [{ effective_from: null, input: 0.1 }],
		limits: { context_window: 8_192, max_inputs: 4, max_batch_tokens: null },
		dimensions: { default: 8, sizes: { min: 2, max: 8 } },
		token_inputs: true,
	},
];

export const TEST_CATALOG = createCatalog({
	version: "2026-11-21",
	testEase: {},
	models: MODELS,
	encoders: ENCODERS,
	providers: PROVIDERS,
	freeModels: ["pebble-budget", "ember-budget", "glint-budget"],
});

/**
 * A model of a catalog; the shipped one's are looked up by what a test needs of them, not by id.
 * @throws when there is none.
 */
export function modelWhere({ models }: Pick<Catalog, "models">, holds: (model: Model) => boolean): Model {
	const found = models.find(holds);
	if (!found) throw new Error(`no model of the catalog fits: ${holds}`);
	return found;
}

/** One of the operator's rows, as no model of Bedrock ships: a region, and a model that signs its reasoning. */
export const BEDROCK_PROVIDER = plainProvider("sluice", "bedrock", { auth: "aws", region: "eu-central-1" });
export const BEDROCK_MODEL: Model = model({
	id: "basin-frontier",
	upstream_model: "eu.anthropic.basin-2026-v1:0",
	provider: "sluice",
	tier: "frontier",
	prices: [price(rates(3, 15, { cached_input: 0.3, cache_write: 3.75 }))],
	reasoning: {
		control: "anthropic_effort",
		efforts: ["none", "low", "high"],
		inside_max_tokens: true,
		tokens: { low_effort: 0, high_effort: 1_600 },
	},
	quality: quality(0.5),
	speed: speed(70, 2),
});

/** The first model of a wire, with its provider. */
export function modelOfWire(wire: Provider["wire"]): { model: Model; provider: Provider } {
	if (wire === "bedrock") return { model: BEDROCK_MODEL, provider: BEDROCK_PROVIDER };
	const found = modelWhere(TEST_CATALOG, (candidate) => TEST_CATALOG.providerFor(candidate).wire === wire);
	return { model: found, provider: TEST_CATALOG.providerFor(found) };
}
