// Replays recorded answers through the strategies themselves: how often they are right, how sure they are, and how often they call
// the strong model. What is chosen (members, weights) is chosen on the even half of the ids' hashes and reported on the odd one.
// Then runs them over pairs of answers with known verdicts, with doubles of the judge.
import { resolve } from "node:path";
import { cascade, cascadeBar } from "../../src/orchestration/cascade.ts";
import { findFinalAnswer } from "../../src/orchestration/final-answer.ts";
import { selfConsistency } from "../../src/orchestration/self-consistency.ts";
import { single } from "../../src/orchestration/single.ts";
import type { ConfidenceBar, Strategy } from "../../src/orchestration/strategy.ts";
import { measureCalibration, type RatedOutcome, reportCalibration, showCalibration } from "./calibration.ts";
import { reportPairs } from "./consensus.ts";
import { reportDefaultCost } from "./default-cost.ts";
import {
	DATA,
	measureAccuracy,
	type Problem,
	type RecordedSet,
	readAnsweredSources,
	readPairSources,
	recordedEngine,
	toEvalTask,
	toSet,
	toSystemPanel,
} from "./recorded-answers.ts";
import { reportChoices } from "./strategy-choice.ts";

/** Wilson's 95 % interval of a share. */
function interval(part: number, whole: number): [number, number] {
	const [z2, share] = [1.959964 ** 2, part / whole];
	const centre = (share + z2 / (2 * whole)) / (1 + z2 / whole);
	const half = (1.959964 * Math.sqrt((share * (1 - share)) / whole + z2 / (4 * whole * whole))) / (1 + z2 / whole);
	return [centre - half, centre + half];
}

interface Measured {
	outcomes: RatedOutcome[];
	strong: number;
	calls: number;
}

async function measure(
	{ kind, strong, expected }: RecordedSet,
	problems: readonly Problem[],
	strategy: Strategy,
	systems: readonly string[],
	barFor: ((topQuality: number) => ConfidenceBar) | undefined,
): Promise<Measured> {
	const sum: Measured = { outcomes: [], strong: 0, calls: 0 };
	const members = toSystemPanel(systems);
	for (const problem of problems) {
		const asked = new Set<string>();
		const expectations = expected(problem);
		const panel = barFor ? { ...members, bar: barFor(expectations.get(strong) ?? 0) } : members;
		const result = await strategy.run(
			toEvalTask(problem.prompt, kind),
			panel,
			recordedEngine(problem, expectations, asked),
		);
		if (!result.ok) throw new Error(result.failure.reason);
		const { model, confidence } = result.value;
		sum.outcomes.push({ confidence, correct: problem.said.get(model)?.correct ?? false });
		if (asked.has(strong)) sum.strong++;
		sum.calls += asked.size;
	}
	return sum;
}

const three = (share: number) => share.toFixed(3);

function line(name: string, { outcomes, strong, calls }: Measured, strongAlone: number): string {
	const n = outcomes.length;
	const correct = outcomes.filter((outcome) => outcome.correct).length;
	const [low, high] = interval(correct, n);
	const verdict = strongAlone < low ? "above" : strongAlone > high ? "below" : "equal";
	return [
		name.padEnd(52),
		three(correct / n).padEnd(8),
		`${three(low)}–${three(high)}`.padEnd(14),
		verdict.padEnd(8),
		`${((100 * strong) / n).toFixed(1)} %`.padEnd(9),
		(calls / n).toFixed(2).padEnd(7),
		showCalibration(measureCalibration(outcomes)),
	].join(" ");
}

/** The best systems of different houses, by the half that is for choosing. */
function bestSystems({ strong, findHouse, quality }: RecordedSet, count: number): string[] {
	const houses = new Set<string>([findHouse(strong)]);
	const ranked = [...quality].filter(([system]) => system !== strong).sort((a, b) => b[1] - a[1]);
	const chosen: string[] = [];
	for (const [system] of ranked) {
		if (houses.has(findHouse(system)) || chosen.length === count) continue;
		houses.add(findHouse(system));
		chosen.push(system);
	}
	return chosen;
}

/** How much more of the problems a strategy has right than the strong model alone, with a 95 % interval of the paired difference. */
function showGain({ strong }: RecordedSet, problems: readonly Problem[], { outcomes }: Measured): string {
	const gains = problems.map(
		({ said }, at) => Number(outcomes[at]?.correct === true) - Number(said.get(strong)?.correct === true),
	);
	const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
	const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (gains.length - 1);
	const half = 1.959964 * Math.sqrt(variance / gains.length);
	return `${mean.toFixed(3)} (${(mean - half).toFixed(3)} to ${(mean + half).toFixed(3)})`;
}

async function report(set: RecordedSet): Promise<void> {
	const { name: title, kind, strong, even, odd } = set;
	const cheap = bestSystems(set, 3);
	const [best = "", second = ""] = cheap;
	const read = [...even, ...odd].flatMap(({ said }) => [...said.values()]).filter(({ answer }) => answer !== null);
	const same = read.filter(({ text, answer }) => findFinalAnswer(text, kind) === findFinalAnswer(answer ?? "", kind));
	console.log(
		`\n${title}: ${odd.length} problems of the odd half (members chosen on the ${even.length} of the even half)`,
	);
	console.log(`final answers read as recorded: ${((100 * same.length) / read.length).toFixed(1)} % of ${read.length}`);
	console.log(`${"".padEnd(52)} accuracy 95 %           vs strong strong    calls   confidence`);
	const ladder = [...cheap.toReversed(), strong];
	const untilTwo = (topQuality: number) => cascadeBar(topQuality, false);
	const untilOne = (topQuality: number) => cascadeBar(topQuality, true);
	const runs: [string, Strategy, string[], typeof untilOne?][] = [
		[`single: ${strong}`, single, [strong]],
		[`single: ${best}`, single, [best]],
		["vote of the three cheap", selfConsistency, cheap],
		["vote of the three cheap and the strong", selfConsistency, [...cheap, strong]],
		["cascade: two cheap agree, else the strong", cascade, [second, best, strong], untilTwo],
		["cascade: two of three cheap agree, without a bar", cascade, ladder],
		["cascade: two of three cheap agree and clear the bar", cascade, ladder, untilTwo],
		["cascade: one model a step until the bar is cleared", cascade, ladder, untilOne],
	];
	const show = async (problems: readonly Problem[], [name, strategy, members, barFor]: (typeof runs)[number]) =>
		console.log(line(name, await measure(set, problems, strategy, members, barFor), measureAccuracy(problems, strong)));
	for (const run of runs) await show(odd, run);
	console.log(`cheap: ${cheap.join(", ")}`);
	console.log("on the even half, by which the planner's cascades were chosen:");
	const cascades = runs.filter(([, strategy]) => strategy === cascade);
	for (const run of cascades) await show(even, run);
	console.log("more right than the strong model alone, odd half, even half, both:");
	for (const [name, strategy, members, barFor] of cascades) {
		const gains: string[] = [];
		for (const problems of [odd, even, [...odd, ...even]])
			gains.push(showGain(set, problems, await measure(set, problems, strategy, members, barFor)));
		console.log(`${name.padEnd(52)} ${gains.join("  ")}`);
	}
}

async function main(): Promise<void> {
	reportChoices(
		["natural.public", "intent-public-other-sources", "intent-dev-same-sources"].map((name) =>
			resolve(DATA, `routing/${name}.jsonl`),
		),
	);
	reportDefaultCost();
	const answered = readAnsweredSources();
	for (const source of answered) await report(toSet(source));
	await reportCalibration([...answered, ...readPairSources(answered)]);
	await reportPairs();
}

await main();
