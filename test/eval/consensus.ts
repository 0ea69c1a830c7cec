// Runs strategies over pairs of answers with known verdicts, with doubles of the judge: what is delivered as consensus.
import { cascade } from "../../src/orchestration/cascade.ts";
import { debate } from "../../src/orchestration/debate.ts";
import { ensembleMoa } from "../../src/orchestration/ensemble-moa.ts";
import { rankFuse } from "../../src/orchestration/rank-fuse.ts";
import { toTask } from "../../src/orchestration/request.ts";
import { selfConsistency } from "../../src/orchestration/self-consistency.ts";
import type { Strategy } from "../../src/orchestration/strategy.ts";
import { type AnswerPair, JUDGES, type JudgeDouble, judgeReply, readPairs } from "../support/agreement-pairs.ts";
import { type FakeEngine, fakeEngine, toPanel } from "../support/fake-engine.ts";
import { NONCE } from "../support/nonce.ts";
import { toEvalTask } from "./recorded-answers.ts";

/** Two members that answer as a pair does, and a third that says something else, as does the model that merges. */
function pairEngine(pair: AnswerPair, judge: JudgeDouble, seed: number): FakeEngine {
	const texts: Record<string, string> = { a: pair.a, b: pair.b };
	return fakeEngine((question) => {
		if (question.stage.startsWith("agree")) return judgeReply(judge, question, pair, seed);
		if (question.stage === "rank") return '{"reason": "both are good", "winner": "tie"}';
		return texts[question.member[0]] ?? "The strong model says something of its own about this, which is like neither.";
	});
}

/** Runs of a judge that errs. */
const RUNS = 50;

interface PairCount {
	/** Pairs delivered as consensus, by their verdict, and the judge's calls; each a mean of all runs. */
	same: number;
	compatible: number;
	contradicting: number;
	/** Contradictions between programs, which are among the above. */
	contradictingCode: number;
	calls: number;
}

/** How often a strategy delivers pairs as consensus with a judge. */
async function countConsensus(
	strategy: Strategy,
	members: readonly [string, ...string[]],
	judge: JudgeDouble,
	pairs: readonly AnswerPair[],
): Promise<PairCount> {
	const runs = judge === "wrong" ? RUNS : 1;
	const mean: PairCount = { same: 0, compatible: 0, contradicting: 0, contradictingCode: 0, calls: 0 };
	for (let seed = 0; seed < runs; seed++) {
		for (const pair of pairs) {
			const engine = pairEngine(pair, judge, seed);
			const { kind } = toTask({ messages: [{ role: "user", content: pair.prompt }] }, NONCE).task;
			const result = await strategy.run(toEvalTask(pair.prompt, kind), toPanel(members, 1), engine);
			if (!result.ok) throw new Error(result.failure.reason);
			const isConsensus = strategy === cascade ? !result.value.escalated : result.value.agreement === 1;
			if (isConsensus) mean[pair.verdict] += 1 / runs;
			if (isConsensus && pair.topic === "code" && pair.verdict === "contradicting") mean.contradictingCode += 1 / runs;
			mean.calls += engine.batches.flat().filter(({ stage }) => stage.startsWith("agree")).length / runs;
		}
	}
	return mean;
}

const STRATEGIES: readonly [string, Strategy, readonly [string, ...string[]]][] = [
	["cascade", cascade, ["a", "b", "strong"]],
	["self_consistency", selfConsistency, ["a", "b"]],
	["debate, one round", debate, ["a", "b"]],
	["ensemble_moa", ensembleMoa, ["a", "b"]],
	["rank_fuse", rankFuse, ["a", "b"]],
];

/** How many contradictions of the set of pairs are delivered as consensus, by judge, and how many calls the comparison takes. */
export async function reportPairs(): Promise<void> {
	const pairs = readPairs();
	const count = (verdict: string) => pairs.filter((pair) => pair.verdict === verdict).length;
	const sizes = ["same", "compatible", "contradicting"].map((verdict) => `${count(verdict)} ${verdict}`);
	const code = pairs.filter(({ topic }) => topic === "code").length;
	console.log(`\n${pairs.length} pairs of answers: ${sizes.join(", ")}; ${code} of code`);
	console.log(
		`${"delivered as consensus".padEnd(27)} contradicting (code)  compatible  same  false alarms   judge's calls per pair`,
	);
	for (const [name, strategy, members] of STRATEGIES) {
		for (const judge of JUDGES) {
			const { contradicting, contradictingCode, compatible, same, calls } = await countConsensus(
				strategy,
				members,
				judge,
				pairs,
			);
			const row = [contradicting, contradictingCode, compatible, same, count("same") - same].map((pairsFound) =>
				pairsFound.toFixed(1),
			);
			const [all = "", ofCode = "", ...rest] = row;
			const [second = "", third = "", fourth = ""] = rest;
			const first = `${all} (${ofCode})`;
			const cells = `${first.padStart(21)}${second.padStart(12)}${third.padStart(6)}${fourth.padStart(14)}`;
			console.log(`${name.padEnd(18)} ${judge.padEnd(8)}${cells}   ${(calls / pairs.length).toFixed(2)}`);
		}
	}
}
