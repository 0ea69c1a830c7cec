// What the sandbox says to the steps of agents: plans that fit the goal, results, final answers.
//
//   [[bad plan]]     a planner writes prose, which its second try turns into a plan
//   [[goal met]]     a subtask says that the whole goal is met

import { oneLine, type StagedPrompt } from "./stage-reply.ts";

const SHOWN_CHARS = 160;
const MOST_SUBTASKS = 12;

/** A text without its special words, on one line, cut. */
function shortened(text: string): string {
	return oneLine(text.replace(/\[\[[^\]]*\]\]/g, ""), SHOWN_CHARS);
}

/** Items of the goal's list, else what stands between its full stops and commas, as many as are allowed. */
function planFor(goal: string, most: number): string {
	const items = [...goal.matchAll(/^[ \t]*(?:\d{1,3}[.)]|[-*•])[ \t]+(\S.*)$/gm)].map(([, item = ""]) => item);
	const parts = (items.length > 1 ? items : goal.split(/[.;\n]|, (?:and|then) /)).map(shortened);
	const subtasks = [...new Set(parts.filter((part) => part !== ""))];
	return JSON.stringify((subtasks.length > 0 ? subtasks : ["Answer the goal"]).slice(0, Math.min(most, MOST_SUBTASKS)));
}

function plan(userText: string, maxSubtasks: number): string {
	return userText.includes("[[bad plan]]") ? "I would do it step by step." : planFor(userText, maxSubtasks);
}

function subtaskResult(userText: string, isLast: boolean): string {
	const [, subtask] = /(?:^|\n)Subtask \d+ of \d+:\n([\s\S]*)$/.exec(userText) ?? [];
	const result = `The sandbox has done: ${shortened(subtask ?? userText.replace(/^Goal:\n/, ""))}.`;
	return userText.includes("[[goal met]]") && !isLast ? `${result}\nGOAL MET` : result;
}

function finalAnswer(userText: string): string {
	const results = [...userText.matchAll(/^### Step \d+: (.*)$/gm)].map(([, title = ""]) => shortened(title));
	return `The sandbox puts ${results.length} results together: ${results.join("; ")}.`;
}

/** The reply to a step of an agent, by what the step is for; null to any other call. */
export function agentReply({ userText, stage: { asksFor = "" } }: StagedPrompt): string | null {
	const [kind, maxSubtasks] = asksFor.split(":");
	switch (kind) {
		case "plan":
			return plan(userText, Number(maxSubtasks));
		case "repair":
			return JSON.stringify(["Do all of it"]);
		case "subtask":
			return subtaskResult(userText, false);
		case "last_subtask":
			return subtaskResult(userText, true);
		case "final":
			return finalAnswer(userText);
		default:
			return null;
	}
}
