// Trains the classifier of statements, measures it on sentences and sources that it did not see, and writes its weights.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { FOLDS, readSplit } from "./examples.ts";
import { chooseThresholds, judgeTexts, renderJudgements } from "./judge.ts";
import { trainOn } from "./train.ts";

const FILE = join(import.meta.dirname, "../../../src/compliance/statements/weights.json");

/** The most that the weights may take of the compressed bundle. */
const MAX_COMPRESSED_BYTES = 84_000;

export function trainStatements(): void {
	const judgements = Array.from({ length: FOLDS }, (_, fold) => readSplit(fold)).flatMap((split) =>
		judgeTexts(trainOn(split), split.heldOut),
	);
	const thresholds = chooseThresholds(judgements);
	console.log(`held-out sentences, words and sources; thresholds ${thresholds.join(", ")}\n`);
	console.log(renderJudgements(judgements, thresholds));

	const file = { ...trainOn(readSplit(null)), thresholds };
	const text = `${JSON.stringify(file, null, 2)}\n`;
	const compressed = gzipSync(text).byteLength;
	if (compressed > MAX_COMPRESSED_BYTES) throw new Error(`${compressed} bytes compressed: no weights are written`);
	writeFileSync(FILE, text);
	console.log(`\n${text.length} bytes of weights written, ${compressed} compressed`);
}
