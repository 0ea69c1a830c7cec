// Judges held-out texts by a trained classifier of statements, chooses its thresholds, and shows its figures.
import { createUnitFeatures } from "../../../src/compliance/statements/features.ts";
import { decodeStatements, STATEMENT_CLASSES, type StatementsFile } from "../../../src/compliance/statements/model.ts";
import { neededExcess, StatementScorer } from "../../../src/compliance/statements/score.ts";
import { TopicScores } from "../../../src/compliance/statements/topics.ts";
import { runSteps } from "../../../src/turns/steps.ts";
import { renderTable } from "../../bench/table.ts";
import type { StatementText } from "./examples.ts";

/** A held-out text and the highest scores of the last text's units, by class. */
export interface StatementJudgement {
	readonly text: StatementText;
	readonly scores: readonly number[];
}

export function judgeTexts(file: StatementsFile, texts: readonly StatementText[]): StatementJudgement[] {
	const model = decodeStatements(file);
	const features = createUnitFeatures(new TopicScores(model.topics), model.buckets);
	return texts.map((text) => {
		const scorer = new StatementScorer(model, features);
		let best: readonly number[] = [];
		let units = 0;
		for (const [at, each] of text.texts.entries())
			runSteps(
				scorer.read(each, (_, scores) => {
					if (at !== text.texts.length - 1) return;
					units++;
					best = scores.map((score, output) => Math.max(score, best[output] ?? score));
				}),
			);
		return { text, scores: best.map((score) => score - neededExcess(units)) };
	});
}

/**
 * By class: most of the ordinary prompts that it may be found in, and its least precision on held-out sentences, most of which only
 * sound like statements. A name or an address alone is what patterns find, so what is inferred of a person must be surer.
 */
const LIMITS = {
	PII: { flagged: 0.002, precision: 0.97 },
	PHI: { flagged: 0.012, precision: 0.75 },
	FINANCIAL: { flagged: 0.003, precision: 0.75 },
} as const satisfies Record<(typeof STATEMENT_CLASSES)[number], { flagged: number; precision: number }>;
const THRESHOLDS = Array.from({ length: 25 }, (_, at) => at / 4);

interface StatementCounts {
	readonly expected: number;
	readonly found: number;
	readonly both: number;
}

function countFound(judgements: readonly StatementJudgement[], output: number, threshold: number): StatementCounts {
	let [expected, found, both] = [0, 0, 0];
	for (const { text, scores } of judgements) {
		const isExpected = text.targets[output] === 1;
		const isFound = (scores[output] ?? Number.NEGATIVE_INFINITY) > threshold;
		if (isExpected) expected++;
		if (isFound) found++;
		if (isExpected && isFound) both++;
	}
	return { expected, found, both };
}

function isOrdinary({ text }: StatementJudgement): boolean {
	return text.frame === null;
}

/** By class: the lowest threshold that is precise enough on held-out sentences and prompts. */
export function chooseThresholds(judgements: readonly StatementJudgement[]): number[] {
	const ordinary = judgements.filter(isOrdinary);
	const sentences = judgements.filter((judgement) => !isOrdinary(judgement));
	return STATEMENT_CLASSES.map((dataClass, output) => {
		const least = LIMITS[dataClass];
		const precise = THRESHOLDS.find((threshold) => {
			const { found, both } = countFound(sentences, output, threshold);
			return (
				both >= least.precision * found &&
				countFound(ordinary, output, threshold).found <= least.flagged * ordinary.length
			);
		});
		return precise ?? THRESHOLDS.at(-1) ?? 0;
	});
}

function renderCells({ expected, found, both }: StatementCounts): string[] {
	const share = (part: number, whole: number) => (whole === 0 ? "–" : (part / whole).toFixed(3));
	return [share(both, expected), share(both, found), share(2 * both, expected + found)];
}

/** Figures of held-out sentences by class and language, and how many ordinary prompts are flagged. */
export function renderJudgements(judgements: readonly StatementJudgement[], thresholds: readonly number[]): string {
	const ordinary = judgements.filter(isOrdinary);
	const sentences = judgements.filter((judgement) => !isOrdinary(judgement));
	const languages = [...Map.groupBy(sentences, ({ text }) => text.lang)];
	const rows = STATEMENT_CLASSES.flatMap((dataClass, output) => {
		const threshold = thresholds[output] ?? 0;
		const flagged = countFound(ordinary, output, threshold).found;
		const share = `${((100 * flagged) / ordinary.length).toFixed(2)} %`;
		return [
			[dataClass, "all", ...renderCells(countFound(sentences, output, threshold)), share],
			...languages.map(([lang, some]) => ["", lang, ...renderCells(countFound(some, output, threshold)), ""]),
		];
	});
	return renderTable([["", "language", "recall", "precision", "F1", "ordinary flagged"], ...rows]);
}
