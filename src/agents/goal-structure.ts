// The subtasks that a goal itself names: by a list, by numbered points, or by clauses joined with "then" and "and". Used where a
// model makes no plan. Pure.
import taskVerbsFile from "./task-verbs.json" with { type: "json" };

/** A longer goal contains a document, whose lists and sentences are not subtasks. */
const MAX_STRUCTURED_CHARS = 20_000;

interface GoalLine {
	indent: number;
	/** The text after a list mark; null for a line without one. */
	item: string | null;
	text: string;
}

const LIST_MARK = /^(?:\d{1,3}[.)]|[-*•+])\s+(?=\S)/;

function parseGoalLine(line: string): GoalLine {
	const text = line.trim();
	const mark = LIST_MARK.exec(text)?.[0];
	return { indent: line.length - line.trimStart().length, item: mark ? text.slice(mark.length) : null, text };
}

/** The items of the goal's outermost list, each with the lines below it; `[]` without at least two. */
function listItems(goal: string): string[] {
	const lines = goal.split("\n").map(parseGoalLine);
	const indent = lines.reduce((least, line) => (line.item === null ? least : Math.min(least, line.indent)), Infinity);
	const items: string[][] = [];
	let isOpen = false;
	for (const line of lines) {
		if (line.item !== null && line.indent === indent) {
			items.push([line.item]);
			isOpen = true;
		} else if (line.text === "") {
			isOpen &&= false;
		} else if (isOpen || (items.length > 0 && line.indent > indent)) {
			items.at(-1)?.push(line.text);
			isOpen = true;
		}
	}
	return items.length < 2 ? [] : items.map((texts) => texts.join("\n"));
}

/** Points numbered within a line: `1) … 2) …` or `(1) … (2) …`, from 1 without a gap. `[]` without at least two. */
function inlinePoints(text: string): string[] {
	const marks = [...text.matchAll(/(?:^| )\(?(\d{1,2})[.)] /g)];
	const numbered = marks.filter(({ 1: digits }, position) => Number(digits) === position + 1);
	if (numbered.length < 2 || numbered.length < marks.length) return [];
	const points = marks.map((mark, position) => {
		const point = text.slice(mark.index + mark[0].length, marks[position + 1]?.index).trim();
		return point.replace(/(?:[;,]| and)+$/, "");
	});
	return points.every((point) => point !== "") ? points : [];
}

/** Words that may come before an imperative verb. */
const LEADING_WORDS = new Set([
	"please",
	"first",
	"second",
	"third",
	"next",
	"then",
	"finally",
	"lastly",
	"also",
	"and",
	"now",
]);

const TASK_VERBS: ReadonlySet<string> = new Set(taskVerbsFile.verbs);

/** Whether a clause begins with an imperative, and so is a task. */
function isTask(clause: string): boolean {
	const words = clause.toLowerCase().slice(0, 80).split(" ");
	const verb = words.find((word) => !LEADING_WORDS.has(word.replace(/,$/, ""))) ?? "";
	return TASK_VERBS.has(verb.replace(/[^a-z]+$/, ""));
}

/** Where a clause may begin. */
const CLAUSE_BREAKS = /(?<=[.!?;]) | (?=and )|(?<! and) (?=then )|(?<=,) (?=finally )/gi;

/** A clause as a sentence of its own, without its conjunction. */
function toSentence(clause: string): string {
	const text = clause.replace(/^(?:and then|and|then),? /i, "");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The clauses that are tasks, each with the text up to the next one. `[]` without at least two. */
function taskClauses(text: string): string[] {
	const tasks: string[] = [];
	let before = "";
	for (const clause of text.split(CLAUSE_BREAKS)) {
		if (isTask(clause)) {
			tasks.push(before + toSentence(clause));
			before = "";
		} else if (tasks.length === 0) before += `${clause} `;
		else tasks.push(`${tasks.pop()} ${clause}`);
	}
	return tasks.length < 2 ? [] : tasks.map((task) => task.replace(/[;,]$/, ""));
}

/**
 * The goal's subtasks in its own order. A goal without structure, or of more than 20,000 characters, is one subtask. The text around
 * a list is in no subtask, so each step needs the goal too.
 * @param maxSubtasks the last one holds all that are beyond it.
 */
export function goalSubtasks(goal: string, maxSubtasks: number): string[] {
	if (goal.length > MAX_STRUCTURED_CHARS) return [goal.trim()];
	const oneLine = goal.replace(/\s+/g, " ").trim();
	const splitters = [listItems, () => inlinePoints(oneLine), () => taskClauses(oneLine)];
	for (const split of splitters) {
		const subtasks = split(goal);
		if (subtasks.length === 0) continue;
		return subtasks.length <= maxSubtasks
			? subtasks
			: [...subtasks.slice(0, maxSubtasks - 1), subtasks.slice(maxSubtasks - 1).join("\n")];
	}
	return [goal.trim()];
}
