// Replays recorded answers through the strategies themselves: how often they are right, and how often they call the strong model.
// What is chosen (members) is chosen on the even half of the ids' hashes and reported on the odd one. Then runs them over pairs of
// answers with known verdicts, with doubles of the judge.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { cascade } from "../../src/orchestration/cascade.ts";
import { debate } from "../../src/orchestration/debate.ts";
import { type AnswerKind, findFinalAnswer } from "../../src/orchestration/final-answer.ts";
import { toTask } from "../../src/orchestration/request.ts";
import { selfConsistency } from "../../src/orchestration/self-consistency.ts";
import { single } from "../../src/orchestration/single.ts";
import {
	type Engine,
	type Member,
	type Panel,
	type Strategy,
	type StrategyResult,
	type Task,
	userMessage,
} from "../../src/orchestration/strategy.ts";
import { hashText } from "../../src/proof/hash.ts";
import { type AnswerPair, JUDGES, type JudgeDouble, judgeReply, readPairs } from "../support/agreement-pairs.ts";
import { FAILED, type FakeEngine, fakeEngine, toPanel } from "../support/fake-engine.ts";
import { NONCE } from "../support/nonce.ts";
import { reportChoices } from "./strategy-choice.ts";

const DATA = process.env["ORCHESTRATION_DATA"] ?? resolve(import.meta.dirname, "../../../shared/data");
const GSM8K = resolve(DATA, "recorded/gsm8k-solutions.public.jsonl");
const MMLU_PRO = resolve(DATA, "routing/mmlu_pro_matrix.public.jsonl");
const MMLU_PRO_MODELS = resolve(DATA, "routing/mmlu_pro_models.json");

/** One recorded problem: what each system said, and whether it was right. */
interface Problem {
	id: string;
	prompt: string;
	said: Map<string, { text: string; correct: boolean; answer: string | null }>;
}

interface DataSet {
	name: string;
	kind: AnswerKind;
	strong: string;
	/** Systems of one house err alike: at most one of each takes part. */
	houseOf(system: string): string;
	problems: Problem[];
}

function rowsOf<T>(file: string, schema: z.ZodType<T>): T[] {
	const lines = readFileSync(file, "utf8").split("\n");
	return lines.filter((line) => line.trim() !== "").map((line) => schema.parse(JSON.parse(line)));
}

const gsm8kRow = z.object({
	prompt: z.string(),
	solutions: z.record(
		z.string(),
		z.array(z.object({ text: z.string(), answer: z.number().nullable(), correct: z.boolean() })).min(1),
	),
});

function gsm8k(): DataSet {
	const problems = rowsOf(GSM8K, gsm8kRow).map(({ prompt, solutions }) => {
		const said = Object.entries(solutions).flatMap(([system, [first]]) =>
			first
				? [
						[
							system,
							{ text: first.text, correct: first.correct, answer: first.answer === null ? null : String(first.answer) },
						] as const,
					]
				: [],
		);
		return { id: prompt, prompt, said: new Map(said) };
	});
	const houseOf = (system: string) => /^[a-z]+/i.exec(system)?.[0].toLowerCase() ?? system;
	return { name: "GSM8K", kind: "number", strong: "gpt-4-1106-preview", houseOf, problems };
}

const mmluRow = z.object({ id: z.number(), prompt: z.string(), answer: z.string(), preds: z.string() });
const mmluModels = z.object({ models: z.array(z.string()) });

function mmluPro(): DataSet {
	const { models } = mmluModels.parse(JSON.parse(readFileSync(MMLU_PRO_MODELS, "utf8")));
	const problems = rowsOf(MMLU_PRO, mmluRow).map(({ id, prompt, answer, preds }) => {
		const said = models.map((system, at) => {
			const letter = preds[at] ?? "";
			const known = /^[A-J]$/.test(letter);
			const text = known ? `Final answer: ${letter}` : "I do not know which of them holds.";
			return [system, { text, correct: letter === answer, answer: known ? letter : null }] as const;
		});
		return { id: String(id), prompt, said: new Map(said) };
	});
	return { name: "MMLU-Pro", kind: "choice", strong: "gemini-1.5-pro-002", houseOf: (system) => system, problems };
}

function isEven({ id }: Problem): boolean {
	return Number.parseInt(hashText(id).slice(-1), 16) % 2 === 0;
}

function accuracyOf(problems: readonly Problem[], system: string): number {
	return problems.filter(({ said }) => said.get(system)?.correct).length / problems.length;
}

/** Wilson's 95 % interval of a share. */
function interval(part: number, whole: number): [number, number] {
	const [z2, share] = [1.959964 ** 2, part / whole];
	const centre = (share + z2 / (2 * whole)) / (1 + z2 / whole);
	const half = (1.959964 * Math.sqrt((share * (1 - share)) / whole + z2 / (4 * whole * whole))) / (1 + z2 / whole);
	return [centre - half, centre + half];
}

/** Answers as recorded, and notes who was asked. There is no recorded judge: what values do not decide is unknown. */
function recordedEngine({ said }: Problem, quality: ReadonlyMap<string, number>, asked: Set<string>): Engine {
	return {
		async ask(questions) {
			return questions.map(({ member: [system], stage }) => {
				if (stage.startsWith("agree")) return { ok: false, failure: FAILED, unaffordable: true };
				asked.add(system);
				const text = said.get(system)?.text ?? "";
				return {
					ok: true,
					text,
					model: system,
					quality: quality.get(system) ?? 0.5,
					isCut: false,
					rate: () => undefined,
				};
			});
		},
		describe: () => undefined,
		route: (_, [first]) => first,
	};
}

interface Measured {
	correct: number;
	strong: number;
	calls: number;
	confidence: number;
	n: number;
}

async function measure(
	set: DataSet,
	problems: readonly Problem[],
	quality: ReadonlyMap<string, number>,
	strategy: Strategy,
	systems: readonly string[],
): Promise<Measured> {
	const sum: Measured = { correct: 0, strong: 0, calls: 0, confidence: 0, n: problems.length };
	const [first, ...rest] = systems.map((system): Member => [system]);
	if (!first) throw new Error("nobody takes part");
	const cast: Panel = { members: [first, ...rest], judge: first, rounds: 1 };
	for (const problem of problems) {
		const asked = new Set<string>();
		const task: Task = {
			messages: [userMessage(problem.prompt)],
			prompt: problem.prompt,
			kind: set.kind,
			maxTokens: 1_024,
			temperature: undefined,
			nonce: NONCE,
		};
		const result = await strategy.run(task, cast, recordedEngine(problem, quality, asked));
		if (!result.ok) throw new Error(`${set.name}: ${result.failure.reason}`);
		const conclusion: StrategyResult = result.value;
		if (problem.said.get(conclusion.model)?.correct) sum.correct++;
		if (asked.has(set.strong)) sum.strong++;
		sum.calls += asked.size;
		sum.confidence += conclusion.confidence;
	}
	return sum;
}

const three = (share: number) => share.toFixed(3);

function line(name: string, { correct, strong, calls, confidence, n }: Measured, strongAlone: number): string {
	const [low, high] = interval(correct, n);
	const verdict = strongAlone < low ? "above" : strongAlone > high ? "below" : "equal";
	return [
		name.padEnd(52),
		three(correct / n).padEnd(8),
		`${three(low)}–${three(high)}`.padEnd(14),
		verdict.padEnd(8),
		`${((100 * strong) / n).toFixed(1)} %`.padEnd(9),
		(calls / n).toFixed(2).padEnd(7),
		three(confidence / n),
	].join(" ");
}

/** The best systems of different houses, by the half that is for choosing. */
function bestOf(set: DataSet, quality: ReadonlyMap<string, number>, count: number): string[] {
	const houses = new Set<string>([set.houseOf(set.strong)]);
	const ranked = [...quality].filter(([system]) => system !== set.strong).sort((a, b) => b[1] - a[1]);
	const chosen: string[] = [];
	for (const [system] of ranked) {
		if (houses.has(set.houseOf(system)) || chosen.length === count) continue;
		houses.add(set.houseOf(system));
		chosen.push(system);
	}
	return chosen;
}

async function report(set: DataSet): Promise<void> {
	const even = set.problems.filter(isEven);
	const odd = set.problems.filter((problem) => !isEven(problem));
	const systems = [...(set.problems[0]?.said.keys() ?? [])];
	const quality = new Map(systems.map((system) => [system, accuracyOf(even, system)]));
	const three = bestOf(set, quality, 3);
	const [best = "", second = ""] = three;
	const strongAlone = accuracyOf(odd, set.strong);
	const read = set.problems.flatMap(({ said }) => [...said.values()]).filter(({ answer }) => answer !== null);
	const same = read.filter(
		({ text, answer }) => findFinalAnswer(text, set.kind) === findFinalAnswer(answer ?? "", set.kind),
	).length;
	console.log(
		`\n${set.name}: ${odd.length} problems of the odd half (members chosen on the ${even.length} of the even half)`,
	);
	console.log(`final answers read as recorded: ${((100 * same) / read.length).toFixed(1)} % of ${read.length}`);
	console.log(`${"".padEnd(52)} accuracy 95 %           vs strong strong    calls   mean confidence`);
	const runs: [string, Strategy, string[]][] = [
		[`single: ${set.strong}`, single, [set.strong]],
		[`single: ${best}`, single, [best]],
		["vote of the three cheap", selfConsistency, three],
		["vote of the three cheap and the strong", selfConsistency, [...three, set.strong]],
		["cascade: two cheap agree, else the strong", cascade, [best, second, set.strong]],
		["cascade: two of three cheap agree, else the strong", cascade, [...three, set.strong]],
	];
	for (const [name, strategy, members] of runs)
		console.log(line(name, await measure(set, odd, quality, strategy, members), strongAlone));
	console.log(`cheap: ${three.join(", ")}`);
	console.log("on the even half, by which the planner's cascades were chosen:");
	for (const [name, strategy, members] of runs.filter(([, strategy]) => strategy === cascade))
		console.log(line(name, await measure(set, even, quality, strategy, members), accuracyOf(even, set.strong)));
}

/** Two members that answer as a pair does, and a strong one that says something else. */
function pairEngine(pair: AnswerPair, judge: JudgeDouble, seed: number): FakeEngine {
	const texts: Record<string, string> = { a: pair.a, b: pair.b };
	return fakeEngine((question) => {
		if (question.stage.startsWith("agree")) return judgeReply(judge, question, pair, seed);
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
	const mean: PairCount = { same: 0, compatible: 0, contradicting: 0, calls: 0 };
	for (let seed = 0; seed < runs; seed++) {
		for (const pair of pairs) {
			const engine = pairEngine(pair, judge, seed);
			const messages = [userMessage(pair.prompt)];
			const { kind } = toTask({ messages: [{ role: "user", content: pair.prompt }] }, NONCE).task;
			const task: Task = {
				messages,
				prompt: pair.prompt,
				kind,
				maxTokens: 1_024,
				temperature: undefined,
				nonce: NONCE,
			};
			const result = await strategy.run(task, toPanel(members, 1), engine);
			if (!result.ok) throw new Error(result.failure.reason);
			const isConsensus = strategy === cascade ? !result.value.escalated : result.value.agreement === 1;
			if (isConsensus) mean[pair.verdict] += 1 / runs;
			mean.calls += engine.batches.flat().filter(({ stage }) => stage.startsWith("agree")).length / runs;
		}
	}
	return mean;
}

/** How many contradictions of the set of pairs are delivered as consensus, by judge, and how many calls the comparison takes. */
async function reportPairs(): Promise<void> {
	const pairs = readPairs();
	const share = (verdict: string) => `${pairs.filter((pair) => pair.verdict === verdict).length} ${verdict}`;
	console.log(`\n${pairs.length} pairs of answers: ${["same", "compatible", "contradicting"].map(share).join(", ")}`);
	console.log(`${"delivered as consensus".padEnd(30)} contradicting  compatible  same   judge's calls per pair`);
	const strategies: [string, Strategy, readonly [string, ...string[]]][] = [
		["cascade", cascade, ["a", "b", "strong"]],
		["vote", selfConsistency, ["a", "b"]],
		["debate of one round", debate, ["a", "b"]],
	];
	for (const [name, strategy, members] of strategies) {
		for (const judge of JUDGES) {
			const { contradicting, compatible, same, calls } = await countConsensus(strategy, members, judge, pairs);
			const shown = [
				contradicting.toFixed(1).padStart(14),
				compatible.toFixed(1).padStart(12),
				same.toFixed(1).padStart(6),
			];
			console.log(`${name.padEnd(20)} ${judge.padEnd(9)}${shown.join("")}   ${(calls / pairs.length).toFixed(2)}`);
		}
	}
}

async function main(): Promise<void> {
	reportChoices(
		["natural.public", "intent-public-other-sources", "intent-dev-same-sources"].map((name) =>
			resolve(DATA, `routing/${name}.jsonl`),
		),
	);
	for (const [file, set] of [
		[GSM8K, gsm8k],
		[MMLU_PRO, mmluPro],
	] as const) {
		if (!existsSync(file)) {
			console.log(`eval:orchestration: no ${file}; nothing measured.`);
			continue;
		}
		await report(set());
	}
	await reportPairs();
}

await main();
