// Policies of several levels: what is gated, masked and let through unread, and the one policy that allows what all allow.
import { describe, expect, it } from "vitest";
import type { CompliancePolicy } from "../../../src/compliance/policy.ts";
import {
	allowsUnread,
	gatedClasses,
	isWiderPolicy,
	maskedClasses,
	type PolicyLevels,
	readsInferred,
	requiresZeroRetention,
	shownPolicy,
	toFloor,
	toPolicyLevels,
	unitePolicies,
} from "../../../src/compliance/policy-levels.ts";

const levels = (policies: Partial<PolicyLevels>): PolicyLevels => ({
	operator: null,
	key: null,
	request: null,
	...policies,
});

describe("levels", () => {
	it("are none when no policy says anything", () => {
		expect(toPolicyLevels({ operator: {}, key: null })).toBeNull();
		expect(toPolicyLevels({ operator: {}, request: { jurisdiction: ["EU"] } })).toEqual(
			levels({ request: { jurisdiction: ["EU"] } }),
		);
	});

	it.each<[string, Partial<PolicyLevels>, string[], string[]]>([
		["a block alone", { request: { block_data_classes: ["PII"] } }, ["PII"], []],
		["a mask of the same level", { key: { block_data_classes: ["PII"], mask_data_classes: ["PII"] } }, [], ["PII"]],
		[
			"a mask above the block",
			{ operator: { mask_data_classes: ["PHI"] }, request: { block_data_classes: ["PHI", "PII"] } },
			["PII"],
			["PHI"],
		],
		[
			"a mask below the block",
			{ operator: { block_data_classes: ["PII"] }, request: { mask_data_classes: ["PII", "SECRETS"] } },
			["PII"],
			["PII", "SECRETS"],
		],
	])("with %s gate and mask classes", (_, policies, gated, masked) => {
		expect(gatedClasses(levels(policies))).toEqual(gated);
		expect(maskedClasses(levels(policies))).toEqual(masked);
	});

	it("let pass unread what every level that blocks lets pass", () => {
		const block: CompliancePolicy = { block_data_classes: ["PII"] };
		const allow: CompliancePolicy = { ...block, allow_unread: ["image"] };
		expect(allowsUnread(levels({ request: allow }), "image")).toBe(true);
		expect(allowsUnread(levels({ request: allow }), "file")).toBe(false);
		expect(allowsUnread(levels({ operator: allow, request: block }), "image")).toBe(true);
		expect(allowsUnread(levels({ operator: block, request: allow }), "image")).toBe(false);
		expect(allowsUnread(levels({ operator: { frameworks: ["GDPR"] } }), "image")).toBe(true);
	});

	it("read what is inferred, and keep no text, where any level says so", () => {
		expect(readsInferred(levels({ key: { detect: "inferred" }, request: { jurisdiction: ["EU"] } }))).toBe(true);
		expect(readsInferred(levels({ request: { jurisdiction: ["EU"] } }))).toBe(false);
		expect(requiresZeroRetention(levels({ operator: { require_zero_retention: true } }))).toBe(true);
		expect(requiresZeroRetention(levels({ request: { frameworks: ["GDPR"] } }))).toBe(false);
	});

	it("are shown below as names and digests of the operator's members", () => {
		const all = levels({
			operator: { jurisdiction: ["EU"], provider_denylist: ["zai"], block_data_classes: ["PII"], mode: "monitor" },
			request: { frameworks: ["GDPR"] },
		});
		expect(toFloor(all)).toEqual([
			{
				level: "operator",
				members: ["block_data_classes", "jurisdiction", "mode", "provider_denylist"],
				digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			},
		]);
		expect(shownPolicy(all)).toEqual({
			active: true,
			provider_allowlist: [],
			provider_denylist: [],
			allowed_jurisdictions: [],
			data_residency: [],
			required_frameworks: ["GDPR"],
			required_certifications: [],
			block_data_classes: ["PII"],
			require_zero_retention: false,
			mode: "monitor",
		});
	});
});

describe("two policies in one", () => {
	it("unite what is demanded, and keep of what is allowed the common part", () => {
		expect(
			unitePolicies(
				{ provider_denylist: ["zai"], jurisdiction: ["EU", "US"], block_data_classes: ["SECRETS"], detect: "inferred" },
				{ provider_denylist: ["groq"], jurisdiction: ["CA", "FR"], block_data_classes: ["PII"], frameworks: ["GDPR"] },
			),
		).toEqual({
			provider_denylist: ["groq", "zai"],
			jurisdiction: ["FR"],
			frameworks: ["GDPR"],
			block_data_classes: ["PII", "SECRETS"],
			detect: "inferred",
		});
	});

	it.each(["provider_allowlist", "jurisdiction", "data_residency"] as const)(
		"never leave an empty %s, which would allow all",
		(member) => {
			expect(unitePolicies({ [member]: ["openai", "US"] }, { [member]: ["mistral", "FR"] })).toEqual({
				[member]: ["none"],
			});
		},
	);

	it.each<[CompliancePolicy, CompliancePolicy, boolean]>([
		[{}, { frameworks: ["GDPR"] }, true],
		[{ frameworks: ["GDPR", "HIPAA"] }, { frameworks: ["GDPR"] }, false],
		[{ jurisdiction: ["FR"] }, { jurisdiction: ["EU"] }, false],
		[{ jurisdiction: ["EU"] }, { jurisdiction: ["FR"] }, true],
		[{ block_data_classes: ["PII"], mask_data_classes: ["PII"] }, { block_data_classes: ["PII"] }, true],
		[{ block_data_classes: ["PII"], allow_unread: ["image"] }, { block_data_classes: ["PII"] }, true],
		[{ mask_data_classes: ["PII"], allow_unread: ["image"] }, {}, false],
	])("tell whether %j is wider than %j", (policy, than, isWider) => {
		expect(isWiderPolicy(policy, than)).toBe(isWider);
	});
});
