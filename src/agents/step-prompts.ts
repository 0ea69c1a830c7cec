// The prompts of a run's steps: the goal, then the plan, excerpts of earlier results, one subtask, and its rules. A step can claim that the whole goal
// is met. The prompts of plans are in plan.ts. Pure.
import { clipCharacters } from "../clip.ts";
import { renderMaterial } from "../inference/material.ts";
import { excerptResults, type SubtaskResult } from "./excerpt.ts";
import { lengthRule, type PromptHead, type PromptMessage, type StepMarks, stepMessages } from "./prompt.ts";
import { SECTIONS_MARK } from "./sections.ts";

/** Space for the results of all earlier steps in the prompt of a subtask. */
export const EARLIER_RESULTS_BYTES = 6_000;
/** The same in the prompt of the final step. */
export const FINAL_RESULTS_BYTES = 16_000;
/** A subtask is shown in the plan by its beginning. */
const MAX_PLAN_LINE_CHARS = 160;

/** Begins the last lines of a step that considers the whole goal met. */
const GOAL_MET = "GOAL MET";
/** A claim quotes at least so much of the results for each later subtask. */
const MIN_QUOTE_CHARS = 16;

const SUBTASK_RULE =
	"Give the result of your subtask and nothing else: no preamble, no report on what you did, no outlook. Leave the other subtasks to their own steps.";

const FINAL_RULES = [
	"You write the final answer to the goal from the results of its subtasks. Nothing comes after your answer: the user gets it as it is.",
	"Answer the goal itself, completely and in the form it asks for. Do not mention subtasks or that there were several results.",
	"Where something is missing in the results, say so in one sentence and do not make it up.",
];

const FRAME_RULES = [
	"You write what holds the sections of a text together. The sections are finished: the user gets them whole and unchanged, in their order, with what you write around them. You see excerpts of them.",
	"First write the opening: a title as a Markdown heading of level 1, and a short introduction. If the goal asks for a decision, a figure or a summary as well, give it in the introduction.",
	`Then write this on a line of its own: ${SECTIONS_MARK}`,
	"Then write the closing: a short conclusion, or nothing where the text needs none.",
	"Do not repeat, rewrite or list the sections. Do not mention subtasks. Where a section is missing, say so in one sentence and do not make it up.",
];

/** Says the form of a text that is the output. Models that can be held to it are sent it beside the prompt, too. */
function formRules({ outputSchema }: PromptHead): string[] {
	if (outputSchema === undefined) return [];
	return [
		`Write JSON and nothing else, without a fence: one value that fits this JSON Schema. What is unknown gets the emptiest value that fits.\n${outputSchema}`,
	];
}

interface SubtaskPrompt extends PromptHead {
	plan: readonly string[];
	/** Of the subtask, counts from 1. */
	number: number;
	/** The results that stand in the output as they are, by the subtask's place in the plan; default: none. */
	isSection?(place: number): boolean;
	earlier: readonly SubtaskResult[];
	/** Of the answer. */
	maxTokens: number;
}

function promptSection(title: string, text: string): string {
	return `${title}:\n${text}`;
}

/** A subtask in one line. */
function toPlanLine(subtask: string): string {
	return clipCharacters(subtask.replace(/\s+/g, " ").trim(), MAX_PLAN_LINE_CHARS);
}

/** The plan in one line per subtask. */
function renderPlan(plan: readonly string[], number: number): string {
	return plan
		.map((subtask, place) => {
			const mark = place + 1 < number ? " (done)" : place + 1 === number ? " (yours)" : "";
			return `${place + 1}. ${toPlanLine(subtask)}${mark}`;
		})
		.join("\n");
}

/** Numbers of the subtasks after the one of this number, whose results may turn out not to be needed. `[]` where one is a section. */
export function skippableSubtasks({
	plan,
	number,
	isSection = () => false,
}: Pick<SubtaskPrompt, "plan" | "number" | "isSection">): number[] {
	const places = [...plan.keys()].filter((place) => place >= number);
	return places.some((place) => isSection(place)) ? [] : places.map((place) => place + 1);
}

/** Says what becomes of the result. */
function purposeRule({ plan, number, isSection = () => false }: SubtaskPrompt): string {
	if (isSection(number - 1))
		return "Your result is a section of the text that the user gets, and stands in it as it is, among the other sections of the plan. Begin with its heading, as a Markdown heading of level 2. An introduction and a conclusion of the whole are written without you.";
	if (plan.length === 1) return "Nothing comes after your step: the user gets your result as it is.";
	const next =
		number === plan.length ? "the final answer is" : "the later subtasks of the plan are done, and the final answer is";
	return `After your step ${next} written from the results.`;
}

function claimRule(numbers: readonly number[], { claimCode }: StepMarks): string {
	return (
		"Only if the results so far and yours already hold what every later subtask of the plan asks for, so that the whole goal is met, " +
		`end with a line "${GOAL_MET} ${claimCode}" and after it one line for each later subtask: its number, a colon, and in double quotes ` +
		`the words of the results or of yours that do it, copied exactly, at least ${MIN_QUOTE_CHARS} characters and different ones for ` +
		`each (${numbers.map((number) => `${number}: "…"`).join(", ")}). This is checked. Otherwise write none of these lines.`
	);
}

/** The prompt for one subtask. */
export function subtaskMessages(prompt: SubtaskPrompt): PromptMessage[] {
	const { goal, plan, number, earlier, maxTokens, marks } = prompt;
	const subtask = plan[number - 1] ?? goal;
	const isWhole = subtask.trim() === goal.trim();
	const skippable = skippableSubtasks(prompt);
	const hasPlan = plan.length > 1;
	const material = (name: string, text: string) => renderMaterial(marks.nonce, name, [text]);
	const shown = [
		...(hasPlan ? [promptSection("Plan of the run", material("Plan", renderPlan(plan, number)))] : []),
		...(earlier.length > 0
			? [promptSection("Results so far", material("Results", excerptResults(earlier, EARLIER_RESULTS_BYTES)))]
			: []),
		...(isWhole ? [] : [promptSection(`Subtask ${number} of ${plan.length}`, subtask)]),
	];
	const rules = [
		isWhole ? "Carry out the goal." : "Carry out this one subtask of the goal.",
		SUBTASK_RULE,
		purposeRule(prompt),
		lengthRule(maxTokens),
		...(skippable.length > 0 ? [claimRule(skippable, marks)] : []),
		...(hasPlan ? [] : formRules(prompt)),
	];
	return stepMessages(prompt, shown, rules);
}

interface FinalPrompt extends PromptHead {
	/** Excerpts of all results, or a placeholder of their size. */
	results: string;
	/** Subtasks of the plan that were not done. */
	missing: readonly string[];
	/** Of the answer. */
	maxTokens: number;
}

function closingMessages(rules: readonly string[], prompt: FinalPrompt): PromptMessage[] {
	const { results, missing, maxTokens, marks } = prompt;
	const material = (name: string, text: string) => renderMaterial(marks.nonce, name, [text]);
	const notDone = missing.map((subtask) => `- ${toPlanLine(subtask)}`).join("\n");
	const shown = [
		promptSection("Results", material("Results", results)),
		...(notDone === "" ? [] : [promptSection("Subtasks that were not done", material("Subtasks", notDone))]),
	];
	return stepMessages(prompt, shown, [...rules, lengthRule(maxTokens)]);
}

/** The prompt for the final answer. */
export function finalMessages(prompt: FinalPrompt): PromptMessage[] {
	return closingMessages([...FINAL_RULES, ...formRules(prompt)], prompt);
}

/** The prompt for what stands around finished sections. */
export function frameMessages(prompt: FinalPrompt): PromptMessage[] {
	return closingMessages(FRAME_RULES, prompt);
}

/** Signs that models put around a line. */
const SIGNS_BEFORE = new Set(" \t\r*_`>#-");
const SIGNS_AFTER = new Set(" \t\r*_`.");

/** A line without the signs around it. A loop, since a regular expression takes the square of a long line's length. */
function bareLine(line: string): string {
	let [from, to] = [0, line.length];
	while (from < to && SIGNS_BEFORE.has(line.charAt(from))) from++;
	while (to > from && SIGNS_AFTER.has(line.charAt(to - 1))) to--;
	return line.slice(from, to);
}

function squeeze(text: string): string {
	return text.replace(/\s+/g, " ").trim();
}

/** Whether lines name each of these subtasks once, each with its own quotation from the results. */
function proveEach(lines: readonly string[], numbers: readonly number[], results: readonly string[]): boolean {
	const texts = results.map(squeeze);
	const quotes = new Map<number, string>();
	for (const line of lines) {
		const [, number, quote = ""] = /^(\d{1,3})\W*?["“„«](.+)["”“»]/.exec(bareLine(line)) ?? [];
		const text = squeeze(quote);
		if (text.length >= MIN_QUOTE_CHARS && texts.some((each) => each.includes(text))) quotes.set(Number(number), text);
	}
	const isComplete = lines.length === numbers.length && numbers.every((number) => quotes.has(number));
	return isComplete && new Set(quotes.values()).size === numbers.length;
}

/**
 * Separates a step's answer from its claim that the goal is met. A claim counts only with the step's own code, so that no quoted text
 * is one, and with a quotation for each later subtask that stands in the results. A claim without an answer does not count.
 * @param skippable numbers of the later subtasks; a claim of a step without any does not count.
 */
export function parseStepAnswer(
	answer: string,
	{ claimCode }: Pick<StepMarks, "claimCode">,
	skippable: readonly number[],
	earlier: readonly Pick<SubtaskResult, "output">[] = [],
): { output: string; isGoalMet: boolean } {
	const lines = answer.trimEnd().split("\n");
	const at = lines.findLastIndex((line) => bareLine(line) === `${GOAL_MET} ${claimCode}`);
	if (at >= 0) {
		const before = lines.slice(0, at).join("\n").trimEnd();
		const after = lines.slice(at + 1).filter((line) => line.trim() !== "");
		if (before === "" || after.some((line) => !/^\d/.test(bareLine(line)))) return { output: answer, isGoalMet: false };
		const results = [before, ...earlier.map(({ output }) => output)];
		return { output: before, isGoalMet: skippable.length > 0 && proveEach(after, skippable, results) };
	}
	const before = lines.slice(0, -1).join("\n").trimEnd();
	const isMarked = bareLine(lines.at(-1) ?? "") === GOAL_MET && before !== "";
	return { output: isMarked ? before : answer, isGoalMet: false };
}
