// Mixture of agents: the members propose answers, and one model writes the answer from the proposals.
// Wang et al.: "Mixture-of-Agents Enhances Large Language Model Capabilities", 2024 (arXiv:2406.04692), with one layer of proposers.
//
// Call graph: one call per member, in parallel, one for the aggregator, whose prompt holds every proposal, and the judge's calls
// (agreement-judge.ts), which compare the proposals with what was made of them.
import { fail, ok } from "../failure.ts";
import { renderMaterial } from "../inference/material.ts";
import { Comparison } from "./agreement.ts";
import { AGREE_STAGE, compareAnswers, compareGraph } from "./agreement-judge.ts";
import { supportFor, toPanelResult } from "./confidence.ts";
import { writerMessages } from "./prompt.ts";
import {
	answerPlaceholder,
	combineFailures,
	embedAnswer,
	isAnswered,
	type Panel,
	type Question,
	type Strategy,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

/** After the paper's aggregate-and-synthesize prompt (its table 1). */
const MERGE_PROMPT =
	"You write the one answer that the user gets. Other models have answered the user's last message; their answers follow it, between " +
	"marks. Weigh them critically: what they say may be biased or wrong, also where several say it. Keep what is right, correct what is " +
	"wrong, and add what is missing. Do not merely repeat one of them, and do not mention that there were several. Keep to the form and " +
	"the length that the user asked for.";

/** Asks every member for an answer of its own. */
export function proposalQuestions(task: Task, { members }: Panel): Question[] {
	return members.map((member) => toTaskQuestion(task, { stage: "propose", role: "proposer", member }));
}

/** Asks for one answer made of several. @param remark is added to the instructions. */
export function mergeQuestion(
	task: Task,
	place: Pick<Question, "stage" | "role" | "member">,
	texts: readonly string[],
	remark = "",
): Question {
	const messages = writerMessages(task, {
		instruction: remark === "" ? MERGE_PROMPT : `${MERGE_PROMPT} ${remark}`,
		material: `Answers of other models to the message above:\n\n${renderMaterial(task.nonce, "Answer", texts)}`,
		request: "Now write the answer to the message above.",
	});
	return toTaskQuestion({ ...task, messages }, place);
}

function aggregateQuestion(task: Task, { judge }: Panel, texts: readonly string[]): Question {
	return mergeQuestion(task, { stage: "aggregate", role: "aggregator", member: judge }, texts);
}

export const ensembleMoa: Strategy<"ensemble_moa"> = {
	name: "ensemble_moa",
	width: { efficiency: 2, balanced: 3, depth: 4 },
	leastWidth: 2,
	takesK: true,
	judge: "any",
	callGraph: (task, panel) => [
		...proposalQuestions(task, panel),
		aggregateQuestion(
			task,
			panel,
			panel.members.map(() => answerPlaceholder(task)),
		),
		...compareGraph(task, panel, AGREE_STAGE, panel.members.length + 1, true),
	],
	async run(task, panel, engine) {
		const replies = await engine.ask(proposalQuestions(task, panel));
		const answers = replies.filter(isAnswered);
		const [first, ...rest] = answers;
		if (!first) return fail(combineFailures(replies));
		const texts = answers.map(({ text }) => text);
		engine.describe("propose", { proposals: answers.length, failed: replies.length - answers.length });
		const [aggregated] =
			rest.length > 0
				? await engine.ask([
						aggregateQuestion(
							task,
							panel,
							texts.map((text) => embedAnswer(task, text)),
						),
					])
				: [];
		const written = aggregated?.ok ? aggregated : null;
		const all = written ? [...answers, written] : answers;
		const findCentral = (known: Comparison) => known.findCentral([first, ...rest]);
		const stage = AGREE_STAGE;
		const none = new Comparison(task.kind);
		const comparison = await compareAnswers(task, panel, engine, {
			stage,
			answers: all,
			comparison: none,
			outcome: (known) => (written && !written.isCut ? written : findCentral(known)),
		});
		const central = findCentral(comparison);
		const final = written ?? central;
		for (const answer of all) answer.rate(supportFor(answer, all, comparison));
		const confidence = supportFor(final, all, comparison);
		const agreement = comparison.agreement(answers);
		const how = written
			? "aggregated"
			: rest.length > 0
				? "the aggregator failed; the proposal that most others say the same as"
				: "one proposal alone";
		engine.describe("aggregate", { how, from: answers.map(({ model }) => model) });
		return ok(toPanelResult(final, { confidence, agreement, central, answers: all, comparison }));
	},
};
