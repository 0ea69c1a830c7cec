// The preview: every model accounted for, and the price of a policy to the last digit.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blendedRate } from "../../../src/catalog/price.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { shippedGate } from "../../../src/compliance/gate.ts";
import type { CompliancePolicy } from "../../../src/compliance/policy.ts";
import { costPremium, inertPreview, toCompliancePreview } from "../../../src/compliance/preview.ts";
import { parseSettings } from "../../../src/settings.ts";
import { variablesFor } from "../../support/variables.ts";

const HELLO = plainConversation("hello");
const NOON = Date.parse("2026-11-21T12:00:00Z");
const SETTINGS = parseSettings(variablesFor(CATALOG));

const gate = (request: CompliancePolicy) =>
	shippedGate({ operator: null, key: null, request }, HELLO, detect(HELLO), SETTINGS);

describe("a preview", () => {
	it("accounts for every model once", () => {
		const preview = toCompliancePreview(gate({ frameworks: ["GDPR"] }), CATALOG, NOON);
		const ids = [...preview.allowed_models, ...Object.keys(preview.excluded_models)];
		expect(ids.toSorted()).toEqual(CATALOG.models.map(({ id }) => id).toSorted());
		expect(preview.decision).toMatchObject({
			allowed: preview.allowed_models,
			allowed_count: preview.allowed_models.length,
			excluded: preview.excluded_models,
			excluded_count: Object.keys(preview.excluded_models).length,
			policy_active: true,
			matrix_version: preview.matrix_version,
		});
		expect(preview).toMatchObject({
			active: true,
			ok: true,
			sample_attestation: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
		});
	});

	it("of a policy that excludes every model has no sample, and no price", () => {
		const preview = toCompliancePreview(gate({ jurisdiction: ["JP"] }), CATALOG, NOON);
		expect(preview.ok).toBe(false);
		expect(preview).not.toHaveProperty("sample_attestation");
		expect(preview.compliance_cost_premium).toMatchObject({
			compliant_available: false,
			cheapest_compliant: null,
			compliant_min_usd_mtok: null,
			premium_usd_mtok: null,
			premium_pct: null,
		});
	});

	it("without a policy has its four members and no more", () => {
		expect(Object.keys(inertPreview({ classes: ["PII"], kinds: { PII: ["email"] } })).toSorted()).toEqual([
			"active",
			"classification",
			"detected_classes",
			"note",
		]);
	});
});

describe("the price of a policy", () => {
	it("is the difference of decimals, not of floating-point numbers", () => {
		fc.assert(
			fc.property(fc.subarray([...CATALOG.models], { minLength: 1 }), (compliant) => {
				const premium = costPremium(CATALOG.models, compliant, NOON);
				const micro = (rate: number | null) => BigInt(Math.round((rate ?? 0) * 4e6));
				const [from, to] = [micro(premium.unrestricted_min_usd_mtok), micro(premium.compliant_min_usd_mtok)];
				expect(premium.premium_usd_mtok).toBe(Number(to - from) / 4e6);
				const cheapest = Math.min(...compliant.map((model) => blendedRate(model, NOON)));
				expect(premium.compliant_min_usd_mtok).toBe(cheapest);
				expect(premium.premium_pct).toBeCloseTo((100 * Number(to - from)) / Number(from), 3);
			}),
		);
	});
});
