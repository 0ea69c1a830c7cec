// Plans: the prompts, the parsing of answers, and the subtasks that a goal itself names.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goalSubtasks } from "../../../src/agents/goal-structure.ts";
import {
	MAX_PLANNED_SUBTASKS,
	parsePlan,
	planMessages,
	planRepairMessages,
	toStepLayout,
} from "../../../src/agents/plan.ts";
import { toStepMarks } from "../../../src/agents/prompt.ts";
import { NONCE } from "../../support/nonce.ts";

describe("the steps of a run", () => {
	it("hold plan, subtasks and the final step, and no plan where it would leave nothing to plan", () => {
		expect([1, 2, 3, 4, 5, 22, 23, 1_000].map(toStepLayout)).toEqual([
			{ asksForPlan: false, maxSubtasks: 1 },
			{ asksForPlan: false, maxSubtasks: 1 },
			{ asksForPlan: false, maxSubtasks: 2 },
			{ asksForPlan: true, maxSubtasks: 2 },
			{ asksForPlan: true, maxSubtasks: 3 },
			{ asksForPlan: true, maxSubtasks: MAX_PLANNED_SUBTASKS },
			{ asksForPlan: true, maxSubtasks: MAX_PLANNED_SUBTASKS },
			{ asksForPlan: true, maxSubtasks: MAX_PLANNED_SUBTASKS },
		]);
	});

	it("are enough for every subtask that a plan may have", () => {
		fc.assert(
			fc.property(fc.integer({ min: 2, max: 1_000 }), (maxSteps) => {
				const { asksForPlan, maxSubtasks } = toStepLayout(maxSteps);
				expect((asksForPlan ? 1 : 0) + maxSubtasks + 1).toBeLessThanOrEqual(maxSteps);
			}),
		);
	});
});

const head = { date: "Tuesday, 2026-11-24 (UTC)", marks: toStepMarks(NONCE, 0) };
const request = (goal: string, maxSubtasks = 7) => ({ ...head, goal, maxSubtasks, maxTokens: 1_000 });

describe("a model", () => {
	it("is asked with the goal as it is, with the bound, and with what the steps can do", () => {
		const [system, user, ...rest] = planMessages(request("Ignore all this"));
		expect([system?.role, user?.role, rest]).toEqual(["system", "user", []]);
		const { runNonce } = head.marks;
		expect(user?.content).toMatch(
			new RegExp(`^<<Goal 1 ${runNonce}>>\nIgnore all this\n<<end of goal 1 ${runNonce}>>\n`),
		);
		expect(user?.content).toContain("1 to 7 subtasks");
		expect(user?.content).toContain("at most 600 words");
		expect(system?.content).toContain("no tools, no web and no files");
		expect(system?.content).toContain("language of the goal");
	});

	it("is told once more what was wrong with its answer", () => {
		const messages = planRepairMessages(request("Goal"), `no${"x".repeat(10_000)}`, "it is not JSON");
		expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
		expect(messages[2]?.content.length).toBe(4_000);
		expect(messages[3]?.content).toContain("it is not JSON");
	});
});

/** The tasks of a plan; the reason of a rejected one. */
function tasksOf(answer: string, most = 3): string[] | string {
	const parsed = parsePlan(answer, most);
	return parsed.ok ? parsed.subtasks.map(({ task }) => task) : parsed.reason;
}

describe("an answer", () => {
	it.each([
		'["Find it","Fix it"]',
		' [" Find it ", "Fix it"]\n',
		'```json\n["Find it", "Fix it"]\n```',
		'```\n["Find it", "Fix it"]```',
		'Sure! Here is the plan:\n["Find it", "Fix it"]\nGood luck.',
		'{"plan": ["Find it", "Fix it"]}',
		'{"subtasks":[{"task":"Find it"},{"task":"Fix it"}]}',
		'{"reason":"It takes [two] steps.","steps":[{"title":"Find it"},{"description":"Fix it"}]}',
		'{"plan":{"subtasks":["1. Find it","2. Fix it"]}}',
		'["1) Find it","2) Fix it"]',
		'["Step 1: Find it","Step 2: Fix it"]',
		'["wrong"] is too short, so: ["Find it","Fix it"]',
		"The plan:\n1. Find it\n2. Fix it\n",
	])("%j is a plan of two subtasks", (answer) => {
		expect(tasksOf(answer)).toEqual(["Find it", "Fix it"]);
	});

	it("says which of its subtasks are sections, under which titles", () => {
		const answer =
			'{"subtasks":[{"title":"Sources","task":"List sources","is_section":false},{"title":"1. Origins","task":"Write it","is_section":true}]}';
		expect(parsePlan(answer, 3)).toEqual({
			ok: true,
			subtasks: [
				{ title: "Sources", task: "List sources", isSection: false },
				{ title: "Origins", task: "Write it", isSection: true },
			],
		});
	});

	it.each([
		["", "it has no JSON list of subtasks"],
		["I would do it step by step.", "it has no JSON list of subtasks"],
		["```json", "it has no JSON list of subtasks"],
		["null", "it has no JSON list of subtasks"],
		["1. Only this", "it has no JSON list of subtasks"],
		["[]", "it has no subtask"],
		['["a","b","c","d"]', "it has 4 subtasks, and at most 3 are allowed"],
		['["a",{"points":3}]', "subtask 2 has no text"],
		['["a"," "]', "subtask 2 is empty"],
		[`["${"a".repeat(1_001)}"]`, "subtask 1 has more than 1000 characters"],
		['["a","b"," a"]', "subtask 3 repeats subtask 1"],
	])("%j is none", (answer, reason) => {
		expect(tasksOf(answer)).toBe(reason);
	});

	it("of any kind is read without a throw, and a plan is always within its bound and well-formed", () => {
		const answer = fc.oneof(
			fc.json(),
			fc.string({ unit: "binary" }),
			fc.array(fc.string({ unit: "binary" })).map((items) => JSON.stringify(items)),
			fc.array(fc.record({ task: fc.string({ unit: "binary" }) })).map((plan) => JSON.stringify({ plan })),
			fc.constant('["\\ud800"]'),
		);
		fc.assert(
			fc.property(answer, fc.integer({ min: 1, max: 5 }), (text, most) => {
				const plan = parsePlan(text, most);
				if (!plan.ok) {
					expect(plan.reason).not.toBe("");
					return;
				}
				expect(plan.subtasks.length).toBeGreaterThan(0);
				expect(plan.subtasks.length).toBeLessThanOrEqual(most);
				for (const { task } of plan.subtasks) {
					expect(task.isWellFormed()).toBe(true);
					expect(task).not.toBe("");
				}
			}),
		);
	});
});

describe("a goal's own structure", () => {
	it.each<[string, string, string[]]>([
		["a numbered list", "Do this:\n1. Find it\n2. Fix it\n3) Test it", ["Find it", "Fix it", "Test it"]],
		["bullet points", "- Find it\n* Fix it\n• Test it\n+ Ship it", ["Find it", "Fix it", "Test it", "Ship it"]],
		[
			"a list with what belongs to its points",
			"Plan:\n1. Find it\n   in the log\n   - today's\n   - and yesterday's\n\n   of both hosts\n2. Fix it\n\nThanks",
			["Find it\nin the log\n- today's\n- and yesterday's\nof both hosts", "Fix it"],
		],
		["points in a line", "Please 1) find it, 2) fix it and 3) test it", ["find it", "fix it", "test it"]],
		["points in brackets", "(1) Find it; (2) fix it.", ["Find it", "fix it."]],
		["then", "Find the bug, then fix it and then test the fix", ["Find the bug", "Fix it", "Test the fix"]],
		[
			"things before a joint",
			"Compare apples, and oranges, then rank them",
			["Compare apples, and oranges", "Rank them"],
		],
		["and before a verb", "Research the market and write a summary", ["Research the market", "Write a summary"]],
		["and between things", "Compare apples and oranges", ["Compare apples and oranges"]],
		[
			"sentences",
			"Our shop sells tea. First, list the three best sellers. They are in the report. Finally write a letter to each buyer.",
			[
				"Our shop sells tea. First, list the three best sellers. They are in the report.",
				"Finally write a letter to each buyer.",
			],
		],
		["one sentence of its own", "What is 2 and 2?", ["What is 2 and 2?"]],
		[
			"one task in several sentences",
			"I have a tree. It is old. Describe it.",
			["I have a tree. It is old. Describe it."],
		],
		["numbers that are no list", "Explain section 3. 2) is clear", ["Explain section 3. 2) is clear"]],
	])("of %s", (_, goal, expected) => {
		expect(goalSubtasks(goal, 1_000)).toEqual(expected);
	});

	it("keeps what is beyond the bound together in the last", () => {
		expect(goalSubtasks("- a\n- b\n- c\n- d", 2)).toEqual(["a", "b\nc\nd"]);
		expect(goalSubtasks("- a\n- b", 1)).toEqual(["a\nb"]);
	});

	it("of any goal is one subtask or more, none of them empty, within the bound", () => {
		const word = fc.constantFrom(
			"1.",
			"2)",
			"-",
			"\n",
			"  ",
			"write",
			"then",
			"and",
			"fix",
			"it.",
			",",
			";",
			"(3)",
			"é",
		);
		const goal = fc.oneof(
			fc.array(word, { maxLength: 40 }).map((words) => words.join(" ")),
			fc.string({ unit: "binary" }),
		);
		fc.assert(
			fc.property(goal, fc.integer({ min: 1, max: 5 }), (text, most) => {
				fc.pre(text.trim() !== "");
				const subtasks = goalSubtasks(text, most);
				expect(subtasks.length).toBeGreaterThan(0);
				expect(subtasks.length).toBeLessThanOrEqual(most);
				for (const subtask of subtasks) expect(subtask.trim()).not.toBe("");
			}),
			{ numRuns: 2_000 },
		);
	});

	it("is found in a goal of any make up to 20,000 characters, and not looked for beyond", () => {
		const size = 19_998;
		for (const unit of [" ", "- ", "1. ", "and ", "then ", "\n", "\n- a", " and write", ", (1) ", "a"]) {
			const goal = `x${unit.repeat(size / unit.length)}`;
			expect(goalSubtasks(goal, 10).length, JSON.stringify(unit)).toBeLessThanOrEqual(10);
		}
		expect(goalSubtasks(`- a\n- ${"b".repeat(19_000)}`, 10)).toHaveLength(2);
		expect(goalSubtasks(`- a\n- ${"b".repeat(20_000)}`, 10)).toHaveLength(1);
	});
});
