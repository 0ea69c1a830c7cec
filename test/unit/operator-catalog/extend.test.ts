// A catalog of the shipped one and an operator's rows: what they mean, and every way in which they are wrong.
import { describe, expect, it } from "vitest";
import { findNamedModel } from "../../../src/catalog/aliases.ts";
import { createCatalog } from "../../../src/catalog/catalog.ts";
import { modelSchema, providerSchema } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { WIRE_NAMES } from "../../../src/catalog/vocabulary.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { modelWhere } from "../../support/catalog.ts";

const LOCAL = { isLocal: true, hosts: new Set<string>() };
const extend = (document: unknown) => extendCatalog(CATALOG, document, LOCAL);
const faultsOf = (document: unknown) =>
	extend(document).faults.map(({ path, message }) => `${path.join(".")}: ${message}`);

const LLAMA = {
	id: "llama-local",
	provider: "ollama",
	upstream: "llama3.2:3b",
	tier: "budget",
	prices: { input: 0, output: 0 },
	limits: { context_window: 8_192, max_output_tokens: 2_048 },
};

/** A model of the shipped catalog, by what it is like. */
const [shipped] = CATALOG.models;
if (!shipped) throw new Error("the catalog is empty");
const [free = ""] = CATALOG.freeModels;

describe("an operator's catalog", () => {
	it("is the shipped one without rows", () => {
		for (const empty of [null, undefined]) expect(extend(empty)).toEqual({ catalog: CATALOG, faults: [] });
		// YAML reads a member whose rows are all commented out as null.
		for (const empty of [{}, { models: [] }, { providers: [], models: [] }, { providers: null, models: null }])
			expect([extend(empty).catalog === CATALOG, faultsOf(empty)]).toEqual([true, []]);
	});

	it("has a provider of a template in two lines, and its model", () => {
		const { catalog, faults } = extend({ providers: [{ id: "ollama" }], models: [LLAMA] });
		expect(faults).toEqual([]);
		const model = catalog.findModel("llama-local");
		expect(model).toMatchObject({
			upstream_model: "llama3.2:3b",
			display_name: "llama-local",
			owner: "operator",
			auto: false,
		});
		expect(model?.prices).toEqual([
			{ input: 0, output: 0, cached_input: null, cache_write: null, tiers: [], effective_from: null },
		]);
		const provider = model && catalog.providerFor(model);
		expect(provider).toMatchObject({ name: "Ollama", wire: "openai", auth: "none", env_prefix: "OLLAMA" });
		for (const each of catalog.models) expect(modelSchema.safeParse(each).error?.issues ?? [], each.id).toEqual([]);
		for (const each of catalog.providers)
			expect(providerSchema.safeParse(each).error?.issues ?? [], each.id).toEqual([]);
	});

	it("has two providers of one template under names of their own", () => {
		const { catalog, faults } = extend({
			providers: ["gpu-1", "gpu-2"].map((id) => ({ id, template: "vllm", base_url: `http://${id}.local:8000/v1` })),
		});
		expect(faults).toEqual([]);
		expect(catalog.findProvider("gpu-2")).toMatchObject({ name: "vLLM (gpu-2)", auth: "none", env_prefix: "GPU_2" });
	});

	it("keeps every shipped row that no row changes", () => {
		const { catalog } = extend({ providers: [{ id: "ollama" }], models: [LLAMA] });
		expect(catalog.models.slice(0, CATALOG.models.length)).toEqual(CATALOG.models);
		expect(catalog.providers.slice(0, CATALOG.providers.length)).toEqual(CATALOG.providers);
		expect(catalog.freeModels).toEqual(CATALOG.freeModels);
	});

	it("changes a shipped model where it says so: a discount keeps all but the price", () => {
		const { catalog } = extend({ models: [{ replaces: shipped.id, prices: { input: 1, output: 2 } }] });
		const changed = catalog.findModel(shipped.id);
		expect(changed?.prices[0]).toMatchObject({ input: 1, output: 2 });
		expect({ ...changed, prices: shipped.prices, owner: undefined }).toEqual({ ...shipped, owner: undefined });
		expect(catalog.models.length).toBe(CATALOG.models.length);
	});

	it("gives a shipped model's place to another id", () => {
		const { catalog } = extend({ models: [{ id: "ours", replaces: free }] });
		const before = CATALOG.findModel(free);
		const ours = catalog.findModel("ours");
		expect(ours).toEqual({ ...before, id: "ours", owner: "operator", aliases: [free] });
		expect(catalog.models.indexOf(ours ?? shipped)).toBe(CATALOG.models.findIndex(({ id }) => id === free));
		// What named the shipped model means the one in its place.
		for (const id of [free, free.toUpperCase(), `${before?.provider}/${free}`])
			expect(findNamedModel(id, catalog), id).toEqual({ model: ours, isExact: true });
		expect(catalog.freeModels).toEqual(["ours", ...CATALOG.freeModels.slice(1)]);
	});

	it("keeps of a replaced model what its row can know: nothing that another provider or other weights would change", () => {
		const rich = modelWhere(
			CATALOG,
			({ reasoning, knowledge_cutoff }) => reasoning !== null && knowledge_cutoff !== null,
		);
		const terms = { prices: { input: 1, output: 2 }, limits: { context_window: 8_192, max_output_tokens: 2_048 } };
		const moved = extend({
			providers: [{ id: "ollama" }],
			models: [{ replaces: rich.id, provider: "ollama", ...terms }],
		});
		expect(moved.faults).toEqual([]);
		expect(moved.catalog.findModel(rich.id)).toMatchObject({
			tier: rich.tier,
			upstream_model: rich.id,
			auto: false,
			assumed_quality: true,
			knowledge_cutoff: null,
			released: null,
			answer_length: null,
			reasoning: null,
			request: { max_tokens_field: "max_tokens", rejects: rich.request.rejects },
			supports: { tools: false, vision: false, json_schema: false, logprobs: false },
			quality: { by_intent: {} },
		});
		const tuned = extend({ models: [{ replaces: rich.id, upstream: "ft:ours", prices: terms.prices }] });
		expect(tuned.faults).toEqual([]);
		const { limits, supports, reasoning, request, speed } = rich;
		expect(tuned.catalog.findModel(rich.id)).toMatchObject({ limits, supports, reasoning, request, speed });
		expect(tuned.catalog.findModel(rich.id)).toMatchObject({
			auto: false,
			knowledge_cutoff: null,
			quality: { by_intent: {} },
		});
		expect(faultsOf({ models: [{ replaces: rich.id, upstream: "ft:ours" }] })).toEqual(["models.0: needs prices"]);
		expect(faultsOf({ providers: [{ id: "ollama" }], models: [{ replaces: rich.id, provider: "ollama" }] })).toEqual([
			"models.0: needs prices, limits",
		]);
		const same = extend({ models: [{ replaces: rich.id, supports: { vision: false } }] }).catalog.findModel(rich.id);
		expect(same?.supports).toEqual({ ...rich.supports, vision: false });
		expect(same?.request).toEqual(rich.request);
	});

	it("says which files and recordings a model takes, on wires that have a form for them", () => {
		const model = {
			id: "m",
			tier: "budget",
			prices: { input: 1, output: 1 },
			limits: { context_window: 9, max_output_tokens: 9 },
		};
		const documents = { pdf: { max_bytes: 1_000 } };
		const audio = { formats: ["wav"], tokens_per_second: 25, max_seconds: 60 };
		const box = { id: "box", template: "openai-compatible", base_url: "https://box.example.com/v1" };
		const taken = extend({ providers: [box], models: [{ ...model, provider: "box", documents, audio }] });
		expect(taken.faults).toEqual([]);
		expect(taken.catalog.findModel("m")).toMatchObject({
			documents: { pdf: { max_pages: null, max_bytes: 1_000, tokens_per_page: null } },
			audio,
		});
		expect(faultsOf({ models: [{ ...model, provider: "anthropic", audio }] })).toEqual([
			"models.0.audio: is taken by the wires openai and google, and anthropic speaks anthropic",
		]);
		expect(faultsOf({ models: [{ ...model, provider: "openai", audio: { ...audio, formats: ["ogg"] } }] })).toEqual([
			expect.stringContaining("models.0.audio.formats.0: must be one of wav, mp3"),
		]);
	});

	it("changes a shipped provider's address and dialect", () => {
		const [first] = CATALOG.providers;
		const { catalog } = extend({ providers: [{ id: first?.id, base_url: "https://proxy.example.com/v1" }] });
		expect(catalog.findProvider(first?.id ?? "")).toEqual({
			...first,
			base_url: "https://proxy.example.com/v1",
			product_url: first?.base_url,
			owner: "operator",
		});
	});

	it("calls the output limit as the model says, else its provider, else the template", () => {
		const azure = { id: "azure-openai", base_url: "https://r.openai.azure.com/openai/v1" };
		const models = [
			{ ...LLAMA, id: "a", provider: "azure-openai" },
			{ ...LLAMA, id: "b", provider: "azure-openai", max_tokens_field: "max_tokens", rejects: ["temperature"] },
			{ ...LLAMA, id: "c", provider: "mine" },
			{ ...LLAMA, id: "d", provider: "ollama" },
		];
		const mine = { id: "mine", base_url: "https://m.example.com/v1", max_tokens_field: "max_completion_tokens" };
		const { catalog, faults } = extend({ providers: [azure, mine, { id: "ollama" }], models });
		expect(faults).toEqual([]);
		expect(["a", "b", "c", "d"].map((id) => catalog.findModel(id)?.request)).toEqual([
			{ max_tokens_field: "max_completion_tokens", rejects: [] },
			{ max_tokens_field: "max_tokens", rejects: ["temperature"] },
			{ max_tokens_field: "max_completion_tokens", rejects: [] },
			{ max_tokens_field: "max_tokens", rejects: [] },
		]);
	});

	it("keeps what a replaced model refuses where another provider names the output limit", () => {
		const refuser = CATALOG.models.find(({ request }) => request.rejects.length > 0);
		const azure = { id: "azure-openai", base_url: "https://r.openai.azure.com/openai/v1" };
		const { catalog } = extend({
			providers: [azure],
			models: [{ ...LLAMA, id: refuser?.id, replaces: refuser?.id, provider: "azure-openai" }],
		});
		expect(catalog.findModel(refuser?.id ?? "")?.request).toEqual({
			max_tokens_field: "max_completion_tokens",
			rejects: refuser?.request.rejects,
		});
	});

	it("leaves a model without quality figures to who names it, unless it says auto", () => {
		const models = [
			LLAMA,
			{ ...LLAMA, id: "b", auto: true },
			{ ...LLAMA, id: "c", quality: { general: 0.4 } },
			{ ...LLAMA, id: "d", quality: { general: 0.4 }, auto: false },
		];
		const { catalog } = extend({ providers: [{ id: "ollama" }], models });
		expect(models.map(({ id }) => catalog.findModel(id)?.auto)).toEqual([false, undefined, undefined, false]);
		expect(models.map(({ id }) => catalog.findModel(id)?.assumed_quality)).toEqual([true, true, undefined, undefined]);
		const least = Math.min(
			...CATALOG.models.filter(({ tier }) => tier === "budget").map(({ quality }) => quality.general),
		);
		expect(catalog.findModel("b")?.quality.general).toBe(least);
	});

	it("opens a model to the free plan only where its row says so", () => {
		const models = [LLAMA, { ...LLAMA, id: "b", plans: ["free", "pro"] }];
		const { catalog } = extend({ providers: [{ id: "ollama" }], models });
		expect(catalog.freeModels.includes("b")).toBe(true);
		expect(catalog.freeModels.includes("llama-local")).toBe(false);
		const closed = extend({ models: [{ replaces: free, plans: ["pro"] }] }).catalog;
		expect(closed.freeModels).toEqual(CATALOG.freeModels.slice(1));
	});

	it("spells facts as policies do", () => {
		const facts = {
			jurisdiction: { contract: "Germany", parent: "usa" },
			regions: ["EEA", "*"],
			frameworks: ["gdpr"],
			certifications: ["ISO/IEC 27001:2022"],
			zero_retention: "default",
		};
		const { catalog, faults } = extend({ providers: [{ id: "ollama", facts }] });
		expect(faults).toEqual([]);
		expect(catalog.findProvider("ollama")?.facts).toEqual({
			jurisdiction: { contract: "DE", parent: "US" },
			regions: ["EU", "IS", "LI", "NO", "*"],
			frameworks: ["GDPR"],
			certifications: ["ISO27001"],
			zero_retention: "default",
		});
	});

	it("has a version that tells its rows, and the same for the same rows", () => {
		const version = (document: unknown) => extend(document).catalog.version;
		const one = { providers: [{ id: "ollama" }], models: [LLAMA] };
		expect(version(one)).toMatch(/^\d{4}-\d{2}-\d{2}\+[0-9a-f]{12}$/);
		expect(version(one)).toBe(version(structuredClone(one)));
		expect(version(one)).not.toBe(version({ ...one, models: [{ ...LLAMA, prices: { input: 0, output: 1 } }] }));
	});
});

describe("a fault", () => {
	const provider = { id: "mine", base_url: "https://models.example.com/v1" };
	it.each([
		["an unknown member", { model: [] }, ["model: unknown key; did you mean models?"]],
		["a list that is none", { models: {} }, ["models: must be a list"]],
		["a provider without an address", { providers: [{ id: "mine" }] }, ["providers.0: needs base_url"]],
		["a provider twice", { providers: [provider, provider] }, ['providers.1.id: "mine" stands here twice']],
		[
			"an address with a password",
			{ providers: [{ ...provider, base_url: "https://a:b@c.example/v1" }] },
			["providers.0.base_url: must hold no user name and no password"],
		],
		[
			"a key in a header that every request has",
			{ providers: [{ ...provider, auth: { header: "Content-Type" } }] },
			["providers.0.auth.header: is a header of every request, and no key's"],
		],
		[
			"a key that is another provider's",
			{ providers: [{ ...provider, id: "gemini" }] },
			["providers.0.id: its key would be GEMINI_API_KEY, which is that of google"],
		],
		["a model without what it needs", { models: [{ id: "a" }] }, ["models.0: needs provider, tier, prices, limits"]],
		[
			"a shipped model's id",
			{ models: [{ ...LLAMA, id: shipped.id, provider: shipped.provider }] },
			[`models.0.id: "${shipped.id}" is the shipped model ${shipped.id}; say replaces: ${shipped.id} to change it`],
		],
		[
			"a routed id",
			{ models: [{ ...LLAMA, id: "auto", provider: shipped.provider }] },
			['models.0.id: "auto" is what a request says to be routed'],
		],
		["a provider that is none", { models: [LLAMA] }, ['models.0.provider: no provider is "ollama"']],
		[
			"a price below 0",
			{ providers: [{ id: "ollama" }], models: [{ ...LLAMA, prices: { input: -1, output: 0 } }] },
			["models.0.prices.input: must be a number: USD per million tokens, and 0 where it costs nothing"],
		],
		[
			"figures that make times and scores infinite",
			{
				providers: [{ id: "ollama" }],
				models: [{ ...LLAMA, answer_length: 1e300, speed: { output_tokens_per_s: 5e-324, ttft_s: 1e300 } }],
			},
			[
				"models.0.answer_length: must be a number from 0.01 to 100",
				"models.0.speed.output_tokens_per_s: must be a number from 0.01 to 100000",
				"models.0.speed.ttft_s: must be a number from 0.001 to 600",
			],
		],
		[
			"prices without end, of which each request would look through all",
			{
				providers: [{ id: "ollama" }],
				models: [
					{
						...LLAMA,
						prices: Array.from({ length: 51 }, (_, day) => ({
							...LLAMA.prices,
							...(day === 0 ? {} : { effective_from: new Date(day * 86_400_000).toISOString() }),
						})),
					},
					{
						...LLAMA,
						id: "other",
						prices: {
							...LLAMA.prices,
							tiers: Array.from({ length: 51 }, (_, at) => ({
								...LLAMA.prices,
								when: { above_input_tokens: at + 1 },
							})),
						},
					},
				],
			},
			["models.0.prices: must have at most 50 entries", "models.1.prices.tiers: must have at most 50 entries"],
		],
		[
			"more output than context",
			{ providers: [{ id: "ollama" }], models: [{ ...LLAMA, limits: { context_window: 10, max_output_tokens: 20 } }] },
			["models.0.limits.max_output_tokens: must be at most context_window, 10"],
		],
		[
			"an effort that the wire cannot say",
			{
				providers: [{ id: "ollama" }],
				models: [{ ...LLAMA, reasoning: { control: "anthropic_effort", efforts: ["low"] } }],
			},
			["models.0.reasoning.control: is of the wires anthropic, bedrock, and ollama speaks openai"],
		],
		[
			"a shipped model that two rows replace",
			{
				models: [
					{ id: "a", replaces: shipped.id },
					{ id: "b", replaces: shipped.id },
				],
			},
			[
				`models.1.replaces: "${shipped.id}" is already models.0.replaces`,
				`models.1.replaces: models.0 takes the place of ${shipped.id} already`,
			],
		],
		[
			"an id that means the model in a replaced one's place",
			{
				models: [
					{ id: "a", replaces: shipped.id },
					{ ...LLAMA, id: shipped.id, provider: shipped.provider },
				],
			},
			[`models.1.id: "${shipped.id}" is already models.0.replaces`],
		],
		[
			"another spelling of an id",
			{ models: [{ ...LLAMA, id: shipped.id.toUpperCase(), provider: shipped.provider }] },
			[
				`models.0.id: "${shipped.id.toUpperCase()}" is the shipped model ${shipped.id}; say replaces: ${shipped.id} to change it`,
			],
		],
		[
			"an id that lists take for a provider, and one that they take for a tier",
			{
				models: [LLAMA, LLAMA].map((row, at) => ({
					...row,
					id: [shipped.provider, "mid"][at],
					provider: shipped.provider,
				})),
			},
			[`models.0.id: "${shipped.provider}" is a provider`, 'models.1.id: "mid" is a tier'],
		],
		[
			"another wire of a shipped provider",
			{
				providers: [
					{ id: shipped.provider, wire: WIRE_NAMES.find((wire) => wire !== CATALOG.providerFor(shipped).wire) },
				],
			},
			[
				`providers.0.wire: ${shipped.provider} ships with the service and speaks ${CATALOG.providerFor(shipped).wire}; give another id`,
			],
		],
		[
			"a provider's name that policies would mistake",
			{ providers: [{ ...provider, name: CATALOG.providerFor(shipped).name.toUpperCase() }] },
			[`providers.0.name: "${CATALOG.providerFor(shipped).name.toUpperCase()}" is the name of ${shipped.provider}`],
		],
		[
			"a fact that nobody knows the name of",
			{
				providers: [
					{ ...provider, facts: { frameworks: ["GDRP"], jurisdiction: { contract: "Atlantis", parent: "EEA" } } },
				],
			},
			[
				'providers.0.facts.frameworks: unknown framework or certification "GDRP"; did you mean GDPR?',
				'providers.0.facts.jurisdiction.contract: "Atlantis" is no country: give its code of ISO 3166-1 alpha-2, or EU',
				'providers.0.facts.jurisdiction.parent: "EEA" is no country: give its code of ISO 3166-1 alpha-2, or EU',
			],
		],
		[
			"a date that is none",
			{ models: [{ replaces: shipped.id, released: "2026-13" }] },
			["models.0.released: is no date of the calendar"],
		],
		[
			"an alias that is another model's id",
			{ providers: [{ id: "ollama" }], models: [{ ...LLAMA, aliases: ["x", "x"] }] },
			['models.0.aliases.1: "x" is already models.0.aliases.0'],
		],
		[
			"what a price or a limit lacks",
			{
				providers: [{ id: "ollama" }],
				models: [{ ...LLAMA, prices: { input: 1 }, limits: { context_window: 8_192 } }],
			},
			[
				"models.0.prices: output must be a number: USD per million tokens, and 0 where it costs nothing",
				"models.0.limits: max_output_tokens must be a whole number",
			],
		],
		["a document that is a list", [], [": must be a mapping of providers and models"]],
	])("%s is named", (_, document, faults) => {
		expect(faultsOf(document)).toEqual(faults);
		expect(extend(document).catalog).toBe(CATALOG);
	});

	it("of a row hides neither what else is wrong with it nor what is wrong with others", () => {
		const models = [
			{ ...LLAMA, provider: "olama", tier: "x" },
			{ ...LLAMA, limits: { context_window: 1, max_output_tokens: 2 } },
		];
		expect(faultsOf({ providers: [{ id: "ollama" }], models })).toEqual([
			'models.0.provider: no provider is "olama"; did you mean ollama?',
			'models.0.tier: must be one of budget, mid, premium, frontier, not "x"',
			'models.1.id: "llama-local" is already models.0.id',
			"models.1.limits.max_output_tokens: must be at most context_window, 1",
		]);
		const providers = [{ id: "one" }, { id: "two", wire: "x" }, { id: "three", base_url: "ftp://x" }];
		expect(faultsOf({ providers }).map((fault) => fault.split(":")[0])).toEqual([
			"providers.0",
			"providers.1.wire",
			"providers.2.base_url",
		]);
	});

	it("does not hide the others, and they come in the document's order", () => {
		const document = { models: [{ id: "a" }, { ...LLAMA, id: "b", tier: "bugdet" }], providers: [{ id: "Mine" }] };
		expect(faultsOf(document).map((fault) => fault.split(":")[0])).toEqual([
			"models.0",
			"models.1.tier",
			"providers.0.id",
		]);
	});
});

it("an extended catalog is indexed like the shipped one", () => {
	const { catalog } = extend({ providers: [{ id: "ollama" }], models: [LLAMA] });
	expect(Object.keys(catalog).sort()).toEqual(Object.keys(createCatalog(CATALOG)).sort());
});
