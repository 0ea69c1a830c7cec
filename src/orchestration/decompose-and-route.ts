// Decompose and route: a planner splits the task, each subtask goes to the member that fits it best, and one model puts the answers
// together. Khot et al.: "Decomposed Prompting: A Modular Approach for Solving Complex Tasks", 2022 (arXiv:2210.02406); Shen et al.:
// "HuggingGPT: Solving AI Tasks with ChatGPT and its Friends in Hugging Face", 2023 (arXiv:2303.17580).
//
// Call graph: one plan with at most one repair; at most MAX_SUBTASKS subtasks, in parallel unless one needs another's answer, each
// with at most all the other answers in its prompt; one synthesis, and one call that says which parts it keeps, with at most one
// repair. If the plan splits nothing or cannot be read, one model answers the task itself.
import { fail, ok, type Result } from "../failure.ts";
import { placeholder } from "../inference/answer-placeholder.ts";
import type { Rating } from "../inference/confidence-basis.ts";
import { renderMaterial } from "../inference/material.ts";
import { Comparison } from "./agreement.ts";
import { countKeptParts, partsGraph } from "./agreement-judge.ts";
import { meanConfidence, supportFor } from "./confidence.ts";
import { askJson, type JsonQuestion, longestRepair } from "./json-reply.ts";
import { judgeMessages, LEAST_PLAN_TOKENS, nonceFor, verdictTokens, writerMessages } from "./prompt.ts";
import {
	type Answer,
	answerPlaceholder,
	combineFailures,
	type Engine,
	embedAnswer,
	type Member,
	type NoAnswer,
	type Panel,
	type Question,
	type Strategy,
	type StrategyResult,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";
import {
	MAX_SUBTASKS,
	mendPlan,
	PLAN_FORM,
	PLAN_SCHEMA,
	SUBTASK_BYTES,
	type Subtask,
	type SubtaskPlan,
	subtaskPlanSchema,
	toWaves,
} from "./subtask-plan.ts";

/** Room for a plan, and for a model that reasons before it. */
const PLAN_TOKENS = 1_024;

const PLAN_PROMPT =
	`You split the last user message of a conversation into subtasks, at most ${MAX_SUBTASKS}, which others will answer. Together they cover ` +
	"all of the message, and none of them is all of it. Each makes sense by itself and is in the language of the message. A subtask " +
	"that needs the answer of another names its id in depends_on; the fewer the better. If one model does best to answer all of it at " +
	`once, give no subtasks. First give your reason, then the plan, as a JSON object and nothing else: ${PLAN_FORM}`;
const SUBTASK_PROMPT =
	"The user's last message was split into parts. Others answer the other parts. The text behind the message, between the marks " +
	"“Subtask”, says which part is yours. Answer that part in full, and nothing else of the message: no introduction and no summary, " +
	"since your answer is put together with the others. Answers that your part needs are between the marks “Part”.";
const SYNTHESIS_PROMPT =
	"You write the one answer that the user gets. The user's last message was split into parts; each part with its answer follows it, " +
	"between marks. Put the parts together: complete, in a sensible order, without contradictions or repetitions, and without a word " +
	"about parts or subtasks. Keep what they say unless it is wrong. Where a part is missing, answer it yourself. Keep to the form that " +
	"the user asked for.";

function planQuestion(task: Task, { judge }: Panel): JsonQuestion<SubtaskPlan> {
	const nonce = nonceFor(task, "plan");
	const request = `Your plan: ${PLAN_FORM}`;
	return {
		...toTaskQuestion(task, { stage: "subtasks", role: "planner", member: judge }),
		messages: judgeMessages(task, { nonce, instruction: PLAN_PROMPT, material: "", request }),
		repairNonce: nonceFor(task, "plan repair"),
		maxTokens: verdictTokens(task, { most: PLAN_TOKENS, least: LEAST_PLAN_TOKENS }),
		temperature: 0,
		json: true,
		schema: subtaskPlanSchema,
		jsonSchema: PLAN_SCHEMA,
		form: PLAN_FORM,
		listName: "subtasks",
	};
}

/** @param wave tells the prompts of one wave from those of others, whose answers they show. */
function subtaskQuestion(
	task: Task,
	{ member, wave }: { member: Member; wave: number },
	wording: string,
	answers: readonly string[],
): Question {
	const nonce = nonceFor(task, `subtasks ${wave}`);
	const parts =
		answers.length === 0 ? "" : `\n\nWhat is known from other parts:\n\n${renderMaterial(nonce, "Part", answers)}`;
	const messages = writerMessages(task, {
		nonce,
		instruction: SUBTASK_PROMPT,
		material: `${renderMaterial(nonce, "Subtask", [wording])}${parts}`,
		request: "Now answer your part of the message above.",
	});
	return toTaskQuestion({ ...task, messages }, { stage: "subtasks", role: "subtask", member });
}

function synthesisQuestion(task: Task, { judge }: Panel, parts: readonly string[]): Question {
	const nonce = nonceFor(task, "synthesize");
	const messages = writerMessages(task, {
		nonce,
		instruction: SYNTHESIS_PROMPT,
		material: `Parts of the message above, each with its answer:\n\n${renderMaterial(nonce, "Part", parts)}`,
		request: "Now write the answer to the message above.",
	});
	const question = toTaskQuestion({ ...task, messages }, { stage: "synthesize", role: "synthesizer", member: judge });
	return { ...question, mayBeLeft: true };
}

/** A subtask and its answer, for another prompt. */
function renderPart({ task: wording }: Subtask, answer: string): string {
	return `${wording}\n\n${answer}`;
}

interface SubtaskReply {
	subtask: Subtask;
	reply: Answer | NoAnswer;
}

/** Answers the waves one after another, and the subtasks of each in parallel. */
async function answerWaves(
	task: Task,
	{ members }: Panel,
	engine: Engine,
	waves: readonly Subtask[][],
): Promise<SubtaskReply[]> {
	const parts: SubtaskReply[] = [];
	for (const [at, wave] of waves.entries()) {
		const questions = wave.map((subtask) => {
			const needed = parts.filter(({ subtask: { id } }) => subtask.depends_on.includes(id));
			const answers = needed.flatMap(({ subtask: of, reply }) =>
				reply.ok ? [renderPart(of, embedAnswer(task, reply.text))] : [],
			);
			return subtaskQuestion(task, { member: engine.route(subtask.task, members), wave: at }, subtask.task, answers);
		});
		const replies = await engine.ask(questions);
		for (const [place, subtask] of wave.entries()) {
			const reply = replies[place];
			if (reply) parts.push({ subtask, reply });
			if (reply?.ok) reply.rate(partRating(reply, task));
		}
	}
	return parts;
}

/** The confidence in one part, or in what puts the parts together: a text by one model alone. */
function partRating(reply: Answer, { difficulty }: Task): Rating {
	return supportFor(reply, [reply], new Comparison({ kind: "none", difficulty, needsText: false }));
}

/** The task itself, where it is not split. The prompt says nothing of parts. */
function wholeQuestion(task: Task, { members }: Panel, engine: Engine): Question {
	return toTaskQuestion(task, { stage: "subtasks", role: "subtask", member: engine.route(task.prompt, members) });
}

/** Answers a task that is not split. @param plan why, in a word; its reply is shown where nobody answers. */
async function answerWhole(
	task: Task,
	panel: Panel,
	engine: Engine,
	{ plan, planReply }: { plan: "one subtask" | "unusable"; planReply: Answer | NoAnswer },
): Promise<Result<StrategyResult>> {
	const [reply] = await engine.ask([wholeQuestion(task, panel, engine)]);
	const model = reply?.ok ? reply.model : null;
	engine.describe("subtasks", { plan, waves: 1, tree: [{ id: "1", depends_on: [], model, ok: model !== null }] });
	if (!reply?.ok) return fail(combineFailures([planReply, ...(reply ? [reply] : [])]));
	const rating = supportFor(reply, [reply], new Comparison(task));
	reply.rate(rating);
	engine.describe("synthesize", { how: "the task was not split", parts: 1 });
	const { text, isCut } = reply;
	return ok({ text, model: reply.model, ...rating, agreement: 1, escalated: false, isCut });
}

/** Answers the subtasks of a task, and puts their answers together. */
async function answerSplit(
	task: Task,
	panel: Panel,
	engine: Engine,
	{ subtasks, planned, planReply }: { subtasks: readonly Subtask[]; planned: number; planReply: Answer | NoAnswer },
): Promise<Result<StrategyResult>> {
	const waves = toWaves(subtasks);
	// A part is text; the answer made of all of them has the form that the client wants.
	const parts = await answerWaves({ ...task, output: undefined }, panel, engine, waves);
	const tree = parts.map(({ subtask: { id, depends_on }, reply }) => ({
		id,
		depends_on,
		model: reply.ok ? reply.model : null,
		ok: reply.ok,
	}));
	engine.describe("subtasks", { plan: "split", planned, waves: waves.length, tree });
	const answered = parts.flatMap(({ subtask, reply }) => (reply.ok ? [{ subtask, reply }] : []));
	const [first] = answered;
	if (!first) return fail(combineFailures([planReply, ...parts.map(({ reply }) => reply)]));
	const confidences = parts.map(({ reply }) => (reply.ok ? partRating(reply, task).confidence : 0));
	const pieces = answered.map(({ subtask, reply }) => renderPart(subtask, embedAnswer(task, reply.text)));
	const inOrder = {
		text: answered.map(({ reply }) => reply.text).join("\n\n"),
		model: first.reply.model,
		...meanConfidence(confidences),
	};
	const arePartsCut = answered.some(({ reply }) => reply.isCut);
	const [put] = await engine.ask([synthesisQuestion(task, panel, pieces)]);
	// The parts in order are in nobody's form.
	if (put && !put.ok && put.said?.kind === "other_form") return fail(combineFailures([put]));
	if (!put?.ok) {
		engine.describe("synthesize", { how: "the parts in order: the synthesis failed", parts: answered.length });
		// As they are, all parts stand in the answer that came.
		return ok({ ...inOrder, agreement: answered.length / parts.length, escalated: false, isCut: arePartsCut });
	}
	const rating = meanConfidence([...confidences, partRating(put, task).confidence]);
	put.rate(rating);
	const kept = await countKeptParts(task, panel, engine, pieces, put.text);
	engine.describe("synthesize", {
		how: "synthesized",
		parts: answered.length,
		missing: parts.length - answered.length,
	});
	const { text, model, isCut } = put;
	const whole = arePartsCut ? undefined : inOrder;
	return ok({ text, model, ...rating, agreement: kept / parts.length, escalated: false, isCut, whole });
}

export const decomposeAndRoute: Strategy<"decompose_and_route"> = {
	name: "decompose_and_route",
	width: { efficiency: 2, balanced: 3, depth: 3 },
	leastWidth: 1,
	judge: "any",
	callGraph(task, panel) {
		const plan = planQuestion(task, panel);
		const anyMember: Member = [panel.members[0][0], ...panel.members.flat().slice(1)];
		const slot = `${placeholder(SUBTASK_BYTES)}\n\n${answerPlaceholder(task)}`;
		const known = Array.from({ length: MAX_SUBTASKS - 1 }, () => slot);
		return [
			plan,
			longestRepair(plan),
			// A subtask may be routed to any member, so its bound is that of the most expensive.
			...Array.from({ length: MAX_SUBTASKS }, () =>
				subtaskQuestion(task, { member: anyMember, wave: 0 }, placeholder(SUBTASK_BYTES), known),
			),
			synthesisQuestion(task, panel, [...known, slot]),
			...partsGraph(task, panel, [...known, slot]),
		];
	},
	async run(task, panel, engine) {
		const [plan] = await askJson(engine, [planQuestion(task, panel)]);
		if (!plan) throw new Error("one reply to one question");
		const { value, reply: planReply } = plan;
		const subtasks = value ? mendPlan(value, task.prompt) : [];
		if (value && subtasks.length > 0)
			return answerSplit(task, panel, engine, { subtasks, planned: value.subtasks.length, planReply });
		return answerWhole(task, panel, engine, { plan: value ? "one subtask" : "unusable", planReply });
	},
};
