// FrugalGPT's cascade: cheap models answer first, and a stronger one is asked only while their answers do not agree.
// Chen, Zaharia, Zou: "FrugalGPT: How to Use Large Language Models While Reducing Cost and Improving Performance", 2023
// (arXiv:2305.05176). Agreement replaces its trained scorer, as in Yue et al.: "Large Language Model Cascades with Mixture of
// Thoughts Representations for Cost-efficient Reasoning", 2023 (arXiv:2310.03094).
//
// It climbs until a confidence bar: it stops at the first step after which two answers agree and the confidence in them is at most
// BAR_MARGIN below the expected quality of the strongest model. Under `efficiency` it asks one model a step, and a single answer may
// clear the bar. Answers that contradict each other, that were cut, or that nobody could compare do not agree.
//
// Call graph: one call per member, and after each step from the second answer on the judge's calls (agreement-judge.ts), which are
// made where values do not decide. Step 0 asks the first two in parallel (under `efficiency` the first); each later step asks one
// more. It also stops at the last step, or before a step that the rest of the bound does not cover.
import { fail, ok } from "../failure.ts";
import type { Rating } from "../inference/confidence-basis.ts";
import { roundShare } from "../inference/trace.ts";
import type { Candidate } from "../routing/selection.ts";
import { Comparison } from "./agreement.ts";
import { AGREE_STAGE, compareAnswers, compareGraph } from "./agreement-judge.ts";
import { expectRight, supportFor } from "./confidence.ts";
import { diversify, toMember } from "./panel.ts";
import {
	type Answer,
	type ConfidenceBar,
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

/**
 * What a stronger model must be expected to gain to be asked. Chosen on recorded answers: with it, cascades of three cheap models call the
 * strong one for less than 35 % of the problems and have somewhat more right than it (docs/measurements.md, "Strategies on recorded
 * answers").
 */
const BAR_MARGIN = 0.05;

/** The confidence at which a cascade stops, by the expected quality of its strongest model. */
export function cascadeBar(topQuality: number, isSingleEnough: boolean): ConfidenceBar {
	return { confidence: topQuality - BAR_MARGIN, isSingleEnough };
}

/** Members of the first step. A single answer can agree with no other, but a cascade of two members needs its second for later. */
function firstStepSize({ members, bar }: Pick<Panel, "members" | "bar">): number {
	return members.length > FIRST_STEP && !bar?.isSingleEnough ? FIRST_STEP : 1;
}

function toSteps(panel: Panel): Member[][] {
	const { members } = panel;
	const first = firstStepSize(panel);
	return [members.slice(0, first), ...members.slice(first).map((member) => [member])];
}

function stepQuestions(task: Task, members: readonly Member[], step: number): Question[] {
	return members.map((member) => ({
		...toTaskQuestion(task, { stage: `step:${step}`, role: "answerer", member }),
		mayBeLeft: true,
	}));
}

/** An answer, the confidence in it by all answers so far, and how likely it is right by models and votes alone. */
interface RatedAnswer {
	answer: Answer;
	rating: Rating;
	expected: number;
}

function rateAnswer(answer: Answer, answers: readonly Answer[], comparison: Comparison): RatedAnswer {
	const rating = supportFor(answer, answers, comparison);
	return { answer, rating, expected: expectRight(answer, answers, comparison) };
}

/** The best supported answer. Among equals it is the latest, which the strongest model gave. */
function findBestSupported(answers: readonly Answer[], comparison: Comparison): RatedAnswer | null {
	const [first, ...rest] = answers.map((answer) => rateAnswer(answer, answers, comparison));
	return first ? rest.reduce((best, next) => (next.expected >= best.expected ? next : best), first) : null;
}

/** An answer that agrees with another one. Of several, the one with the highest expected quality. */
function findAgreed(answers: readonly Answer[], comparison: Comparison): Answer | null {
	const supported = answers.filter((one) => answers.some((other) => other !== one && comparison.agrees(one, other)));
	return supported.toSorted((a, b) => b.quality - a.quality)[0] ?? null;
}

/** An answer that clears the bar before the last step: one that agrees with another, or the only one where that is enough. */
function findSure(answers: readonly Answer[], { bar }: Panel, comparison: Comparison): Answer | null {
	const [first] = answers;
	const only = bar?.isSingleEnough && answers.length === 1 && !first?.isCut ? first : undefined;
	const candidate = only ?? findAgreed(answers, comparison);
	if (!candidate || !bar) return candidate;
	return expectRight(candidate, answers, comparison) >= bar.confidence ? candidate : null;
}

/** The answer of the last step: one that agrees with another, else the step's own, unless it was cut. */
function findLast(fromStep: readonly Answer[], answers: readonly Answer[], comparison: Comparison): Answer | null {
	return findAgreed(answers, comparison) ?? fromStep.find(({ isCut }) => !isCut) ?? null;
}

/** The course of a cascade. */
interface Climb {
	answers: Answer[];
	replies: (Answer | NoAnswer)[];
	comparison: Comparison;
	accepted: RatedAnswer | null;
	escalations: { step: number; models: string[]; confidence: number; accepted: boolean }[];
	stoppedBy: "agreement" | "confidence" | "the last step" | "budget";
}

function agreeStage(step: number): string {
	return `${AGREE_STAGE}:${step}`;
}

/** Asks step by step until the bar is cleared, the last step was asked, or the bound does not cover the next. */
async function climb(task: Task, panel: Panel, engine: Engine): Promise<Climb> {
	const steps = toSteps(panel);
	const done: Climb = {
		answers: [],
		replies: [],
		comparison: new Comparison(task),
		accepted: null,
		escalations: [],
		stoppedBy: "the last step",
	};
	for (const [step, members] of steps.entries()) {
		const stepReplies = await engine.ask(stepQuestions(task, members, step));
		done.replies.push(...stepReplies);
		if (stepReplies.every((reply) => !reply.ok && reply.unaffordable)) {
			done.stoppedBy = "budget";
			break;
		}
		const stepAnswers = stepReplies.filter(isAnswered);
		done.answers.push(...stepAnswers);
		const isLast = step === steps.length - 1;
		const outcome = (known: Comparison) =>
			isLast ? findLast(stepAnswers, done.answers, known) : findSure(done.answers, panel, known);
		const { answers, comparison } = done;
		const stage = agreeStage(step);
		if (stepAnswers.length > 0)
			done.comparison = await compareAnswers(task, panel, engine, { stage, answers, comparison, outcome });
		for (const reply of stepAnswers) reply.rate(supportFor(reply, answers, done.comparison));
		const accepted = outcome(done.comparison);
		done.accepted = accepted && rateAnswer(accepted, answers, done.comparison);
		const confidence = roundShare(
			(done.accepted ?? findBestSupported(answers, done.comparison))?.rating.confidence ?? 0,
		);
		const note = { confidence, accepted: done.accepted !== null };
		done.escalations.push({ step, models: stepAnswers.map(({ model }) => model), ...note });
		engine.describe(`step:${step}`, note);
		if (done.accepted) {
			if (!isLast) done.stoppedBy = answers.length === 1 ? "confidence" : "agreement";
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

/** The same models, cheapest first, those before all others of which a single answer is expected to clear the bar. */
function sortByCost([first, ...rest]: [Candidate, ...Candidate[]], bar: number): [Candidate, ...Candidate[]] {
	const top = rest.at(-1);
	if (!top) return [first];
	const foot = [first, ...rest.slice(0, -1)].toSorted(
		(a, b) =>
			Number(b.expectation.quality >= bar) - Number(a.expectation.quality >= bar) ||
			a.expectation.cost.totalNanoUsd - b.expectation.cost.totalNanoUsd,
	);
	return [foot[0] ?? first, ...foot.slice(1), top];
}

export const cascade: Strategy<"cascade"> = {
	name: "cascade",
	// With three cheap models the strong one is called less often than with two, and no fewer answers are right
	// (npm run eval:orchestration).
	width: { efficiency: 4, balanced: 4, depth: 4 },
	leastWidth: 3,
	choosePanel({ rankings }, { width, rounds, policy }) {
		const ladder = chooseLadder(rankings, width);
		const top = ladder.at(-1) ?? ladder[0];
		const bar = cascadeBar(top.expectation.quality, policy === "efficiency");
		const steps = bar.isSingleEnough ? sortByCost(ladder, bar.confidence) : ladder;
		const [first, ...rest] = steps;
		// A judge of the answers that is none of their models, and so cheap that it does not cost what the cascade saves.
		const isOutsider = ({ model }: Candidate) => !steps.some((step) => step.model === model);
		const judge = toMember(rankings.panel.find(isOutsider) ?? rankings.cheap[0], rankings.panel);
		const member = (step: Candidate) => toMember(step, rankings.cheap, steps);
		return { members: [member(first), ...rest.map(member)], judge, rounds, bar };
	},
	partial: {
		leastCalls: firstStepSize,
		note: (limitUsd) => `it climbs only as far as $${limitUsd} reach`,
	},
	callGraph(task, panel) {
		let answers = 0;
		return toSteps(panel).flatMap((members, step) => {
			answers += members.length;
			const compared = compareGraph(task, panel, agreeStage(step), answers, true);
			return [...stepQuestions(task, members, step), ...compared];
		});
	},
	async run(task, panel, engine) {
		const { answers, replies, comparison, accepted, escalations, stoppedBy } = await climb(task, panel, engine);
		const final = accepted ?? findBestSupported(answers, comparison);
		if (!final) return fail(combineFailures(replies));
		engine.describe("step:0", { escalations, stopped_by: stoppedBy });
		const { answer, rating } = final;
		const escalated = escalations.some(({ step, models }) => step > 0 && models.length > 0);
		const { text, model, isCut } = answer;
		return ok({ text, model, ...rating, agreement: comparison.agreement(answers), escalated, isCut });
	},
};
