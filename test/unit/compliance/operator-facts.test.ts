// What an operator says of a provider: it counts beside what is published, is marked as the operator's word, and what nobody says is
// unknown.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { type ComplianceGate, shippedGate } from "../../../src/compliance/gate.ts";
import { findFacts, MATRIX } from "../../../src/compliance/matrix.ts";
import type { CompliancePolicy } from "../../../src/compliance/policy.ts";
import { costPremium, toCompliancePreview } from "../../../src/compliance/preview.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { hashObject } from "../../../src/proof/hash.ts";
import { parseSettings, type Settings } from "../../../src/settings.ts";
import { modelWhere } from "../../support/catalog.ts";

const HELLO = plainConversation("hello");
const NOON = Date.parse("2026-11-21T12:00:00Z");
const FACTS = { jurisdiction: { contract: "DE", parent: "DE" }, regions: ["DE"], zero_retention: "default" };
const BOX = { id: "box", base_url: "http://box.local:8000/v1" };
const PROMPT = {
	provider: "box",
	tier: "budget",
	prices: { input: 0, output: 0 },
	limits: { context_window: 8_192, max_output_tokens: 2_048 },
};

function settingsWith(providers: Record<string, unknown>[], variables: Record<string, string> = {}): Settings {
	const document = { providers, models: providers.some(({ id }) => id === "box") ? [{ id: "mist", ...PROMPT }] : [] };
	const { catalog, faults } = extendCatalog(CATALOG, document, { isLocal: true, hosts: new Set() });
	expect(faults).toEqual([]);
	return parseSettings({ KEY_PEPPER: "test-pepper-0123456789", ...variables }, catalog);
}

function gateWith(settings: Settings, request: CompliancePolicy): ComplianceGate {
	return shippedGate({ operator: null, key: null, request }, HELLO, detect(HELLO), settings);
}

const reasons = (settings: Settings, policy: CompliancePolicy, provider = "box") =>
	gateWith(settings, policy).reasonsAgainst({ provider });

describe("an operator's provider", () => {
	it("is unknown where its row says nothing, and then not allowed under a policy that asks", () => {
		const settings = settingsWith([BOX]);
		expect(reasons(settings, { jurisdiction: ["EU"] })).toEqual(["box: its jurisdiction is unknown"]);
		expect(reasons(settings, { data_residency: ["EU"] })).toEqual(["box: its data regions are unknown"]);
		expect(reasons(settings, { frameworks: ["GDPR"] })).toEqual(["box: its frameworks are unknown (GDPR)"]);
		expect(reasons(settings, { require_zero_retention: true })).toEqual(["box: zero retention is unknown"]);
		expect(reasons(settings, { provider_allowlist: ["box"] })).toEqual([]);
	});

	it("is what its row says, and HIPAA still needs an agreement", () => {
		const settings = settingsWith([{ ...BOX, facts: { ...FACTS, frameworks: ["GDPR", "HIPAA"] } }]);
		const policy = { jurisdiction: ["EU"], data_residency: ["DE"], frameworks: ["GDPR"], require_zero_retention: true };
		expect(reasons(settings, policy)).toEqual([]);
		expect(reasons(settings, { jurisdiction: ["US"] })).toEqual(["box: its contract is under DE, allowed is US"]);
		expect(reasons(settings, { frameworks: ["HIPAA"] })).toEqual([
			"box: HIPAA needs a signed agreement, and none is attested by BOX_BAA=1",
		]);
		const moved = settingsWith([{ ...BOX, facts: FACTS }], {
			BOX_API_KEY: "k",
			BOX_BASE_URL: "https://else.example/v1",
		});
		expect(reasons(moved, { jurisdiction: ["EU"] })).toEqual([
			"box: its jurisdiction is unknown, because its base address is replaced",
		]);
	});

	it("is marked as the operator's word where it counts, and only there", () => {
		const settings = settingsWith([{ ...BOX, facts: FACTS }]);
		const gate = gateWith(settings, { jurisdiction: ["EU", "US"] });
		const seen = [{ id: "mist", provider: "box" }, ...CATALOG.models];
		const { hash, ...members } = gate.attest(seen);
		expect(members.operator_facts).toEqual(["box"]);
		expect(hash).toBe(hashObject(members));
		expect(gate.attest(CATALOG.models)).not.toHaveProperty("operator_facts");
		expect(toCompliancePreview(gate, settings.catalog, NOON).operator_facts).toEqual(["box"]);
		const shipped = settingsWith([]);
		const plain = gateWith(shipped, { jurisdiction: ["EU", "US"] });
		expect(toCompliancePreview(plain, shipped.catalog, NOON)).not.toHaveProperty("operator_facts");
	});
});

describe("a row of a shipped provider", () => {
	const { provider } = modelWhere(
		CATALOG,
		(model) => findFacts(model.provider, basis(settingsWith([]))).values.jurisdiction !== null,
	);
	const base_url = "https://proxy.example.com/v1";
	const prefix = CATALOG.findProvider(provider)?.env_prefix;

	function basis({ catalog, attestations }: Settings) {
		return { matrix: MATRIX, catalog, attestations };
	}
	const published = findFacts(provider, basis(settingsWith([]))).values;

	it("at another address voids what is published, unless the operator vouches for it", () => {
		const moved = settingsWith([{ id: provider, base_url }]);
		expect(Object.values(findFacts(provider, basis(moved)).values)).toEqual(Array(6).fill(null));
		expect(reasons(moved, { jurisdiction: ["EU"] }, provider)).toEqual([
			expect.stringContaining("is unknown, because its base address is replaced"),
		]);
		const vouched = settingsWith([{ id: provider, base_url }], { [`${prefix}_FACTS`]: "provider" });
		expect(findFacts(provider, basis(vouched)).values).toEqual(published);
	});

	it("that writes its own address with a slash at the end has not moved it", () => {
		const same = settingsWith([{ id: provider, base_url: `${CATALOG.findProvider(provider)?.base_url}/` }]);
		expect(findFacts(provider, basis(same)).values).toEqual(published);
	});

	it("at its own address keeps what is published beside the operator's word", () => {
		const stated = settingsWith([{ id: provider, facts: { regions: ["DE"] } }]);
		expect(findFacts(provider, basis(stated))).toEqual({
			values: { ...published, regions: ["DE"] },
			stated: ["regions"],
			isReplaced: false,
		});
		const other = settingsWith([{ id: provider, base_url, facts: { regions: ["DE"] } }]);
		expect(findFacts(provider, basis(other)).values).toMatchObject({ regions: ["DE"], jurisdiction: null });
	});
});

it("the premium over a model that costs nothing is an amount, and no share", () => {
	const { catalog } = settingsWith([BOX]);
	expect(costPremium(catalog.models, CATALOG.models, NOON)).toMatchObject({
		cheapest_unrestricted: "mist",
		unrestricted_min_usd_mtok: 0,
		premium_usd_mtok: expect.any(Number),
		premium_pct: null,
	});
	expect(costPremium(catalog.models, catalog.models, NOON)).toMatchObject({ premium_usd_mtok: 0, premium_pct: null });
});
