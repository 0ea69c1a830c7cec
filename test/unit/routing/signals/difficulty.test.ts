// How hard a prompt is taken to be: longer conversations are harder, whatever their language.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../../src/providers/model-call.ts";
import { toExpectedDifficulty } from "../../../../src/routing/signals/classifier.ts";
import { detectSignals } from "../../../../src/routing/signals.ts";
import { plainCall } from "../../../support/rendered.ts";
import { measureAuc } from "../../../train/measures.ts";
import { parseTopics, readTopicPrompts } from "../../../train/topics.ts";

function read(...turns: string[]) {
	const messages = turns.map((text): Message => ({ role: "user", content: [{ type: "text", text }] }));
	return detectSignals(plainCall({ messages })).expectedDifficulty;
}

const QUEUE =
	"Implement a bounded multi-producer multi-consumer lock-free queue in C++20. It must be linearizable, avoid false sharing and the ABA problem, support move-only types and back-pressure, and come with a stress test under ThreadSanitizer. Explain every memory order that you choose, and prove that no element is lost or delivered twice.";

/** Requests of growing size for the same thing. */
const GROWING: Readonly<Record<string, readonly string[]>> = {
	en: ["parse dates", "Write a function that parses dates. "],
	de: ["Daten lesen", "Schreibe eine Funktion, die Datumsangaben liest. "],
	ru: ["разбор дат", "Напиши функцию, которая разбирает даты. "],
	pl: ["wyrok sądu", "Omów orzecznictwo dotyczące odpowiedzialności zarządu spółki. "],
	zh: ["解析日期", "请写一个解析日期的函数，并说明各种边界情况。"],
};

describe("expected difficulty", () => {
	it.each(Object.entries(GROWING))("rises with the size of what is asked: %s", (_, [short = "", sentence = ""]) => {
		const sizes = [short, sentence.repeat(4), sentence.repeat(40)].map((text) => read(text));
		expect(sizes[1]).toBeGreaterThan((sizes[0] ?? 3) + 0.05);
		expect(sizes[2]).toBeGreaterThan((sizes[1] ?? 3) + 0.05);
	});

	it("counts the turn before, in part", () => {
		const [alone, after] = [read("and now?"), read(QUEUE, "and now?")];
		expect(after).toBeGreaterThan(alone + 0.05);
		expect(after).toBeLessThan(read(QUEUE));
	});

	it("tells a lock-free queue from a greeting by much", () => {
		expect(read(QUEUE)).toBeGreaterThan(read("hey") + 0.5);
	});
});

describe("a short prompt", () => {
	/** By prompt that is hard: one with the same topic that is easy. None of them was trained on. */
	const PAIRS: Readonly<Record<string, string>> = {
		"Write a lock-free queue in C++20 with bounded memory": "What is a queue in C++?",
		"Prove the Banach-Tarski paradox": "What does paradox mean?",
		"Prove the Riemann hypothesis": "Who was Riemann?",
		"Implementiere einen lockfreien Ringpuffer in Rust": "Was ist ein Ring?",
		"Докажи гипотезу Римана": "Кто такой Риман?",
		证明黎曼猜想: "黎曼是谁",
	};

	it.each(Object.entries(PAIRS))("%s is harder than %s", (hard, easy) => {
		expect(read(hard)).toBeGreaterThan(read(easy) + 0.3);
	});

	it("is raised by what it asks for, a longer one is not", () => {
		const likely = 4;
		expect(toExpectedDifficulty(-2, likely, 60)).toBeGreaterThan(2.8);
		expect(toExpectedDifficulty(-2, likely, 300)).toBeLessThan(toExpectedDifficulty(-2, likely, 200));
		expect(toExpectedDifficulty(-2, likely, 400)).toBe(toExpectedDifficulty(-2, -9, 400));
	});

	it("is not raised while a hard task is unlikely", () => {
		expect(toExpectedDifficulty(-2, -1, 60)).toBe(toExpectedDifficulty(-2, -9, 60));
	});
});

describe("the prompts of topics", () => {
	it("have languages, intents, grades and the turn before", () => {
		const [easy, hard] = parseTopics("# trees\nen factual 1 what is a tree\nde code+math 3 Bäume ⇒ balanciere ihn\n");
		expect(easy).toMatchObject({ topic: "trees", lang: "en", primary: "factual", intents: ["factual"], difficulty: 1 });
		expect(hard).toMatchObject({
			topic: "trees",
			lang: "de",
			primary: "code",
			intents: ["code", "math"],
			difficulty: 3,
		});
		expect(hard?.turns.map(({ text }) => text)).toEqual(["balanciere ihn", "Bäume"]);
	});

	it("hold whole topics back, about a third, in each language", () => {
		const rows = readTopicPrompts();
		const held = rows.filter(({ isHeldBack }) => isHeldBack);
		const trained = new Set(rows.flatMap(({ isHeldBack, topic }) => (isHeldBack ? [] : [topic])));
		expect(held.some(({ topic }) => trained.has(topic))).toBe(false);
		expect(held.length / rows.length).toBeGreaterThan(0.3);
		expect(new Set(held.map(({ lang }) => lang)).size).toBeGreaterThan(10);
	});
});

describe("the area under the curve", () => {
	it("is the share of pairs in which the hard prompt has the higher value", () => {
		const prompts = [
			{ grade: 1, value: 1 },
			{ grade: 1, value: 3 },
			{ grade: 2, value: 9 },
			{ grade: 2.5, value: 3 },
			{ grade: 3, value: 4 },
		];
		const measure = (of: typeof prompts) =>
			measureAuc(
				of,
				({ grade }) => grade,
				({ value }) => value,
			);
		expect(measure(prompts)).toBe(0.875);
		expect(measure(prompts.slice(0, 3))).toBeNull();
	});
});
