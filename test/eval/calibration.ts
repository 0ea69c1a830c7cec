// Fits the weights of the confidence formula on recorded votes, and measures how far off a confidence is.
import { Comparison } from "../../src/orchestration/agreement.ts";
import { SUPPORTED_MOST } from "../../src/orchestration/confidence.ts";
import { selfConsistency } from "../../src/orchestration/self-consistency.ts";
import { fromLogit, toLogit } from "../../src/routing/quality.ts";
import { type Problem, type RecordedSet, recordedEngine, toEvalTask, toSystemPanel } from "./recorded-answers.ts";
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

/** A delivered answer: the quality of its model, and the summed qualities of those that say the same and of the others. */
interface Vote {
	quality: number;
	support: number;
	dissent: number;
	correct: boolean;
}

type Weights = readonly [support: number, dissent: number];

const PANELS = 24;
const PANEL_SIZES = [2, 3, 4, 5];
/** A system that has less than this right would be in nobody's panel. */
const LEAST_QUALITY = 0.35;

/** Panels of systems of different houses, drawn at random, the same in every run. */
function drawPanels({ quality, findHouse }: RecordedSet): string[][] {
	const random = seededRandom(25);
	const able = [...quality].filter(([, share]) => share >= LEAST_QUALITY).map(([system]) => system);
	return Array.from({ length: PANELS }, (_, at) => {
		const drawn = able.map((system) => ({ system, place: random() })).sort((a, b) => a.place - b.place);
		const byHouse = new Map(drawn.map(({ system }) => [findHouse(system), system]));
		return [...byHouse.values()].slice(0, PANEL_SIZES[at % PANEL_SIZES.length]);
	});
}

/** The vote of a panel on a problem, by the strategy itself. */
async function takeVote({ kind, quality }: RecordedSet, problem: Problem, panel: readonly string[]): Promise<Vote> {
	const task = toEvalTask(problem.prompt, kind);
	const result = await selfConsistency.run(task, toSystemPanel(panel), recordedEngine(problem, quality));
	if (!result.ok) throw new Error(result.failure.reason);
	const { model } = result.value;
	const comparison = new Comparison(task);
	const answers = panel.map((system) => ({
		system,
		text: problem.said.get(system)?.text ?? "",
		isCut: false,
		quality: quality.get(system) ?? 0.5,
	}));
	const delivered = answers.find(({ system }) => system === model);
	if (!delivered) throw new Error(`${model} is in no panel`);
	const others = answers.filter((answer) => answer !== delivered);
	const sum = (isSame: boolean) =>
		others.reduce((all, one) => (comparison.agrees(delivered, one) === isSame ? all + one.quality : all), 0);
	const correct = problem.said.get(model)?.correct ?? false;
	return { quality: delivered.quality, support: sum(true), dissent: sum(false), correct };
}

/** Votes where all models weigh the same, and a tie goes to the first in the panel, the best first. */
async function countVotes(set: RecordedSet, problems: readonly Problem[]): Promise<number> {
	const equal = new Map([...set.quality.keys()].map((system) => [system, 0.7]));
	const share = (system: string) => set.quality.get(system) ?? 0;
	const panels = drawPanels(set).map((panel) => panel.toSorted((a, b) => share(b) - share(a)));
	const votes = await Promise.all(
		problems.flatMap((problem) => panels.map((panel) => takeVote({ ...set, quality: equal }, problem, panel))),
	);
	return shareRight(votes);
}

function shareRight(votes: readonly Vote[]): number {
	return votes.filter(({ correct }) => correct).length / votes.length;
}

async function takeVotes(set: RecordedSet, problems: readonly Problem[]): Promise<Vote[]> {
	const panels = drawPanels(set);
	return Promise.all(problems.flatMap((problem) => panels.map((panel) => takeVote(set, problem, panel))));
}

function expectRight({ quality, support, dissent }: Vote, [forSupport, forDissent]: Weights): number {
	return fromLogit(toLogit(quality) + forSupport * support - forDissent * dissent);
}

const NEWTON_STEPS = 20;

/** The weights under which the votes are likeliest. Every set counts the same, however long it is. */
function fitWeights(sets: readonly (readonly Vote[])[]): Weights {
	let weights: Weights = [0, 0];
	for (let step = 0; step < NEWTON_STEPS; step++) {
		const [gradient, curvature] = [
			[0, 0],
			[0, 0, 0],
		] as [[number, number], [number, number, number]];
		for (const votes of sets) {
			for (const vote of votes) {
				const expected = expectRight(vote, weights);
				const off = ((vote.correct ? 1 : 0) - expected) / votes.length;
				const spread = (expected * (1 - expected)) / votes.length;
				gradient[0] += off * vote.support;
				gradient[1] -= off * vote.dissent;
				curvature[0] += spread * vote.support ** 2;
				curvature[1] -= spread * vote.support * vote.dissent;
				curvature[2] += spread * vote.dissent ** 2;
			}
		}
		const determinant = curvature[0] * curvature[2] - curvature[1] ** 2;
		weights = [
			weights[0] + (curvature[2] * gradient[0] - curvature[1] * gradient[1]) / determinant,
			weights[1] + (curvature[0] * gradient[1] - curvature[1] * gradient[0]) / determinant,
		];
	}
	return weights;
}

/** As a line shows it. */
export function showCalibration({ ece, gap }: CalibrationError): string {
	return `ECE ${ece.toFixed(3)}  gap ${gap < 0 ? "−" : "+"}${Math.abs(gap).toFixed(3)}`;
}

/** The confidence that the service gives. */
function boundConfidence(vote: Vote, weights: Weights): number {
	return Math.min(expectRight(vote, weights), Math.max(vote.quality, SUPPORTED_MOST));
}

/** How often votes are right that their sum puts above what supporters may raise a confidence to. */
function showSurest(votes: readonly Vote[], weights: Weights): string {
	const surest = votes.filter((vote) => expectRight(vote, weights) > Math.max(vote.quality, SUPPORTED_MOST));
	return `${shareRight(surest).toFixed(3)} of ${surest.length}`;
}

function showFit(name: string, votes: readonly Vote[], weights: Weights): string {
	const outcomes = votes.map((vote) => ({ confidence: boundConfidence(vote, weights), correct: vote.correct }));
	const shown = weights.map((weight) => weight.toFixed(2)).join(" and ");
	return `${name.padEnd(12)} ${String(votes.length).padEnd(8)} weights ${shown}  ${showCalibration(measureCalibration(outcomes))}`;
}

/** Fits the weights on the even halves of all sets, and shows their error on the odd ones; then with each set left out. */
export async function reportFit(sets: readonly RecordedSet[]): Promise<void> {
	const taken = await Promise.all(
		sets.map(async (set) => ({
			name: set.name,
			even: await takeVotes(set, set.even),
			odd: await takeVotes(set, set.odd),
			counted: { even: await countVotes(set, set.even), odd: await countVotes(set, set.odd) },
		})),
	);
	console.log(`\nVotes of ${PANELS} random panels that are right: weighed, and counted`);
	for (const { name, even, odd, counted } of taken) {
		const show = (weighed: number, plain: number) => `${weighed.toFixed(3)} and ${plain.toFixed(3)}`;
		const halves = `odd half ${show(shareRight(odd), counted.odd)}  even half ${show(shareRight(even), counted.even)}`;
		console.log(`${name.padEnd(12)} ${halves}`);
	}
	console.log(`\nWeights of the confidence (of a supporter and of a dissenter), fitted on these votes`);
	const fitted = fitWeights(taken.map(({ even }) => even));
	for (const { name, odd } of taken) console.log(showFit(name, odd, fitted));
	console.log(`right where the sum is above ${SUPPORTED_MOST}:`);
	for (const { name, even, odd } of taken)
		console.log(`${name.padEnd(12)} even half ${showSurest(even, fitted)}  odd half ${showSurest(odd, fitted)}`);
	if (taken.length < 2) return;
	console.log("fitted without the set that they are tried on:");
	for (const { name, odd } of taken)
		console.log(showFit(name, odd, fitWeights(taken.filter((other) => other.name !== name).map(({ even }) => even))));
}
