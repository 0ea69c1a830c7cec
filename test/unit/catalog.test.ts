// The catalog's promises: 27 models, 12 providers, every model priced, nobody cheaper than Free's three.
import { describe, expect, it } from "vitest";
import { INTENSITIES } from "../../src/catalog/catalog.ts";
import modelsFile from "../../src/catalog/models.json" with { type: "json" };
import providersFile from "../../src/catalog/providers.json" with { type: "json" };
import { type Model, modelsFileSchema, type Price, providersFileSchema } from "../../src/catalog/schema.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { EFFORTS, TIERS } from "../../src/catalog/vocabulary.ts";

type Rates = Pick<Price, "input" | "output" | "cached_input" | "cache_write">;

/** Every rate row of a model: dated prices and their tiers. */
function rateRows(model: Model): Rates[] {
	return model.prices.flatMap((price) => [price, ...price.tiers]);
}

const free = CATALOG.freeModels.map((id) => CATALOG.findModel(id)).filter((model) => model !== undefined);
const others = CATALOG.models.filter(({ id }) => !CATALOG.freeModels.includes(id));

describe("the catalog", () => {
	it("has the shape that the service relies on", () => {
		expect(modelsFileSchema.parse(modelsFile)).toEqual(modelsFile);
		expect(providersFileSchema.parse(providersFile)).toEqual(providersFile);
	});

	it("has 27 models of 12 providers, each id once", () => {
		expect(CATALOG.models.length).toBe(27);
		expect(new Set(CATALOG.models.map(({ id }) => id)).size).toBe(27);
		expect(CATALOG.providers.length).toBe(12);
		expect(new Set(CATALOG.models.map((model) => CATALOG.providerOf(model).id)).size).toBe(12);
		expect(CATALOG.version).toMatch(/^\d{4}-\d\d-\d\d$/);
	});

	it("has the three Free prices of the specification", () => {
		const prices = free.map(({ prices: [first] }) => [first?.input, first?.output]);
		expect(prices).toEqual([
			[0.02, 0.02],
			[0.05, 0.4],
			[0.1, 0.4],
		]);
		expect(free.every(({ tier }) => tier === "budget")).toBe(true);
	});

	it("prices every model in whole pico-dollars a token", () => {
		for (const model of CATALOG.models) {
			expect(model.prices[0]?.effective_from, model.id).toBeNull();
			const rates = rateRows(model).flatMap((row) => [
				row.input,
				row.output,
				row.cached_input ?? row.input,
				row.cache_write ?? row.input,
			]);
			for (const rate of rates) expect(Math.abs(rate * 1e6 - Math.round(rate * 1e6)), model.id).toBeLessThan(1e-6);
		}
	});

	it("has a source for every price and tier, and no cache dearer to read than to fill", () => {
		const prices = CATALOG.models.flatMap(({ prices }) => prices).flatMap((price) => [price, ...price.tiers]);
		for (const price of prices) {
			expect(price.source).not.toBe("");
			expect(price.cached_input ?? price.input).toBeLessThanOrEqual(price.input);
		}
	});

	it("has no model cheaper than Free's three, at any blend, hour or date", () => {
		for (const share of [0.25, 0.5, 0.75, 0.8, 0.9]) {
			const blend = ({ input, output }: Rates) => share * input + (1 - share) * output;
			const dearestFree = Math.max(...free.flatMap(rateRows).map(blend));
			for (const model of others) {
				for (const row of rateRows(model)) expect(blend(row), `${model.id} at ${share}`).toBeGreaterThan(dearestFree);
			}
		}
	});

	it("keeps the marks of proxy and inferred figures", () => {
		expect(CATALOG.findModel("gpt-6-luna")?.quality.basis).toBe("proxy");
		expect(CATALOG.findModel("claude-opus-5-5")?.speed.high_effort.basis).toBe("proxy");
		expect(CATALOG.findModel("gpt-6-luna")?.prices[0]?.tiers[0]?.inferred).toEqual(["cache_write"]);
		expect(CATALOG.findModel("claude-sonnet-5-5")?.request.inferred).toBe(true);
		expect(CATALOG.models.filter(({ quality }) => quality.basis === "measured").length).toBeGreaterThan(10);
	});

	it("declares efforts in rising order, and the providers' ten OpenAI, one Anthropic and one Google format", () => {
		for (const { reasoning, id } of CATALOG.models) {
			const ranks = (reasoning?.efforts ?? []).map((effort) => EFFORTS.indexOf(effort));
			expect(ranks, id).toEqual(ranks.toSorted((a, b) => a - b));
		}
		expect(CATALOG.providers.map(({ wire }) => wire).filter((wire) => wire === "openai").length).toBe(10);
	});

	it("schedules the end of an introductory price", () => {
		expect(
			CATALOG.findModel("gemini-3.8-flash")?.prices.map(({ effective_from, input }) => [effective_from, input]),
		).toEqual([
			[null, 0.75],
			["2027-01-01T00:00:00.000Z", 1.5],
		]);
	});

	it("covers every tier by exactly one intensity", () => {
		expect(
			Object.values(INTENSITIES)
				.flatMap(({ tiers }) => tiers)
				.toSorted(),
		).toEqual([...TIERS].toSorted());
	});
});
