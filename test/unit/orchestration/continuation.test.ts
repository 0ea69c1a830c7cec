// An answer that its output limit ended: what of it is kept, how the seam is made, who goes on, and what is said where nobody does.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	followingQuestions,
	joinAtSeam,
	runStrategy,
	wholeBeginning,
} from "../../../src/orchestration/continuation.ts";
import { single } from "../../../src/orchestration/single.ts";
import { STRATEGIES, STRATEGY } from "../../../src/orchestration/strategies.ts";
import { type FakeEngine, fakeEngine, questionText, type Reply, task, toPanel } from "../../support/fake-engine.ts";

const FENCED = "Here:\n```py\ndef f(x):\n    y = x\n    retu";

describe("the kept part of a cut answer", () => {
	it.each([
		["prose ends with its last whole word", "The quick brown fo", "The quick brown "],
		["prose that ends with a space stays", "The quick ", "The quick "],
		["code ends with its last whole line", FENCED, "Here:\n```py\ndef f(x):\n    y = x\n"],
		["JSON ends with its last whole line", '{\n  "a": 1,\n  "b": [1,', '{\n  "a": 1,\n'],
		["one word stays", "Incomprehensib", "Incomprehensib"],
		["one line of JSON stays", '{"a": 1, "b', '{"a": 1, "b'],
		["prose after a closed fence is prose", "```\nx\n```\nThat is al", "```\nx\n```\nThat is "],
	])("%s", (_, text, kept) => {
		expect(wholeBeginning(text)).toBe(kept);
	});

	it("is found in linear time, however long the last word is", () => {
		const word = "x".repeat(1_000_000);
		expect(wholeBeginning(`${word} ${word}`)).toBe(`${word} `);
	});
});

describe("the seam", () => {
	it.each([
		["words", "The quick brown ", "fox jumps.", "The quick brown fox jumps."],
		["a leading space", "The quick brown ", " fox jumps.", "The quick brown fox jumps."],
		["repeated words", "It was the quick brown ", "the quick brown fox jumps.", "It was the quick brown fox jumps."],
		["a script without spaces", "这种蘑菇", "可以吃。", "这种蘑菇可以吃。"],
		["indented code", "```py\ndef f(x):\n", "    return x\n```", "```py\ndef f(x):\n    return x\n```"],
		["a second fence", "```py\ndef f(x):\n", "```python\n    return x\n```", "```py\ndef f(x):\n    return x\n```"],
		[
			"a repeated line",
			"```py\ndef function(x):\n",
			"def function(x):\n    return x\n```",
			"```py\ndef function(x):\n    return x\n```",
		],
		["JSON", '{\n  "a": 1,\n', '  "b": 2\n}', '{\n  "a": 1,\n  "b": 2\n}'],
		["one line of JSON", '{"a": 1, "b', '": 2}', '{"a": 1, "b": 2}'],
	])("of %s", (_, beginning, continuation, whole) => {
		expect(joinAtSeam(beginning, continuation)).toBe(whole);
	});

	it("gives the whole text back wherever it was cut between words", () => {
		const words = fc.array(fc.constantFrom("one", "two", "three", "four,", "five."), { minLength: 2, maxLength: 30 });
		fc.assert(
			fc.property(words, fc.nat(), (list, at) => {
				const whole = list.join(" ");
				const beginning = wholeBeginning(whole.slice(0, 1 + (at % (whole.length - 1))));
				const joined = joinAtSeam(beginning, whole.slice(beginning.length));
				// A text that repeats itself may look like a repetition at the seam.
				expect(whole.startsWith(beginning)).toBe(true);
				expect(joined.length).toBeLessThanOrEqual(whole.length);
				if (new Set(list).size === list.length) expect(joined).toBe(whole);
			}),
		);
	});
});

describe("an answer that was cut", () => {
	const asked = ({ batches }: FakeEngine) => batches.flat().filter(({ stage }) => stage === "continue");
	const run = async (continued: Reply, other: Reply = null) => {
		const engine = fakeEngine(({ stage, asksFor }) => {
			if (stage !== "continue") return { cut: "The quick brown fo" };
			return asksFor === "continuation" ? continued : other;
		});
		const panel = toPanel(["a"]);
		const result = await runStrategy(single, task(), panel, engine);
		if (!result.ok) throw new Error(result.failure.reason);
		return { value: result.value, engine };
	};

	it("is continued by its model in a turn of the user, and is whole then", async () => {
		const { value, engine } = await run("fox jumps.");
		expect(value).toMatchObject({ text: "The quick brown fox jumps.", model: "a", isCut: false, confidence: 0.5 });
		const [question] = asked(engine);
		expect(question?.member).toEqual(["a"]);
		expect(question?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
		expect(question && questionText(question)).toContain("The quick brown \n");
	});

	it("is continued once only, and stays cut if that is cut, too", async () => {
		const { value, engine } = await run({ cut: "fox ju" });
		expect(value).toMatchObject({ text: "The quick brown fox ju", isCut: true, confidence: 0.25 });
		expect(asked(engine)).toHaveLength(1);
	});

	it.each<[string, Reply]>([
		["cannot be afforded", { broke: true }],
		["fails", null],
	])("whose continuation %s is replaced by another model's", async (_, continued) => {
		const { value, engine } = await run(continued, "The fox.");
		expect(value).toMatchObject({ text: "The fox.", model: "judge", isCut: false });
		expect(engine.details["continue"]).toEqual({ how: "another model answered" });
	});

	it("of a merging model is continued, else the central proposal is taken", async () => {
		const merge = async (continued: Reply) => {
			const engine = fakeEngine(({ stage, role, member: [id] }) => {
				if (stage === "continue") return continued;
				return role === "aggregator" ? { cut: "The quick brown fo" } : role === "judge" ? null : `whole by ${id}`;
			});
			const result = await runStrategy(STRATEGY.ensemble_moa, task(), toPanel(["a", "b"]), engine);
			return result.ok ? result.value : null;
		};
		expect(await merge("fox jumps.")).toMatchObject({
			text: "The quick brown fox jumps.",
			model: "judge",
			isCut: false,
		});
		expect(await merge(null)).toMatchObject({ text: "whole by a", model: "a", isCut: false });
	});

	it("is delivered as it is where nobody can help", async () => {
		const { value } = await run(null, { cut: "x" });
		expect(value).toMatchObject({ text: "The quick brown fo", isCut: true, confidence: 0.25 });
	});

	it.each(STRATEGIES)("of %s is never continued at more length than the bound's", async (name) => {
		const panel = toPanel(["a", "b", "c"]);
		const long = { cut: `${"word ".repeat(400)}` };
		const engine = fakeEngine(({ stage }) => (stage === "continue" ? "end." : long));
		const result = await runStrategy(STRATEGY[name], task(), panel, engine);
		expect(result).toMatchObject({ ok: true, value: { isCut: false } });
		const [question] = asked(engine);
		const [most] = followingQuestions(task(), panel);
		expect(question && questionText(question).length).toBeLessThanOrEqual(questionText(most).length);
		expect(most.member).toContain(question?.member[0]);
	});
});
