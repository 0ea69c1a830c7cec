// The templates of providers: rows that hold, with a source each, and enough with an address and a model.
import { expect, it } from "vitest";
import { providerSourcesFileSchema } from "../../../src/catalog/evidence.ts";
import { providerSchema } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { findCloud, regionIds } from "../../../src/operator-catalog/clouds.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { providerRowSchema, TEMPLATE_NAMES } from "../../../src/operator-catalog/rows.ts";
import templates from "../../../src/operator-catalog/templates.json" with { type: "json" };
import sources from "../../../src/operator-catalog/templates.sources.json" with { type: "json" };

const LOCAL = { isLocal: true, hosts: new Set<string>() };
const MODEL = {
	id: "its-model",
	tier: "budget",
	prices: { input: 0, output: 0 },
	limits: { context_window: 8_192, max_output_tokens: 2_048 },
};

it.each(TEMPLATE_NAMES)("%s is a provider's members, and makes one", (name) => {
	const template = templates[name];
	expect(providerRowSchema.safeParse({ id: "a", ...template }).error?.issues ?? []).toEqual([]);
	const address = "base_url" in template ? {} : { base_url: "https://models.example.com/v1" };
	const cloud = findCloud(name);
	const parts = cloud ? { region: regionIds(cloud)[0], resource: "acme" } : {};
	const { catalog, faults } = extendCatalog(
		CATALOG,
		{ providers: [{ id: "mine", template: name, ...address, ...parts }], models: [{ ...MODEL, provider: "mine" }] },
		LOCAL,
	);
	expect(faults).toEqual([]);
	const provider = catalog.findProvider("mine");
	expect(providerSchema.safeParse(provider).error?.issues ?? []).toEqual([]);
	expect(provider).toMatchObject({ owner: "operator", wire: "wire" in template ? template.wire : "openai" });
});

it("has a source for every template that says something, and for nothing else", () => {
	const { providers } = providerSourcesFileSchema.parse(sources);
	const telling = TEMPLATE_NAMES.filter((name) => Object.keys(templates[name]).length > 0);
	expect(Object.keys(providers)).toEqual(telling);
});

it("is in the way of no shipped provider: neither its id nor its key", () => {
	const ids = CATALOG.providers.map(({ id }) => id);
	const prefixes = CATALOG.providers.map(({ env_prefix }) => env_prefix);
	for (const name of TEMPLATE_NAMES) {
		expect(ids).not.toContain(name);
		expect(prefixes).not.toContain(name.toUpperCase().replaceAll("-", "_"));
	}
});

it("needs an address where none is everybody's", () => {
	const { faults } = extendCatalog(CATALOG, { providers: [{ id: "azure-openai" }] }, LOCAL);
	expect(faults.map(({ message }) => message)).toEqual(["needs resource, or base_url"]);
});
