// LLM-Blender: answers are compared in pairs, and the best of them are fused into one.
// Jiang, Ren, Lin: "LLM-Blender: Ensembling Large Language Models with Pairwise Ranking and Generative Fusion", 2023
// (arXiv:2306.02561). Each pair is judged twice with positions swapped, since judges prefer a position (Zheng et al.: "Judging
// LLM-as-a-Judge with MT-Bench and Chatbot Arena", 2023, arXiv:2306.05685). Two verdicts that contradict each other are a tie.
//
// Call graph: one call for each of n members, in parallel. Two judgements per pair, each with at most one second try: n(n-1)/2 pairs
// up to 5 members, and 2n beyond (neighbours on a ring at distance 1 and 2). One fusion, and the judge's calls (agreement-judge.ts),
// which compare it with the answers: if it contradicts all of them while they say one thing, the best of them is delivered.
// For n = 4: 4 + 12 (+ 12) + 1 + 1 (+ 3).
import * as z from "zod";
import { fail, ok } from "../failure.ts";
import { renderMaterial } from "../inference/material.ts";
import { Comparison } from "./agreement.ts";
import { AGREE_STAGE, CONSENSUS, compareAnswers, compareGraph } from "./agreement-judge.ts";
import { supportFor, toPanelResult, withVerdict } from "./confidence.ts";
import { endIdentical, mergeQuestion, overturnsPanel, proposalQuestions } from "./ensemble-moa.ts";
import { askJson, type JsonQuestion, type JsonReply, longestSecondTry } from "./json-reply.ts";
import { judgeMessages, nonceFor, verdictTokens } from "./prompt.ts";
import {
	type Answer,
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

const WINNERS: ReadonlyMap<string, 1 | 2 | "tie"> = new Map<string, 1 | 2 | "tie">([
	...["1", "answer 1", "first", "the first"].map((name) => [name, 1] as const),
	...["2", "answer 2", "second", "the second"].map((name) => [name, 2] as const),
	...["tie", "a tie", "both", "neither", "none", "equal", "null"].map((name) => [name, "tie"] as const),
]);

/** The winner, however it is written: `1`, `"1"`, `"Answer 1."`, `{"answer": 1}`, `"Tie"`, null. */
const winnerSchema = z.lazy(() => {
	const name = z.union([z.number(), z.string(), z.null()]);
	return z
		.union([name, z.looseObject({ answer: name }).transform(({ answer }) => answer)])
		.transform((written) =>
			WINNERS.get(
				String(written)
					.toLowerCase()
					.replace(/[^a-z0-9]+/g, " ")
					.trim(),
			),
		)
		.pipe(z.union([z.literal(1), z.literal(2), z.literal("tie")]));
});
const pairVerdictSchema = z.lazy(() => z.object({ winner: winnerSchema }));
type PairVerdict = z.output<typeof pairVerdictSchema>;

const PAIR_VERDICT_FORM = '{"reason": "one sentence", "winner": "1" or "2" or "tie"}';
const PAIR_VERDICT_SCHEMA = {
	type: "object",
	properties: { reason: { type: "string" }, winner: { type: "string", enum: ["1", "2", "tie"] } },
	required: ["reason", "winner"],
	additionalProperties: false,
};
/** Room for a verdict, and for a model that reasons before it. */
const PAIR_VERDICT_TOKENS = 512;
/** Answers that are fused at most: LLM-Blender's three. */
const MAX_FUSED = 3;
/** An answer is compared with so many neighbours on each side of a ring. Up to five members, these are all pairs. */
const NEIGHBOURS = 2;

const JUDGE_PROMPT =
	"You compare two answers to the last user message of a conversation: which one serves the user better? Look at whether it is right, " +
	"complete, to the point, and in the form and language that the user and the system prompt ask for. Length and position count for " +
	`nothing. First give your reason, then the verdict, as a JSON object and nothing else: ${PAIR_VERDICT_FORM}`;

/** The pairs of n answers that are compared, by index. */
export function pairsToCompare(n: number): [number, number][] {
	const pairs = Array.from({ length: n }, (_, a) =>
		Array.from({ length: a }, (_, b): [number, number] => [b, a]),
	).flat();
	return pairs.filter(([a, b]) => Math.min(b - a, n - (b - a)) <= NEIGHBOURS);
}

function judgementQuestion(task: Task, { judge }: Panel, first: string, second: string): JsonQuestion<PairVerdict> {
	const nonce = nonceFor(task, "rank");
	return {
		...toTaskQuestion(task, { stage: "rank", role: "judge", member: judge }),
		messages: judgeMessages(task, {
			nonce,
			instruction: JUDGE_PROMPT,
			material: renderMaterial(nonce, "Answer", [first, second]),
			request: `Which is better? ${PAIR_VERDICT_FORM}`,
		}),
		repairNonce: nonceFor(task, "rank repair"),
		maxTokens: verdictTokens(task, { most: PAIR_VERDICT_TOKENS }),
		temperature: 0,
		json: true,
		mayBeLeft: true,
		schema: pairVerdictSchema,
		jsonSchema: PAIR_VERDICT_SCHEMA,
		asksSilentAgain: true,
		form: PAIR_VERDICT_FORM,
	};
}

function fusionQuestion(task: Task, { judge }: Panel, texts: readonly string[]): Question {
	return mergeQuestion(task, { stage: "fuse", role: "fuser", member: judge }, texts);
}

/** What a verdict gives an answer at a position: 1 won, 0 lost, 0.5 tied. */
function toPoints({ winner }: PairVerdict, position: 1 | 2): number {
	return winner === "tie" ? 0.5 : winner === position ? 1 : 0;
}

/**
 * The score of a pair's first answer by both verdicts: their mean, so that two which contradict each other are a tie. One verdict
 * alone is a tie, too, since it may follow the position. Null if neither can be read.
 */
function pairScore(forward: PairVerdict | null, swapped: PairVerdict | null): number | null {
	if (!forward && !swapped) return null;
	return forward && swapped ? (toPoints(forward, 1) + toPoints(swapped, 2)) / 2 : 0.5;
}

interface RankedAnswer {
	answer: Answer;
	/** The share of its comparisons that it won; a tie counts half. Null if no verdict could be read. */
	winShare: number | null;
}

interface AnswerRanking {
	ranked: RankedAnswer[];
	comparisons: number;
	contradictions: number;
	unreadable: number;
}

function rankAnswers(
	answers: readonly Answer[],
	pairs: readonly [number, number][],
	readings: readonly JsonReply<PairVerdict>[],
): AnswerRanking {
	const points = answers.map((): number[] => []);
	let contradictions = 0;
	for (const [at, [a, b]] of pairs.entries()) {
		const [forward, swapped] = [readings[2 * at]?.value ?? null, readings[2 * at + 1]?.value ?? null];
		const score = pairScore(forward, swapped);
		if (forward && swapped && forward.winner !== "tie" && forward.winner === swapped.winner) contradictions++;
		if (score === null) continue;
		points[a]?.push(score);
		points[b]?.push(1 - score);
	}
	const mean = (own: readonly number[]) =>
		own.length === 0 ? null : own.reduce((sum, point) => sum + point, 0) / own.length;
	const ranked = answers.map((answer, at) => ({ answer, winShare: mean(points[at] ?? []) }));
	return {
		ranked: ranked.toSorted((a, b) => (b.winShare ?? 0.5) - (a.winShare ?? 0.5) || b.answer.quality - a.answer.quality),
		comparisons: pairs.length,
		contradictions,
		unreadable: readings.filter(({ value }) => value === null).length,
	};
}

/** The best answer that was not cut. */
function findWhole(ranked: readonly RankedAnswer[]): Answer | undefined {
	return ranked.find(({ answer }) => !answer.isCut)?.answer;
}

/** How the final answer came about, in words. */
function explainFusion(final: Answer, written: Answer | null): string {
	if (final === written) return "fused";
	return written ? "the best of the ranking: the fused answer contradicted all of them" : "the best of the ranking";
}

export const rankFuse: Strategy<"rank_fuse"> = {
	name: "rank_fuse",
	width: { efficiency: 2, balanced: 3, depth: 4 },
	leastWidth: 2,
	takesK: true,
	judge: "outsider",
	callGraph(task, panel) {
		const slot = answerPlaceholder(task);
		const verdict = judgementQuestion(task, panel, slot, slot);
		const second = longestSecondTry(verdict);
		const judgements = pairsToCompare(panel.members.length).flatMap(() => [verdict, verdict]);
		const fused = panel.members.slice(0, MAX_FUSED).map(() => slot);
		return [
			...proposalQuestions(task, panel),
			...judgements,
			...judgements.map(() => second),
			fusionQuestion(task, panel, fused),
			...compareGraph(task, panel, AGREE_STAGE, panel.members.length + 1, true),
		];
	},
	async run(task, panel, engine) {
		const replies = await engine.ask(proposalQuestions(task, panel));
		const answers = replies.filter(isAnswered);
		if (answers.length === 0) return fail(combineFailures(replies));
		const [first, ...rest] = answers;
		const independent = new Comparison(task);
		if (first && independent.areIdentical(answers)) {
			engine.describe("propose", { proposals: answers.length, failed: replies.length - answers.length });
			return ok(endIdentical(engine, [first, ...rest], independent));
		}
		const texts = answers.map(({ text }) => embedAnswer(task, text));
		const pairs = pairsToCompare(answers.length);
		const readings = await askJson(
			engine,
			pairs.flatMap(([a, b]) => [
				judgementQuestion(task, panel, texts[a] ?? "", texts[b] ?? ""),
				judgementQuestion(task, panel, texts[b] ?? "", texts[a] ?? ""),
			]),
		);
		const { ranked, ...counts } = rankAnswers(answers, pairs, readings);
		const [best] = ranked;
		if (!best) return fail(combineFailures(replies));
		engine.describe("propose", { proposals: answers.length, failed: replies.length - answers.length });
		const rankings = ranked.map(({ answer: { model }, winShare }) => ({
			model,
			win_share: winShare === null ? null : Math.round(winShare * 1e4) / 1e4,
		}));
		engine.describe("rank", { rankings, ...counts });
		const top = ranked.slice(0, MAX_FUSED).map(({ answer }) => answer);
		const [fused] =
			top.length > 1
				? await engine.ask([
						fusionQuestion(
							task,
							panel,
							top.map(({ text }) => embedAnswer(task, text)),
						),
					])
				: [];
		const written = fused?.ok ? fused : null;
		const whole = findWhole(ranked);
		const all = written ? [...answers, written] : answers;
		const findFinal = (known: Comparison) =>
			written && !overturnsPanel(written, answers, known) ? written : (whole ?? best.answer);
		const comparison = await compareAnswers(task, panel, engine, {
			stage: AGREE_STAGE,
			answers: all,
			comparison: new Comparison(task),
			outcome: (known) => (known.isUnanimous(answers) ? CONSENSUS : findFinal(known)),
		});
		const final = findFinal(comparison);
		for (const { answer, winShare } of ranked) {
			const judged = { confidence: winShare ?? 0, confidenceBasis: "judge" as const };
			answer.rate(winShare === null ? supportFor(answer, all, comparison) : judged);
		}
		const support = supportFor(final, all, comparison);
		const rating = best.winShare === null ? support : withVerdict(support, best.winShare, comparison);
		written?.rate(rating);
		engine.describe("fuse", {
			how: explainFusion(final, written),
			from: top.map(({ model }) => model),
		});
		const agreement = comparison.agreement(answers);
		return ok(toPanelResult(final, { rating, agreement, central: whole, answers: all, comparison }));
	},
};
