// A run's plan by a model: when one is asked for, its prompts, and the parsing of its answer. goal-structure.ts makes a plan without
// a model. Calling the model is left to the caller. Pure.

/** The most subtasks of one plan. */
export const MAX_PLANNED_SUBTASKS = 20;
/** A subtask is a sentence or two. */
const MAX_SUBTASK_CHARS = 1_000;
/** How much of a rejected answer its model gets to see again. */
const MAX_REPEATED_CHARS = 4_000;
/** The plan, two subtasks and the final step. With fewer steps there is nothing to plan. */
const MIN_STEPS_WITH_PLAN = 4;

/** A message of a chat. */
export interface PromptMessage {
	role: "system" | "user" | "assistant";
	content: string;
}

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

/** The prompt to split a goal. */
export function planMessages(goal: string, maxSubtasks: number): PromptMessage[] {
	const system = [
		"You split a goal into subtasks. They are worked on one after another, and each is shown the results of those before it.",
		`Answer with a JSON array of 1 to ${maxSubtasks} strings and nothing else.`,
		"Each string says in one or two sentences what is to be produced. Keep the order in which they must be done.",
		"Use as few as the goal needs: a goal that needs no splitting is one subtask.",
		"Leave out a last subtask that only puts the results together; that is done without you.",
	];
	return [
		{ role: "system", content: system.join("\n") },
		{ role: "user", content: goal },
	];
}

/**
 * The prompt for another plan after a rejected one.
 * @param reason of the rejection, from `parsePlan`.
 */
export function planRepairMessages(goal: string, maxSubtasks: number, answer: string, reason: string): PromptMessage[] {
	const again = `This answer cannot be used: ${reason}. Answer with a JSON array of 1 to ${maxSubtasks} strings and nothing else.`;
	return [
		...planMessages(goal, maxSubtasks),
		{ role: "assistant", content: answer.slice(0, MAX_REPEATED_CHARS).toWellFormed() },
		{ role: "user", content: again },
	];
}

type ParsedPlan = { ok: true; subtasks: string[] } | { ok: false; reason: string };

const reject = (reason: string): ParsedPlan => ({ ok: false, reason });

const CODE_FENCE = "```";

/** The text inside a code fence around the whole answer, or the answer itself. */
function stripCodeFence(answer: string): string {
	const text = answer.trim();
	if (!text.startsWith(CODE_FENCE) || !text.endsWith(CODE_FENCE)) return text;
	const firstLineEnd = text.indexOf("\n");
	return firstLineEnd < 0 ? text : text.slice(firstLineEnd + 1, -CODE_FENCE.length);
}

function findSubtaskFault(subtask: unknown, position: number, earlier: readonly string[]): string | null {
	const name = `subtask ${position + 1}`;
	if (typeof subtask !== "string") return `${name} is not a string`;
	const text = subtask.trim();
	if (text === "") return `${name} is empty`;
	if (text.length > MAX_SUBTASK_CHARS) return `${name} has more than ${MAX_SUBTASK_CHARS} characters`;
	const same = earlier.indexOf(text);
	return same < 0 ? null : `${name} repeats subtask ${same + 1}`;
}

/** Parses a plan: a JSON array of different, non-empty strings, bare or in one code fence. Anything else is rejected with a reason. */
export function parsePlan(answer: string, maxSubtasks: number): ParsedPlan {
	let value: unknown;
	try {
		value = JSON.parse(stripCodeFence(answer));
	} catch {
		return reject("it is not JSON");
	}
	if (!Array.isArray(value)) return reject("it is not a JSON array");
	if (value.length === 0) return reject("it has no subtask");
	if (value.length > maxSubtasks)
		return reject(`it has ${value.length} subtasks, and at most ${maxSubtasks} are allowed`);
	const subtasks: string[] = [];
	for (const [position, subtask] of value.entries()) {
		const fault = findSubtaskFault(subtask, position, subtasks);
		if (fault) return reject(fault);
		// A JSON escape can make a lone surrogate, which canonical JSON would refuse later.
		subtasks.push(String(subtask).trim().toWellFormed());
	}
	return { ok: true, subtasks };
}
