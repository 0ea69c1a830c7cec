// Fits the curve of expected quality (src/routing/quality.ts) to recorded answers: how often a model of a given figure is right on a
// question of a given expected difficulty. Each set has a constant of its own.
import { fromLogit } from "../../src/routing/quality.ts";
import { solveLinear } from "./linear.ts";
import type { RecordedQuestion } from "./recorded-models.ts";
import { ROUTELLM_FIGURES } from "./recorded-models.ts";

const ROUNDS = 12;
const PRECISION: number = 1e-4;

/** One answer, or the mean of some that share everything else. */
interface Answer {
	set: number;
	figure: number;
	/** Above the easiest, 0 to 2. */
	difficulty: number;
	right: number;
	/** Each set weighs as much as the others. */
	weight: number;
}

/** By model: the share of the harder half of the questions that it answers; which half that is, the other models say. */
export function findHardFigures(questions: readonly Pick<RecordedQuestion, "right">[]): Record<string, number> {
	const ids = Object.keys(questions[0]?.right ?? {});
	const rightBy = questions.map(({ right }) => ids.reduce((sum, id) => sum + (right[id] ?? 0), 0));
	return Object.fromEntries(
		ids.map((id) => {
			const byOthers = questions.map(({ right }, at) => (rightBy[at] ?? 0) - (right[id] ?? 0));
			const median = byOthers.toSorted((a, b) => a - b)[Math.floor(byOthers.length / 2)] ?? 0;
			const hard = questions.filter((_, at) => (byOthers[at] ?? 0) <= median);
			return [id, hard.reduce((sum, { right }) => sum + (right[id] ?? 0), 0) / hard.length];
		}),
	);
}

function toAnswers(questions: readonly RecordedQuestion[], figures: Readonly<Record<string, number>>, set: number) {
	const ids = Object.keys(figures);
	const weight = 1 / (questions.length * ids.length);
	return questions.flatMap(({ right, signals: { expectedDifficulty } }) =>
		ids.map(
			(id): Answer => ({
				set,
				figure: figures[id] ?? 0,
				difficulty: expectedDifficulty - 1,
				right: right[id] ?? 0,
				weight,
			}),
		),
	);
}

/** The terms of the curve: what quality.ts has as CURVE, the constant as the mean of the sets. */
export interface CurveFit {
	constants: number[];
	figure: number;
	difficulty: number;
	both: number;
}

/** Fits a logistic regression by Newton's steps. */
export function fitCurve(
	matrix: readonly RecordedQuestion[],
	pairs: readonly (readonly RecordedQuestion[])[],
): CurveFit {
	const sets = 1 + pairs.length;
	const answers = [
		...toAnswers(matrix, findHardFigures(matrix), 0),
		...pairs.flatMap((questions, at) => toAnswers(questions, ROUTELLM_FIGURES, at + 1)),
	];
	const toTerms = ({ set, figure, difficulty }: Answer) => [
		...Array.from({ length: sets }, (_, at) => Number(at === set)),
		figure,
		difficulty,
		figure * difficulty,
	];
	let terms = Array.from({ length: sets + 3 }, () => 0);
	for (let round = 0; round < ROUNDS; round++) {
		const hessian = terms.map((_, row) => terms.map((__, column) => (row === column ? PRECISION : 0)));
		const gradient = terms.map((term) => -PRECISION * term);
		for (const answer of answers) {
			const values = toTerms(answer);
			const share = fromLogit(values.reduce((sum, value, at) => sum + value * (terms[at] ?? 0), 0));
			for (const [row, value] of values.entries()) {
				gradient[row] = (gradient[row] ?? 0) + answer.weight * (answer.right - share) * value;
				const cells = hessian[row] ?? [];
				for (const [column, other] of values.entries())
					cells[column] = (cells[column] ?? 0) + answer.weight * share * (1 - share) * value * other;
			}
		}
		const step = solveLinear(hessian, gradient);
		terms = terms.map((term, at) => term + (step[at] ?? 0));
	}
	const [figure = 0, difficulty = 0, both = 0] = terms.slice(sets);
	return { constants: terms.slice(0, sets), figure, difficulty, both };
}
