// The gate: filters that unknown facts do not pass, classes of data that need clearance, and the attestation.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import type { Detection } from "../../../src/compliance/findings.ts";
import { createGate } from "../../../src/compliance/gate.ts";
import { MATRIX } from "../../../src/compliance/matrix.ts";
import { parseCompliancePolicy } from "../../../src/compliance/policy.ts";
import { DATA_CLASSES, type DataClass } from "../../../src/compliance/vocabulary.ts";
import { hashObject } from "../../../src/proof/hash.ts";
import type { ProviderAttestation } from "../../../src/settings.ts";

const NOTHING: Detection = { classes: [], kinds: {}, findings: [] };
const found = (...classes: DataClass[]): Detection => ({ classes, kinds: {}, findings: [] });

function gate(raw: unknown, detection = NOTHING, attestations: Record<string, Partial<ProviderAttestation>> = {}) {
	const { policy, faults } = parseCompliancePolicy(raw, CATALOG);
	expect(faults).toEqual([]);
	const all = CATALOG.providers.map(({ id }): [string, ProviderAttestation] => [
		id,
		{
			isReplaced: false,
			zeroRetention: false,
			businessAssociate: false,
			businessAssociateSetting: `${id.toUpperCase()}_BAA`,
			...attestations[id],
		},
	]);
	return createGate({ operator: null, key: null, request: policy }, detection, {
		matrix: MATRIX,
		catalog: CATALOG,
		attestations: new Map(all),
	});
}

function allowed(...args: Parameters<typeof gate>): string[] {
	const { reasonsAgainst } = gate(...args);
	return CATALOG.providers.map(({ id }) => id).filter((provider) => reasonsAgainst({ provider }).length === 0);
}

const ALL = CATALOG.providers.map(({ id }) => id);

describe("a filter", () => {
	it.each<[Record<string, unknown>, string[]]>([
		[{ provider_allowlist: ["groq", "openai"] }, ["openai", "groq"]],
		[{ provider_denylist: ["deepseek"] }, ALL.filter((id) => id !== "deepseek")],
		[{ provider_allowlist: ["openai"], provider_denylist: ["openai"] }, []],
		[{ jurisdiction: ["EU"] }, ["mistral"]],
		[{ jurisdiction: ["FR"] }, ["mistral"]],
		[{ jurisdiction: ["SG"] }, []],
		[{ jurisdiction: ["SG", "CN"] }, ["deepseek", "alibaba", "moonshot", "zai"]],
		[{ data_residency: ["EU"] }, ["mistral"]],
		[{ data_residency: ["CN"] }, ["deepseek"]],
		[{ frameworks: ["GDPR"] }, ["openai", "anthropic", "mistral", "cohere"]],
		[{ frameworks: ["GDPR", "HIPAA"] }, []],
		[{ frameworks: ["SOC 2"] }, ["openai", "anthropic", "mistral", "xai", "cohere"]],
		[{ certifications: ["ISO 42001"] }, ["openai", "anthropic", "cohere"]],
		[{ certifications: ["nobody has it"] }, []],
		[{ require_zero_retention: true }, ["groq", "deepinfra"]],
	])("%j lets through %j", (policy, providers) => {
		expect(allowed(policy).toSorted()).toEqual(providers.toSorted());
	});

	it("says why, in words that name provider, fact and what is allowed", () => {
		const { reasonsAgainst } = gate({
			jurisdiction: ["EU"],
			data_residency: ["EU"],
			frameworks: ["GDPR"],
			certifications: ["SOC2"],
			require_zero_retention: true,
		});
		expect(reasonsAgainst({ provider: "alibaba" })).toEqual([
			"Alibaba Cloud Model Studio: its contract is under SG, allowed is EU",
			"Alibaba Cloud Model Studio: its parent company is under CN, allowed is EU",
			"Alibaba Cloud Model Studio: data may be held in SG, US, CN, HK, JP, allowed is EU",
			"Alibaba Cloud Model Studio: its frameworks are unknown (GDPR)",
			"Alibaba Cloud Model Studio: its certifications are unknown (SOC2)",
			"Alibaba Cloud Model Studio: zero retention is unknown",
		]);
		expect(reasonsAgainst({ provider: "anthropic" })).toContain("Anthropic: data may be held anywhere, allowed is EU");
		expect(reasonsAgainst({ provider: "anthropic" })).toContain(
			"Anthropic: zero retention is by agreement only, and none is attested",
		);
	});
});

describe("a class of data in the text", () => {
	it.each<[DataClass, string[]]>([
		["PII", ["openai", "anthropic", "mistral", "cohere"]],
		["PHI", []],
		["FINANCIAL", ["openai"]],
		["SECRETS", ["groq", "deepinfra"]],
	])("%s is barred from who is not cleared for it", (dataClass, cleared) => {
		expect(allowed({ block_data_classes: [dataClass] }, found(dataClass)).toSorted()).toEqual(cleared.toSorted());
	});

	it("bars nobody when the policy does not name it, or the text does not hold it", () => {
		expect(allowed({ block_data_classes: ["PHI"] }, found("PII"))).toEqual(ALL);
		expect(allowed({ block_data_classes: ["PII"] })).toEqual(ALL);
	});

	it("of an agreement that the operator attests is cleared", () => {
		const attested = { mistral: { zeroRetention: true } };
		expect(allowed({ require_zero_retention: true }, NOTHING, attested)).toContain("mistral");
		expect(allowed({ block_data_classes: ["SECRETS"] }, found("SECRETS"), attested)).toContain("mistral");
	});
});

describe("a replaced base address", () => {
	const replaced = { mistral: { isReplaced: true }, groq: { isReplaced: true } };

	it("voids what is known of the provider", () => {
		expect(allowed({ jurisdiction: ["EU"] }, NOTHING, replaced)).toEqual([]);
		expect(gate({ jurisdiction: ["EU"] }, NOTHING, replaced).reasonsAgainst({ provider: "mistral" })).toEqual([
			"Mistral AI: its jurisdiction is unknown, because its base address is replaced",
		]);
		expect(allowed({ require_zero_retention: true }, NOTHING, replaced)).toEqual(["deepinfra"]);
	});

	it("keeps an allowlist and an attested agreement", () => {
		expect(allowed({ provider_allowlist: ["mistral"] }, NOTHING, replaced)).toEqual(["mistral"]);
		const attested = { mistral: { isReplaced: true, zeroRetention: true } };
		expect(allowed({ require_zero_retention: true }, NOTHING, attested)).toContain("mistral");
	});
});

describe("any policy", () => {
	const places = fc.uniqueArray(fc.constantFrom("US", "EU", "CN", "SG", "FR", "CA"), { maxLength: 3 });
	const names = fc.uniqueArray(fc.constantFrom("GDPR", "HIPAA", "SOC2", "ISO27001", "PCI DSS"), { maxLength: 2 });
	const providers = fc.uniqueArray(fc.constantFrom(...ALL), { maxLength: 4 });
	const policies = fc.record({
		provider_denylist: providers,
		jurisdiction: places,
		data_residency: places,
		frameworks: names,
		certifications: names,
		block_data_classes: fc.uniqueArray(fc.constantFrom(...DATA_CLASSES), { maxLength: 4 }),
		require_zero_retention: fc.boolean(),
	});
	const detections = fc.uniqueArray(fc.constantFrom(...DATA_CLASSES)).map((classes) => found(...classes));

	it("that asks for more lets through no more", () => {
		fc.assert(
			fc.property(policies, policies, detections, (one, other, detection) => {
				const both = {
					...one,
					provider_denylist: [...one.provider_denylist, ...other.provider_denylist],
					frameworks: [...one.frameworks, ...other.frameworks],
					certifications: [...one.certifications, ...other.certifications],
					block_data_classes: [...one.block_data_classes, ...other.block_data_classes],
					require_zero_retention: one.require_zero_retention || other.require_zero_retention,
				};
				const before = allowed(one, detection);
				expect(allowed(both, detection).filter((id) => !before.includes(id))).toEqual([]);
			}),
		);
	});
});

describe("an attestation", () => {
	it("names policy, models and providers, sorted, and is the hash of it all", () => {
		const models = ["gpt-6-luna", "claude-haiku-5-5"].map((id) => CATALOG.findModel(id)).filter((model) => !!model);
		const attestation = gate({ frameworks: ["gdpr"], block_data_classes: ["PII"] }, found("PII")).attest(models);
		const { hash, ...claimed } = attestation;
		expect(hash).toBe(hashObject(claimed));
		expect(claimed).toEqual({
			type: "svc.attestation.v1",
			matrix_version: MATRIX.version,
			policy: {
				active: true,
				provider_allowlist: [],
				provider_denylist: [],
				allowed_jurisdictions: [],
				data_residency: [],
				required_frameworks: ["GDPR"],
				required_certifications: [],
				block_data_classes: ["PII"],
				require_zero_retention: false,
			},
			models: ["claude-haiku-5-5", "gpt-6-luna"],
			providers: ["anthropic", "openai"],
			detected_classes: ["PII"],
		});
	});
});
