// The subtasks that a goal names itself: its list, its numbered points, or its sentences joined by "then" and "and". Stands in
// for a plan by a model. Pure.
import taskVerbsFile from "./task-verbs.json" with { type: "json" };

/** A longer goal carries a document, whose lists and sentences are not the goal's. */
const MAX_STRUCTURED_CHARS = 20_000;

interface Line {
	indent: number;
	/** The text behind a list mark; null of a line without one. */
	item: string | null;
	text: string;
}

const LIST_MARK = /^(?:\d{1,3}[.)]|[-*•+])\s+(?=\S)/;

function lineOf(line: string): Line {
	const text = line.trim();
	const mark = LIST_MARK.exec(text)?.[0];
	return { indent: line.length - line.trimStart().length, item: mark ? text.slice(mark.length) : null, text };
}

/** The items of the goal's outermost list, each with what stands below it; `[]` where there is no list of two. */
function listItems(goal: string): string[] {
	const lines = goal.split("\n").map(lineOf);
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
const LEADS = new Set([
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

/** Whether a clause says by its first words that something is to be done. */
function isTask(clause: string): boolean {
	const words = clause.toLowerCase().slice(0, 80).split(" ");
	const verb = words.find((word) => !LEADS.has(word.replace(/,$/, ""))) ?? "";
	return TASK_VERBS.has(verb.replace(/[^a-z]+$/, ""));
}

/** Where one clause may end and another begin. */
const JOINTS = /(?<=[.!?;]) | (?=and )|(?<! and) (?=then )|(?<=,) (?=finally )/gi;

/** A clause without the word that joins it to the one before. */
function begun(clause: string): string {
	const text = clause.replace(/^(?:and then|and|then),? /i, "");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Clauses that say what is to be done, each with what follows before the next. `[]` where there are not two. */
function clauses(text: string): string[] {
	const tasks: string[] = [];
	let before = "";
	for (const clause of text.split(JOINTS)) {
		if (isTask(clause)) {
			tasks.push(before + begun(clause));
			before = "";
		} else if (tasks.length === 0) before += `${clause} `;
		else tasks.push(`${tasks.pop()} ${clause}`);
	}
	return tasks.length < 2 ? [] : tasks.map((task) => task.replace(/[;,]$/, ""));
}

/**
 * Subtasks in the goal's own order, at least one; a goal without structure, or of more than 20,000 characters, is one. Text around
 * a list is in none of them, so every step should be shown the goal too.
 * @param most those beyond it stand together in the last.
 */
export function goalSubtasks(goal: string, most: number): string[] {
	if (goal.length > MAX_STRUCTURED_CHARS) return [goal.trim()];
	const oneLine = goal.replace(/\s+/g, " ").trim();
	const found = [listItems, () => inlinePoints(oneLine), () => clauses(oneLine)];
	for (const find of found) {
		const subtasks = find(goal);
		if (subtasks.length === 0) continue;
		return subtasks.length <= most ? subtasks : [...subtasks.slice(0, most - 1), subtasks.slice(most - 1).join("\n")];
	}
	return [goal.trim()];
}
