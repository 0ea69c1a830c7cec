// FrugalGPT's cascade: cheap models first, and a stronger one only while their answers do not agree.
// Chen, Zaharia, Zou: "FrugalGPT: How to Use Large Language Models While Reducing Cost and Improving Performance", 2023
// (arXiv:2305.05176); agreement in place of its trained scorer as in Yue et al.: "Large Language Model Cascades with Mixture of
// Thoughts Representations for Cost-efficient Reasoning", 2023 (arXiv:2310.03094).
//
// Call graph: one call a member. The first two, side by side, are step 0, each further one a step; it stops at the first step
// where two answers agree, or at the last. A step that the bound does not cover any more is not climbed.
import { fail, ok } from "../failure.ts";
import { roundShare } from "../inference/trace.ts";
import type { Candidate } from "../routing/select.ts";
import { agreementOf, agrees } from "./agreement.ts";
import { supportFor } from "./confidence.ts";
import { diversify, toMember } from "./panel.ts";
import {
	type Answer,
	askOne,
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
} from "./strategy.ts";

/** Members asked side by side at first. */
const FIRST_STEP = 2;

/** How many members the first step asks; one alone has nobody to agree with, but a cascade of two has no more to spare. */
function firstStepOf({ members }: Pick<Panel, "members">): number {
	return members.length > FIRST_STEP ? FIRST_STEP : 1;
}

function stepsOf({ members }: Panel): Member[][] {
	const first = firstStepOf({ members });
	return [members.slice(0, first), ...members.slice(first).map((member) => [member])];
}

function questions(task: Task, members: readonly Member[], step: number): Question[] {
	return members.map((member) => askOne(task, { stage: `step:${step}`, role: "answerer", member }));
}

/** An answer with how sure it is by what all say. */
interface Rated {
	answer: Answer;
	confidence: number;
}

function rated(answer: Answer, answers: readonly Answer[], { kind }: Task): Rated {
	return { answer, confidence: supportFor(answer.text, answers, kind) };
}

/** The best supported answer, of equals the latest, which is of the strongest. */
function bestOf(answers: readonly Answer[], task: Task): Rated | null {
	const [first, ...rest] = answers.map((answer) => rated(answer, answers, task));
	return first ? rest.reduce((best, next) => (next.confidence >= best.confidence ? next : best), first) : null;
}

/** An answer that another one says too; of these the one whose model is expected to be best. */
function agreedOn(answers: readonly Answer[], task: Task): Rated | null {
	const { kind } = task;
	const supported = answers.filter((one) =>
		answers.some((other) => other !== one && agrees(one.text, other.text, kind)),
	);
	const [best] = supported.toSorted((a, b) => b.quality - a.quality);
	return best ? rated(best, answers, task) : null;
}

/** What a step comes to: nothing stands above the last, so what it says is accepted whatever the others said. */
function acceptedOf(given: readonly Answer[], answers: readonly Answer[], isLast: boolean, task: Task): Rated | null {
	const agreed = agreedOn(answers, task);
	const [top] = given;
	return agreed ?? (isLast && top ? rated(top, answers, task) : null);
}

/** What a cascade has come to so far. */
interface Climb {
	answers: Answer[];
	replies: (Answer | NoAnswer)[];
	accepted: Rated | null;
	escalations: { step: number; models: string[]; confidence: number; accepted: boolean }[];
	stoppedBy: "agreement" | "the last step" | "budget";
}

/** Asks step by step until two answers agree, the last one was asked, or there is no room for the next. */
async function climb(task: Task, cast: Panel, engine: Engine): Promise<Climb> {
	const steps = stepsOf(cast);
	const done: Climb = { answers: [], replies: [], accepted: null, escalations: [], stoppedBy: "the last step" };
	for (const [step, members] of steps.entries()) {
		const asked = await engine.ask(questions(task, members, step));
		done.replies.push(...asked);
		if (asked.every((reply) => !reply.ok && reply.unaffordable)) {
			done.stoppedBy = "budget";
			break;
		}
		const given = asked.filter(isAnswered);
		done.answers.push(...given);
		for (const reply of given) reply.rate(rated(reply, done.answers, task).confidence);
		const isLast = step === steps.length - 1;
		done.accepted = acceptedOf(given, done.answers, isLast, task);
		const confidence = roundShare((done.accepted ?? bestOf(done.answers, task))?.confidence ?? 0);
		const note = { confidence, accepted: done.accepted !== null };
		done.escalations.push({ step, models: given.map(({ model }) => model), ...note });
		engine.describe(`step:${step}`, note);
		if (done.accepted) {
			if (!isLast) done.stoppedBy = "agreement";
			break;
		}
	}
	return done;
}

/** The cheap models of different providers by rising quality, and the best model at the top. */
function ladder({ cheap, best }: Rankings, size: number): [Candidate, ...Candidate[]] {
	const top = best[0];
	const [first, ...rest] = cheap.filter(({ model }) => model !== top.model);
	if (!first || size < 2) return [size < 2 ? cheap[0] : top];
	const foot = diversify([first, ...rest], Math.min(size - 1, rest.length + 1));
	const [lowest = first, ...higher] = foot.toSorted((a, b) => a.expectation.quality - b.expectation.quality);
	return [lowest, ...higher, top];
}

export const cascade: Strategy<"cascade"> = {
	name: "cascade",
	// Two of three cheap models that agree call the strong one half as often as two of two, which are right a little more often
	// (npm run eval:orchestration).
	width: { efficiency: 4, balanced: 3, depth: 3 },
	leastWidth: 3,
	choosePanel({ rankings }, { width, rounds }) {
		const steps = ladder(rankings, width);
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
		leastCalls: firstStepOf,
		note: (limitUsd) => `it climbs only as far as $${limitUsd} reach`,
	},
	callGraph: (task, cast) => stepsOf(cast).flatMap((members, step) => questions(task, members, step)),
	async run(task, cast, engine) {
		const { answers, replies, accepted, escalations, stoppedBy } = await climb(task, cast, engine);
		const final = accepted ?? bestOf(answers, task);
		if (!final) return fail(combineFailures(replies));
		engine.describe("step:0", { escalations, stopped_by: stoppedBy });
		const { answer, confidence } = final;
		const agreement = agreementOf(
			answers.map(({ text }) => text),
			task.kind,
		);
		const escalated = escalations.some(({ step, models }) => step > 0 && models.length > 0);
		return ok({ text: answer.text, model: answer.model, confidence, agreement, escalated });
	},
};
