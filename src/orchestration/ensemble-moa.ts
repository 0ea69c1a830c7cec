// Mixture of agents: the members propose answers, in a second layer each writes a better one from all proposals, and one model writes
// the answer from those. Wang et al.: "Mixture-of-Agents Enhances Large Language Model Capabilities", 2024 (arXiv:2406.04692). The
// paper has three layers of six proposers; more layers gain little more there.
//
// Call graph: members x layers, from the second layer on with every answer of the layer before in the prompt, one call for the
// aggregator with every answer of the last layer, and the judge's calls (agreement-judge.ts), which compare the answer with the
// proposals of the first layer: those are independent of each other.
import { fail, ok } from "../failure.ts";
import { renderMaterial } from "../inference/material.ts";
import { Comparison } from "./agreement.ts";
import { AGREE_STAGE, CONSENSUS, compareAnswers, compareGraph } from "./agreement-judge.ts";
import { supportFor, toPanelResult } from "./confidence.ts";
import { type Draft, reviseDrafts, toDrafts } from "./drafts.ts";
import { nonceFor, writerMessages } from "./prompt.ts";
import {
	type Answer,
	answerPlaceholder,
	combineFailures,
	type Engine,
	embedAnswer,
	isAnswered,
	type Member,
	type Panel,
	type Question,
	type Strategy,
	type StrategyResult,
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
	return members.map((member) => ({
		...toTaskQuestion(task, { stage: "propose", role: "proposer", member }),
		mayBeLeft: true,
	}));
}

/** Asks for one answer made of several. @param remark is added to the instructions. */
export function mergeQuestion(
	task: Task,
	place: Pick<Question, "stage" | "role" | "member">,
	texts: readonly string[],
	remark = "",
): Question {
	const nonce = nonceFor(task, place.stage);
	const messages = writerMessages(task, {
		nonce,
		instruction: remark === "" ? MERGE_PROMPT : `${MERGE_PROMPT} ${remark}`,
		material: `Answers of other models to the message above:\n\n${renderMaterial(nonce, "Answer", texts)}`,
		request: "Now write the answer to the message above.",
	});
	return { ...toTaskQuestion({ ...task, messages }, place), mayBeLeft: true };
}

/** Asks every member for an answer made of those of the layer before. */
function layerQuestions(task: Task, members: readonly Member[], layer: number, texts: readonly string[]): Question[] {
	const place = { stage: `propose:${layer}`, role: "proposer" };
	return members.map((member) => mergeQuestion(task, { ...place, member }, texts));
}

function aggregateQuestion(task: Task, { judge }: Panel, texts: readonly string[]): Question {
	return mergeQuestion(task, { stage: "aggregate", role: "aggregator", member: judge }, texts);
}

/** Answers in the order of their members, each cut to its room in another prompt. */
function embedDrafts(task: Task, drafts: readonly Draft[]): string[] {
	return drafts.map(({ answer }) => embedAnswer(task, answer.text));
}

/** The answers of the last layer. A member whose later answer failed or was cut stays with its earlier one. */
async function refineDrafts(
	task: Task,
	{ rounds }: Panel,
	engine: Engine,
	proposals: readonly Draft[],
): Promise<readonly Draft[]> {
	let drafts = proposals;
	for (let layer = 1; layer < rounds && proposals.length > 1; layer++) {
		const members = drafts.map(({ member }) => member);
		const replies = await engine.ask(layerQuestions(task, members, layer, embedDrafts(task, drafts)));
		const before = drafts;
		drafts = reviseDrafts(before, replies);
		for (const answer of replies.filter(isAnswered)) answer.rate(supportFor(answer, [answer], new Comparison(task)));
		const proposed = drafts.filter((draft) => !before.includes(draft)).length;
		engine.describe(`propose:${layer}`, { proposals: proposed, kept: drafts.length - proposed });
	}
	return drafts;
}

/** Whether a merged answer contradicts every answer of a panel that says one thing. It is not delivered then. */
export function overturnsPanel(written: Answer, answers: readonly Answer[], comparison: Comparison): boolean {
	return (
		comparison.isUnanimous(answers) &&
		answers.every((answer) => comparison.relation(written, answer) === "contradicting")
	);
}

export const ensembleMoa: Strategy<"ensemble_moa"> = {
	name: "ensemble_moa",
	width: { efficiency: 2, balanced: 3, depth: 4 },
	leastWidth: 2,
	takesK: true,
	// Layers of proposers.
	rounds: { efficiency: 1, balanced: 1, depth: 2 },
	judge: "any",
	callGraph(task, panel) {
		const slots = panel.members.map(() => answerPlaceholder(task));
		const later = Array.from({ length: panel.rounds - 1 }, (_, at) =>
			layerQuestions(task, panel.members, at + 1, slots),
		);
		return [
			...proposalQuestions(task, panel),
			...later.flat(),
			aggregateQuestion(task, panel, slots),
			...compareGraph(task, panel, AGREE_STAGE, panel.members.length + 1, true),
		];
	},
	async run(task, panel, engine) {
		const replies = await engine.ask(proposalQuestions(task, panel));
		const proposals = toDrafts(panel.members, replies);
		const [first, ...rest] = proposals.map(({ answer }) => answer);
		if (!first) return fail(combineFailures(replies));
		engine.describe("propose", { proposals: proposals.length, failed: replies.length - proposals.length });
		const independent = new Comparison(task);
		if (independent.areIdentical([first, ...rest])) return ok(endIdentical(engine, [first, ...rest], independent));
		const drafts = await refineDrafts(task, panel, engine, proposals);
		const [aggregated] =
			rest.length > 0 ? await engine.ask([aggregateQuestion(task, panel, embedDrafts(task, drafts))]) : [];
		const written = aggregated?.ok ? aggregated : null;
		// A whole answer is compared with what the members wrote by themselves. Without one, the best of the last layer is looked for.
		const [one = first, ...others] = written && !written.isCut ? [first, ...rest] : drafts.map(({ answer }) => answer);
		const answers: [Answer, ...Answer[]] = [one, ...others];
		const all = written ? [...answers, written] : answers;
		const findFinal = (known: Comparison) =>
			written && !overturnsPanel(written, answers, known) ? written : known.findCentral(answers);
		const comparison = await compareAnswers(task, panel, engine, {
			stage: AGREE_STAGE,
			answers: all,
			comparison: new Comparison(task),
			outcome(known) {
				if (known.isUnanimous(answers)) return CONSENSUS;
				return written?.isCut ? known.findCentral(answers) : findFinal(known);
			},
		});
		const final = findFinal(comparison);
		const central = comparison.findCentral(answers);
		for (const answer of all) answer.rate(supportFor(answer, all, comparison));
		const rating = supportFor(final, all, comparison);
		const agreement = comparison.agreement(answers);
		engine.describe("aggregate", {
			how: explainFinal(final, written, rest.length > 0),
			from: drafts.map(({ answer: { model } }) => model),
		});
		return ok(toPanelResult(final, { rating, agreement, central, answers: all, comparison }));
	},
};

/** The result of a panel whose proposals are identical: nothing is left to merge. */
export function endIdentical(
	engine: Engine,
	answers: readonly [Answer, ...Answer[]],
	comparison: Comparison,
): StrategyResult {
	const final = comparison.findCentral(answers);
	for (const answer of answers) answer.rate(supportFor(answer, answers, comparison));
	engine.describe("propose", { identical: true });
	const rating = supportFor(final, answers, comparison);
	return toPanelResult(final, { rating, agreement: 1, central: final, answers, comparison });
}

/** How the final answer came about, in words. */
function explainFinal(final: Answer, written: Answer | null, hasSeveral: boolean): string {
	if (final === written) return "aggregated";
	if (written) return "the aggregator contradicted all of them; the proposal that most others say the same as";
	return hasSeveral ? "the aggregator failed; the proposal that most others say the same as" : "one proposal alone";
}
