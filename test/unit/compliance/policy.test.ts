// Compliance policies as people write them: one normal form, every fault named, nothing ignored.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { compilePolicy, isActivePolicy, parseCompliancePolicy } from "../../../src/compliance/policy.ts";

const read = (value: unknown) => parseCompliancePolicy(value, CATALOG);
const faultsOf = (value: unknown) => read(value).faults.map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("a policy", () => {
	it("has one normal form, however it is written", () => {
		const one = read({
			provider_allowlist: ["openai", "mistral"],
			jurisdiction: ["US", "EU"],
			data_residency: ["EU", "IS", "LI", "NO"],
			frameworks: ["HIPAA", "GDPR"],
			certifications: ["SOC2", "ISO27001"],
			block_data_classes: ["SECRETS", "PII"],
			require_zero_retention: true,
		});
		const other = read({
			allowlist: ["Mistral AI", "OPENAI", "openai"],
			allowed_jurisdictions: ["european union", "usa"],
			residency: "EEA",
			required_frameworks: ["gdpr", "HIPAA-BAA"],
			required_certifications: ["ISO/IEC 27001:2022", "SOC 2 Type II"],
			blocked_data_classes: ["personal data", "credentials"],
			zero_retention: true,
		});
		expect(one.faults).toEqual([]);
		expect(other).toEqual(one);
		expect(one.policy).toEqual({
			provider_allowlist: ["mistral", "openai"],
			jurisdiction: ["EU", "US"],
			data_residency: ["EU", "IS", "LI", "NO"],
			frameworks: ["GDPR", "HIPAA"],
			certifications: ["ISO27001", "SOC2"],
			block_data_classes: ["PII", "SECRETS"],
			require_zero_retention: true,
		});
	});

	it("that was echoed can be sent again", () => {
		const { policy } = read({ jurisdiction: ["DE"], frameworks: ["soc 2"], require_zero_retention: true });
		expect(read(compilePolicy(policy))).toEqual({ policy, faults: [] });
	});

	it("names what it masks, passes unread, infers and monitors only where it does", () => {
		const { policy, faults } = read({
			mask_data_classes: ["secrets", "PII"],
			allow_unread: "Image",
			detect: "inferred",
			mode: "monitor",
		});
		expect(faults).toEqual([]);
		const set = { mask_data_classes: ["PII", "SECRETS"], allow_unread: ["image"], detect: "inferred", mode: "monitor" };
		expect(policy).toEqual(set);
		expect(compilePolicy(policy)).toMatchObject(set);
	});

	it.each([[{}], [null], [undefined], [{ jurisdiction: [], require_zero_retention: false, frameworks: null }]])(
		"of %j says nothing",
		(value) => {
			const { policy, faults } = read(value);
			expect(faults).toEqual([]);
			expect(isActivePolicy(policy)).toBe(false);
			expect(compilePolicy(policy)).toEqual({
				active: false,
				provider_allowlist: [],
				provider_denylist: [],
				allowed_jurisdictions: [],
				data_residency: [],
				required_frameworks: [],
				required_certifications: [],
				block_data_classes: [],
				require_zero_retention: false,
			});
		},
	);

	it.each<[unknown, string[]]>([
		[["EU"], [": must be a mapping"]],
		["EU", [": must be a mapping"]],
		[{ jurisdction: ["EU"] }, ["jurisdction: unknown key; did you mean jurisdiction?"]],
		[
			{ jurisdiction: ["Atlantis"] },
			['jurisdiction.0: "Atlantis" is no country: give its code of ISO 3166-1 alpha-2, or EU'],
		],
		[{ data_residency: ["ZZ"] }, ['data_residency.0: "ZZ" is no country: give its code of ISO 3166-1 alpha-2, or EU']],
		[{ provider_denylist: ["opnai"] }, ['provider_denylist.0: unknown provider "opnai"; did you mean openai?']],
		[
			{ block_data_classes: ["PIII"] },
			['block_data_classes.0: must be one of PII, PHI, FINANCIAL, SECRETS, not "PIII"; did you mean PII?'],
		],
		[{ frameworks: [7] }, ["frameworks.0: must be a text"]],
		[{ frameworks: { GDPR: true } }, ["frameworks: must be a list of texts"]],
		[
			{ mask_data_classes: ["PI"] },
			['mask_data_classes.0: must be one of PII, PHI, FINANCIAL, SECRETS, not "PI"; did you mean PII?'],
		],
		[{ allow_unread: ["imag"] }, ['allow_unread.0: must be one of file, image, text, not "imag"; did you mean image?']],
		[{ detect: "patterns" }, ["detect: must be inferred, or absent"]],
		[{ mode: "watch" }, ["mode: must be monitor, or absent"]],
		[{ require_zero_retention: "yes" }, ["require_zero_retention: must be true or false"]],
		[
			{ allowlist: ["openai"], provider_allowlist: ["groq"] },
			["provider_allowlist: means the same as allowlist, which is given too"],
		],
		[{ frameworks: Array.from({ length: 101 }, () => "GDPR") }, ["frameworks: must have at most 100 entries"]],
		[{ certifications: ["x".repeat(129)] }, ["certifications.0: must have at most 128 characters"]],
	])("of %j is at fault", (value, faults) => {
		expect(faultsOf(value)).toEqual(faults);
	});

	it("refuses a standard that nobody here knows, with a suggestion", () => {
		const { faults } = read({ frameworks: ["HIPPA"], certifications: ["my own rules"] });
		expect(faults.map(({ path, message }) => [path, message])).toEqual([
			[["frameworks", 0], 'unknown framework or certification "HIPPA"; did you mean HIPAA?'],
			[["certifications", 0], 'unknown framework or certification "my own rules"'],
		]);
	});
});
