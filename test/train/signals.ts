// Trains the model behind routing's signals and writes its weights: `npm run train:signals`; with `-- statements`, the one of
// statements about somebody's health, money or person; with `-- answers`, the one of refusals, on rows of this repository. First
// measures it on sources that it did not see. Deterministic; needs the labelled prompts of ../shared/data.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { decodeWeights, sumOutputs } from "../../src/routing/signals/classifier.ts";
import { trainAnswers } from "./answers/run.ts";
import { calibrate } from "./calibration.ts";
import { holdOutSources, judge, toKey } from "./cross-validation.ts";
import { fitRidge, fitScale, holdOutDifficulty, putDifficulty, readDifficultyExamples } from "./difficulty.ts";
import { renderDifficulty, renderGains } from "./difficulty-report.ts";
import { FIT, readExamples, toTestExamples } from "./examples.ts";
import { FOLD_NAMES, findFold, hasLabelledPrompts, readOtherSources } from "./labelled.ts";
import { fitWeights } from "./regression.ts";
import { findWeakLanguages, renderByIntent, renderByLanguage, renderBySource, renderFigures } from "./report.ts";
import { trainStatements } from "./statements/run.ts";
import { encodeWeights } from "./weights-file.ts";

const FILE = join(import.meta.dirname, "../../src/routing/signals/weights.json");

/** Least share of sensible first intents in any language. */
const LANGUAGE_FLOOR = 0.7;

function train(): void {
	const examples = readExamples();
	const graded = readDifficultyExamples();
	const rated = holdOutDifficulty(graded);
	const scale = fitScale(rated);
	const difficulties = rated.flatMap(({ example: { row }, sum }) =>
		row ? [[toKey(row), scale.slope * sum + scale.offset] as const] : [],
	);
	const heldOut = holdOutSources(examples, new Map(difficulties));
	const calibration = calibrate(heldOut);
	const { temperature, levels } = calibration;
	const judgements = judge(heldOut, temperature, levels);
	console.log(`${examples.length} prompts; temperature ${temperature}, levels from ${levels.join(" and ")}\n`);
	const tables = [
		renderFigures("held-out sources", judgements),
		renderBySource(judgements, ({ row }) => FOLD_NAMES[findFold(row.source)] ?? row.source),
		renderByLanguage(judgements),
		renderByIntent(judgements),
		renderDifficulty(rated),
		renderGains(rated),
	];
	console.log(tables.join("\n\n"));

	const fitted = fitWeights(examples, FIT);
	putDifficulty(fitted, fitRidge(graded), scale);
	const file = encodeWeights(fitted, calibration);
	const weights = decodeWeights(file);
	const others = toTestExamples(readOtherSources()).map((example) => ({
		example,
		sums: sumOutputs(weights, example.features),
	}));
	console.log(`\n${renderFigures("other sources, for the report only", judge(others, temperature, levels))}\n`);

	const weak = findWeakLanguages(judgements, LANGUAGE_FLOOR);
	if (weak.length > 0) throw new Error(`below ${LANGUAGE_FLOOR} in ${weak.join(", ")}: no weights are written`);
	const text = `${JSON.stringify(file, null, 2)}\n`;
	writeFileSync(FILE, text);
	console.log(`${text.length} bytes of weights written, ${gzipSync(text).byteLength} compressed`);
}

if (process.argv.includes("answers")) trainAnswers();
else if (hasLabelledPrompts()) process.argv.includes("statements") ? trainStatements() : train();
else console.log("../shared/data/routing is not there: nothing is trained, the weights stay as they are");
