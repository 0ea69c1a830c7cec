// The shipped catalog's promises: 27 models, 12 providers, every model priced, every figure sourced, nobody cheaper than Free's three.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { INTENSITIES } from "../../../src/catalog/catalog.ts";
import encodersFile from "../../../src/catalog/encoders.json" with { type: "json" };
import encoderSourcesFile from "../../../src/catalog/encoders.sources.json" with { type: "json" };
import {
	type Evidence,
	modelSourcesFileSchema,
	providerSourcesFileSchema,
	sourcedFigures,
} from "../../../src/catalog/evidence.ts";
import modelsFile from "../../../src/catalog/models.json" with { type: "json" };
import modelSourcesFile from "../../../src/catalog/models.sources.json" with { type: "json" };
import providersFile from "../../../src/catalog/providers.json" with { type: "json" };
import providerSourcesFile from "../../../src/catalog/providers.sources.json" with { type: "json" };
import {
	type Model,
	modelSchema,
	modelsFileSchema,
	type Price,
	providerSchema,
	providersFileSchema,
} from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { EFFORTS, INTENTS, type Intent, TIERS } from "../../../src/catalog/vocabulary.ts";
import { hashObject } from "../../../src/proof/hash.ts";
import { ROUTING_MODES, type RoutingMode } from "../../../src/routing/mode.ts";
import { toLogit } from "../../../src/routing/quality.ts";
import { rankModels } from "../../../src/routing/rank.ts";
import cueWords from "../../../src/routing/signals/cues.json" with { type: "json" };
import frequentWords from "../../../src/routing/signals/languages.json" with { type: "json" };
import weightsFile from "../../../src/routing/signals/weights.json" with { type: "json" };
import type { DifficultyLevel } from "../../../src/routing/signals.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { selectionRequest, signalsFor } from "../../support/selection.ts";

type Rates = Pick<Price, "input" | "output" | "cached_input" | "cache_write">;

/** Every rate row of a model: dated prices and their tiers. */
function rateRows(model: Model): Rates[] {
	return model.prices.flatMap((price) => [price, ...price.tiers]);
}

const free = CATALOG.freeModels.map((id) => CATALOG.findModel(id)).filter((model) => model !== undefined);
const others = CATALOG.models.filter(({ id }) => !CATALOG.freeModels.includes(id));

describe("the catalog", () => {
	it("has the shape that the service relies on, and the tests' own the same", () => {
		expect(modelsFileSchema.parse(modelsFile)).toEqual(modelsFile);
		expect(providersFileSchema.parse(providersFile)).toEqual(providersFile);
		expect(z.array(modelSchema).parse(TEST_CATALOG.models)).toEqual(TEST_CATALOG.models);
		expect(z.array(providerSchema).parse(TEST_CATALOG.providers)).toEqual(TEST_CATALOG.providers);
	});

	it("has 27 models of 12 providers, each id once", () => {
		expect(CATALOG.models.length).toBe(27);
		expect(new Set(CATALOG.models.map(({ id }) => id)).size).toBe(27);
		expect(CATALOG.providers.length).toBe(12);
		expect(new Set(CATALOG.models.map((model) => CATALOG.providerFor(model).id)).size).toBe(12);
		expect(CATALOG.version).toMatch(/^\d{4}-\d\d-\d\d$/);
	});

	it("has the three Free prices of the reference", () => {
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
			// A decision shows its hour only.
			for (const { effective_from } of model.prices.slice(1))
				expect(effective_from, model.id).toMatch(/:00:00(\.000)?Z$/);
			const rates = rateRows(model).flatMap((row) => [
				row.input,
				row.output,
				row.cached_input ?? row.input,
				row.cache_write ?? row.input,
			]);
			for (const rate of rates) expect(Math.abs(rate * 1e6 - Math.round(rate * 1e6)), model.id).toBeLessThan(1e-6);
		}
	});

	it("has no cache dearer to read than to fill", () => {
		for (const row of CATALOG.models.flatMap(rateRows)) {
			expect(row.cached_input ?? row.input).toBeLessThanOrEqual(row.input);
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

describe("a ranking of the catalog", () => {
	const LEVELS = [1, 2, 3] as const;
	const ranked = (mode: RoutingMode, intent: Intent, level: DifficultyLevel) =>
		rankModels(selectionRequest(CATALOG, signalsFor(intent, level)), mode, null).eligible;

	it("puts better models first for quality, and cheaper and faster ones for agility", () => {
		for (const intent of INTENTS) {
			for (const level of LEVELS) {
				const [best] = ranked("quality", intent, level);
				const [quickest] = ranked("agility", intent, level);
				expect(["budget", "mid"], intent).toContain(quickest?.model.tier);
				// Where next to nothing is to be gained, every mode takes the same model.
				if (level === 1) expect(best?.model.id, intent).toBe(quickest?.model.id);
				else expect(best?.expectation.quality).toBeGreaterThan(quickest?.expectation.quality ?? 1);
				expect(quickest?.expectation.latencyMs).toBeLessThanOrEqual(best?.expectation.latencyMs ?? 0);
			}
			expect(["premium", "frontier"], intent).toContain(ranked("quality", intent, 3)[0]?.model.tier);
		}
	});

	it("pays more for a hard prompt than for an easy one, in every mode but agility", () => {
		for (const intent of INTENTS) {
			for (const mode of ["quality", "balanced"] as const) {
				const cost = (level: DifficultyLevel) => ranked(mode, intent, level)[0]?.expectation.cost.totalNanoUsd ?? 0;
				expect(cost(3), `${intent} ${mode}`).toBeGreaterThanOrEqual(cost(1));
			}
		}
	});

	it("expects every quality between 0 and 1, and no model to be worth more than it", () => {
		for (const mode of ROUTING_MODES) {
			for (const { model, expectation, score } of ranked(mode, "code", 2)) {
				expect(expectation.quality, `${model.id} ${mode}`).toBeGreaterThan(0);
				expect(expectation.quality, `${model.id} ${mode}`).toBeLessThan(1);
				expect(score, `${model.id} ${mode}`).toBeLessThanOrEqual(expectation.quality);
			}
		}
	});
});

describe("the version of the catalog", () => {
	/** By version: the digest of the figures and of the weights of the signals. Both decide what is selected. */
	const DIGESTS: Readonly<Record<string, string>> = {
		"2026-11-28": "sha256:4d52b224c19b1959160153cb30a81bb401b75d5ccabaebe6cecbbc3eb6585f69",
	};

	it("changes with every figure and every weight", () => {
		const digest = hashObject({
			type: "svc.catalog.v1",
			models: modelsFile,
			encoders: encodersFile,
			weights: weightsFile,
			words: [cueWords, frequentWords],
		});
		expect(DIGESTS[CATALOG.version], "raise the version in models.json, and list its digest here").toBe(digest);
	});
});

describe("the sources of the catalog", () => {
	const { models } = modelSourcesFileSchema.parse(modelSourcesFile);
	const { providers } = providerSourcesFileSchema.parse(providerSourcesFile);
	const evidenceOf = (id: string): Record<string, Evidence> => models[id]?.evidence ?? {};

	/** What stands at a JSON Pointer. */
	function at(value: unknown, pointer: string): unknown {
		const names = pointer.split("/").slice(1);
		return names.reduce<unknown>((inside, name) => new Map(Object.entries(Object(inside))).get(name), value);
	}

	it("name one for every figure, and none for a figure that is not there", () => {
		expect(Object.keys(models).toSorted()).toEqual(CATALOG.models.map(({ id }) => id).toSorted());
		for (const model of CATALOG.models) {
			const figures = sourcedFigures(model);
			expect(Object.keys(evidenceOf(model.id)).toSorted(), model.id).toEqual(figures.toSorted());
			for (const figure of figures) expect(at(model, figure), `${model.id}${figure}`).toBeDefined();
		}
		expect(Object.keys(providers)).toEqual(CATALOG.providers.map(({ id }) => id));
	});

	it("say how much easier each public test is than the general one", () => {
		for (const [intent, ease] of Object.entries(CATALOG.testEase)) {
			const gaps = CATALOG.models.flatMap(({ quality }) => {
				const figure = new Map(Object.entries(quality.by_intent)).get(intent);
				return figure === undefined ? [] : [toLogit(figure) - toLogit(quality.general)];
			});
			expect(gaps.length, intent).toBeGreaterThan(20);
			expect(ease, intent).toBeCloseTo(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, 2);
		}
	});

	it("were read on a day, the last of which is the catalog's version", () => {
		const { encoders } = encoderSourcesFile;
		const days = [models, providers, encoders].flatMap((rows) => Object.values(rows).map(({ checked }) => checked));
		expect(days.toSorted().at(-1)).toBe(CATALOG.version);
	});

	it("mark what is a predecessor's, and what is ours", () => {
		for (const model of CATALOG.models) {
			for (const [figure, { inferred = [] }] of Object.entries(evidenceOf(model.id))) {
				for (const member of inferred) expect(at(model, `${figure}/${member}`), `${model.id}${figure}`).toBeDefined();
			}
		}
		expect(evidenceOf("gpt-6-luna")["/quality"]?.basis).toBe("proxy");
		expect(evidenceOf("claude-opus-5-5")["/speed/high_effort"]?.basis).toBe("proxy");
		expect(evidenceOf("gpt-6-luna")["/prices/0/tiers/0"]?.inferred).toEqual(["cache_write"]);
		expect(evidenceOf("claude-sonnet-5-5")["/request"]?.basis).toBe("inferred");
		const measured = CATALOG.models.filter(({ id }) => evidenceOf(id)["/quality"]?.basis === "measured");
		expect(measured.length).toBeGreaterThan(10);
	});

	it("stay out of the Worker", () => {
		const src = resolve(import.meta.dirname, "../../../src");
		const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
		const targets = files.flatMap((name) =>
			[...readFileSync(join(src, name), "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, target = ""]) =>
				relative(src, resolve(src, dirname(name), target)),
			),
		);
		expect(targets).toContain("catalog/models.json");
		expect(targets.filter((target) => target.endsWith(".sources.json") || target === "catalog/evidence.ts")).toEqual(
			[],
		);
	});
});
