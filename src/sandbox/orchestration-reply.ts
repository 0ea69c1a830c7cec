// What the sandbox says to the prompts of orchestration: plans, verdicts, syntheses and votes that fit what was asked.
//
//   [[disagree]]         each model has a final answer of its own
//   [[malformed json]]   a judge or planner writes prose, which its repair turns into JSON
//   [[never json]]       the same, and the repair is prose too

import {
	jsonOrProse,
	oneLine,
	repairedJson,
	type StagedPrompt,
	type StageReplies,
	stageNumber,
} from "./stage-reply.ts";

const SHOWN_CHARS = 400;

/** Texts between their marks, in order. */
function embedded(text: string, name: string): string[] {
	const marks = new RegExp(`<<${name} \\d+>>\\n([\\s\\S]*?)\\n<<end of ${name.toLowerCase()} \\d+>>`, "g");
	return [...text.matchAll(marks)].map(([, inner = ""]) => inner);
}

function shortened(text: string): string {
	return oneLine(text, SHOWN_CHARS);
}

/** Items of a list, else questions, else the whole. */
function partsOf(text: string): string[] {
	const items = [...text.matchAll(/^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(\S.*)$/gm)].map(([, item = ""]) => item);
	const questions = text.match(/[^.?!\n]+\?/g) ?? [];
	return (items.length > 1 ? items : questions.length > 1 ? questions : [text]).slice(0, 4).map(shortened);
}

/** A part that speaks of what was before it needs the answer to that. */
const LEANS_ON_BEFORE = /\b(?:then|using (?:that|it|the)|based on|from that|with that|of that)\b/i;

function plan(userText: string): string {
	const subtasks = partsOf(userText).map((task, at) => ({
		id: String(at + 1),
		task,
		depends_on: at > 0 && LEANS_ON_BEFORE.test(task) ? [String(at)] : [],
	}));
	return JSON.stringify({ subtasks });
}

/** The longer answer, of equals the first in the alphabet: whatever its position. */
function verdict(text: string): string {
	const [first = "", second = ""] = embedded(text, "Answer").slice(-2);
	if (first === second) return JSON.stringify({ winner: "tie" });
	const isFirst = first.length === second.length ? first < second : first.length > second.length;
	return JSON.stringify({ winner: isFirst ? 1 : 2 });
}

const SUM = /(-?\d+(?:\.\d+)?)\s*([-+*/×])\s*(-?\d+(?:\.\d+)?)/;

/** The result of the first calculation, else the last number, else the last capitalized word. */
function finalAnswer(text: string): string {
	const [, a, operator, b] = SUM.exec(text) ?? [];
	const [left, right] = [Number(a), Number(b)];
	const results: Record<string, number> = {
		"+": left + right,
		"-": left - right,
		"*": left * right,
		"×": left * right,
		"/": left / right,
	};
	const result = operator === undefined ? undefined : results[operator];
	if (result !== undefined && Number.isFinite(result)) return String(result);
	return text.match(/\d+/g)?.at(-1) ?? text.match(/\b[A-Z][a-z]+\b/g)?.at(-1) ?? "yes";
}

/** A model that disagrees with every other, where the prompt wants it so; null where it does not. */
export function disagreement({ model, userText }: Pick<StagedPrompt, "model" | "userText">): string | null {
	if (!userText.includes("[[disagree]]")) return null;
	return `The sandbox answers for ${model}.\nFinal answer: ${model}`;
}

function vote({ model, userText }: StagedPrompt): string {
	return (
		disagreement({ model, userText }) ?? `The sandbox answers for ${model}.\nFinal answer: ${finalAnswer(userText)}`
	);
}

/** A debater: it takes the first answer of the alphabet, unless it is to disagree. */
function debaterReply(prompt: StagedPrompt): string | null {
	const { systemText, userText, stage } = prompt;
	if (stageNumber(stage) === 0) return stage.asksFor === "final_answer" ? vote(prompt) : null;
	const answers = embedded(systemText, "Answer");
	return (userText.includes("[[disagree]]") ? answers[0] : answers.toSorted()[0]) ?? null;
}

function merge({ systemText }: StagedPrompt): string {
	const answers = embedded(systemText, "Answer");
	return `The sandbox puts ${answers.length} answers together: ${shortened(answers[0] ?? "")}`;
}

function judge({ systemText, userText, stage }: StagedPrompt): string {
	if (stage.asksFor === "repair") return repairedJson(userText, JSON.stringify({ winner: "tie" }));
	return jsonOrProse(`${systemText}\n${userText}`, verdict(userText));
}

function planner({ userText, stage }: StagedPrompt): string {
	if (stage.asksFor !== "repair") return jsonOrProse(userText, plan(userText));
	return repairedJson(userText, JSON.stringify({ subtasks: [{ id: "1", task: "All of it." }] }));
}

/** Replies to the calls of strategies. Others, proposals for instance, are answered like any chat. */
export const STRATEGY_REPLIES: StageReplies = {
	"aggregate aggregator": merge,
	"fuse fuser": merge,
	"judge judge": merge,
	"rank judge": judge,
	"round debater": debaterReply,
	"sample sampler": vote,
	"subtasks planner": planner,
	"synthesize synthesizer": ({ systemText }) =>
		`The sandbox puts the parts together: ${embedded(systemText, "Part").map(shortened).join(" ")}`,
};
