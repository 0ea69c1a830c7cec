// Trains the model behind routing's signals and writes its weights: `npm run train:signals`. Deterministic; needs the
// labelled prompts of ../shared/data.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { calibrate } from "./calibration.ts";
import { holdOutSources, judge } from "./cross-validation.ts";
import { readExamples, SETTINGS } from "./examples.ts";
import { measureDifficulty, measureIntents } from "./measures.ts";
import { fitWeights } from "./regression.ts";
import { encodeWeights } from "./weights-file.ts";

const FILE = join(import.meta.dirname, "../../src/routing/signals/weights.json");

const startedAtMs = performance.now();
const elapsed = () => `${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`;

const examples = readExamples();
console.log(`${examples.length} prompts, ${elapsed()}`);
const heldOut = holdOutSources(examples);
const calibration = calibrate(heldOut);
const judgements = judge(heldOut, calibration.temperature, calibration.levels);
const intents = measureIntents(judgements);
console.log(
	`held-out sources: any intent ${intents.anyIntent.toFixed(3)}, macro-F1 ${intents.macroF1.toFixed(3)}, three-way ${intents.threeWay.toFixed(3)}, calibration error ${intents.anyError.toFixed(3)} (any) ${intents.primaryError.toFixed(3)} (primary), difficulty ${measureDifficulty(judgements).withinHalf.toFixed(3)}, ${elapsed()}`,
);
if (process.env["CV"]) process.exit();
const file = encodeWeights(fitWeights(examples, SETTINGS.fit), calibration);
writeFileSync(FILE, `${JSON.stringify(file, null, 2)}\n`);
console.log(`${file.buckets.length + file.weights.length} characters of weights written, ${elapsed()}`);
