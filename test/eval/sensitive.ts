// Measures the detector of sensitive data against labelled texts in ../shared and batches of our own; prints, never fails.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { plainConversation } from "../../src/compliance/conversation.ts";
import { detect } from "../../src/compliance/detect.ts";
import { findClass } from "../../src/compliance/detection/kinds.ts";
import type { Detection } from "../../src/compliance/findings.ts";
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { BATCHES, SECRET_MARK } from "./own-sentences.ts";

const FILE =
	process.env["SENSITIVE_TEXTS"] ?? resolve(import.meta.dirname, "../../../shared/data/compliance/sensitive.jsonl");

const row = z.object({
	text: z.string(),
	classes: z.array(z.enum(DATA_CLASSES)),
	kinds: z.array(z.string()).default([]),
	/** The kinds that the text looks like and is not; it may hold others. */
	negative_for: z.array(z.string()).default([]),
});

interface Judged {
	readonly text: string;
	readonly expected: readonly DataClass[];
	readonly kinds: readonly string[];
	readonly found: readonly DataClass[];
	readonly detection: Detection;
}

function judged(
	text: string,
	expected: readonly DataClass[],
	kinds: readonly string[],
	negativeFor: readonly string[] = [],
): Judged {
	const plain = text.replaceAll(SECRET_MARK, "");
	const detection = detect(plainConversation(plain));
	if (negativeFor.length === 0) return { text, expected, kinds, found: detection.classes, detection };
	const wrong = negativeFor.filter((kind) => Object.values(detection.kinds).some((found) => found.includes(kind)));
	return {
		text,
		expected,
		kinds,
		found: DATA_CLASSES.filter((each) => wrong.some((kind) => findClass(kind) === each)),
		detection,
	};
}

const share = (part: number, whole: number) => (whole === 0 ? "–" : `${(part / whole).toFixed(3)} (${part}/${whole})`);

const isExact = ({ expected, found }: Judged) =>
	expected.length === found.length && expected.every((dataClass) => found.includes(dataClass));

function report(name: string, rows: readonly Judged[]): void {
	console.log(`${name}: ${rows.length} texts`);
	console.log(["".padEnd(12), "recall".padEnd(18), "precision"].join(" "));
	for (const dataClass of DATA_CLASSES) {
		const expected = rows.filter((entry) => entry.expected.includes(dataClass));
		const found = rows.filter((entry) => entry.found.includes(dataClass));
		const both = expected.filter((entry) => entry.found.includes(dataClass)).length;
		console.log([dataClass.padEnd(12), share(both, expected.length).padEnd(18), share(both, found.length)].join(" "));
	}
	console.log(`exact class sets ${share(rows.filter(isExact).length, rows.length)}`);
}

function reportMisses(rows: readonly Judged[]): void {
	const missed = new Map<string, number>();
	for (const { kinds, detection } of rows)
		for (const kind of kinds)
			if (!Object.values(detection.kinds).some((found) => found.includes(kind)))
				missed.set(kind, (missed.get(kind) ?? 0) + 1);
	const counts = [...missed].sort().map(([kind, count]) => `${kind} ${count}`);
	console.log(`kinds missed: ${counts.join(", ") || "none"}`);
}

function reportTexts(rows: readonly Judged[]): void {
	if (!process.argv.includes("--misses")) return;
	for (const entry of rows.filter((each) => !isExact(each)))
		console.log(
			`  expected [${entry.expected}] found [${entry.found}] ${JSON.stringify(entry.detection.kinds)} ${JSON.stringify(entry.text)}`,
		);
}

function main(): void {
	for (const { name, written, prompts } of BATCHES) {
		const own = prompts.map(({ text, classes }) => judged(text, classes, []));
		report(`${name}, written ${written}`, own);
		reportTexts(own);
		console.log("");
	}
	if (!existsSync(FILE)) {
		console.log(`eval:sensitive: no ${FILE}; only our own sentences were measured.`);
		return;
	}
	const rows = readFileSync(FILE, "utf8")
		.split("\n")
		.filter((text) => text.trim() !== "")
		.map((text) => row.parse(JSON.parse(text)))
		.map((entry) => judged(entry.text, entry.classes, entry.kinds, entry.negative_for));
	report("labelled texts", rows);
	reportMisses(rows);
	reportTexts(rows);
}

main();
