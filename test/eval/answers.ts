// Prints how well answers are told from what is none: `npm run eval:answers`. It judges nothing.
//
// Held back: a third of the rows for training, by their hash. Their author wrote the cues (src/answers/refusal-cues.json) with all rows
// in mind. Unseen: rows written after cues, features and threshold were settled. Ordinary: answers that nobody wrote to be mistaken.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeAnswer, NON_ANSWERS, type NonAnswer } from "../../src/answers/verdict.ts";
import { type AnswerRow, parseAnswerRows, readAnswerRows } from "../train/answers/rows.ts";

const SHARED = join(import.meta.dirname, "../../../shared/data");

interface JudgedText {
	kind: NonAnswer | null;
	lacksTools: boolean;
}

function judge(text: string, prompt = ""): JudgedText {
	const said = { text, refusal: null, isFiltered: false, callsTools: false };
	const { kind, refusal } = judgeAnswer(said, { prompt, instructions: "" });
	return { kind, lacksTools: refusal === "lacks_tools" };
}

function share(part: number, all: number): string {
	return `${part} of ${all} (${((100 * part) / Math.max(1, all)).toFixed(1)} %)`;
}

function measure(rows: readonly AnswerRow[]) {
	const declining = rows.filter(({ label }) => label !== "A");
	const ordinary = rows.filter(({ label }) => label === "A");
	const refused = ({ text }: AnswerRow) => judge(text).kind === "refusal";
	const found = declining.filter(refused);
	return {
		"refusals found": share(found.length, declining.length),
		"answers flagged": share(ordinary.filter(refused).length, ordinary.length),
		"what is missing told": share(
			found.filter(({ text, label }) => judge(text).lacksTools === (label === "T")).length,
			found.length,
		),
	};
}

interface RecordedSolutions {
	prompt: string;
	solutions: Record<string, { text: string }[]>;
}

function countKinds(texts: readonly { text: string; prompt: string }[]): Record<string, number> {
	const kinds = texts.map(({ text, prompt }) => judge(text, prompt).kind);
	return {
		texts: texts.length,
		...Object.fromEntries(NON_ANSWERS.map((kind) => [kind, kinds.filter((one) => one === kind).length])),
	};
}

function readSolutions(): { text: string; prompt: string }[] {
	const lines = readFileSync(join(SHARED, "recorded/gsm8k-solutions.public.jsonl"), "utf8").split("\n").filter(Boolean);
	return lines.flatMap((line) => {
		const { prompt, solutions } = JSON.parse(line) as RecordedSolutions;
		return Object.values(solutions).flatMap((list) => list.map(({ text }) => ({ text, prompt })));
	});
}

/** The texts of the examples of the shipped skills: long answers in ordinary language. */
function readSkills(): { text: string; prompt: string }[] {
	const folder = join(import.meta.dirname, "../../src/skills/library");
	return readdirSync(folder)
		.flatMap((file) => readFileSync(join(folder, file), "utf8").split(/\n\s*\n/))
		.filter((text) => text.length >= 40)
		.map((text) => ({ text, prompt: "" }));
}

/** Every longer text in the recorded answers of providers. */
function readFixtures(): { text: string; prompt: string }[] {
	const folder = join(SHARED, "upstream-fixtures");
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
	return files.flatMap((file) => {
		const found: string[] = [];
		JSON.parse(readFileSync(join(folder, file), "utf8"), (key, value: unknown) => {
			if (["text", "content", "reasoning_content"].includes(key) && typeof value === "string") found.push(value);
			return value;
		});
		return found.filter((text) => text.trim().length >= 20).map((text) => ({ text, prompt: "" }));
	});
}

const rows = readAnswerRows();
const readUnseen = (file: string) => parseAnswerRows(readFileSync(join(import.meta.dirname, file), "utf8"), "all");
console.log(
	`${rows.length} rows for training, of which ${rows.filter(({ isHeldBack }) => isHeldBack).length} are held back`,
);
console.table({
	"held back": measure(rows.filter(({ isHeldBack }) => isHeldBack)),
	unseen: measure(readUnseen("answers-unseen.txt")),
	"unseen, ordinary": measure(readUnseen("answers-ordinary.txt")),
});
console.log("Ordinary texts, by what they are taken for");
console.table({
	"paragraphs of the skills": countKinds(readSkills()),
	...(existsSync(SHARED)
		? { "GSM8K solutions": countKinds(readSolutions()), "recorded answers": countKinds(readFixtures()) }
		: {}),
});
