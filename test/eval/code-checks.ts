// Runs code mode's static checks over folders of real source files: false alarms on whole files, and how often the same files are
// found out when they are cut, when a bracket is missing, and when lines make way for a comment. Prints, never fails.
// `node test/eval/code-checks.ts [--rules] FOLDER…`: with --rules, each language is read by every set of lexical rules.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { bracketFault } from "../../src/code-mode/brackets.ts";
import { isProse, languageForPath } from "../../src/code-mode/language.ts";
import { LANGUAGES } from "../../src/code-mode/languages.ts";
import { LEXICAL_RULES } from "../../src/code-mode/lexis.ts";
import { issueText, staticIssues } from "../../src/code-mode/static-checks.ts";

/** Files of each language that are read. They are chosen by the hashes of their paths. */
const MAX_FILES = Number(process.env["FILES"] ?? 1_000);
/** False alarms of each language that are printed. */
const MAX_SHOWN = Number(process.env["SHOWN"] ?? 3);
const MIN_LINES = 10;
const MAX_BYTES = 131_072;
/** Longer lines are a machine's work. */
const MAX_MEAN_LINE = 200;

/** A file as it is, and with one fault each. */
interface Sample {
	readonly path: string;
	readonly whole: string;
	readonly cut: string;
	readonly withoutBracket: string;
	readonly elided: string;
}

/** Two numbers from 0 to 1 and a key to sort by, the same for the same text. */
function drawFrom(text: string): { key: string; first: number; second: number } {
	const key = createHash("sha256").update(text).digest("hex");
	const part = (from: number) => Number.parseInt(key.slice(from, from + 8), 16) / 2 ** 32;
	return { key, first: part(8), second: part(16) };
}

function findFiles(folder: string): { path: string; language: string }[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
		const path = join(entry.parentPath, entry.name);
		const language = languageForPath(path);
		return entry.isFile() && language && !isProse(language) ? [{ path, language }] : [];
	});
}

function toSample(path: string): Sample | null {
	if (statSync(path).size > MAX_BYTES) return null;
	const whole = readFileSync(path, "utf8");
	const lines = whole.split("\n");
	const brackets = [...whole.matchAll(/[()[\]{}]/g)].map(({ index }) => index);
	if (lines.length < MIN_LINES || whole.length / lines.length > MAX_MEAN_LINE || /[\0\ufffd]/.test(whole)) return null;
	const { first, second } = drawFrom(whole);
	const bracket = brackets[Math.floor(second * brackets.length)];
	if (bracket === undefined) return null;
	const start = Math.floor((0.2 + 0.6 * first) * lines.length);
	// The comment that most models write, by the first comment of the file that has a line of its own.
	const mark = whole.match(/^\s*(\/\/|#|--|%|;)\s/m)?.[1] ?? "//";
	const elision = `${lines[start]?.match(/^\s*/)?.[0] ?? ""}${mark} ... rest of the code remains unchanged`;
	return {
		path,
		whole,
		cut: `${lines.slice(0, start).join("\n")}\n`,
		withoutBracket: whole.slice(0, bracket) + whole.slice(bracket + 1),
		elided: [...lines.slice(0, start), elision, ...lines.slice(start + 5)].join("\n"),
	};
}

function sampleFiles(folders: readonly string[]): Map<string, Sample[]> {
	const samples = new Map<string, Sample[]>();
	const seen = new Set<string>();
	const files = folders.flatMap(findFiles).map((file) => ({ ...file, key: drawFrom(file.path).key }));
	for (const { path, language } of files.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
		const own = samples.get(language) ?? [];
		const sample = own.length < MAX_FILES ? toSample(path) : null;
		if (!sample || seen.has(sample.whole)) continue;
		seen.add(sample.whole);
		samples.set(language, [...own, sample]);
	}
	return samples;
}

function percent(count: number, all: number): string {
	return all === 0 ? "–" : `${((100 * count) / all).toFixed(1)} %`;
}

function printRow(cells: readonly string[]): void {
	console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(24) : cell.padStart(14))).join(""));
}

async function printChecks(language: string, samples: readonly Sample[]): Promise<void> {
	const alarms: string[] = [];
	const found = { cut: 0, withoutBracket: 0, elided: 0 };
	let sound = 0;
	for (const sample of samples) {
		const check = (content: string) => staticIssues([{ path: sample.path, content }]);
		const [alarm] = await check(sample.whole);
		if (alarm) {
			alarms.push(issueText(alarm));
			continue;
		}
		sound++;
		for (const kind of ["cut", "withoutBracket", "elided"] as const)
			if ((await check(sample[kind])).length > 0) found[kind]++;
	}
	const { cut, withoutBracket, elided } = found;
	printRow([
		language,
		`${samples.length}`,
		`${alarms.length}`,
		...[cut, withoutBracket, elided].map((n) => percent(n, sound)),
	]);
	for (const alarm of alarms.slice(0, MAX_SHOWN)) console.log(`    ${alarm}`);
}

function printRules(language: string, samples: readonly Sample[]): void {
	const own = LANGUAGES.find(({ id }) => id === language)?.lexis;
	for (const [name, rules] of Object.entries(LEXICAL_RULES)) {
		const faulty = (kind: "whole" | "cut" | "withoutBracket") =>
			samples.filter((sample) => bracketFault(sample[kind], rules) !== null).length;
		const counts = [samples.length, faulty("whole"), faulty("cut"), faulty("withoutBracket")];
		printRow([`${language} by ${name}${name === own ? " *" : ""}`, ...counts.map(String)]);
	}
}

const folders = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const samples = [...sampleFiles(folders)].toSorted(([a], [b]) => (a < b ? -1 : 1));
if (process.argv.includes("--rules")) {
	printRow(["language by rules", "files", "false alarms", "cut", "no bracket"]);
	for (const [language, own] of samples) printRules(language, own);
} else {
	printRow(["language", "files", "false alarms", "cut", "no bracket", "lines left out"]);
	for (const [language, own] of samples) await printChecks(language, own);
}
