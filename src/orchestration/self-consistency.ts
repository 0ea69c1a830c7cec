// Self-consistency: several answers are sampled, and the most frequent final answer is taken.
// Wang et al.: "Self-Consistency Improves Chain of Thought Reasoning in Language Models", 2022 (arXiv:2203.11171). Each sample comes
// from another member, so that errors are less alike. Without a final answer to vote on, the answer most similar to the others is
// taken (Chen et al.: "Universal Self-Consistency", 2023, arXiv:2311.17311, without its judge).
//
// Call graph: one call per sample, all in parallel. Counting the votes needs no call.
import { fail, ok } from "../failure.ts";
import { findMedoid, meanAgreement } from "./agreement.ts";
import { supportFor } from "./confidence.ts";
import { FINAL_ANSWER_INSTRUCTION, findFinalAnswer } from "./final-answer.ts";
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
	const instructions = task.kind === "none" ? [] : [systemMessage(FINAL_ANSWER_INSTRUCTION)];
	return members.map((member) => toTaskQuestion(task, { stage: "sample", role: "sampler", member }, instructions));
}

/** Samples by final answer, without those that have none. Most votes first, then the higher expected quality. */
export function countVotes(
	answers: readonly Answer[],
	{ kind }: Pick<Task, "kind">,
): { answer: string; samples: Answer[] }[] {
	const votes = new Map<string, Answer[]>();
	for (const sample of answers) {
		const answer = findFinalAnswer(sample.text, kind);
		if (answer !== null) votes.set(answer, [...(votes.get(answer) ?? []), sample]);
	}
	const quality = (voters: readonly Answer[]) => voters.reduce((sum, voter) => sum + voter.quality, 0);
	return [...votes]
		.map(([answer, voters]) => ({ answer, samples: voters }))
		.sort((a, b) => b.samples.length - a.samples.length || quality(b.samples) - quality(a.samples));
}

export const selfConsistency: Strategy<"self_consistency"> = {
	name: "self_consistency",
	width: { efficiency: 3, balanced: 5, depth: 5 },
	leastWidth: 2,
	takesK: true,
	callGraph: sampleQuestions,
	async run(task, panel, engine) {
		const replies = await engine.ask(sampleQuestions(task, panel));
		const answers = replies.filter(isAnswered);
		const [first, ...rest] = answers;
		if (!first) return fail(combineFailures(replies));
		const votes = countVotes(answers, task);
		const winners = votes[0]?.samples ?? [];
		const final = winners.toSorted((a, b) => b.quality - a.quality)[0] ?? findMedoid([first, ...rest], task.kind);
		for (const answer of answers) answer.rate(supportFor(answer.text, answers, task.kind));
		engine.describe("sample", { samples: answers.length, failed: replies.length - answers.length });
		const counted = votes.map(({ answer, samples: voters }) => ({
			answer,
			votes: voters.length,
			models: voters.map(({ model }) => model),
		}));
		engine.describe("vote", {
			votes: counted,
			without_answer: answers.length - counted.reduce((sum, { votes: n }) => sum + n, 0),
		});
		const agreement = meanAgreement(
			answers.map(({ text }) => text),
			task.kind,
		);
		const confidence = supportFor(final.text, answers, task.kind);
		return ok({ text: final.text, model: final.model, confidence, agreement, escalated: false });
	},
};
