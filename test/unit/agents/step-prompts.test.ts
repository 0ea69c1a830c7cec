import { describe, expect, it } from "vitest";
import {
	EARLIER_RESULTS_BYTES,
	finalMessages,
	parseStepAnswer,
	subtaskMessages,
} from "../../../src/agents/step-prompts.ts";

const earlier = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ index, subtask: `task ${index}`, output: "x".repeat(5_000) }));

describe("the prompt of a subtask", () => {
	it("holds goal, place and what was found, in a size that does not grow with the number of steps", () => {
		const place = { goal: "The goal", subtask: "The part", number: 2, subtaskCount: 9 };
		const [system, user] = subtaskMessages({ ...place, earlier: earlier(1) });
		expect(system?.content).toContain("GOAL MET");
		expect(user?.content).toMatch(/^Goal:\nThe goal\n\nResults so far:\n[\s\S]+\n\nSubtask 2 of 9:\nThe part$/);
		const long = subtaskMessages({ ...place, earlier: earlier(500) })[1]?.content.length ?? 0;
		expect(long).toBeLessThan(EARLIER_RESULTS_BYTES + 200);
	});

	it("says the goal once where it is the subtask, and asks the last one for no early end", () => {
		const [system, user] = subtaskMessages({
			goal: "Do it",
			subtask: "Do it",
			number: 1,
			subtaskCount: 1,
			earlier: [],
		});
		expect(user?.content).toBe("Goal:\nDo it");
		expect(system?.content).not.toContain("GOAL MET");
	});
});

it("the final prompt holds the goal and the results", () => {
	expect(finalMessages("The goal", "the results")[1]?.content).toBe("Goal:\nThe goal\n\nResults:\nthe results");
});

describe("a step's answer", () => {
	it.each([
		["done\nGOAL MET", "done", true],
		["done\n\n**GOAL MET.**\n", "done", true],
		["done", "done", false],
		["done, GOAL MET", "done, GOAL MET", false],
		["GOAL MET\nmore", "GOAL MET\nmore", false],
		["GOAL MET", "GOAL MET", false],
	])("%j is %j, and ends the run: %s", (answer, output, isGoalMet) => {
		expect(parseStepAnswer(answer)).toEqual({ output, isGoalMet });
	});
});
