// The subtasks that a goal names itself: its list, its numbered points, or its sentences joined by "then" and "and". Stands in
// for a plan by a model. Pure.
import { TASK_VERBS } from "./task-verbs.ts";

/** A longer goal carries a document, whose lists and sentences are not the goal's. */
const MAX_STRUCTURED_CHARS = 20_000;

interface GoalLine {
	indent: number;
	/** The text behind a list mark; null of a line without one. */
	item: string | null;
	text: string;
}

const LIST_MARK = /^(?:\d{1,3}[.)]|[-*•+])\s+(?=\S)/;

function parseGoalLine(line: string): GoalLine {
	const text = line.trim();
	const mark = LIST_MARK.exec(text)?.[0];
	return { indent: line.length - line.trimStart().length, item: mark ? text.slice(mark.length) : null, text };
}

/** The items of the goal's outermost list, each with what stands below it; `[]` where there is no list of two. */
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

/** Points numbered within a line: `1) … 2) …` or `(1) … (2) …`, from 1 without a gap. `[]` where there are not two. */
function inlinePoints(text: string): string[] {
	const marks = [...text.matchAll(/(?:^| )\(?(\d{1,2})[.)] /g)];
	const numbered = marks.filter(({ 1: digits }, place) => Number(digits) === place + 1);
	if (numbered.length < 2 || numbered.length < marks.length) return [];
	const points = marks.map((mark, place) => {
		const point = text.slice(mark.index + mark[0].length, marks[place + 1]?.index).trim();
		return point.replace(/(?:[;,]| and)+$/, "");
	});
	return points.every((point) => point !== "") ? points : [];
}

/** Words before a verb that leave it an imperative. */
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

/** Whether a clause says by its first words that something is to be done. */
function isTask(clause: string): boolean {
	const words = clause.toLowerCase().slice(0, 80).split(" ");
	const verb = words.find((word) => !LEADING_WORDS.has(word.replace(/,$/, ""))) ?? "";
	return TASK_VERBS.has(verb.replace(/[^a-z]+$/, ""));
}

/** Where one clause may end and another begin. */
const CLAUSE_BREAKS = /(?<=[.!?;]) | (?=and )|(?<! and) (?=then )|(?<=,) (?=finally )/gi;

/** A clause without the word that joins it to the one before. */
function toSentence(clause: string): string {
	const text = clause.replace(/^(?:and then|and|then),? /i, "");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Clauses that say what is to be done, each with what follows before the next. `[]` where there are not two. */
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
 * Subtasks in the goal's own order, at least one; a goal without structure, or of more than 20,000 characters, is one. Text around
 * a list is in none of them, so every step should be shown the goal too.
 * @param maxSubtasks those beyond it stand together in the last.
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
