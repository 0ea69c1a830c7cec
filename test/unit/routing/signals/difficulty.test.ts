// How hard a prompt is taken to be: longer conversations are harder, whatever their language.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../../src/providers/model-call.ts";
import { detectSignals } from "../../../../src/routing/signals.ts";
import { plainCall } from "../../../support/rendered.ts";
import { measureAuc } from "../../../train/measures.ts";

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
