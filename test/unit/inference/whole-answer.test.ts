// Which answers may be requested whole: those that come long before a deadline.
import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/catalog/schema.ts";
import { canRequestWhole } from "../../../src/inference/plan.ts";
import { modelWhere, TEST_CATALOG } from "../../support/catalog.ts";

const LIMITS = { upstreamTimeoutMs: 30_000, upstreamIdleTimeoutMs: 20_000 };

/** A model that says its first word after a second, and then so many a second. */
function model(output_tokens_per_s: number, reasoning: Partial<NonNullable<Model["reasoning"]>> | null = null): Model {
	const speed = { ttft_s: 1, output_tokens_per_s };
	const base = modelWhere(TEST_CATALOG, ({ reasoning }) => reasoning !== null);
	const reasons = reasoning && base.reasoning ? { ...base.reasoning, ...reasoning } : null;
	return { ...base, reasoning: reasons, speed: { high_effort: speed, low_effort: speed } };
}

describe("an answer", () => {
	it("may be requested whole as long as its model needs less than half of a deadline for the longest", () => {
		// A second, and 899 / 100 seconds.
		expect(canRequestWhole(model(100), null, 899, LIMITS)).toBe(true);
		expect(canRequestWhole(model(100), null, 900, LIMITS)).toBe(false);
	});

	it("is streamed where the model may need half of a deadline for it", () => {
		// A second, and 256 / 32 seconds.
		const slow = model(32);
		expect(canRequestWhole(slow, null, 256, LIMITS)).toBe(true);
		expect(canRequestWhole(slow, null, 256, { ...LIMITS, upstreamIdleTimeoutMs: 18_000 })).toBe(false);
		expect(canRequestWhole(slow, null, 256, { ...LIMITS, upstreamTimeoutMs: 18_000 })).toBe(false);
		expect(canRequestWhole(slow, null, 255, { ...LIMITS, upstreamTimeoutMs: 18_000 })).toBe(true);
	});

	it("is streamed from an operator's model, whose speed nobody measured", () => {
		expect(canRequestWhole({ ...model(100), owner: "operator" }, null, 64, LIMITS)).toBe(false);
	});

	it("is streamed where reasoning has no bound", () => {
		const outside = model(100, { efforts: ["none", "high"], inside_max_tokens: false });
		expect(canRequestWhole(outside, "high", 64, LIMITS)).toBe(false);
		expect(canRequestWhole(outside, "none", 64, LIMITS)).toBe(true);
		expect(canRequestWhole(model(100, { inside_max_tokens: true }), "high", 64, LIMITS)).toBe(true);
	});
});
