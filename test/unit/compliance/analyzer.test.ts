// What a Presidio-compatible analyzer is asked, and how its answer is read. The answers are as presidio-analyzer 2.2 gives them.
import { describe, expect, it } from "vitest";
import {
	MAX_ANALYZED_CHARS,
	parseAnalyzerAnswer,
	toAnalyzedParts,
	toAnalyzerRequest,
} from "../../../src/compliance/analyzer.ts";
import { plainConversation } from "../../../src/compliance/conversation.ts";

const partsOf = (...texts: string[]) => {
	const parts = toAnalyzedParts(plainConversation(...texts));
	if (parts === null) throw new Error("too long");
	return parts;
};
const entity = (entity_type: string, start: number, end: number, score = 0.85) => ({
	analysis_explanation: null,
	entity_type,
	start,
	end,
	score,
});

describe("the request to an analyzer", () => {
	it("has each text, without empty ones", () => {
		expect(toAnalyzerRequest(partsOf("one", " ", "two"))).toEqual({
			text: ["one", "two"],
			language: "en",
			score_threshold: 0.5,
		});
	});

	it("has long texts in parts that lose nothing", () => {
		const text = "🧶 wool and paper ".repeat(6_000);
		const parts = partsOf(text);
		expect(parts.length).toBeGreaterThan(2);
		expect(parts.map(({ part }) => part).join("")).toBe(text);
		for (const { start, part } of parts) expect(text.slice(start, start + part.length)).toBe(part);
	});

	it("is not made for what is too long", () => {
		expect(toAnalyzedParts(plainConversation("a".repeat(MAX_ANALYZED_CHARS), "b"))).toBeNull();
	});
});

describe("the answer of an analyzer", () => {
	it("counts in code points, and is found in UTF-16 units", () => {
		const parts = partsOf("first", "🧶🧶 Ada Quill");
		expect(parseAnalyzerAnswer([[], [entity("PERSON", 3, 12)]], parts)).toEqual({
			classes: ["PII"],
			kinds: { PII: ["person_name"] },
			findings: [{ kind: "person_name", text: 1, start: 5, end: 14 }],
		});
	});

	it("leaves out what says nothing of a person, and what is hardly sure", () => {
		const answer = [[entity("DATE_TIME", 0, 3), entity("US_BANK_NUMBER", 0, 3, 0.05), entity("constructor", 0, 3)]];
		expect(parseAnalyzerAnswer(answer, partsOf("now"))).toMatchObject({ classes: [], findings: [] });
	});

	it("is none if it is for other texts, of another form, or points outside", () => {
		const parts = partsOf("now");
		for (const answer of [
			null,
			{},
			{ error: "No language provided" },
			[],
			[[], []],
			[[entity("PERSON", 0, 4)]],
			[[{}]],
		])
			expect(parseAnalyzerAnswer(answer, parts)).toBeNull();
	});
});
