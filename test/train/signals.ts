// Trains the model behind routing's signals and writes its weights: `npm run train:signals`; with `-- statements`, the one of
// statements about somebody's health, money or person; with `-- answers`, the one of refusals, on rows of this repository. First
// measures it on sources that it did not see. Deterministic; needs the labelled prompts of ../shared/data.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
	DIFFICULTY_OUTPUT,
	decodeWeights,
	HARD_TASK_OUTPUT,
	sumOutputs,
	type Weights,
} from "../../src/routing/signals/classifier.ts";
import { trainAnswers } from "./answers/run.ts";
import { calibrate } from "./calibration.ts";
import { holdOutSources, judge, toKey } from "./cross-validation.ts";
import { fitDifficulty } from "./difficulty.ts";
import { renderDifficulty, renderGains, renderShortPrompts } from "./difficulty-report.ts";
import { FIT, readExamples, toTestExamples } from "./examples.ts";
import { holdOutFits } from "./expected-difficulty.ts";
import { fitHardTasks } from "./hard-tasks.ts";
import { FOLD_NAMES, findFold, hasLabelledPrompts, type LabelledPrompt, readOtherSources } from "./labelled.ts";
import { copyFeatures, fitWeights } from "./regression.ts";
import { findWeakLanguages, renderByIntent, renderByLanguage, renderBySource, renderFigures } from "./report.ts";
import { putOutput } from "./ridge.ts";
import { trainStatements } from "./statements/run.ts";
import { readTopicPrompts } from "./topics.ts";
import { encodeWeights } from "./weights-file.ts";

const FILE = join(import.meta.dirname, "../../src/routing/signals/weights.json");

/** Least share of sensible first intents in any language. */
const LANGUAGE_FLOOR = 0.7;

/** Reads prompts that the weights have not seen as the service would. */
function readUnseen(weights: Weights, rows: readonly LabelledPrompt[]) {
	return toTestExamples(rows).map((example) => ({
		example,
		sums: sumOutputs(weights, copyFeatures(example.row.turns)),
	}));
}

function train(): void {
	const examples = readExamples();
	const fits = holdOutFits();
	const logits = fits.prompts.flatMap(({ example: { row }, ...each }) => (row ? [[toKey(row), each] as const] : []));
	const heldOut = holdOutSources(examples, new Map(logits));
	const calibration = calibrate(heldOut);
	const { temperature, levels } = calibration;
	const judgements = judge(heldOut, temperature, levels);
	console.log(`${examples.length} prompts; temperature ${temperature}, levels from ${levels.join(" and ")}\n`);
	const tables = [
		renderFigures("held-out sources", judgements),
		renderBySource(judgements, ({ row }) => FOLD_NAMES[findFold(row.source)] ?? row.source),
		renderByLanguage(judgements),
		renderByIntent(judgements),
		renderDifficulty(fits.prompts),
		renderGains(fits.prompts),
	];
	console.log(tables.join("\n\n"));

	const fitted = fitWeights(examples, FIT);
	putOutput(fitted, DIFFICULTY_OUTPUT, fitDifficulty(fits.graded), fits.difficultyScale);
	putOutput(fitted, HARD_TASK_OUTPUT, fitHardTasks(fits.tasks), fits.taskScale);
	const file = encodeWeights(fitted, calibration);
	const weights = decodeWeights(file);
	const [others, topics] = [readOtherSources(), readTopicPrompts().filter(({ isHeldBack }) => isHeldBack)].map((rows) =>
		judge(readUnseen(weights, rows), temperature, levels),
	);
	console.log(`\n${renderFigures("other sources, for the report only", others ?? [])}`);
	console.log(`\ntopics held back\n${renderByLanguage(topics ?? [])}\n\n${renderShortPrompts(topics ?? [])}\n`);

	const weak = findWeakLanguages(judgements, LANGUAGE_FLOOR);
	if (weak.length > 0) throw new Error(`below ${LANGUAGE_FLOOR} in ${weak.join(", ")}: no weights are written`);
	const text = `${JSON.stringify(file, null, 2)}\n`;
	writeFileSync(FILE, text);
	console.log(`${text.length} bytes of weights written, ${gzipSync(text).byteLength} compressed`);
}

if (process.argv.includes("answers")) trainAnswers();
else if (hasLabelledPrompts()) process.argv.includes("statements") ? trainStatements() : train();
else console.log("../shared/data/routing is not there: nothing is trained, the weights stay as they are");
