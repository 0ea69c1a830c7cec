import { describe, expect, it } from "vitest";
import { lengthRule, toStepMarks, toWordLimit } from "../../../src/agents/prompt.ts";
import { NONCE_DIGITS } from "../../../src/inference/material.ts";

describe("the length that a model is told", () => {
	it("is a round number of words that its tokens hold, and grows with them", () => {
		expect([64, 100, 256, 1_024, 4_096].map(toWordLimit)).toEqual([30, 60, 150, 610, 2_450]);
		expect(lengthRule(1_024)).toContain("at most 610 words");
	});
});

describe("the marks of a step", () => {
	it("are the step's own, the same each time, and do not show the run's nonce", () => {
		const marks = toStepMarks("0123456789abcdef", 3);
		expect(marks).toEqual(toStepMarks("0123456789abcdef", 3));
		expect(marks.nonce).toMatch(/^[0-9a-f]+$/);
		expect(marks.nonce).toHaveLength(NONCE_DIGITS);
		expect(marks.answersNonce).toHaveLength(NONCE_DIGITS);
		expect(marks.answersNonce).not.toBe(marks.nonce);
		expect(marks.claimCode).toMatch(/^[0-9a-f]{8}$/);
		const others = [toStepMarks("0123456789abcdef", 4), toStepMarks("1123456789abcdef", 3)];
		for (const other of others) {
			expect(other.nonce).not.toBe(marks.nonce);
			expect(other.claimCode).not.toBe(marks.claimCode);
		}
		expect(JSON.stringify(marks)).not.toContain("0123456789abcdef");
	});
});
