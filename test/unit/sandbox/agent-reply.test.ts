import { describe, expect, it } from "vitest";
import { parsePlan, planMessages, planRepairMessages } from "../../../src/agents/plan.ts";
import { toStepMarks } from "../../../src/agents/prompt.ts";
import { finalMessages, frameMessages, parseStepAnswer, subtaskMessages } from "../../../src/agents/step-prompts.ts";
import { agentReply } from "../../../src/sandbox/agent-reply.ts";
import { NONCE } from "../../support/nonce.ts";

function reply(asksFor: string, messages: readonly { role: string; content: string }[]): string {
	const userText = messages.at(-1)?.content ?? "";
	return (
		agentReply({ model: "m", systemText: "", userText, stage: { stage: "answer", role: "answerer", asksFor } }) ?? ""
	);
}

const marks = toStepMarks(NONCE, 0);
const head = { date: "Tuesday, 2026-11-24 (UTC)", marks };

/** The sandbox's plan of a goal. */
function tasksOf(goal: string, maxSubtasks: number): string[] {
	const plan = reply(`plan:${maxSubtasks}`, planMessages({ ...head, goal, maxSubtasks, maxTokens: 100 }));
	const parsed = parsePlan(plan, maxSubtasks);
	return parsed.ok ? parsed.subtasks.map(({ task }) => task) : [];
}

describe("the sandbox as an agent's model", () => {
	it("plans a goal by its own parts, as many as are allowed", () => {
		const goal = "Find A. Find B. Find C [[slow 5]]";
		expect(tasksOf(goal, 20)).toEqual(["Find A", "Find B", "Find C"]);
		expect(tasksOf(goal, 2)).toEqual(["Find A", "Find B"]);
		expect(tasksOf("...", 3)).toHaveLength(1);
	});

	it("fails to plan on request, and makes good for it when it is asked again", () => {
		const goal = "Find A [[bad plan]]";
		expect(tasksOf(goal, 5)).toEqual([]);
		const request = { ...head, goal, maxSubtasks: 5, maxTokens: 100 };
		expect(parsePlan(reply("repair", planRepairMessages(request, "prose", "it is not JSON")), 5).ok).toBe(true);
	});

	it("works on a subtask, and claims on request that the goal is met, but where nothing is left", () => {
		const messages = (goal: string, number: number) =>
			subtaskMessages({ goal, plan: ["A part", "Another"], number, earlier: [], maxTokens: 100, ...head });
		const claims = `subtask:${marks.claimCode}:2`;
		const answer = (goal: string) => parseStepAnswer(reply(claims, messages(goal, 1)), marks, [2]);
		expect(answer("All of it [[goal met]]")).toEqual({ output: "The sandbox has done: A part.", isGoalMet: true });
		expect(answer("All of it").isGoalMet).toBe(false);
		expect(answer("All of it [[goal quoted]]").isGoalMet).toBe(false);
		expect(parseStepAnswer(reply("subtask", messages("All [[goal met]]", 2)), marks, []).isGoalMet).toBe(false);
	});

	it("puts results together, and writes around sections", () => {
		const prompt = {
			goal: "G",
			missing: [],
			results: "### Step 1: One\na\n\n### Step 2: Two\nb",
			maxTokens: 100,
			...head,
		};
		const together = "The sandbox puts 2 results together: One; Two.";
		expect(reply("final", finalMessages(prompt))).toBe(together);
		expect(reply("frame", frameMessages(prompt))).toBe(
			`# A text by the sandbox\n\n${together}\n\n[SECTIONS]\n\nThat is all.`,
		);
	});

	it("leaves other prompts to others", () => {
		const stage = { stage: "answer", role: "answerer" };
		expect(agentReply({ model: "m", systemText: "", userText: "hi", stage })).toBeNull();
	});
});
