// Generated catalogs and requests: whatever an operator writes, no plan, list or row is passed by, no sum is NaN, and no cost exceeds
// its bound.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Catalog, isChoosable } from "../../../src/catalog/catalog.ts";
import { isInPlan, PLAN_IDS, PLANS, type Plan } from "../../../src/catalog/plans.ts";
import { blendedRate, priceUsage, type TokenUsage } from "../../../src/catalog/price.ts";
import type { Model } from "../../../src/catalog/schema.ts";
import { modelSchema, providerSchema } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { TIERS } from "../../../src/catalog/vocabulary.ts";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { toCallSet } from "../../../src/inference/failover.ts";
import { type CallPlan, planCall } from "../../../src/inference/plan.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import { findBlocking } from "../../../src/routing/routing-config.ts";
import { parseSettings } from "../../../src/settings.ts";
import { compiledConfig } from "../../support/config.ts";
import { flatTree, toBase64, toPdf, toWav } from "../../support/sent-files.ts";
import { variablesFor } from "../../support/variables.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const LOCAL = { isLocal: true, hosts: new Set<string>() };
const PIXEL =
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const rate = fc.oneof(fc.constantFrom(0, 100_000), fc.double({ min: 0, max: 100, noNaN: true }));
const prices = fc
	.record({ input: rate, output: rate, cached_input: fc.option(rate), cache_write: fc.option(rate) })
	.chain((base) =>
		fc.constantFrom(base, {
			...base,
			tiers: [{ when: { above_input_tokens: 1_000 }, input: 3, output: 9, cached_input: null, cache_write: 12 }],
		}),
	);
const limits = fc.constantFrom(512, 4_096, 131_072, 1_000_000).chain((context_window) =>
	fc.record({
		context_window: fc.constant(context_window),
		max_output_tokens: fc.integer({ min: 1, max: context_window }),
	}),
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const anyModel = fc.record({
	provider: fc.constantFrom("box", "wall", "gate", "openai"),
	tier: fc.constantFrom(...TIERS),
	prices,
	limits,
	supports: fc.record({ tools: fc.boolean(), vision: fc.boolean(), json_schema: fc.boolean(), logprobs: fc.boolean() }),
	quality: optional(fc.record({ general: share, low_effort_ratio: share })),
	answer_length: optional(fc.constantFrom(0.01, 1, 100)),
	speed: optional(
		fc.record({ output_tokens_per_s: fc.constantFrom(0.01, 50, 100_000), ttft_s: fc.constantFrom(0.001, 1, 600) }),
	),
	image_tokens: optional(fc.constantFrom(1, 800, 40_000)),
	documents: optional(
		fc.record({
			pdf: fc.record({
				max_pages: optional(fc.constantFrom(1, 3, 1_000)),
				max_bytes: fc.constantFrom(100, 24_000_000),
				tokens_per_page: optional(fc.constantFrom(1, 560, 100_000)),
			}),
		}),
	),
	audio: optional(
		fc.record({
			formats: fc.constant(["wav"]),
			tokens_per_second: fc.constantFrom(0.01, 32),
			max_seconds: fc.constantFrom(1, 34_200),
		}),
	),
	auto: optional(fc.boolean()),
	hidden: optional(fc.boolean()),
	plans: optional(fc.uniqueArray(fc.constantFrom(...PLAN_IDS), { minLength: 1 })),
});
/** The wire of one provider has no form for recordings. */
const ownModel = anyModel.map((model) => (model.provider === "wall" ? { ...model, audio: undefined } : model));

/** Rows under ids of their own, some in the place of a shipped model. */
const rows = fc
	.array(fc.record({ model: ownModel, takes: fc.option(fc.nat(CATALOG.models.length - 1)) }), { maxLength: 12 })
	.map((found) => {
		const taken = new Set<string>();
		return found.map(({ model, takes }, index) => {
			const replaces = takes === null ? undefined : CATALOG.models[takes]?.id;
			if (replaces === undefined || taken.has(replaces))
				return { ...model, id: `own-${index}`, aliases: [`alias-${index}`] };
			taken.add(replaces);
			const ownId = index % 2 === 0 ? { id: `own-${index}` } : {};
			// A discount keeps the product, another provider takes only its place.
			return index % 3 === 0
				? { ...ownId, replaces, prices: model.prices, auto: model.auto }
				: { ...model, ...ownId, replaces };
		});
	});

const defined = (value: object) =>
	Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

function toCatalog(models: readonly object[]): Catalog {
	const document = {
		providers: [
			{ id: "box", base_url: "http://box.local:8000/v1" },
			{ id: "wall", wire: "anthropic", base_url: "https://wall.example.com/v1" },
			{ id: "gate", wire: "google", base_url: "https://gate.example.com/v1beta" },
		],
		models: models.map(defined),
	};
	const { catalog, faults } = extendCatalog(CATALOG, document, LOCAL);
	if (faults.length > 0) throw new Error(JSON.stringify(faults));
	return catalog;
}

const REPORT_PAGES = 3;
const SPEECH_SECONDS = 1;
const report = {
	type: "file",
	file: { file_data: `data:application/pdf;base64,${toBase64(toPdf(flatTree(REPORT_PAGES)))}` },
};
const speech = { type: "input_audio", input_audio: { data: toBase64(toWav(SPEECH_SECONDS)), format: "wav" } };
const images = {
	role: "user",
	content: [
		{ type: "image_url", image_url: { url: PIXEL } },
		{ type: "text", text: "What is it?" },
	],
};
/** All that a model takes. */
function toContent({ supports, documents, audio }: Model): unknown[] {
	return [
		...(supports.vision ? images.content : [{ type: "text", text: "hi" }]),
		...(documents ? [report] : []),
		...(audio ? [speech] : []),
	];
}

/** What that content counts as, at least. */
function leastInputTokens({ supports, limits, image_tokens = 0, documents, audio }: Model): number {
	const room = limits.max_input_tokens ?? limits.context_window;
	const pages = documents ? Math.min(REPORT_PAGES, documents.pdf.max_pages ?? REPORT_PAGES) : 0;
	const ofPages = pages * (documents?.pdf.tokens_per_page ?? room);
	return Math.max(
		supports.vision && !documents && !audio ? image_tokens : 0,
		Math.min(room, ofPages + (audio ? SPEECH_SECONDS * audio.tokens_per_second : 0)),
	);
}

const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
const request = fc.record({
	messages: fc.constantFrom(
		[{ role: "user", content: "hi" }],
		[{ role: "user", content: "Prove that the square root of 2 is irrational, step by step. ".repeat(20) }],
		[images],
	),
	pick: fc.record({
		kind: fc.constantFrom("auto", "auto", "own", "alias", "foton-1", "laser-1", "nobody"),
		at: fc.nat(60),
	}),
	tools: optional(fc.constant(tools)),
	max_tokens: optional(fc.constantFrom(1, 300, 4_000)),
	routing_mode: optional(fc.constantFrom("quality", "balanced", "agility")),
	config: fc.record({
		max_cost: optional(fc.constantFrom(0.0005, 0.05, 2)),
		blocks: fc.nat(60),
		fallbacks: fc.array(fc.nat(60), { maxLength: 3 }),
		prefers: optional(fc.nat(60)),
	}),
});

function nameAt(catalog: Catalog, at: number): string {
	return catalog.models.toReversed()[at % catalog.models.length]?.id ?? "auto";
}

function toBody(
	catalog: Catalog,
	{ pick, config, tools: offered, ...rest }: typeof request extends fc.Arbitrary<infer T> ? T : never,
) {
	const own = catalog.models.toReversed()[pick.at % catalog.models.length];
	const names: Record<string, string | undefined> = { own: own?.id, alias: own?.aliases?.[0] ?? own?.id };
	const named = names[pick.kind] ?? pick.kind;
	const brain_config = defined({
		max_cost: config.max_cost,
		blocked: [nameAt(catalog, config.blocks)],
		fallback: config.fallbacks.map((at) => nameAt(catalog, at)),
		model: config.prefers === undefined ? undefined : nameAt(catalog, config.prefers),
	});
	return { body: defined({ ...rest, tools: offered, model: named, brain_config }), named };
}

/** The paths of numbers that are no numbers. */
function findOddNumbers(value: unknown, path = ""): string[] {
	if (typeof value === "number") return Number.isFinite(value) ? [] : [path];
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, member]) => findOddNumbers(member, `${path}.${name}`));
}

/** @param names what the request and its config name. */
function checkPlan(planned: CallPlan, names: readonly string[], plan: Plan, catalog: Catalog): void {
	const { selection, attempt, options } = planned;
	const mayBeNamed = new Set(names.map((id) => catalog.findModel(id)));
	const most = selection.ceilingNanoUsd ?? Number.MAX_SAFE_INTEGER;
	for (const { model, effort, maxTokens, expectation } of [...selection.candidates, ...selection.failover]) {
		expect(isInPlan(model, plan, catalog), model.id).toBe(true);
		expect(findBlocking(model, options.config?.config.blocked ?? []), model.id).toBeUndefined();
		expect(isChoosable(model) || mayBeNamed.has(model), model.id).toBe(true);
		const { worstCase, request: sent } = attempt(model, effort, maxTokens);
		expect(Number.isSafeInteger(worstCase.totalNanoUsd), model.id).toBe(true);
		expect(worstCase.totalNanoUsd, model.id).toBeLessThanOrEqual(most);
		expect(sent.maxOutputTokens, model.id).toBeLessThanOrEqual(model.limits.max_output_tokens);
		expect(expectation.cost.totalNanoUsd, model.id).toBeGreaterThanOrEqual(0);
	}
	const hidden = catalog.models.filter((model) => model.hidden && !mayBeNamed.has(model));
	expect(hidden.filter(({ id }) => Object.hasOwn(selection.excluded(), id))).toEqual([]);
	const set = toCallSet(planned, new ProviderHealth(), { user: "u", hasPriority: false }, NOON);
	expect(Number.isSafeInteger(set.boundNanoUsd)).toBe(true);
}

describe("any catalog of an operator", () => {
	it("is of the catalog's form, with one meaning for each id", () => {
		fc.assert(
			fc.property(rows, (written) => {
				const catalog = toCatalog(written);
				for (const model of catalog.models) expect(modelSchema.safeParse(model).error?.issues ?? []).toEqual([]);
				for (const provider of catalog.providers)
					expect(providerSchema.safeParse(provider).error?.issues ?? []).toEqual([]);
				const names = catalog.models.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
				expect(new Set(names).size).toBe(names.length);
				for (const { id } of CATALOG.models) expect(catalog.findModel(id), id).toBeDefined();
				expect(catalog.freeModels.filter((id) => catalog.findModel(id)?.id !== id)).toEqual([]);
			}),
			{ numRuns: 40 },
		);
	});

	it("keeps every promise to every request, and decides the same twice", () => {
		fc.assert(
			fc.property(rows, request, fc.constantFrom(...PLAN_IDS), (written, generated, planId) => {
				const catalog = toCatalog(written);
				const { body, named } = toBody(catalog, generated);
				const parsed = chatRequestSchema.parse(body);
				const config = compiledConfig(parsed.brain_config, catalog);
				const settings = parseSettings(variablesFor(catalog), catalog);
				const asked = toInferenceRequest(parsed, catalog, config);
				const plan = PLANS[planId];
				const result = planCall(asked, plan, settings, NOON);
				const again = planCall(asked, plan, settings, NOON);
				const visible = (planned: typeof result) =>
					planned.ok ? { ...planned.value.selection, excluded: planned.value.selection.excluded() } : planned.failure;
				expect(visible(again)).toEqual(visible(result));
				expect(findOddNumbers(visible(result))).toEqual([]);
				if (result.ok) checkPlan(result.value, [named, config.config.model, ...config.config.fallback], plan, catalog);
			}),
			{ numRuns: 150 },
		);
	});

	it("has worst cases that cover every usage within the limits of the request", () => {
		const part = fc.double({ min: 0, max: 1, noNaN: true });
		const parts = fc.tuple(part, part, part, part, part);
		fc.assert(
			fc.property(rows, fc.nat(60), parts, (own, at, [read, written, reasoned, filled, wrote]) => {
				const catalog = toCatalog(own);
				const model = catalog.models.toReversed()[at % catalog.models.length];
				if (!model) throw new Error("no model");
				const body = { model: model.id, messages: [{ role: "user", content: toContent(model) }] };
				const parsed = chatRequestSchema.parse({ ...body, max_tokens: 1 });
				const settings = parseSettings(variablesFor(catalog), catalog);
				const plan = planCall(toInferenceRequest(parsed, catalog, null), PLANS.corporate, settings, NOON);
				if (!plan.ok) return;
				const { worstCase, request: sent } = plan.value.attempt(model, null, model.limits.max_output_tokens);
				expect(sent.maxInputTokens).toBeGreaterThanOrEqual(leastInputTokens(model));
				const input = Math.floor(filled * sent.maxInputTokens);
				const cacheRead = Math.floor(read * input);
				const cacheWrite = Math.floor(written * (input - cacheRead));
				const output = Math.floor(wrote * sent.maxOutputTokens);
				const reasoning = Math.floor(reasoned * output);
				const usage: TokenUsage = {
					uncachedInput: input - cacheRead - cacheWrite,
					cacheRead,
					cacheWrite,
					outputText: output - reasoning,
					reasoning,
				};
				const cost = priceUsage(model, usage, NOON);
				expect(cost.inputNanoUsd).toBeLessThanOrEqual(worstCase.inputNanoUsd);
				expect(cost.outputNanoUsd).toBeLessThanOrEqual(worstCase.outputNanoUsd);
				expect(Number.isFinite(blendedRate(model, NOON))).toBe(true);
			}),
			{ numRuns: 200 },
		);
	});
});

it("rows that are not chosen change no decision for those who do not name them", () => {
	const models = Array.from({ length: 20 }, (_, index) => ({
		id: `own-${index}`,
		provider: "box",
		tier: TIERS[index % TIERS.length],
		prices: { input: 0, output: 0 },
		limits: { context_window: 8_192, max_output_tokens: 2_048 },
	}));
	const document = { providers: [{ id: "box", base_url: "http://box.local:8000/v1" }], models };
	const { catalog } = extendCatalog(CATALOG, document, LOCAL);
	const decide = (of: Catalog, body: Record<string, unknown>, planId: (typeof PLAN_IDS)[number]) => {
		const parsed = chatRequestSchema.parse({
			messages: [{ role: "user", content: "Write a poem about rain" }],
			...body,
		});
		const settings = parseSettings(variablesFor(of), of);
		const plan = planCall(toInferenceRequest(parsed, of, null), PLANS[planId], settings, NOON);
		if (!plan.ok) return plan;
		const { excluded, ...selection } = plan.value.selection;
		const shipped = Object.fromEntries(Object.entries(excluded()).filter(([id]) => !id.startsWith("own-")));
		return { ...selection, excluded: shipped };
	};
	for (const planId of PLAN_IDS)
		for (const body of [
			{},
			{ model: "foton-1" },
			{ model: "nobody" },
			{ routing_mode: "agility" },
			{ model: CATALOG.models[5]?.id },
		])
			expect(decide(catalog, body, planId)).toEqual(decide(CATALOG, body, planId));
});
