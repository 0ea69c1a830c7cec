// The bounds of prompts hold for whatever they embed, so what is reserved before the first call covers every later one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longestCodeRepair, longestReview, repairQuestion, reviewQuestion } from "../../../src/code-mode/prompts.ts";
import type { CodeTask } from "../../../src/code-mode/request.ts";
import { jsonStringBytes } from "../../../src/inference/answer-placeholder.ts";
import type { Member, Question } from "../../../src/orchestration/strategy.ts";
import { NONCE } from "../../support/nonce.ts";

const MEMBER: Member = ["a"];

function taskOf(maxTokens: number, text = "Write it."): CodeTask {
	return { text, language: { id: "python", evidence: "default" }, maxTokens, temperature: 0.2, nonce: NONCE };
}

function textOf({ messages }: Question): string {
	return messages.flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : ""))).join("\n");
}

const files = fc.array(
	fc.record({
		path: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
		content: fc.oneof(
			fc.string({ unit: "grapheme", maxLength: 50 }),
			fc.constantFrom('"\\\n'.repeat(2_000), "日本".repeat(3_000), "x".repeat(9_000)),
		),
	}),
	{ maxLength: 5 },
);
const issues = fc.array(fc.oneof(fc.string({ maxLength: 80 }), fc.constant('"\n'.repeat(3_000))), { maxLength: 5 });

describe("a prompt's bound", () => {
	it("holds for every repair and every review", () => {
		fc.assert(
			fc.property(fc.constantFrom(1, 64, 500, 2_048), files, issues, fc.string(), (maxTokens, all, wrong, text) => {
				const task = taskOf(maxTokens, text);
				const repair = repairQuestion(task, MEMBER, "generate:1", { files: all, issues: wrong }).question;
				expect(jsonStringBytes(textOf(repair))).toBeLessThanOrEqual(
					jsonStringBytes(textOf(longestCodeRepair(task, MEMBER, "g"))),
				);
				const review = reviewQuestion(task, MEMBER, "review:0", all);
				expect(jsonStringBytes(textOf(review))).toBeLessThanOrEqual(
					jsonStringBytes(textOf(longestReview(task, MEMBER, "r"))),
				);
			}),
		);
	});

	it("stays within what every model reads, however long answers may be", () => {
		expect(jsonStringBytes(textOf(longestCodeRepair(taskOf(128_000), MEMBER, "g")))).toBeLessThan(220_000);
	});
});

describe("what is embedded", () => {
	it("stands under a boundary that no file, issue or task holds", () => {
		const task = taskOf(500);
		const ask = (content: string) =>
			repairQuestion(task, MEMBER, "g", { files: [{ path: "a", content }], issues: ["wrong"] }).boundary;
		const first = ask("x\n");
		expect(ask(`${first}\n`)).not.toBe(first);
	});
});
