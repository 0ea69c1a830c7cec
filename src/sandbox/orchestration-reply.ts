// The sandbox's replies to the calls of strategies: plans, verdicts, syntheses and votes that fit the prompt.
//
//   [[disagree]]         each model has a final answer of its own, which contradicts the others
//   [[malformed json]]   a judge or planner writes prose; the repair is JSON
//   [[never json]]       the same, and the repair is prose too

import {
	jsonOrProse,
	oneLine,
	repairedJson,
	type StagedPrompt,
	type StageReplies,
	stageNumber,
} from "./stage-reply.ts";

const MAX_EMBEDDED_CHARS = 400;

/** Texts between their marks, in order. */
function findEmbedded(text: string, name: string): string[] {
	const marks = new RegExp(
		`<<${name} \\d+ ([0-9a-f]+)>>\\n([\\s\\S]*?)\\n<<end of ${name.toLowerCase()} \\d+ \\1>>`,
		"g",
	);
	return [...text.matchAll(marks)].map(([, , inner = ""]) => inner);
}

function cutToLine(text: string): string {
	return oneLine(text, MAX_EMBEDDED_CHARS);
}

/** The items of a list, else the questions, else the whole text. */
function findParts(text: string): string[] {
	const items = [...text.matchAll(/^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(\S.*)$/gm)].map(([, item = ""]) => item);
	const questions = text.match(/[^.?!\n]+\?/g) ?? [];
	return (items.length > 1 ? items : questions.length > 1 ? questions : [text]).slice(0, 4).map(cutToLine);
}

/** Words by which a part refers to the one before: it depends on that one's answer. */
const LEANS_ON_BEFORE = /\b(?:then|using (?:that|it|the)|based on|from that|with that|of that)\b/i;

function renderSubtaskPlan(userText: string): string {
	const subtasks = findParts(userText).map((task, at) => ({
		id: String(at + 1),
		task,
		depends_on: at > 0 && LEANS_ON_BEFORE.test(task) ? [String(at)] : [],
	}));
	return JSON.stringify({ subtasks });
}

/** The longer answer wins, of equally long ones the first in the alphabet, whatever its position. */
function comparePair(text: string): string {
	const [first = "", second = ""] = findEmbedded(text, "Answer").slice(-2);
	if (first === second) return JSON.stringify({ winner: "tie" });
	const isFirst = first.length === second.length ? first < second : first.length > second.length;
	return JSON.stringify({ winner: isFirst ? 1 : 2 });
}

/** What an answer says but for the model's name and the words that put answers together. */
function comparableText(text: string): string {
	return text
		.replace(/\bThe sandbox (?:answers for \S+[.:](?=\s)|puts (?:\d+ answers|the parts) together:)/g, "")
		.replace(/\s+/g, " ")
		.trim();
}

function finalAnswer(text: string): string | undefined {
	return /final answer:\s*(.+)/i.exec(text)?.[1]?.trim();
}

/** Whether two answers say the same: equal final answers if both have one, else one text contains the other. */
function saysTheSame(a: string, b: string): boolean {
	const [left, right] = [finalAnswer(a), finalAnswer(b)];
	if (left !== undefined && right !== undefined) return left === right;
	const [one, other] = [comparableText(a), comparableText(b)];
	return one.includes(other) || other.includes(one);
}

/** Sorts answers into groups. Those of different groups contradict each other if both have a final answer. */
function renderGroups(text: string): string {
	const answers = findEmbedded(text, "Answer");
	const groups: number[][] = [];
	for (const [at, answer] of answers.entries()) {
		const known = groups.find(([first = 1]) => saysTheSame(answers[first - 1] ?? "", answer));
		if (known) known.push(at + 1);
		else groups.push([at + 1]);
	}
	const heads = groups.map(([first = 1]) => first).filter((head) => finalAnswer(answers[head - 1] ?? "") !== undefined);
	const contradictions = heads.flatMap((head, at) => heads.slice(at + 1).map((other) => [head, other]));
	return JSON.stringify({ reason: "The sandbox compares texts.", groups, contradictions });
}

/** The parts that stand in the text made of them, as far as a part is embedded in it. */
function renderKeptParts(text: string): string {
	const [whole = ""] = findEmbedded(text, "Text").map(comparableText);
	const parts = findEmbedded(text, "Part").map((part) => comparableText(cutToLine(part)));
	const kept = parts.flatMap((part, at) => (whole.includes(part) ? [at + 1] : []));
	return JSON.stringify({ reason: "The sandbox compares texts.", kept, contradicted: [] });
}

function agreeReply({ userText, stage }: StagedPrompt): string {
	if (stage.asksFor === "repair")
		return repairedJson(userText, JSON.stringify({ groups: [], contradictions: [], kept: [], contradicted: [] }));
	return jsonOrProse(userText, stage.asksFor === "parts" ? renderKeptParts(userText) : renderGroups(userText));
}

const CALCULATION = /(-?\d+(?:\.\d+)?)\s*([-+*/×])\s*(-?\d+(?:\.\d+)?)/;

/** The result of the first calculation, else the last number, else the last capitalized word. */
function workOutAnswer(text: string): string {
	const [, a, operator, b] = CALCULATION.exec(text) ?? [];
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

/** An answer that differs from every other model's, if the prompt asks for it; else null. */
export function disagreement({ model, userText }: Pick<StagedPrompt, "model" | "userText">): string | null {
	if (!userText.includes("[[disagree]]")) return null;
	return `The sandbox answers for ${model}.\nFinal answer: ${model}`;
}

function voteReply({ model, userText }: StagedPrompt): string {
	return (
		disagreement({ model, userText }) ?? `The sandbox answers for ${model}.\nFinal answer: ${workOutAnswer(userText)}`
	);
}

/** A debater revises its answer to the first in the alphabet, unless it must disagree. */
function debaterReply(prompt: StagedPrompt): string | null {
	const { userText, stage } = prompt;
	if (stageNumber(stage) === 0) return stage.asksFor === "final_answer" ? voteReply(prompt) : null;
	const answers = findEmbedded(userText, "Answer");
	return (userText.includes("[[disagree]]") ? answers[0] : answers.toSorted()[0]) ?? null;
}

function mergeReply({ userText }: StagedPrompt): string {
	const answers = findEmbedded(userText, "Answer");
	return `The sandbox puts ${answers.length} answers together: ${cutToLine(answers[0] ?? "")}`;
}

function judgeReply({ userText, stage }: StagedPrompt): string {
	if (stage.asksFor === "repair") return repairedJson(userText, JSON.stringify({ winner: "tie" }));
	return jsonOrProse(userText, comparePair(userText));
}

/** The last message of the conversation that a prompt quotes, without its role. */
function lastQuotedMessage(text: string): string {
	return (
		findEmbedded(text, "Message")
			.at(-1)
			?.replace(/^\w+:\n/, "") ?? ""
	);
}

function plannerReply({ userText, stage }: StagedPrompt): string {
	if (stage.asksFor === "repair") return repairedJson(userText, JSON.stringify({ subtasks: [] }));
	return jsonOrProse(userText, renderSubtaskPlan(lastQuotedMessage(userText)));
}

/** A part is answered with its wording; null for a task that was not split. */
function subtaskReply({ model, userText }: StagedPrompt): string | null {
	const [subtask] = findEmbedded(userText, "Subtask");
	if (subtask === undefined) return null;
	return disagreement({ model, userText }) ?? `The sandbox answers for ${model}: ${cutToLine(subtask)}`;
}

/** A reply in prose; where the client asks for JSON, the call is answered like a chat. */
function inProse(reply: StageReplies[string]): StageReplies[string] {
	return (prompt) => (prompt.json == null ? (reply?.(prompt) ?? null) : null);
}

/** Replies by stage and role. Other calls, proposals for instance, are answered like a chat. */
export const STRATEGY_REPLIES: StageReplies = {
	"aggregate aggregator": inProse(mergeReply),
	"agree judge": agreeReply,
	"continue answerer": ({ stage }) => (stage.asksFor === "continuation" ? "and so on." : null),
	"fuse fuser": inProse(mergeReply),
	"judge judge": inProse(mergeReply),
	"rank judge": judgeReply,
	"round debater": inProse(debaterReply),
	"sample sampler": inProse(voteReply),
	"subtasks planner": plannerReply,
	"subtasks subtask": inProse(subtaskReply),
	"synthesize synthesizer": inProse(
		({ userText }) => `The sandbox puts the parts together: ${findEmbedded(userText, "Part").map(cutToLine).join(" ")}`,
	),
};
