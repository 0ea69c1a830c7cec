// Trains the classifier of refusals on the rows written for it, and writes its weights.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { trainRefusals } from "./fit.ts";
import { readAnswerRows } from "./rows.ts";

const FILE = join(import.meta.dirname, "../../../src/answers/refusal-weights.json");

/** Trains and writes. */
export function trainAnswers(): void {
	const text = `${JSON.stringify(trainRefusals(readAnswerRows()), null, 2)}\n`;
	writeFileSync(FILE, text);
	console.log(
		`${text.length} bytes of weights written, ${gzipSync(text).byteLength} compressed; npm run eval:answers measures them`,
	);
}
