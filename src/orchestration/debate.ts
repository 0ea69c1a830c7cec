// Multi-agent debate: members answer, read each other's answers and revise their own, until they agree or the rounds are over.
// Du et al.: "Improving Factuality and Reasoning in Language Models through Multiagent Debate", 2023 (arXiv:2305.14325). The judge
// at the end is from Liang et al.: "Encouraging Divergent Thinking in Large Language Models through Multi-Agent Debate", 2023
// (arXiv:2305.19118).
//
// Call graph: members x rounds, each revision with all members' answers in its prompt, after each round the calls that compare its
// answers (agreement-judge.ts), one call for the judge, and one that compares its answer, with at most one repair. On consensus it
// stops early and needs no judge. A member that gave no answer in the first round takes no part; one that falls silent later keeps its
// answer, so its dissent stays.
import { fail, ok } from "../failure.ts";
import { renderMaterial } from "../inference/material.ts";
import { roundShare } from "../inference/trace.ts";
import { Comparison } from "./agreement.ts";
import { AGREE_STAGE, compareAnswers, compareGraph } from "./agreement-judge.ts";
import { supportFor, toPanelResult } from "./confidence.ts";
import { type Draft, reviseDrafts, toDrafts } from "./drafts.ts";
import { mergeQuestion } from "./ensemble-moa.ts";
import { FINAL_ANSWER_INSTRUCTION } from "./final-answer.ts";
import { nonceFor, takesFinalAnswerLine, writerMessages } from "./prompt.ts";
import {
	type Answer,
	answerPlaceholder,
	combineFailures,
	embedAnswer,
	type Member,
	type Panel,
	type Question,
	type Strategy,
	systemMessage,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

const REVISION_PROMPT =
	"You have answered the user's last message, and so have others. The answers follow it, between marks; the first is yours. Examine " +
	"all of them, yours too. How many say something proves nothing: change your answer only where an argument or a calculation " +
	"convinces you. Where another answer differs from yours, find the step at which they part, check it, and let your answer show what " +
	"is right there and why. Then answer the user's message again, in full, without a word about other answers.";

/** Asks a member in a round. From the second round on, the prompt holds all answers, the member's own first. */
function debaterQuestion(task: Task, member: Member, round: number, texts: readonly string[]): Question {
	const ending = takesFinalAnswerLine(task) ? FINAL_ANSWER_INSTRUCTION : "";
	const asksFor = ending === "" ? task.asksFor : "final_answer";
	const place = { stage: `round:${round}`, role: "debater", member, asksFor };
	const instructions = ending === "" ? [] : [systemMessage(ending)];
	if (texts.length === 0) return { ...toTaskQuestion(task, place, instructions), mayBeLeft: true };
	const nonce = nonceFor(task, place.stage);
	const messages = writerMessages(task, {
		nonce,
		instruction: ending === "" ? REVISION_PROMPT : `${REVISION_PROMPT} ${ending}`,
		material: `Answers to the message above, the first by you:\n\n${renderMaterial(nonce, "Answer", texts)}`,
		request: "Now answer the message above again.",
	});
	return { ...toTaskQuestion({ ...task, messages }, place), mayBeLeft: true };
}

/** Asks for the answer at the end. @param minority answers that no majority says the same as, by index. */
function verdictQuestion(
	task: Task,
	{ judge }: Panel,
	texts: readonly string[],
	minority: readonly number[],
): Question {
	const names = minority.map((at) => `Answer ${at + 1}`).join(", ");
	const remark =
		`The models debated and still do not agree; no majority stands behind ${names}. How many say something proves nothing. Check ` +
		"each of these answers by what it says: adopt it, or let your answer show why it is wrong, as you would meet an objection of the " +
		"user's, as far as the form of the answer has room for it.";
	return mergeQuestion(task, { stage: "judge", role: "judge", member: judge }, texts, remark);
}

/** Whether every answer agrees with the first. */
function isConsensus(debaters: readonly Draft[], comparison: Comparison): boolean {
	const [first, ...others] = debaters;
	return (
		first !== undefined && others.length > 0 && others.every(({ answer }) => comparison.agrees(first.answer, answer))
	);
}

/** The answers that one debater reads, its own first. */
function answersShownTo(debater: Draft, debaters: readonly Draft[], task: Task): string[] {
	const others = debaters.filter((other) => other !== debater);
	return [debater, ...others].map(({ answer }) => embedAnswer(task, answer.text));
}

/** The answers that no majority says the same as, by index: all of them where no position has more answers than each other. */
function findMinority(answers: readonly Answer[], comparison: Comparison): number[] {
	const backers = answers.map(
		(answer) => answers.filter((other) => other === answer || comparison.agrees(answer, other)).length,
	);
	const most = Math.max(...backers);
	const hasMajority = backers.filter((count) => count === most).length === most;
	return backers.flatMap((count, at) => (hasMajority && count === most ? [] : [at]));
}

export const debate: Strategy<"debate"> = {
	name: "debate",
	width: { efficiency: 2, balanced: 3, depth: 3 },
	leastWidth: 2,
	rounds: { efficiency: 2, balanced: 2, depth: 3 },
	judge: "outsider",
	callGraph(task, panel) {
		const slots = panel.members.map(() => answerPlaceholder(task));
		const rounds = Array.from({ length: panel.rounds }, (_, round) =>
			panel.members.map((member) => debaterQuestion(task, member, round, round === 0 ? [] : slots)),
		);
		const count = panel.members.length;
		return [
			...rounds.flatMap((round) => [...round, ...compareGraph(task, panel, AGREE_STAGE, count, true)]),
			verdictQuestion(task, panel, slots, [...slots.keys()]),
			...compareGraph(task, panel, AGREE_STAGE, count + 1, false),
		];
	},
	async run(task, panel, engine) {
		const opening = await engine.ask(panel.members.map((member) => debaterQuestion(task, member, 0, [])));
		let debaters = toDrafts(panel.members, opening);
		const [first] = debaters;
		if (!first) return fail(combineFailures(opening));
		let comparison = new Comparison(task);
		const compare = async (round: number) => {
			const answers = debaters.map(({ answer }) => answer);
			comparison = await compareAnswers(task, panel, engine, {
				stage: AGREE_STAGE,
				answers,
				comparison,
				outcome: (known) => isConsensus(debaters, known),
			});
			for (const answer of answers) answer.rate(supportFor(answer, answers, comparison));
			engine.describe(`round:${round}`, {
				agreement: roundShare(comparison.agreement(answers)),
				consensus: isConsensus(debaters, comparison),
				debaters: debaters.length,
				silent: opening.length - debaters.length,
			});
		};
		await compare(0);
		let rounds = 1;
		for (; rounds < panel.rounds && debaters.length > 1 && !isConsensus(debaters, comparison); rounds++) {
			const before = debaters;
			const round = rounds;
			const replies = await engine.ask(
				before.map((debater) => debaterQuestion(task, debater.member, round, answersShownTo(debater, before, task))),
			);
			debaters = reviseDrafts(before, replies);
			if (replies.some(({ ok }) => ok)) await compare(round);
		}
		const answers = debaters.map(({ answer }) => answer);
		const consensus = isConsensus(debaters, comparison);
		const minority = findMinority(answers, comparison);
		const [verdict] =
			consensus || answers.length === 1
				? []
				: await engine.ask([
						verdictQuestion(
							task,
							panel,
							answers.map(({ text }) => embedAnswer(task, text)),
							minority,
						),
					]);
		const written = verdict?.ok ? verdict : null;
		const all = written ? [...answers, written] : answers;
		const agreement = comparison.agreement(answers);
		if (written)
			comparison = await compareAnswers(task, panel, engine, { stage: AGREE_STAGE, answers: all, comparison });
		const strongest = answers.toSorted((a, b) => b.quality - a.quality)[0] ?? first.answer;
		const others = answers.filter((answer) => answer !== strongest);
		const central = consensus ? strongest : comparison.findCentral([strongest, ...others]);
		const final = written ?? central;
		const rating = supportFor(final, all, comparison);
		written?.rate(supportFor(written, all, comparison));
		engine.describe("judge", { rounds, consensus, asked: verdict !== undefined });
		if (verdict) engine.describe("judge", { minority: minority.map((at) => answers[at]?.model) });
		return ok(toPanelResult(final, { rating, agreement, central, answers: all, comparison }));
	},
};
