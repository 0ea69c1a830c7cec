// Fits the two weights of the confidence to recorded votes on half of each set, and measures on the other half how far off it is.
//
// The models of the sets are not in the catalog. So each gets the figure at which the router expects as many right answers as it gave on
// the even half, and its expected quality on a problem is what the router makes of that figure and of the problem's expected difficulty,
// by a fit that did not see the problem. A second run gives models the figures that the curve of quality was fitted with, from the harder
// half of MMLU-Pro, as a catalog has figures of another test.
import { Comparison } from "../../src/orchestration/agreement.ts";
import { SUPPORTED_MOST, voteWeight } from "../../src/orchestration/confidence.ts";
import { selfConsistency } from "../../src/orchestration/self-consistency.ts";
import { single } from "../../src/orchestration/single.ts";
import type { Strategy } from "../../src/orchestration/strategy.ts";
import { fromLogit, toLogit } from "../../src/routing/quality.ts";
import {
	type Problem,
	type RecordedSet,
	type RecordedSource,
	readHardFigures,
	recordedEngine,
	toEvalTask,
	toSet,
	toSystemPanel,
} from "./recorded-answers.ts";
import { ROUTELLM_FIGURES } from "./recorded-models.ts";
import { seededRandom } from "./trade-off.ts";

/** A confidence in an answer, and whether that was right. */
export interface RatedOutcome {
	confidence: number;
	correct: boolean;
}

/** How far confidences are off. */
export interface CalibrationError {
	/** Expected calibration error: the mean distance between confidence and share of right answers, in ten bins. */
	ece: number;
	/** The mean confidence less the share of right answers. */
	gap: number;
}

const BINS = 10;

/** Measures confidences against what was right. */
export function measureCalibration(outcomes: readonly RatedOutcome[]): CalibrationError {
	const bins = Array.from({ length: BINS }, () => 0);
	let surplus = 0;
	for (const { confidence, correct } of outcomes) {
		const off = confidence - (correct ? 1 : 0);
		const bin = Math.min(BINS - 1, Math.floor(confidence * BINS));
		bins[bin] = (bins[bin] ?? 0) + off;
		surplus += off;
	}
	const distance = bins.reduce((sum, off) => sum + Math.abs(off), 0);
	return { ece: distance / outcomes.length, gap: surplus / outcomes.length };
}

/** As a line shows it. */
export function showCalibration({ ece, gap }: CalibrationError): string {
	return `ECE ${ece.toFixed(3)}  gap ${gap < 0 ? "−" : "+"}${Math.abs(gap).toFixed(3)}`;
}

const DRAWS = 100;

/** The error that confidences have by chance alone: its mean where each answer is right with just that probability. */
export function chanceError(outcomes: readonly RatedOutcome[]): number {
	const random = seededRandom(27);
	const drawn = Array.from({ length: DRAWS }, () =>
		measureCalibration(outcomes.map(({ confidence }) => ({ confidence, correct: random() < confidence }))),
	);
	return drawn.reduce((sum, { ece }) => sum + ece, 0) / DRAWS;
}

/** A delivered answer: the quality of its model, the summed qualities of those that say the same and of the others, the share behind it. */
interface Vote extends RatedOutcome {
	quality: number;
	support: number;
	dissent: number;
	share: number;
	/** How many say the same, and how many do not. */
	counts: string;
}

type Weights = readonly [support: number, dissent: number];

/** The weights before they were fitted with what the router expects, when nothing limited a divided vote. */
const WEIGHTS_BEFORE: Weights = [1.25, 1.05];

const PANELS = 24;
const PANEL_SIZES = [2, 3, 4, 5];

/** Panels of systems of different houses, drawn at random from all, the same in every run; of two systems the one pair. */
function drawPanels({ quality, findHouse }: RecordedSet): string[][] {
	const systems = [...quality.keys()];
	if (systems.length === 2) return [systems];
	const random = seededRandom(25);
	return Array.from({ length: PANELS }, (_, at) => {
		const drawn = systems.map((system) => ({ system, place: random() })).sort((a, b) => a.place - b.place);
		const byHouse = new Map(drawn.map(({ system }) => [findHouse(system), system]));
		return [...byHouse.values()].slice(0, PANEL_SIZES[at % PANEL_SIZES.length]);
	});
}

/** What a panel delivers on a problem by a strategy itself, and how it came about. */
async function takeVote(
	set: RecordedSet,
	problem: Problem,
	panel: readonly string[],
	strategy: Strategy,
): Promise<Vote> {
	const expectations = set.expected(problem);
	const task = toEvalTask(problem.prompt, set.kind);
	const result = await strategy.run(task, toSystemPanel(panel), recordedEngine(problem, expectations));
	if (!result.ok) throw new Error(result.failure.reason);
	const { model, confidence } = result.value;
	const comparison = new Comparison(task);
	const answers = panel.map((system) => ({
		system,
		text: problem.said.get(system)?.text ?? "",
		isCut: false,
		quality: expectations.get(system) ?? 0.5,
	}));
	const delivered = answers.find(({ system }) => system === model);
	if (!delivered) throw new Error(`${model} is in no panel`);
	const others = answers.filter((answer) => answer !== delivered);
	const [same, different] = [true, false].map((isSame) =>
		others.filter((other) => comparison.agrees(delivered, other) === isSame),
	) as [typeof others, typeof others];
	const sum = (voters: typeof others) => voters.reduce((all, { quality }) => all + quality, 0);
	const weigh = (voters: typeof others) => voters.reduce((all, { quality }) => all + voteWeight(quality), 0);
	return {
		confidence,
		correct: problem.said.get(model)?.correct ?? false,
		quality: delivered.quality,
		support: sum(same),
		dissent: sum(different),
		share: weigh([delivered, ...same]) / weigh(answers),
		counts: `${same.length + 1}:${different.length}`,
	};
}

function takeVotes(set: RecordedSet, problems: readonly Problem[], panels = drawPanels(set)): Promise<Vote[]> {
	return Promise.all(
		problems.flatMap((problem) => panels.map((panel) => takeVote(set, problem, panel, selfConsistency))),
	);
}

/** Every system's answer alone. */
function takeLoneAnswers(set: RecordedSet, problems: readonly Problem[]): Promise<Vote[]> {
	const systems = [...set.quality.keys()];
	return Promise.all(problems.flatMap((problem) => systems.map((system) => takeVote(set, problem, [system], single))));
}

function sumLogits({ quality, support, dissent }: Vote, [forSupport, forDissent]: Weights): number {
	return fromLogit(toLogit(quality) + forSupport * support - forDissent * dissent);
}

/** The confidence under weights, with nothing else but the limit of supporters. */
function unlimited(vote: Vote, weights: Weights): number {
	return Math.min(sumLogits(vote, weights), Math.max(vote.quality, SUPPORTED_MOST));
}

/** The confidence under weights, as the service limits it. */
function limited(vote: Vote, weights: Weights): number {
	return Math.min(unlimited(vote, weights), vote.share);
}

const GRID = Array.from({ length: 41 }, (_, step) => step * 0.05);
const LEAST_LIKELY = 1e-6;

function logLoss(votes: readonly Vote[], weights: Weights): number {
	const sum = votes.reduce((total, vote) => {
		const confidence = limited(vote, weights);
		return total - Math.log(Math.max(LEAST_LIKELY, vote.correct ? confidence : 1 - confidence));
	}, 0);
	return sum / votes.length;
}

/** The weights of a grid under which the votes are likeliest. Every set counts the same, however long it is. */
function fitWeights(sets: readonly (readonly Vote[])[]): Weights {
	const loss = (weights: Weights) => sets.reduce((sum, votes) => sum + logLoss(votes, weights), 0);
	let best: Weights = [1, 1];
	// The loss has one valley, so that one weight after the other finds its ground.
	for (let round = 0; round < 4; round++) {
		const [, dissent] = best;
		best = GRID.map((support): Weights => [support, dissent]).reduce((a, b) => (loss(b) < loss(a) ? b : a));
		const [support] = best;
		best = GRID.map((weight): Weights => [support, weight]).reduce((a, b) => (loss(b) < loss(a) ? b : a));
	}
	return best;
}

function shareRight(votes: readonly RatedOutcome[]): number {
	return votes.filter(({ correct }) => correct).length / votes.length;
}

function showWith(votes: readonly Vote[], rate: (vote: Vote) => number): string {
	return showCalibration(measureCalibration(votes.map((vote) => ({ confidence: rate(vote), correct: vote.correct }))));
}

/** Votes where all models weigh the same, and a tie goes to the first in the panel, the best first. */
function countVotes(set: RecordedSet, problems: readonly Problem[]): Promise<Vote[]> {
	const equal = new Map([...set.quality.keys()].map((system) => [system, 0.7]));
	const share = (system: string) => set.quality.get(system) ?? 0;
	const panels = drawPanels(set).map((panel) => panel.toSorted((a, b) => share(b) - share(a)));
	return takeVotes({ ...set, expected: () => equal }, problems, panels);
}

interface TakenSet {
	source: RecordedSource;
	set: RecordedSet;
	even: Vote[];
	odd: Vote[];
}

const SPLITS = 6;

/** Divisions of the problems that nothing was chosen by: the error of a small set depends on which half its figures come from. */
async function reportSplits({ source }: TakenSet): Promise<void> {
	const errors: number[] = [];
	for (let split = 1; split <= SPLITS; split++) {
		const set = toSet(source, split);
		errors.push(measureCalibration(await takeVotes(set, set.odd)).ece);
	}
	const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
	console.log(
		`${source.name.padEnd(15)} ECE mean ${mean.toFixed(3)}, least ${Math.min(...errors).toFixed(3)}, most ${Math.max(...errors).toFixed(3)}`,
	);
}

/** The error where figures come from the harder half of MMLU-Pro, for sets whose models have one. */
async function reportTransfer({ source, set }: TakenSet): Promise<void> {
	if (source.name === "GSM8K") return;
	const figures = source.name === "MMLU-Pro" ? readHardFigures(set.even) : new Map(Object.entries(ROUTELLM_FIGURES));
	const transferred = toSet(source, 0, figures);
	const votes = await takeVotes(transferred, transferred.odd);
	const alone = await takeLoneAnswers(transferred, transferred.odd);
	const before = showWith(votes, (vote) => unlimited(vote, WEIGHTS_BEFORE));
	console.log(
		`${source.name.padEnd(15)} votes before ${before}  now ${showCalibration(measureCalibration(votes))}  alone ${showCalibration(measureCalibration(alone))}`,
	);
}

const SHOWN_COUNTS = ["2:0", "1:1", "3:0", "2:1", "1:2", "5:0", "4:1", "3:2", "2:3"];
const LEAST_SHOWN = 50;

function reportCounts(name: string, votes: readonly Vote[]): void {
	for (const counts of SHOWN_COUNTS) {
		const such = votes.filter((vote) => vote.counts === counts);
		if (such.length < LEAST_SHOWN) continue;
		const confidence = such.reduce((sum, vote) => sum + vote.confidence, 0) / such.length;
		console.log(
			`${name.padEnd(15)} ${counts}  ${String(such.length).padEnd(6)} right ${shareRight(such).toFixed(3)}  confidence ${confidence.toFixed(3)}`,
		);
	}
}

/** Fits the weights on the even halves of all sets, and shows the error of the service's confidence on the odd ones. */
export async function reportCalibration(sources: readonly RecordedSource[]): Promise<void> {
	const taken: TakenSet[] = [];
	for (const source of sources) {
		const set = toSet(source);
		taken.push({ source, set, even: await takeVotes(set, set.even), odd: await takeVotes(set, set.odd) });
	}
	if (taken.length === 0) return;
	const weights = fitWeights(taken.map(({ even }) => even));
	const shown = (fitted: Weights) => fitted.map((weight) => weight.toFixed(2)).join(" and ");
	console.log(
		`\nConfidence in votes of ${PANELS} random panels, with what the router expects of each model on each problem`,
	);
	console.log(`weights of a supporter and of a dissenter, fitted on the even halves: ${shown(weights)}`);
	for (const { source, set, even, odd } of taken) {
		const alone = await takeLoneAnswers(set, set.odd);
		const plain = shareRight(await countVotes(set, set.odd));
		console.log(
			[
				source.name.padEnd(15),
				`${odd.length} votes, right ${shareRight(odd).toFixed(3)} (counted ${plain.toFixed(3)})`,
				`before ${showWith(odd, (vote) => unlimited(vote, WEIGHTS_BEFORE))}`,
				`now ${showCalibration(measureCalibration(odd))} (by chance ${chanceError(odd).toFixed(3)})`,
				`even half ${showCalibration(measureCalibration(even))}`,
				`alone ${showCalibration(measureCalibration(alone))}`,
			].join("  "),
		);
	}
	console.log("fitted without the set that they are tried on:");
	for (const { source, odd } of taken) {
		const without = fitWeights(taken.filter((other) => other.source !== source).map(({ even }) => even));
		console.log(`${source.name.padEnd(15)} ${shown(without)}  ${showWith(odd, (vote) => limited(vote, without))}`);
	}
	console.log(`right where the sum is above ${SUPPORTED_MOST}:`);
	for (const { source, even, odd } of taken) {
		const surest = (votes: readonly Vote[]) => {
			const such = votes.filter((vote) => sumLogits(vote, weights) > Math.max(vote.quality, SUPPORTED_MOST));
			return such.length === 0 ? "none" : `${shareRight(such).toFixed(3)} of ${such.length}`;
		};
		console.log(`${source.name.padEnd(15)} even half ${surest(even)}  odd half ${surest(odd)}`);
	}
	console.log("by how many say the same, odd halves:");
	for (const { source, odd } of taken) reportCounts(source.name, odd);
	console.log("figures from the harder half of MMLU-Pro, odd halves:");
	for (const each of taken) await reportTransfer(each);
	console.log(`${SPLITS} other divisions, figures from one half, error on the other:`);
	for (const each of taken) await reportSplits(each);
}
