// Runs whose results are parts of the output: which subtasks are sections, and how the sections become one text. Each section stands
// in it as it was written, in the plan's order, and the final step writes only what is around them. Pure.
import { clipCharacters } from "../clip.ts";
import { utf8Length } from "../text/utf8.ts";
import type { PlannedSubtask } from "./plan.ts";

/** How a run's output is made of its results. A run without it has a final answer that is written from the results. */
export interface Assembly {
	/** The heading of each subtask whose result is a section, in the plan's order; null for the others. */
	headings: (string | null)[];
	/** The sections are assembled if they are longer together; else a final answer holds them. */
	aboveBytes: number;
}

/** A section of the output. */
export interface Section {
	heading: string;
	text: string;
	/** The output limit ended it. */
	isCut: boolean;
}

/** Where the sections stand in what the final step writes. */
export const SECTIONS_MARK = "[SECTIONS]";
/** Follows a section that was cut. */
const CUT_SECTION_MARK = "[…]";
const MAX_HEADING_CHARS = 100;
/** A shorter text may stand in two sections by chance. */
const MIN_REPEATED_CHARS = 40;
/** Tokens take about so many bytes. */
const BYTES_PER_TOKEN = 4;

const WRITES = /^(?:please\s+|then\s+|finally\s+)?(?:write|draft|compose|author)\b\s*/i;
const WRITES_ANYWHERE = /\b(?:write|draft|compose|author|create|prepare|produce|generate)\b/i;
const TEXT_OF_PARTS =
	/\b(?:books?|novels?|stor(?:y|ies)|reports?|articles?|essays?|guides?|handbooks?|manuals?|tutorials?|documentation|documents?|papers?|thes[ie]s|proposals?|courses?|chapters?|sections?|parts|files|modules|newsletters?|brochures?|websites?|pages|lessons|letters|emails|poems|posts)\b/i;
const NAMES_PART = /\b(?:chapter|section|part|appendix|lesson|letter|file|module)\b/i;
/** A goal with such a word wants one answer, whatever text it is to be. */
const WANTS_SYNTHESIS =
	/\b(?:summar\w*|decid\w*|decision|recommend\w*|verdict|(?:one|single)[ -](?:page|paragraph|sentence|number|answer))\b/i;
/** The same, unless the goal asks for a text. */
const WANTS_ONE_ANSWER = /\b(?:choose|which|conclu\w*|compar\w*|rank|best|how (?:many|much)|table|answer)\b/i;

/** The goal before its first list item. */
function leadIn(goal: string): string {
	const item = goal.search(/(?:^|\n)[ \t]*(?:\d{1,3}[.)]|[-*•+])\s/);
	return item < 0 ? goal : goal.slice(0, item);
}

function toHeading({ task, title }: PlannedSubtask): string {
	const [line = ""] = (title ?? task.replace(WRITES, "").replace(/^(?:an?|the)\s+/i, "")).trim().split("\n");
	const clipped = clipCharacters(line.replace(/^#+\s*/, ""), MAX_HEADING_CHARS);
	const text = clipped.replace(/[.:;,\s]+$/, "");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether a goal asks for a text that may have several parts. */
function asksForText(goal: string): boolean {
	const lead = leadIn(goal);
	return WRITES_ANYWHERE.test(lead) && TEXT_OF_PARTS.test(lead);
}

/** Which subtasks of a plan that does not say are sections, by the words of goal and subtasks. */
function guessSections(goal: string, tasks: readonly string[]): boolean[] {
	const lead = leadIn(goal);
	const listsParts = lead.length < goal.length && !WANTS_SYNTHESIS.test(lead);
	const isPart = (task: string) => WRITES.test(task) || NAMES_PART.test(task) || (listsParts && goal.includes(task));
	if (asksForText(goal) && tasks.length > 1) return tasks.map(isPart);
	return tasks.map(() => tasks.length > 1 && tasks.every((task) => WRITES.test(task)));
}

/**
 * How the output is made of a plan's results; null where a final answer is written from them. What the plan says of its subtasks
 * counts, else the words of the goal. Where neither says it, results are assembled if one answer is too short for them, unless the
 * goal asks for one answer.
 */
export function toAssembly(goal: string, subtasks: readonly PlannedSubtask[], maxTokens: number): Assembly | null {
	const isSaid = subtasks.some(({ isSection }) => isSection !== null);
	const guessed = guessSections(
		goal,
		subtasks.map(({ task }) => task),
	);
	const isSection = subtasks.map((subtask, place) => (isSaid ? subtask.isSection === true : (guessed[place] ?? false)));
	if (subtasks.length > 1 && isSection.includes(true))
		return {
			headings: subtasks.map((subtask, place) => (isSection[place] ? toHeading(subtask) : null)),
			aboveBytes: 0,
		};
	const wantsOne = WANTS_SYNTHESIS.test(goal) || (WANTS_ONE_ANSWER.test(goal) && !asksForText(goal));
	if (isSaid || subtasks.length < 2 || wantsOne) return null;
	return { headings: subtasks.map(toHeading), aboveBytes: BYTES_PER_TOKEN * maxTokens };
}

/**
 * The sections among a run's results; null where the output is not assembled.
 * @param results of the first subtasks of the plan, in its order.
 */
export function findSections(
	assembly: Assembly | null | undefined,
	results: readonly Omit<Section, "heading">[],
): Section[] | null {
	if (!assembly || results.length < 2) return null;
	const sections = results.flatMap((result, place) => {
		const heading = assembly.headings[place] ?? null;
		return heading === null ? [] : [{ ...result, heading }];
	});
	const bytes = sections.reduce((sum, { text }) => sum + utf8Length(text), 0);
	return bytes > assembly.aboveBytes ? sections : null;
}

/** Whether a text begins with a heading of its own. */
function hasHeading(text: string, heading: string): boolean {
	const [first = "", second = ""] = text.trimStart().split("\n");
	const isMarkup = /^(?:#{1,6}\s|\*\*[^*]+\*\*\s*$|<h[1-6]\b)/.test(first) || /^(?:={3,}|-{3,})\s*$/.test(second);
	return isMarkup || first.trim().toLowerCase() === heading.toLowerCase();
}

/** Ends a code block that the text leaves open, so that what follows is not in it. */
function closeFence(text: string): string {
	const fences = text.match(/^[ \t]*```/gm)?.length ?? 0;
	return fences % 2 === 0 ? text : `${text}\n\`\`\``;
}

/** A text without the sections that it repeats as a whole. */
function withoutRepeated(text: string, sections: readonly Section[]): string {
	const repeated = sections.map((section) => section.text.trim()).filter(({ length }) => length >= MIN_REPEATED_CHARS);
	return repeated.reduce((rest, section) => rest.replaceAll(section, ""), text);
}

/** What the final step wrote, without paragraphs of the sections. */
function withoutParagraphs(text: string, sections: readonly Section[]): string {
	const paragraphs = withoutRepeated(text, sections).split(/\n{2,}/);
	const isOwn = (paragraph: string) =>
		paragraph.length < MIN_REPEATED_CHARS || sections.every((section) => !section.text.includes(paragraph.trim()));
	return paragraphs.filter(isOwn).join("\n\n").trim();
}

function renderSection({ heading, text, isCut }: Section): string {
	const body = closeFence(text.trim());
	const whole = isCut ? `${body}\n\n${CUT_SECTION_MARK}` : body;
	return hasHeading(text, heading) ? whole : `## ${heading}\n\n${whole}`;
}

/** The opening and the closing that the final step wrote. Without the mark, all of it is the opening. */
function splitFrame(frame: string): [string, string] {
	const mark = /^[ \t*_`#<[]*SECTIONS[ \t*_`>\]]*$/m.exec(frame);
	if (!mark) return [frame, ""];
	return [frame.slice(0, mark.index), frame.slice(mark.index + mark[0].length)];
}

/** Puts sections together with what the final step wrote around them. @param frame the empty text where there is none. */
export function assembleSections(sections: readonly Section[], frame: string): string {
	const [opening, closing] = splitFrame(frame).map((text) => withoutParagraphs(text, sections));
	const own = sections.map((section, place) => {
		const text = withoutRepeated(section.text, sections.slice(0, place)).trim();
		return { ...section, text };
	});
	const parts = [opening ?? "", ...own.filter(({ text }) => text !== "").map(renderSection), closing ?? ""];
	return parts.filter((part) => part !== "").join("\n\n");
}
