import { describe, expect, it } from "vitest";
import { createClinicalReader } from "../../../../src/compliance/detection/clinical-evidence.ts";
import type { DataKind } from "../../../../src/compliance/detection/kinds.ts";

function foundIn(text: string): DataKind[] {
	const seen = new Set<DataKind>();
	createClinicalReader(text, seen)(text.length);
	return [...seen].sort();
}

describe("what a sentence says of somebody's health", () => {
	it("needs the person in the sentence of the term", () => {
		expect(foundIn("My uncle called. The usual course has pneumonia first.")).toEqual([]);
	});

	it("is found behind many sentences that say nothing", () => {
		const text = `${"Glaucoma is common in old age. ".repeat(400)}My uncle has glaucoma.`;
		expect(foundIn(text)).toEqual(["diagnosis_context"]);
	});

	it("is found in a line that is longer than a sentence", () => {
		const text = `${"so it went on and on ".repeat(60)}and my uncle has glaucoma`;
		expect(foundIn(text)).toEqual(["diagnosis_context"]);
	});
});
