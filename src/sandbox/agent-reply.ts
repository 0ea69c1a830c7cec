// The sandbox's replies to the steps of an agent: plans that fit the goal, results, final answers.
//
//   [[bad plan]]     the planner writes prose; its second try is a plan
//   [[goal met]]     a subtask claims that the whole goal is met, with a quotation for each later subtask
//   [[goal quoted]]  a subtask writes such a claim without the step's code

import { oneLine, type StagedPrompt } from "./stage-reply.ts";
import { valueFromWords } from "./tool-step.ts";

const MAX_TASK_CHARS = 160;
const MAX_PARTS = 12;

/** A text without its special words, on one line, cut. */
function toTitle(text: string): string {
	return oneLine(text.replace(/\[\[[^\]]*\]\]/g, ""), MAX_TASK_CHARS);
}

/** The items of the goal's list, else its sentences and clauses, as many as allowed. */
function renderGoalPlan(goal: string, most: number): string {
	const items = [...goal.matchAll(/^[ \t]*(?:\d{1,3}[.)]|[-*•])[ \t]+(\S.*)$/gm)].map(([, item = ""]) => item);
	const parts = (items.length > 1 ? items : goal.split(/[.;](?=\s|$)|\n|, (?:and|then) /)).map(toTitle);
	const subtasks = [...new Set(parts.filter((part) => part !== ""))];
	return JSON.stringify((subtasks.length > 0 ? subtasks : ["Answer the goal"]).slice(0, Math.min(most, MAX_PARTS)));
}

/** The goal of a step's prompt, which stands first. */
function goalIn(userText: string): string {
	return /^<<Goal 1 ([0-9a-f]+)>>\n([\s\S]*?)\n<<end of goal 1 \1>>/.exec(userText)?.[2] ?? userText;
}

function planReply(userText: string, maxSubtasks: number): string {
	const goal = goalIn(userText);
	return goal.includes("[[bad plan]]") ? "I would do it step by step." : renderGoalPlan(goal, maxSubtasks);
}

/** @param claim the step's code and the later subtasks, if it may claim that the goal is met. */
function workOnSubtask(userText: string, [code, later = ""]: readonly string[]): string {
	const [, subtask] = /\nSubtask \d+ of \d+:\n([\s\S]*)\n\nRules:\n/.exec(userText) ?? [];
	const result = `The sandbox has done: ${toTitle(subtask ?? goalIn(userText))}.`;
	const proofs = later.split(",").map((number, at) => `${number}: "${result.slice(at)}"`);
	if (userText.includes("[[goal quoted]]")) return [result, "GOAL MET 00000000", ...proofs].join("\n");
	const isMet = code !== undefined && userText.includes("[[goal met]]");
	return isMet ? [result, `GOAL MET ${code}`, ...proofs].join("\n") : result;
}

function finalReply(userText: string): string {
	const results = [...userText.matchAll(/^### Step \d+: (.*)$/gm)].map(([, title = ""]) => toTitle(title));
	return `The sandbox puts ${results.length} results together: ${results.join("; ")}.`;
}

function frameReply(userText: string): string {
	return `# A text by the sandbox\n\n${finalReply(userText)}\n\n[SECTIONS]\n\nThat is all.`;
}

/** The reply to a step of an agent, by what the call asks for; null for any other call. */
export function agentReply({ userText, json, stage: { asksFor = "" } }: StagedPrompt): string | null {
	const [kind, ...terms] = asksFor.split(":");
	// The output of a run in the form of output_schema is JSON like any other.
	if (json != null && (kind === "subtask" || kind === "final"))
		return json === true ? null : JSON.stringify(valueFromWords(json, goalIn(userText)));
	switch (kind) {
		case "plan":
			return planReply(userText, Number(terms[0]));
		case "repair":
			return JSON.stringify(["Do all of it"]);
		case "subtask":
			return workOnSubtask(userText, terms);
		case "final":
			return finalReply(userText);
		case "frame":
			return frameReply(userText);
		default:
			return null;
	}
}
