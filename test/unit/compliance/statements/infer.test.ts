// What the shipped classifier says of sentences that it was not trained on: statements about somebody, and what only looks so.
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { inferStatements } from "../../../../src/compliance/statements/infer.ts";
import { decodeStatements, STATEMENT_CLASSES } from "../../../../src/compliance/statements/model.ts";
import shippedFile from "../../../../src/compliance/statements/weights.json" with { type: "json" };
import { runSteps } from "../../../../src/turns/steps.ts";

const infer = (...texts: string[]) => runSteps(inferStatements(plainConversation(...texts)));

describe("the shipped weights", () => {
	it("take at most 84 KB of the compressed bundle", () => {
		expect(gzipSync(JSON.stringify(shippedFile)).byteLength).toBeLessThanOrEqual(84_000);
	});

	it("fit together", () => {
		const { rows, rowNumbers, scales, bias, context, outputs, output_bias } = decodeStatements(shippedFile);
		const hidden = scales.length;
		expect(rows.length).toBe(rowNumbers.reduce((most, row) => Math.max(most, row), 0) * hidden);
		expect([bias.length, context.length]).toEqual([hidden, hidden * hidden]);
		expect([outputs.length, output_bias.length]).toEqual([STATEMENT_CLASSES.length * hidden, STATEMENT_CLASSES.length]);
	});
});

describe("statements", () => {
	it("span their sentence", () => {
		const sentence = "My mother was diagnosed with multiple sclerosis.";
		const text = `Thanks for the recipe. ${sentence} What time is lunch?`;
		expect(infer("Hello.", text).findings).toContainEqual({
			kind: "health_statement",
			text: 1,
			start: text.indexOf(sentence),
			end: text.indexOf(sentence) + sentence.length,
		});
	});

	it("may be made over turns", () => {
		expect(infer("What is your monthly income?", "about 3,450").classes).toContain("FINANCIAL");
		expect(infer("How many chairs do we need?", "about 3,450").classes).toEqual([]);
	});
});
