// Rows of clouds: what follows from the region, the project or the resource that they name.
import { describe, expect, it } from "vitest";
import { providerSchema } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { findPlaces } from "../../../src/catalog/standards.ts";
import { findFacts, MATRIX } from "../../../src/compliance/matrix.ts";
import clouds from "../../../src/operator-catalog/clouds.json" with { type: "json" };
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { TEMPLATE_NAMES } from "../../../src/operator-catalog/rows.ts";

const RULES = { isLocal: false, hosts: new Set<string>() };
const extend = (...providers: object[]) => extendCatalog(CATALOG, { providers }, RULES);
const faultsOf = (row: object) =>
	extend(row).faults.map(({ path, message }) => `${path.slice(2).join(".")} ${message}`.trim());
/** The provider of a row, which has no fault. */
function providerOf(row: object) {
	const { catalog, faults } = extend(row);
	expect(faults).toEqual([]);
	const provider = catalog.providers.at(-1);
	if (!provider) throw new Error("no provider");
	expect(providerSchema.safeParse(provider).error?.issues ?? []).toEqual([]);
	return provider;
}
const addressOf = (row: object) => providerOf(row).base_url;
const factsOf = (row: object) => {
	const { catalog } = extend(row);
	const { id } = providerOf(row);
	return findFacts(id, { matrix: MATRIX, catalog, attestations: new Map() });
};

describe("a row of a region", () => {
	it("has the id, the variables and the address that follow from it", () => {
		const provider = providerOf({ template: "vertex", region: "europe-west4" });
		expect(provider).toMatchObject({
			id: "vertex-europe-west4",
			name: "Google Vertex AI (vertex-europe-west4)",
			wire: "google",
			auth: "google",
			region: "europe-west4",
			env_prefix: "VERTEX_EUROPE_WEST4",
			base_url:
				"https://europe-west4-aiplatform.googleapis.com/v1/projects/{project}/locations/europe-west4/publishers/google",
		});
		for (const member of ["project", "resource", "api_version", "template"])
			expect(provider).not.toHaveProperty(member);
	});

	it.each([
		["global", "https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/anthropic"],
		["us", "https://aiplatform.us.rep.googleapis.com/v1/projects/acme/locations/us/publishers/anthropic"],
		["eu", "https://aiplatform.eu.rep.googleapis.com/v1/projects/acme/locations/eu/publishers/anthropic"],
		["us-east5", "https://us-east5-aiplatform.googleapis.com/v1/projects/acme/locations/us-east5/publishers/anthropic"],
	])("%s is called at its own host, and at the project that the row names", (region, address) => {
		expect(addressOf({ template: "vertex-claude", region, project: "acme" })).toBe(address);
	});

	it("keeps the id that it names, and stands beside others of its template", () => {
		const { catalog, faults } = extend(
			{ template: "vertex", region: "eu" },
			{ id: "gemini-us", template: "vertex", region: "us" },
			{ template: "vertex-claude", region: "eu" },
		);
		expect(faults).toEqual([]);
		expect(catalog.providers.slice(-3).map(({ id }) => id)).toEqual(["vertex-eu", "gemini-us", "vertex-claude-eu"]);
	});

	it.each([
		[{ template: "vertex", id: "v" }, "needs region, or base_url"],
		[
			{ template: "vertex", region: "europe-west44" },
			/^region "europe-west44" is no region that is known here; did you mean/,
		],
		[{ template: "vertex", region: "x/../y" }, /^region must be the id of a region/],
		[{ template: "vertex", region: "eu", project: "a/b" }, "project must be the id of a project"],
		[{ template: "vertex", region: "eu", project: ".." }, "project must be the id of a project"],
		[{ template: "azure-openai", resource: "evil.example.com#" }, /^resource must be the name of a resource/],
		[{ template: "azure-openai-deployments", id: "a" }, "needs resource, or base_url"],
		[{ template: "vertex", region: "eu", facts: { jurisdiction: { parent: "US" } } }, /contract/],
		[{ id: "mine", base_url: "https://m.example.com", facts: { jurisdiction: { contract: "DE" } } }, /needs parent/],
		[{ id: "mine", base_url: "https://m.example.com", paths: { whole: "x", stream: "/y" } }, /must begin with \//],
	])("%j is refused with what is wrong", (row, message) => {
		const faults = faultsOf(row);
		expect(faults).toHaveLength(1);
		if (typeof message === "string") expect(faults[0]).toBe(message);
		else expect(faults[0]).toMatch(message);
	});
});

describe("a resource of Azure's", () => {
	it("is called at its v1 address, with its key in a header", () => {
		const provider = providerOf({ template: "azure-openai", resource: "Acme-1", region: "eu" });
		expect(provider).toMatchObject({
			id: "azure-openai-acme-1",
			base_url: "https://Acme-1.openai.azure.com/openai/v1",
			auth: { header: "api-key" },
		});
		expect(provider.paths).toBeUndefined();
	});

	it("is called by its deployments, under the version that the row names or the last stable one", () => {
		const path = (version: string) => `/deployments/{model}/chat/completions?api-version=${version}`;
		const row = { template: "azure-openai-deployments", resource: "acme" };
		expect(providerOf(row).paths).toEqual({ whole: path("2024-10-21"), stream: path("2024-10-21") });
		expect(providerOf({ ...row, api_version: "2025-04-01-preview" }).paths?.whole).toBe(path("2025-04-01-preview"));
	});

	it("is known by the address that a row wrote before there were resources", () => {
		const base_url = "https://acme.openai.azure.com/openai/v1";
		expect(providerOf({ id: "azure-openai", base_url })).toMatchObject({ base_url, env_prefix: "AZURE_OPENAI" });
	});
});

describe("what is published of a region", () => {
	it("tells one from another, and is not the operator's word", () => {
		const { values, stated } = factsOf({ template: "vertex", region: "europe-west4" });
		expect(values).toMatchObject({ regions: ["EU"], trains_on_inputs: "no", zero_retention: "on_request" });
		expect([values.jurisdiction, values.frameworks, values.certifications, stated]).toEqual([null, null, null, []]);
		expect(factsOf({ template: "vertex", region: "us-central1" }).values.regions).toEqual(["US"]);
		expect(factsOf({ template: "vertex", region: "global" }).values.regions).toEqual(["*"]);
	});

	it("is nothing where nothing is promised", () => {
		expect(factsOf({ template: "vertex", region: "me-central2" }).values.regions).toBeNull();
		expect(factsOf({ template: "azure-openai", resource: "acme" }).values.regions).toBeNull();
	});

	it("gives way to what the row says, which knows the parent by itself", () => {
		const facts = { jurisdiction: { contract: "IE" }, regions: ["NL"], frameworks: ["GDPR"] };
		const { values, stated } = factsOf({ template: "vertex", region: "europe-west4", facts });
		expect(values).toMatchObject({ ...facts, jurisdiction: { contract: "IE", parent: "US" }, trains_on_inputs: "no" });
		expect(stated.toSorted()).toEqual(["frameworks", "jurisdiction", "regions"]);
	});

	it("is not known of an address that the row names itself, nor of one that a variable puts in its place", () => {
		const own = { template: "vertex", region: "eu", base_url: "https://proxy.example.com" };
		expect(factsOf(own).values.regions).toBeNull();
		const { catalog } = extend({ template: "vertex", region: "eu" });
		const attestation = { isReplaced: true, isMoved: false, zeroRetention: false, businessAssociate: false };
		const attestations = new Map([["vertex-eu", { ...attestation, businessAssociateSetting: "" }]]);
		expect(findFacts("vertex-eu", { matrix: MATRIX, catalog, attestations }).values.regions).toBeNull();
	});

	it("names templates, places and hosts that there are", () => {
		for (const { templates, parent, regions } of Object.values(clouds)) {
			for (const template of templates) expect(TEMPLATE_NAMES).toContain(template);
			expect(findPlaces(parent)).toEqual([parent]);
			for (const [id, region] of Object.entries<{ regions?: string[]; host?: string }>(regions)) {
				expect(id).toMatch(/^[a-z][a-z0-9-]*$/);
				for (const place of region.regions ?? []) expect(place === "*" ? ["*"] : findPlaces(place)).toEqual([place]);
			}
		}
	});
});

describe("a model that is a shipped one elsewhere", () => {
	const row = { id: "gemini-eu", same_as: "gemini-3.8-flash", provider: "vertex-eu", prices: { input: 1, output: 5 } };
	const extendModels = (...models: object[]) =>
		extendCatalog(CATALOG, { providers: [{ template: "vertex", region: "eu" }], models }, RULES);

	it("has all of it but its price and its place", () => {
		const { catalog, faults } = extendModels(row);
		expect(faults).toEqual([]);
		const [same, shipped] = [catalog.findModel("gemini-eu"), CATALOG.findModel("gemini-3.8-flash")];
		expect({ ...same, id: shipped?.id, provider: "google", prices: shipped?.prices, owner: undefined }).toEqual({
			...shipped,
			owner: undefined,
		});
		expect(same?.prices[0]).toMatchObject({ input: 1, output: 5, cached_input: null });
	});

	it("may have another name there, and take the shipped one's place", () => {
		const { catalog } = extendModels({
			...row,
			id: undefined,
			replaces: row.same_as,
			upstream: "gemini-3.8-flash-001",
		});
		expect(catalog.findModel(row.same_as)).toMatchObject({
			provider: "vertex-eu",
			upstream_model: "gemini-3.8-flash-001",
		});
	});

	it("is not taken to read files at a cloud that does not say so", () => {
		const shipped = CATALOG.models.find((model) => model.documents && CATALOG.providerFor(model).wire === "openai");
		const model = {
			id: "on-azure",
			same_as: shipped?.id,
			provider: "azure-openai-acme",
			prices: { input: 1, output: 5 },
		};
		const of = (row: object) =>
			extendCatalog(CATALOG, { providers: [{ template: "azure-openai", resource: "acme" }], models: [row] }, RULES);
		expect(of(model).faults).toEqual([]);
		expect(of(model).catalog.findModel("on-azure")).not.toHaveProperty("documents");
		const documents = { pdf: { max_pages: 10, max_bytes: 1_000, tokens_per_page: 500 } };
		expect(of({ ...model, documents }).catalog.findModel("on-azure")).toMatchObject({ documents });
	});

	it("needs a price, and a model that ships", () => {
		const messages = (model: object) => extendModels(model).faults.map(({ message }) => message);
		expect(messages({ ...row, prices: undefined })).toEqual(["needs prices"]);
		expect(messages({ ...row, same_as: "gemini-3.8-flush" })).toEqual([
			'no shipped model is "gemini-3.8-flush"; did you mean gemini-3.8-flash?',
		]);
	});
});
