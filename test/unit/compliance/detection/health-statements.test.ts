import { describe, expect, it } from "vitest";
import { createHealthStatementReader } from "../../../../src/compliance/detection/health-statements.ts";
import type { DataKind } from "../../../../src/compliance/detection/kinds.ts";

function statedIn(text: string): DataKind[] {
	const seen = new Set<DataKind>();
	createHealthStatementReader(text, seen)(text.length);
	return [...seen].sort();
}

describe("statements about somebody's health", () => {
	it("need a person in the sentence of the term", () => {
		expect(statedIn("My uncle called. The usual course has pneumonia first.")).toEqual([]);
	});

	it("are looked for behind a term that was nobody's", () => {
		const text = `${"Cancer is common. ".repeat(20)}My uncle has cancer.`;
		expect(statedIn(text)).toEqual(["diagnosis_context"]);
	});
});
