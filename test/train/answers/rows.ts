// The answers that the classifier of refusals is trained and measured on, written for this project: one a line, `\n` for a line
// break, behind R (a refusal), T (it says which tool or access it lacks) or A (an answer).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashUnits, mixHash } from "../../../src/text/hash.ts";

const FOLDER = join(import.meta.dirname, "rows");

/** What a row is. */
export type AnswerLabel = "R" | "T" | "A";

export interface AnswerRow {
	label: AnswerLabel;
	text: string;
	language: string;
	/** A third by the hash of the text: never trained on, only measured. */
	isHeldBack: boolean;
}

/** The rows of a file. */
export function parseAnswerRows(file: string, language: string): AnswerRow[] {
	return file
		.split("\n")
		.filter(Boolean)
		.map((line) => {
			const text = line.slice(2).replaceAll("\\n", "\n");
			const label = line.charAt(0) as AnswerLabel;
			return { label, text, language, isHeldBack: mixHash(hashUnits(text)) % 3 === 0 };
		});
}

/** All rows, language by language; `mixed.txt` has rows of all of them. */
export function readAnswerRows(): AnswerRow[] {
	return readdirSync(FOLDER)
		.sort()
		.flatMap((file) => parseAnswerRows(readFileSync(join(FOLDER, file), "utf8"), file.replace(".txt", "")));
}
