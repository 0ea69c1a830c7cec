// The ceiling of an answer, and what must fit below it.
import { expect, it } from "vitest";
import { toOutputCeiling } from "../../../src/inference/output-ceiling.ts";

it("a named limit is the ceiling, and 1,024 tokens of it must fit, or all of fewer", () => {
	expect(toOutputCeiling(128_000)).toEqual({ maxTokens: 1_024, outputLimit: { atMost: 128_000 } });
	expect(toOutputCeiling(100)).toEqual({ maxTokens: 100, outputLimit: { atMost: 100 } });
});

it("without one it is 32,000, and marked as nobody's wish", () => {
	const none = { maxTokens: 1_024, outputLimit: { atMost: 32_000, isDefault: true } };
	expect(toOutputCeiling(undefined)).toEqual(none);
	expect(toOutputCeiling(null)).toEqual(none);
});
