// When a response is stored.
import { describe, expect, it } from "vitest";
import type { CompliancePolicy } from "../../../src/compliance/policy.ts";
import { type PolicyLevel, toPolicyLevels } from "../../../src/compliance/policy-levels.ts";
import { decideStorage } from "../../../src/responses/response-storage.ts";

const ON = { storesTexts: true };
const OFF = { storesTexts: false };
const levelsWith = (level: PolicyLevel, policy: CompliancePolicy) => toPolicyLevels({ [level]: policy });

describe("a response", () => {
	it("is stored unless its request says otherwise", () => {
		for (const store of [undefined, null, true])
			expect(decideStorage(store, null, ON)).toEqual({ stores: true, warnings: [] });
		expect(decideStorage(false, null, ON)).toEqual({ stores: false, warnings: [] });
	});

	it("is not stored where the service stores no texts, and says so", () => {
		expect(decideStorage(undefined, null, OFF)).toMatchObject({
			stores: false,
			warnings: [{ code: "not_stored", param: "store", message: expect.stringContaining("stores no texts") }],
		});
		expect(decideStorage(false, null, OFF)).toEqual({ stores: false, warnings: [] });
	});

	it("is not stored under zero retention, whichever level requires it", () => {
		for (const level of ["operator", "key", "request"] as const) {
			const levels = levelsWith(level, { require_zero_retention: true });
			expect(decideStorage(true, levels, ON), level).toMatchObject({
				stores: false,
				warnings: [{ code: "not_stored", param: "store", message: expect.stringContaining("zero retention") }],
			});
		}
		expect(decideStorage(true, levelsWith("key", { jurisdiction: ["EU"] }), ON)).toEqual({
			stores: true,
			warnings: [],
		});
	});
});
