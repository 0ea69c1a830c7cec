// Self-consistency: several answers are sampled, and the final answer with the most votes is taken.
// Wang et al.: "Self-Consistency Improves Chain of Thought Reasoning in Language Models", 2022 (arXiv:2203.11171). Each sample comes
// from another member, so that errors are less alike. Where samples have no final answer to vote on, a judge says which of them say the
// same (Chen et al.: "Universal Self-Consistency", 2023, arXiv:2311.17311). A vote weighs as much as the log-odds of what is expected
// of its model, within bounds: so votes of independent voters are best counted (Nitzan and Paroush: "Optimal Decision Rules in
// Uncertain Dichotomous Choice Situations", 1982). All samples of one model weigh the same.
//
// Call graph: one call per sample, all in parallel, and the judge's calls (agreement-judge.ts). Counting the votes needs no call.
import { fail, ok } from "../failure.ts";
import { Comparison } from "./agreement.ts";
import { AGREE_STAGE, compareAnswers, compareGraph } from "./agreement-judge.ts";
import { supportFor, voteWeight } from "./confidence.ts";
import { FINAL_ANSWER_INSTRUCTION, findFinalAnswer } from "./final-answer.ts";
import { takesFinalAnswerLine } from "./prompt.ts";
import {
	type Answer,
	combineFailures,
	isAnswered,
	type Panel,
	type Question,
	type Strategy,
	systemMessage,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

function sampleQuestions(task: Task, { members }: Panel): Question[] {
	const instructions = takesFinalAnswerLine(task) ? [systemMessage(FINAL_ANSWER_INSTRUCTION)] : [];
	return members.map((member) => ({
		...toTaskQuestion(task, { stage: "sample", role: "sampler", member }, instructions),
		mayBeLeft: true,
	}));
}

/** Samples that say the same. */
interface Vote {
	/** Their final answer; null where a judge found that they say the same. */
	answer: string | null;
	samples: Answer[];
	weight: number;
}

/**
 * Groups of samples, without those that were cut, and without a sample that has no final answer and agrees with no other.
 * The highest weight first, then the highest expected quality of all voters, then the earliest.
 */
function countVotes(answers: readonly Answer[], comparison: Comparison, { kind }: Pick<Task, "kind">): Vote[] {
	const votes: Vote[] = [];
	for (const sample of answers.filter(({ isCut }) => !isCut)) {
		const weight = voteWeight(sample.quality);
		const known = votes.find(({ samples: [first] }) => first && comparison.agrees(first, sample));
		if (known) {
			known.samples.push(sample);
			known.weight += weight;
		} else votes.push({ answer: findFinalAnswer(sample.text, kind), samples: [sample], weight });
	}
	const quality = (voters: readonly Answer[]) => voters.reduce((sum, voter) => sum + voter.quality, 0);
	return votes
		.filter(({ answer, samples }) => answer !== null || samples.length > 1)
		.sort((a, b) => b.weight - a.weight || quality(b.samples) - quality(a.samples));
}

export const selfConsistency: Strategy<"self_consistency"> = {
	name: "self_consistency",
	width: { efficiency: 3, balanced: 5, depth: 5 },
	leastWidth: 2,
	takesK: true,
	judge: "outsider",
	callGraph: (task, panel) => [
		...sampleQuestions(task, panel),
		...compareGraph(task, panel, AGREE_STAGE, panel.members.length, true),
	],
	async run(task, panel, engine) {
		const replies = await engine.ask(sampleQuestions(task, panel));
		const answers = replies.filter(isAnswered);
		const [first, ...rest] = answers;
		if (!first) return fail(combineFailures(replies));
		const findWinner = (known: Comparison) => {
			const winners = countVotes(answers, known, task)[0]?.samples ?? [];
			return { votes: winners.length, winner: winners.toSorted((a, b) => b.quality - a.quality)[0] };
		};
		const comparison = await compareAnswers(task, panel, engine, {
			stage: AGREE_STAGE,
			answers,
			comparison: new Comparison(task),
			outcome(known) {
				const { votes, winner } = findWinner(known);
				return winner ? `${votes} ${answers.indexOf(winner)}` : null;
			},
		});
		const votes = countVotes(answers, comparison, task);
		const final = findWinner(comparison).winner ?? comparison.findCentral([first, ...rest]);
		for (const answer of answers) answer.rate(supportFor(answer, answers, comparison));
		engine.describe("sample", { samples: answers.length, failed: replies.length - answers.length });
		const counted = votes.map(({ answer, samples: voters, weight }) => ({
			answer,
			votes: voters.length,
			weight: Math.round(weight * 1e4) / 1e4,
			models: voters.map(({ model }) => model),
		}));
		engine.describe("vote", {
			votes: counted,
			without_answer: answers.length - counted.reduce((sum, { votes: n }) => sum + n, 0),
		});
		const { text, model, isCut } = final;
		const rating = supportFor(final, answers, comparison);
		return ok({ text, model, ...rating, agreement: comparison.agreement(answers), escalated: false, isCut });
	},
};
