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
	it.each([
		["Since my brother's bypass he forgets his metoprolol.", "PHI"],
		["Mein Cousin hat seit Jahren Rheuma und nimmt Methotrexat.", "PHI"],
		["A mi suegra le operaron de cataratas, ¿puede conducir?", "PHI"],
		["Mon frère prend du lithium depuis sa dépression.", "PHI"],
		["У дедушки инсульт, чем помочь?", "PHI"],
		["我奶奶得了白内障,要注意什么?", "PHI"],
		["祖父が肺炎で入院しました。", "PHI"],
		["Meine Schilddrüse macht Probleme und ich sitze den ganzen Tag.", "PHI"],
		["Опять гайморит, как отстоять смену?", "PHI"],
		["婚礼前荨麻疹又犯了,怎么办?", "PHI"],
		["Nie wyrabiam z ratami, co teraz?", "FINANCIAL"],
		["I take home 2,900 a month, how much rent can I afford?", "FINANCIAL"],
		["Ich verdiene 3.400 Euro brutto, reicht das für einen Kredit?", "FINANCIAL"],
		["我月薪12000元,能贷多少款?", "FINANCIAL"],
		["Devo 7.400 euro alla banca.", "FINANCIAL"],
	] as const)("are found: %s", (text, dataClass) => {
		expect(infer(text).classes).toContain(dataClass);
	});

	it.each([
		"What are the symptoms of pneumonia in general?",
		"My tomato plant has white spots, what helps?",
		"Mein Drucker macht Probleme, was prüfe ich?",
		"How do courts calculate alimony?",
		"痛風はどう治療する?",
		"Refactor this function, it is a bit schizophrenic.",
		"CREATE TABLE patients (id INT, diagnosis TEXT, salary NUMERIC);",
		"The pod is unhealthy and restarts, how do I debug it?",
		"Wie funktioniert ein Bausparvertrag?",
		"Quel est le salaire moyen d'un boulanger ?",
		"这个函数为什么返回空列表?",
		"Split the sprint budget of 40,000 over three teams.",
	])("are not: %s", (text) => {
		expect(infer(text).classes).toEqual([]);
	});

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
