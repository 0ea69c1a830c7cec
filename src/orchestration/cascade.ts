// FrugalGPT's cascade: cheap models answer first, and a stronger one is asked only while their answers do not agree.
// Chen, Zaharia, Zou: "FrugalGPT: How to Use Large Language Models While Reducing Cost and Improving Performance", 2023
// (arXiv:2305.05176). Agreement replaces its trained scorer, as in Yue et al.: "Large Language Model Cascades with Mixture of
// Thoughts Representations for Cost-efficient Reasoning", 2023 (arXiv:2310.03094).
//
// Call graph: one call per member. Step 0 asks the first two in parallel; each later step asks one more. It stops at the first
// step after which two answers agree, at the last step, or before a step that the rest of the bound does not cover.
import { fail, ok } from "../failure.ts";
import { roundShare } from "../inference/trace.ts";
import type { Candidate } from "../routing/selection.ts";
import { agrees, meanAgreement } from "./agreement.ts";
import { supportFor } from "./confidence.ts";
import { diversify, toMember } from "./panel.ts";
import {
	type Answer,
	combineFailures,
	type Engine,
	isAnswered,
	type Member,
	type NoAnswer,
	type Panel,
	type Question,
	type Rankings,
	type Strategy,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

/** Members of the first step, which are asked in parallel. */
const FIRST_STEP = 2;

/** Members of the first step. A single answer can agree with no other, but a cascade of two members needs its second for later. */
function firstStepSize({ members }: Pick<Panel, "members">): number {
	return members.length > FIRST_STEP ? FIRST_STEP : 1;
}

function toSteps({ members }: Panel): Member[][] {
	const first = firstStepSize({ members });
	return [members.slice(0, first), ...members.slice(first).map((member) => [member])];
}

function stepQuestions(task: Task, members: readonly Member[], step: number): Question[] {
	return members.map((member) => toTaskQuestion(task, { stage: `step:${step}`, role: "answerer", member }));
}

/** An answer, and the confidence in it by all answers so far. */
interface RatedAnswer {
	answer: Answer;
	confidence: number;
}

function rateAnswer(answer: Answer, answers: readonly Answer[], { kind }: Task): RatedAnswer {
	return { answer, confidence: supportFor(answer.text, answers, kind) };
}

/** The best supported answer. Among equals it is the latest, which the strongest model gave. */
function findBestSupported(answers: readonly Answer[], task: Task): RatedAnswer | null {
	const [first, ...rest] = answers.map((answer) => rateAnswer(answer, answers, task));
	return first ? rest.reduce((best, next) => (next.confidence >= best.confidence ? next : best), first) : null;
}

/** An answer that agrees with another one. Of several, the one with the highest expected quality. */
function findAgreed(answers: readonly Answer[], task: Task): RatedAnswer | null {
	const { kind } = task;
	const supported = answers.filter((one) =>
		answers.some((other) => other !== one && agrees(one.text, other.text, kind)),
	);
	const [best] = supported.toSorted((a, b) => b.quality - a.quality);
	return best ? rateAnswer(best, answers, task) : null;
}

/** The answer accepted after a step. The last step's own answer is accepted even if it agrees with no other. */
function acceptAfterStep(
	fromStep: readonly Answer[],
	answers: readonly Answer[],
	isLast: boolean,
	task: Task,
): RatedAnswer | null {
	const agreed = findAgreed(answers, task);
	const [top] = fromStep;
	return agreed ?? (isLast && top ? rateAnswer(top, answers, task) : null);
}

/** The course of a cascade. */
interface Climb {
	answers: Answer[];
	replies: (Answer | NoAnswer)[];
	accepted: RatedAnswer | null;
	escalations: { step: number; models: string[]; confidence: number; accepted: boolean }[];
	stoppedBy: "agreement" | "the last step" | "budget";
}

/** Asks step by step until two answers agree, the last step was asked, or the bound does not cover the next. */
async function climb(task: Task, panel: Panel, engine: Engine): Promise<Climb> {
	const steps = toSteps(panel);
	const done: Climb = { answers: [], replies: [], accepted: null, escalations: [], stoppedBy: "the last step" };
	for (const [step, members] of steps.entries()) {
		const stepReplies = await engine.ask(stepQuestions(task, members, step));
		done.replies.push(...stepReplies);
		if (stepReplies.every((reply) => !reply.ok && reply.unaffordable)) {
			done.stoppedBy = "budget";
			break;
		}
		const stepAnswers = stepReplies.filter(isAnswered);
		done.answers.push(...stepAnswers);
		for (const reply of stepAnswers) reply.rate(rateAnswer(reply, done.answers, task).confidence);
		const isLast = step === steps.length - 1;
		done.accepted = acceptAfterStep(stepAnswers, done.answers, isLast, task);
		const confidence = roundShare((done.accepted ?? findBestSupported(done.answers, task))?.confidence ?? 0);
		const note = { confidence, accepted: done.accepted !== null };
		done.escalations.push({ step, models: stepAnswers.map(({ model }) => model), ...note });
		engine.describe(`step:${step}`, note);
		if (done.accepted) {
			if (!isLast) done.stoppedBy = "agreement";
			break;
		}
	}
	return done;
}

/** The cheap models of different providers by rising quality, and the best model at the top. */
function chooseLadder({ cheap, best }: Rankings, size: number): [Candidate, ...Candidate[]] {
	const top = best[0];
	const [first, ...rest] = cheap.filter(({ model }) => model !== top.model);
	if (!first || size < 2) return [size < 2 ? cheap[0] : top];
	const foot = diversify([first, ...rest], Math.min(size - 1, rest.length + 1));
	const [lowest = first, ...higher] = foot.toSorted((a, b) => a.expectation.quality - b.expectation.quality);
	return [lowest, ...higher, top];
}

export const cascade: Strategy<"cascade"> = {
	name: "cascade",
	// With three cheap models, two that agree are found so often that the strong model is called half as often as with two cheap
	// models. With two, agreed answers are right a little more often (npm run eval:orchestration).
	width: { efficiency: 4, balanced: 3, depth: 3 },
	leastWidth: 3,
	choosePanel({ rankings }, { width, rounds }) {
		const steps = chooseLadder(rankings, width);
		const [first, ...rest] = steps;
		const judge = toMember(rankings.best[0], rankings.best);
		const member = (step: Candidate) => toMember(step, rankings.cheap, steps);
		return { members: [member(first), ...rest.map(member)], judge, rounds };
	},
	suits(policy, { intents, difficulty, kind }) {
		const isPlain =
			difficulty === "normal" && kind === "any" && !intents.includes("reasoning") && !intents.includes("code");
		if (policy === "depth" || (policy === "efficiency" && isPlain)) return null;
		return "cheap models go first, and a stronger one only where they do not agree";
	},
	partial: {
		leastCalls: firstStepSize,
		note: (limitUsd) => `it climbs only as far as $${limitUsd} reach`,
	},
	callGraph: (task, panel) => toSteps(panel).flatMap((members, step) => stepQuestions(task, members, step)),
	async run(task, panel, engine) {
		const { answers, replies, accepted, escalations, stoppedBy } = await climb(task, panel, engine);
		const final = accepted ?? findBestSupported(answers, task);
		if (!final) return fail(combineFailures(replies));
		engine.describe("step:0", { escalations, stopped_by: stoppedBy });
		const { answer, confidence } = final;
		const agreement = meanAgreement(
			answers.map(({ text }) => text),
			task.kind,
		);
		const escalated = escalations.some(({ step, models }) => step > 0 && models.length > 0);
		return ok({ text: answer.text, model: answer.model, confidence, agreement, escalated });
	},
};
