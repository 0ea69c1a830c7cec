// A run's plan by a model: when one is asked for, its prompts, and the parsing of its answer. goal-structure.ts makes a plan without
// a model. Calling the model is left to the caller. Pure.
import { clipCharacters } from "../clip.ts";
import { extractJson } from "../orchestration/loose-json.ts";
import { type PromptHead, type PromptMessage, stepMessages, toWordLimit } from "./prompt.ts";

/** The most subtasks of one plan. */
export const MAX_PLANNED_SUBTASKS = 20;
/** A subtask is a sentence or two. */
const MAX_SUBTASK_CHARS = 1_000;
/** How much of a rejected answer its model gets to see again. */
const MAX_REPEATED_CHARS = 4_000;
/** The plan, two subtasks and the final step. With fewer steps there is nothing to plan. */
const MIN_STEPS_WITH_PLAN = 4;

/** How a run divides its steps. */
interface StepLayout {
	/** Whether a model is asked for a plan, which is step 0. */
	asksForPlan: boolean;
	/** The most subtasks before the final step; at least 1. */
	maxSubtasks: number;
}

/** @param maxSteps all steps of a run, with the plan's and the final one; at least 1. */
export function toStepLayout(maxSteps: number): StepLayout {
	const asksForPlan = maxSteps >= MIN_STEPS_WITH_PLAN;
	const freeSteps = maxSteps - 1 - (asksForPlan ? 1 : 0);
	const maxSubtasks = Math.max(1, asksForPlan ? Math.min(freeSteps, MAX_PLANNED_SUBTASKS) : freeSteps);
	return { asksForPlan, maxSubtasks };
}

/** The form of a plan, for models that can be held to a JSON Schema. */
export const PLAN_JSON_SCHEMA = {
	type: "object",
	properties: {
		subtasks: {
			type: "array",
			items: {
				type: "object",
				properties: { title: { type: "string" }, task: { type: "string" }, is_section: { type: "boolean" } },
				required: ["title", "task", "is_section"],
				additionalProperties: false,
			},
		},
	},
	required: ["subtasks"],
	additionalProperties: false,
};

const PLAN_FORM =
	'{"subtasks": [{"title": "three to eight words", "task": "one or two sentences", "is_section": false}]}';

/** What a plan is asked for. */
export interface PlanRequest extends PromptHead {
	maxSubtasks: number;
	/** Of each result. */
	maxTokens: number;
	/** What the subtasks may call, by name and description; left out in a run without tools. */
	listedTools?: readonly string[];
}

/** A description of a tool is shown to the planner by its beginning. */
const MAX_LISTED_TOOL_CHARS = 200;

/** A tool in one line, for a plan. */
export function toListedTool({ name, description = "" }: { name: string; description?: string }): string {
	const said = clipCharacters(description.replace(/\s+/g, " ").trim(), MAX_LISTED_TOOL_CHARS);
	return said === "" ? name : `${name}: ${said}`;
}

/** What those who work on the subtasks have, as the planner is told it. */
function meansRule(listedTools: readonly string[], maxTokens: number): string {
	const length = `Each result has at most ${toWordLimit(maxTokens)} words; split what must be longer.`;
	if (listedTools.length === 0)
		return `The models have no tools, no web and no files, and nothing that they write is executed. So plan nothing that needs a search, a file or a program. ${length}`;
	return (
		`The models may call these tools and have nothing else:\n${listedTools.map((tool) => `- ${tool}`).join("\n")}\n` +
		`A subtask may take many calls. What one subtask has read, the next sees only by its result: keep together what works on the same things, and make one subtask of work that is a single chain of calls. ${length}`
	);
}

/** The prompt to split a goal. */
export function planMessages({ maxSubtasks, maxTokens, listedTools = [], ...head }: PlanRequest): PromptMessage[] {
	const rules = [
		"You split the goal into subtasks, and do none of them. They are worked on one after another, each by a language model that is shown the results of those before it.",
		meansRule(listedTools, maxTokens),
		"A task says what is to be produced. Keep the order in which the subtasks must be done. Titles and tasks are in the language of the goal.",
		"Where the goal asks for a text of several parts (chapters, sections, letters, files), make a subtask of each part, and set its is_section to true: its result stands in the text as it is. A subtask that only prepares others is no section. Where the goal asks for one answer, a decision, a figure or a summary, nothing is a section.",
		"Use as few as the goal needs: a goal that needs no splitting is one subtask.",
		"Leave out a last subtask that only puts the results together, and an introduction and a conclusion of the whole; that is done without you.",
		`Answer with a JSON object of 1 to ${maxSubtasks} subtasks and nothing else: ${PLAN_FORM}`,
	];
	return stepMessages(head, [], rules);
}

/**
 * The prompt for another plan after a rejected one.
 * @param reason of the rejection, from `parsePlan`.
 */
export function planRepairMessages(request: PlanRequest, answer: string, reason: string): PromptMessage[] {
	const { maxSubtasks } = request;
	const again = `This answer cannot be used: ${reason}. Answer with a JSON object of 1 to ${maxSubtasks} subtasks and nothing else: ${PLAN_FORM}`;
	return [
		...planMessages(request),
		{ role: "assistant", content: answer.slice(0, MAX_REPEATED_CHARS).toWellFormed() },
		{ role: "user", content: again },
	];
}

/** A subtask of a plan. */
export interface PlannedSubtask {
	task: string;
	/** Null where the plan has none. */
	title: string | null;
	/** Its result stands in the output as it is; null where the plan does not say. */
	isSection: boolean | null;
}

type ParsedPlan = { ok: true; subtasks: PlannedSubtask[] } | { ok: false; reason: string };

const reject = (reason: string): ParsedPlan => ({ ok: false, reason });

/** Members that hold the list, the text of a subtask, its title and its kind, by preference. */
const LIST_MEMBERS = ["subtasks", "plan", "tasks", "steps", "items"];
const TEXT_MEMBERS = [
	"task",
	"subtask",
	"description",
	"instruction",
	"instructions",
	"step",
	"text",
	"content",
	"goal",
];
const TITLE_MEMBERS = ["title", "name", "heading"];
const SECTION_MEMBERS = ["is_section", "isSection", "section"];

/** How deep the list may stand in objects. */
const MAX_LIST_DEPTH = 3;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The list of a reply, whatever objects are around it; null without one. */
function findList(value: unknown, depth = 0): unknown[] | null {
	if (Array.isArray(value)) return value;
	if (!isRecord(value) || depth === MAX_LIST_DEPTH) return null;
	const others = Object.keys(value).filter((name) => !LIST_MEMBERS.includes(name));
	for (const name of [...LIST_MEMBERS, ...others]) {
		const list = findList(value[name], depth + 1);
		if (list) return list;
	}
	return null;
}

/** A text without the number or mark in front of it. */
function stripNumber(text: string): string {
	const bare = text.trim().replace(/^(?:(?:subtask|step|task)\s+)?\d{1,3}\s*[.):]\s+|^[-*•]\s+/i, "");
	return bare.trim();
}

function findText(item: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
	const texts = names.map((name) => item[name]).filter((value) => typeof value === "string");
	return texts.find((text) => text.trim() !== "")?.trim() ?? null;
}

/** A subtask as an item of the list means it; null where it means none. */
function toPlannedSubtask(item: unknown): PlannedSubtask | null {
	if (typeof item === "string") return { task: stripNumber(item), title: null, isSection: null };
	if (!isRecord(item)) return null;
	const title = findText(item, TITLE_MEMBERS);
	const task = findText(item, TEXT_MEMBERS) ?? title;
	if (task === null) return null;
	const kind = SECTION_MEMBERS.map((name) => item[name]).find((value) => typeof value === "boolean");
	return { task: stripNumber(task), title: title && stripNumber(title), isSection: kind ?? null };
}

function findSubtaskFault(subtask: PlannedSubtask | null, position: number, earlier: readonly string[]): string | null {
	const name = `subtask ${position + 1}`;
	if (!subtask) return `${name} has no text`;
	const { task } = subtask;
	if (task === "") return `${name} is empty`;
	if (task.length > MAX_SUBTASK_CHARS) return `${name} has more than ${MAX_SUBTASK_CHARS} characters`;
	const same = earlier.indexOf(task);
	return same < 0 ? null : `${name} repeats subtask ${same + 1}`;
}

function parseList(items: readonly unknown[], maxSubtasks: number): ParsedPlan {
	if (items.length === 0) return reject("it has no subtask");
	if (items.length > maxSubtasks)
		return reject(`it has ${items.length} subtasks, and at most ${maxSubtasks} are allowed`);
	const subtasks: PlannedSubtask[] = [];
	for (const [position, item] of items.entries()) {
		const subtask = toPlannedSubtask(item);
		const fault = findSubtaskFault(
			subtask,
			position,
			subtasks.map(({ task }) => task),
		);
		if (fault || !subtask) return reject(fault ?? "it has no subtask");
		// A JSON escape can make a lone surrogate, which canonical JSON would refuse later.
		const { task, title, isSection } = subtask;
		subtasks.push({ task: task.toWellFormed(), title: title?.toWellFormed() ?? null, isSection });
	}
	return { ok: true, subtasks };
}

/** Lines numbered from 1 without a gap; `[]` without at least two. */
function numberedLines(text: string): string[] {
	const marks = [...text.matchAll(/^[ \t]*(\d{1,3})[.)][ \t]+(\S.*)$/gm)];
	const isInOrder = marks.every(({ 1: digits }, at) => Number(digits) === at + 1);
	return isInOrder && marks.length > 1 ? marks.map(({ 2: line = "" }) => line) : [];
}

/**
 * Parses a plan: a JSON list of different, non-empty subtasks, each a text or an object with one, whatever objects, prose or fence
 * are around the list; else numbered lines. Anything else is rejected with a reason.
 */
export function parsePlan(answer: string, maxSubtasks: number): ParsedPlan {
	const lists = extractJson(answer).flatMap((value) => {
		const list = findList(value);
		return list ? [list] : [];
	});
	const lines = numberedLines(answer);
	if (lists.length === 0 && lines.length === 0) return reject("it has no JSON list of subtasks");
	// Of several lists the last is the plan, since what leads to it comes first.
	const plans = [...lists.toReversed(), ...(lines.length > 0 ? [lines] : [])].map((list) =>
		parseList(list, maxSubtasks),
	);
	return plans.find(({ ok }) => ok) ?? plans[0] ?? reject("it has no subtask");
}
