// Reads the corpus of sensitive texts, test/corpus/sensitive: JSON Lines, a text a row with the classes of data in it and the reason.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { DATA_CLASSES } from "../../src/compliance/vocabulary.ts";

const FOLDER = resolve(import.meta.dirname, "../corpus/sensitive");

/** Stands inside secrets, so that scanners of repositories do not take them for real ones; taken out before use. */
const SECRET_MARK = "⟦+⟧";

/** A labelled text without the mark. */
export function withoutSecretMark(text: string): string {
	return text.replaceAll(SECRET_MARK, "");
}

const corpusRow = z.strictObject({
	text: z.string().transform(withoutSecretMark),
	/** Exactly these. */
	classes: z.array(z.enum(DATA_CLASSES)),
	/** Kinds that are found, perhaps among others. */
	kinds: z.array(z.string()).default([]),
	/** What the findings of these kinds span. */
	values: z.array(z.string().transform(withoutSecretMark)).default([]),
	group: z.string(),
	reason: z.string(),
	/** The part of the detector that the row was written for: `npm run eval:sensitive -- --ablate` does not judge it by this row. */
	for: z.string().optional(),
});

export type SensitiveRow = z.output<typeof corpusRow>;

/** The rows of the classifier of statements, which read by patterns would be others. */
export const STATEMENT_ROWS = "statements.jsonl";

/** The files of the corpus. */
export const SENSITIVE_FILES = readdirSync(FOLDER).toSorted();

/** The rows of a file of the corpus. */
export function readSensitiveRows(file: string): SensitiveRow[] {
	return readFileSync(join(FOLDER, file), "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => corpusRow.parse(JSON.parse(line)));
}
