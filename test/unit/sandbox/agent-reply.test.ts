import { describe, expect, it } from "vitest";
import { parsePlan, planMessages, planRepairMessages } from "../../../src/agents/plan.ts";
import { finalMessages, parseStepAnswer, subtaskMessages } from "../../../src/agents/step-prompts.ts";
import { agentReply } from "../../../src/sandbox/agent-reply.ts";

function reply(asksFor: string, messages: readonly { role: string; content: string }[]): string {
	const userText = messages.at(-1)?.content ?? "";
	return (
		agentReply({ model: "m", systemText: "", userText, stage: { stage: "answer", role: "answerer", asksFor } }) ?? ""
	);
}

describe("the sandbox as an agent's model", () => {
	it("plans a goal by its own parts, as many as are allowed", () => {
		const goal = "Find A. Find B. Find C [[slow 5]]";
		expect(parsePlan(reply("plan:20", planMessages(goal, 20)), 20)).toEqual({
			ok: true,
			subtasks: ["Find A", "Find B", "Find C"],
		});
		expect(parsePlan(reply("plan:2", planMessages(goal, 2)), 2)).toMatchObject({
			ok: true,
			subtasks: ["Find A", "Find B"],
		});
		expect(parsePlan(reply("plan:3", planMessages("...", 3)), 3)).toMatchObject({ ok: true });
	});

	it("fails to plan on request, and makes good for it when it is asked again", () => {
		const goal = "Find A [[bad plan]]";
		const bad = reply("plan:5", planMessages(goal, 5));
		expect(parsePlan(bad, 5).ok).toBe(false);
		expect(parsePlan(reply("repair", planRepairMessages(goal, 5, bad, "it is not JSON")), 5).ok).toBe(true);
	});

	it("works on a subtask, and says on request that the goal is met, but where nothing is left", () => {
		const place = { goal: "All of it [[goal met]]", subtask: "A part", number: 1, subtaskCount: 2, earlier: [] };
		expect(parseStepAnswer(reply("subtask", subtaskMessages(place)))).toEqual({
			output: "The sandbox has done: A part.",
			isGoalMet: true,
		});
		expect(parseStepAnswer(reply("last_subtask", subtaskMessages({ ...place, number: 2 }))).isGoalMet).toBe(false);
	});

	it("puts results together", () => {
		expect(reply("final", finalMessages("G", "### Step 1: One\na\n\n### Step 2: Two\nb"))).toBe(
			"The sandbox puts 2 results together: One; Two.",
		);
	});

	it("leaves other prompts to others", () => {
		const stage = { stage: "answer", role: "answerer" };
		expect(agentReply({ model: "m", systemText: "", userText: "hi", stage })).toBeNull();
	});
});
