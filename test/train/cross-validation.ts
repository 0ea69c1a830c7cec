// Cross-validation by source: every natural prompt is judged by a model that saw no prompt of its source.
import {
	DIFFICULTY_OUTPUT,
	decodeWeights,
	HARD_TASK_OUTPUT,
	sumOutputs,
	toLevel,
	toPrediction,
} from "../../src/routing/signals/classifier.ts";
import { countChars } from "../../src/routing/signals/turns.ts";
import { FIT, type FoldedExample } from "./examples.ts";
import { FOLD_NAMES, type LabelledPrompt } from "./labelled.ts";
import type { Judgement } from "./measures.ts";
import { fitWeights } from "./regression.ts";
import { encodeWeights } from "./weights-file.ts";

/** The outputs of a held-out prompt. */
export interface HeldOut {
	example: FoldedExample;
	sums: Float64Array;
}

/** Tells natural prompts apart. */
export function toKey({ turns, source }: LabelledPrompt): string {
	return JSON.stringify([source, ...turns.map(({ text }) => text)]);
}

/**
 * The outputs of every natural prompt, each from a model without its source.
 * @param logits the outputs of difficulty and of a hard task by the key of a prompt.
 */
export function holdOutSources(
	examples: readonly FoldedExample[],
	logits: ReadonlyMap<string, { difficulty: number; hardTask: number }>,
): HeldOut[] {
	return FOLD_NAMES.flatMap((_, fold) => {
		const fitted = fitWeights(
			examples.filter((example) => example.fold !== fold),
			FIT,
		);
		// As they would be shipped.
		const weights = decodeWeights(encodeWeights(fitted, { temperature: 1, levels: [2, 3] }));
		return examples
			.filter((example) => example.fold === fold)
			.map((example) => {
				const sums = sumOutputs(weights, example.features);
				const known = logits.get(toKey(example.row));
				sums[DIFFICULTY_OUTPUT] = known?.difficulty ?? 0;
				sums[HARD_TASK_OUTPUT] = known?.hardTask ?? 0;
				return { example, sums };
			});
	});
}

/** What the models say of held-out prompts at a temperature and difficulty levels. */
export function judge(heldOut: readonly HeldOut[], temperature: number, levels: readonly number[]): Judgement[] {
	return heldOut.map(({ example, sums }) => {
		const prediction = toPrediction(sums, temperature, countChars(example.row.turns));
		return { row: example.row, ...prediction, level: toLevel(prediction.expectedDifficulty, levels) };
	});
}
