// What the sandbox says to the steps of agents: plans that fit the goal, results, final answers.
//
//   [[bad plan]]     a planner writes prose, which its second try turns into a plan
//   [[goal met]]     a subtask says that the whole goal is met

interface Prompt {
	systemText: string;
	userText: string;
}

const SHOWN_CHARS = 160;
const MOST_SUBTASKS = 12;

function shown(text: string): string {
	return text
		.replace(/\[\[[^\]]*\]\]/g, "")
		.replace(/\s+/g, " ")
		.trim()
		.slice(0, SHOWN_CHARS)
		.replace(/[\uD800-\uDBFF]$/, "");
}

/** Items of the goal's list, else what stands between its full stops and commas, as many as are allowed. */
function planFor(goal: string, most: number): string {
	const items = [...goal.matchAll(/^[ \t]*(?:\d{1,3}[.)]|[-*•])[ \t]+(\S.*)$/gm)].map(([, item = ""]) => item);
	const parts = (items.length > 1 ? items : goal.split(/[.;\n]|, (?:and|then) /)).map(shown);
	const subtasks = [...new Set(parts.filter((part) => part !== ""))];
	return JSON.stringify((subtasks.length > 0 ? subtasks : ["Answer the goal"]).slice(0, Math.min(most, MOST_SUBTASKS)));
}

/** The reply to a prompt of an agent; null to any other. */
export function agentReply({ systemText, userText }: Prompt): string | null {
	const [, most] = /JSON array of 1 to (\d+) strings/.exec(systemText) ?? [];
	if (most !== undefined && systemText.includes("You split a goal into subtasks")) {
		const isSecond = userText.startsWith("This answer cannot be used");
		if (isSecond) return JSON.stringify(["Do all of it"]);
		return userText.includes("[[bad plan]]") ? "I would do it step by step." : planFor(userText, Number(most));
	}
	if (systemText.includes("You carry out one subtask of a goal")) {
		const [, subtask] = /(?:^|\n)Subtask \d+ of \d+:\n([\s\S]*)$/.exec(userText) ?? [];
		const result = `The sandbox has done: ${shown(subtask ?? userText.replace(/^Goal:\n/, ""))}.`;
		return userText.includes("[[goal met]]") && systemText.includes("GOAL MET") ? `${result}\nGOAL MET` : result;
	}
	if (!systemText.includes("You write the final answer to a goal")) return null;
	const results = [...userText.matchAll(/^### Step \d+: (.*)$/gm)].map(([, title = ""]) => shown(title));
	return `The sandbox puts ${results.length} results together: ${results.join("; ")}.`;
}
