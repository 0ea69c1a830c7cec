// Rows of encoder models in an operator's catalog: what they become, and what is wrong with them, each with its path.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";

const RULES = { isLocal: true, hosts: new Set<string>() };
const HOME = { id: "home", base_url: "http://127.0.0.1:11434/v1", auth: "none" };
const NOMIC = {
	id: "nomic-embed",
	provider: "home",
	kind: "embedding",
	prices: { input: 0 },
	limits: { context_window: 2048 },
};

const extended = (...models: unknown[]) => extendCatalog(CATALOG, { providers: [HOME], models }, RULES);
const faultsOf = (...models: unknown[]) =>
	extended(...models).faults.map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("a row of an encoder model", () => {
	it("adds a model to its kind, and none that answers", () => {
		const { catalog, faults } = extended(NOMIC);
		expect(faults).toEqual([]);
		expect(catalog.findEncoder("nomic-embed")).toMatchObject({
			kind: "embedding",
			owner: "operator",
			upstream_model: "nomic-embed",
			limits: { context_window: 2_048, max_inputs: 32, max_batch_tokens: null },
		});
		expect(catalog.models).toHaveLength(CATALOG.models.length);
		expect(catalog.version).not.toBe(CATALOG.version);
	});

	it("stands among rows of models that answer, whose faults keep their place", () => {
		expect(
			faultsOf(NOMIC, { id: "x", provider: "home", tier: "huge" }, { ...NOMIC, id: "y", prices: { input: -1 } }),
		).toEqual([expect.stringMatching(/^models\.1\.tier: /), expect.stringMatching(/^models\.2\.prices\.input: /)]);
	});

	it("keeps all of the shipped model that it replaces, but what it says", () => {
		const { catalog, faults } = extended({
			replaces: "text-embedding-3-small",
			kind: "embedding",
			prices: { input: 0.01 },
		});
		expect(faults).toEqual([]);
		const model = catalog.findEncoder("text-embedding-3-small");
		expect(model).toMatchObject({
			provider: "openai",
			owner: "operator",
			token_inputs: true,
			prices: [{ input: 0.01 }],
		});
		expect(catalog.encoders).toHaveLength(CATALOG.encoders.length);
	});

	it("may be a shipped model at another host, with a price of its own", () => {
		const row = { id: "small-at-home", same_as: "text-embedding-3-small", kind: "embedding", provider: "home" };
		expect(faultsOf(row)).toEqual(["models.0: needs prices"]);
		const { catalog } = extended({ ...row, prices: { input: 0.02 } });
		expect(catalog.findEncoder("small-at-home")).toMatchObject({
			provider: "home",
			same_as: "text-embedding-3-small",
			dimensions: { default: 1_536 },
		});
	});

	it("takes no tokens where it says so, whatever the shipped model takes, and makes vectors of the same length", () => {
		const row = {
			...{ id: "small-at-home", same_as: "text-embedding-3-small", kind: "embedding", provider: "home" },
			prices: { input: 0 },
		};
		expect(extended(row).catalog.findEncoder("small-at-home")?.token_inputs).toBe(true);
		const without = extended({ ...row, token_inputs: false }).catalog.findEncoder("small-at-home");
		expect(without?.token_inputs).toBeUndefined();
		expect(faultsOf({ ...row, dimensions: { default: 768 } })).toEqual([
			expect.stringMatching(/^models\.0\.dimensions\.default: must be 1536/),
		]);
	});

	it.each([
		["an unknown kind", { ...NOMIC, kind: "embeddings" }, /models\.0\.kind: must be one of chat, embedding/],
		["an unknown member", { ...NOMIC, tier: "mid" }, /models\.0\.tier: unknown key/],
		["no price", { ...NOMIC, prices: undefined }, /models\.0: needs prices/],
		["an unknown provider", { ...NOMIC, provider: "hom" }, /models\.0\.provider: no provider is "hom".*home/],
		["an id that is taken", { ...NOMIC, id: "mistral-embed" }, /models\.0\.id: .*shipped model mistral-embed/],
		["an id of a model that answers", { ...NOMIC, id: "gpt-5-nano" }, /models\.0\.id: .*shipped model gpt-5-nano/],
		[
			"another kind than what it replaces",
			{ replaces: "mistral-embed", kind: "rerank" },
			/models\.0\.replaces: no shipped rerank model/,
		],
		[
			"lengths that are none",
			{ ...NOMIC, dimensions: { default: 8, sizes: { min: 9, max: 8 } } },
			/models\.0\.dimensions\.sizes/,
		],
		[
			"lengths of a moderation",
			{ ...NOMIC, kind: "moderation", dimensions: { default: 8 } },
			/models\.0\.dimensions: is of embedding/,
		],
		[
			"a kind that its provider is not asked for",
			{ ...NOMIC, kind: "moderation", provider: "anthropic" },
			/models\.0\.kind: anthropic speaks no form/,
		],
		["a list of searches", { ...NOMIC, prices: { input: 0, search: "2" } }, /models\.0\.prices\.search/],
	])("is refused with its fault: %s", (_, row, fault) => {
		expect(faultsOf(row)).toEqual([expect.stringMatching(fault)]);
	});

	it("is refused where two mean one id", () => {
		expect(faultsOf(NOMIC, NOMIC)).toEqual([expect.stringMatching(/models\.1\.id: .*already models\.0\.id/)]);
	});
});
