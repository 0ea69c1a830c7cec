// The gate: filters that unknown facts do not pass, classes of data that need clearance, and the attestation.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { type Conversation, plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import type { Detection } from "../../../src/compliance/findings.ts";
import { type ComplianceGate, createGate, shippedGate, type TextContents } from "../../../src/compliance/gate.ts";
import { MATRIX } from "../../../src/compliance/matrix.ts";
import { type CompliancePolicy, parseCompliancePolicy } from "../../../src/compliance/policy.ts";
import {
	POLICY_LEVELS,
	type PolicyLevel,
	type PolicyLevels,
	unitePolicies,
} from "../../../src/compliance/policy-levels.ts";
import { DATA_CLASSES, type DataClass } from "../../../src/compliance/vocabulary.ts";
import { hashObject } from "../../../src/proof/hash.ts";
import type { ProviderAttestation } from "../../../src/settings.ts";

const NOTHING: Detection = { classes: [], kinds: {}, findings: [] };
const found = (...classes: DataClass[]): Detection => ({ classes, kinds: {}, findings: [] });

type Attested = Record<string, Partial<ProviderAttestation>>;

function parsed(raw: unknown): CompliancePolicy {
	const { policy, faults } = parseCompliancePolicy(raw, CATALOG);
	expect(faults).toEqual([]);
	return policy;
}

function gate(raw: unknown, detection = NOTHING, attestations: Attested = {}) {
	return levelGate({ request: parsed(raw) }, detection, attestations);
}

function levelGate(
	policies: Partial<PolicyLevels>,
	detection = NOTHING,
	attestations: Attested = {},
	contents: TextContents = {},
) {
	const all = CATALOG.providers.map(({ id }): [string, ProviderAttestation] => [
		id,
		{
			isReplaced: false,
			isMoved: false,
			zeroRetention: false,
			businessAssociate: false,
			businessAssociateSetting: `${id.toUpperCase()}_BAA`,
			...attestations[id],
		},
	]);
	const levels = { operator: null, key: null, request: null, ...policies };
	const basis = { matrix: MATRIX, catalog: CATALOG, attestations: new Map(all) };
	return createGate(levels, detection, basis, contents);
}

function allowed(...args: Parameters<typeof gate>): string[] {
	return allowedBy(gate(...args));
}

function allowedBy({ reasonsAgainst }: ComplianceGate): string[] {
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
		[{ certifications: ["FERPA"] }, []],
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

	it("of health needs an agreement that the operator attests, and the reason names the setting", () => {
		const attested = { anthropic: { businessAssociate: true } };
		expect(allowed({ frameworks: ["HIPAA"] }, NOTHING, attested)).toEqual(["anthropic"]);
		expect(allowed({ block_data_classes: ["PHI"] }, found("PHI"), attested)).toEqual(["anthropic"]);
		const needs = "HIPAA needs a signed agreement, and none is attested by OPENAI_BAA=1";
		expect(gate({ certifications: ["HIPAA"] }).reasonsAgainst({ provider: "openai" })).toEqual([`OpenAI: ${needs}`]);
		expect(gate({ block_data_classes: ["PHI"] }, found("PHI")).reasonsAgainst({ provider: "openai" })).toEqual([
			`OpenAI: not cleared for PHI, which the text holds: ${needs}`,
		]);
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

	const allowlists = fc.option(fc.uniqueArray(fc.constantFrom(...ALL), { minLength: 1, maxLength: 8 }), {
		nil: undefined,
	});
	const level = fc.option(
		fc.tuple(policies, allowlists).map(([policy, list]) => parsed({ ...policy, provider_allowlist: list })),
		{ nil: null },
	);
	const threeLevels: fc.Arbitrary<PolicyLevels> = fc.record({ operator: level, key: level, request: level });

	it("is one of three levels, and all of them together let through what each does", () => {
		fc.assert(
			fc.property(threeLevels, detections, (levels, detection) => {
				const byEach = POLICY_LEVELS.map((name) => allowedBy(levelGate({ [name]: levels[name] }, detection)));
				const byAll = ALL.filter((id) => byEach.every((ids) => ids.includes(id)));
				expect(allowedBy(levelGate(levels, detection))).toEqual(byAll);
				const united = POLICY_LEVELS.map((name) => levels[name] ?? {}).reduce(unitePolicies);
				expect(allowedBy(levelGate({ request: united }, detection))).toEqual(byAll);
			}),
		);
	});

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

describe("policies of two levels", () => {
	const pairs: [PolicyLevel, PolicyLevel][] = [
		["operator", "key"],
		["operator", "request"],
		["key", "request"],
	];
	const disjoint: [CompliancePolicy, CompliancePolicy][] = [
		[{ provider_allowlist: ["mistral"] }, { provider_allowlist: ["openai"] }],
		[{ jurisdiction: ["EU"] }, { jurisdiction: ["US"] }],
		[{ data_residency: ["EU"] }, { data_residency: ["CN"] }],
	];
	const cases = pairs.flatMap(([above, below]) =>
		disjoint.flatMap(([one, other]) => [
			{ above, below, one, other },
			{ above, below, one: other, other: one },
		]),
	);

	it.each(cases)("of $above and $below, $one and $other, let through nothing", ({ above, below, one, other }) => {
		const gate = levelGate({ [above]: one, [below]: other });
		expect(allowedBy(levelGate({ [above]: one }))).not.toEqual([]);
		expect(allowedBy(levelGate({ [below]: other }))).not.toEqual([]);
		expect(allowedBy(gate)).toEqual([]);
		for (const provider of ALL) expect(gate.objectionsTo({ provider })).not.toEqual([]);
	});

	it("name level and member, and of the operator's lists nothing else", () => {
		const operator = parsed({ jurisdiction: ["EU"], provider_denylist: ["zai"], frameworks: ["C5"] });
		const gate = levelGate({ operator, key: { jurisdiction: ["EU"] }, request: { jurisdiction: ["EU"] } });
		expect(gate.reasonsAgainst({ provider: "zai" })).toEqual([
			"Z.ai: the operator's policy excludes it (provider_denylist)",
			"Z.ai: the operator's policy excludes it (jurisdiction)",
			"Z.ai: the operator's policy excludes it (frameworks)",
			"Z.ai: the API key's policy excludes it (jurisdiction): its contract is under SG, allowed is EU",
			"Z.ai: the API key's policy excludes it (jurisdiction): its parent company is under CN, allowed is EU",
			"Z.ai: its contract is under SG, allowed is EU",
			"Z.ai: its parent company is under CN, allowed is EU",
		]);
		expect(gate.objectionsTo({ provider: "zai" })[0]).toMatchObject({ level: "operator", member: "provider_denylist" });
		const alone = levelGate({ operator }).attest([]);
		expect(JSON.stringify(alone)).not.toMatch(/zai|"EU"|C5/);
		expect(alone.floor).toMatchObject([
			{ level: "operator", members: ["frameworks", "jurisdiction", "provider_denylist"] },
		]);
	});

	it("gate the text as received where a level above blocks what one below masks", () => {
		const block: CompliancePolicy = { block_data_classes: ["PII"] };
		const mask: CompliancePolicy = { mask_data_classes: ["PII"] };
		const clean = { received: ["PII"], remaining: [] } as const;
		const cleared = ["openai", "anthropic", "mistral", "cohere"];
		expect(allowedBy(levelGate({ operator: block, request: mask }, found("PII"), {}, clean))).toEqual(
			ALL.filter((id) => cleared.includes(id)),
		);
		expect(allowedBy(levelGate({ operator: mask, request: block }, found("PII"), {}, clean))).toEqual(ALL);
		expect(allowedBy(levelGate({ request: { ...mask, ...block } }, found("PII"), {}, clean))).toEqual(ALL);
		const left = { received: ["PII"], remaining: ["PII"] } as const;
		expect(allowedBy(levelGate({ request: { ...mask, ...block } }, found("PII"), {}, left))).not.toEqual(ALL);
	});

	it("refuse for every provider what a mask leaves, unless the same level says who may be sent it", () => {
		const mask: CompliancePolicy = { mask_data_classes: ["PII"] };
		const left = { received: ["PII"], remaining: ["PII"] } as const;
		const gate = levelGate({ request: mask }, found("PII"), {}, left);
		expect(allowedBy(gate)).toEqual([]);
		expect(gate.reasonsAgainst({ provider: "openai" }).join()).toContain(
			"the text holds PII where it cannot be masked",
		);
		const both = levelGate({ request: { ...mask, block_data_classes: ["PII"] } }, found("PII"), {}, left);
		expect(allowedBy(both)).toContain("openai");
	});

	it("hold for what nobody reads, unless the level or one above lets it pass", () => {
		const block: CompliancePolicy = { block_data_classes: ["SECRETS"] };
		const allow: CompliancePolicy = { allow_unread: ["image"] };
		const image = { unread: ["image"] } as const;
		const cleared = allowed({ require_zero_retention: true });
		expect(allowedBy(levelGate({ request: block }, NOTHING, {}, image))).toEqual(cleared);
		expect(allowedBy(levelGate({ operator: block, request: allow }, NOTHING, {}, image))).toEqual(cleared);
		expect(allowedBy(levelGate({ operator: allow, request: block }, NOTHING, {}, image))).toEqual(ALL);
		expect(
			allowedBy(levelGate({ request: { ...allow, ...block } }, NOTHING, {}, { unread: ["image", "file"] })),
		).toEqual(cleared);
	});
});

describe("a policy that only monitors", () => {
	const models = ["gpt-6-luna", "mistral-small-2603", "claude-haiku-5-5"].flatMap((id) => CATALOG.findModel(id) ?? []);
	const operator = parsed({ jurisdiction: ["EU"], provider_denylist: ["openai"], mode: "monitor" });

	it("refuses nothing, and attests what it would have refused", () => {
		const gate = levelGate({ operator });
		expect(allowedBy(gate)).toEqual(ALL);
		const { hash, ...claimed } = gate.attest(models);
		expect(hash).toBe(hashObject(claimed));
		expect(claimed).toMatchObject({
			mode: "monitor",
			policy: { mode: "monitor" },
			violations: [
				{ level: "operator", member: "jurisdiction", models: ["claude-haiku-5-5", "gpt-6-luna"] },
				{ level: "operator", member: "provider_denylist", models: ["gpt-6-luna"] },
			],
		});
	});

	it("says so where nothing was violated, too", () => {
		const [, compliant] = models;
		expect(levelGate({ operator }).attest(compliant ? [compliant] : [])).toMatchObject({
			mode: "monitor",
			violations: [],
		});
	});

	it("leaves stricter levels below in force", () => {
		const request: CompliancePolicy = { provider_allowlist: ["openai", "xai"] };
		const gate = levelGate({ operator, request });
		expect(allowedBy(gate)).toEqual(["openai", "xai"]);
		expect(gate.attest(models.slice(0, 1)).violations).toEqual([
			{ level: "operator", member: "jurisdiction", models: ["gpt-6-luna"] },
			{ level: "operator", member: "provider_denylist", models: ["gpt-6-luna"] },
		]);
	});
});

describe("what nobody reads", () => {
	const image: Conversation = { texts: [], unread: [{ message: 0, what: "image" }] };
	const countAllowed = (policy: unknown, conversation: Conversation) => {
		const levels = { operator: null, key: null, request: parsed(policy) };
		const scanned = shippedGate(levels, conversation, detect(conversation), {
			catalog: CATALOG,
			attestations: new Map(),
		});
		return CATALOG.models.filter((model) => scanned.reasonsAgainst(model).length === 0).length;
	};

	it("holds every class that is blocked, unless the policy allows it", () => {
		const blocked = { block_data_classes: ["PHI"] };
		const all = countAllowed(blocked, { texts: [], unread: [] });
		expect(countAllowed(blocked, image)).toBeLessThan(all);
		expect(countAllowed({ ...blocked, allow_unread: ["image"] }, image)).toBe(all);
	});

	it("may be a text that is too long", () => {
		const blocked = { block_data_classes: ["PHI"] };
		const long = plainConversation("word ".repeat(900_000));
		const all = countAllowed(blocked, { texts: [], unread: [] });
		expect(countAllowed(blocked, long)).toBeLessThan(all);
		expect(countAllowed({ ...blocked, allow_unread: ["text"] }, long)).toBe(all);
	});
});
