// Recorded right and wrong answers of weak and strong models, as training reads them: on which prompts a strong one gains.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { type Turn, toTurn } from "../../src/routing/signals/turns.ts";

const FOLDER = resolve(import.meta.dirname, "../../../shared/data/routing");

const pairRow = z.object({ prompt: z.string(), weak_correct: z.number(), strong_correct: z.number() });
const matrixRow = z.object({ prompt: z.string(), answer: z.string(), preds: z.string() });
const matrixModels = z.object({ models: z.array(z.string()) });

/** A prompt of a recorded set. */
export interface RecordedGain {
	set: string;
	turns: [Turn];
	/** How much more often strong models are right than weak ones, -1 to 1. */
	gain: number;
	weakRight: number;
	strongRight: number;
}

function readLines<T>(name: string, row: z.ZodType<T>): T[] {
	const lines = readFileSync(join(FOLDER, name), "utf8").trimEnd().split("\n");
	return lines.map((line) => row.parse(JSON.parse(line)));
}

function readPairs(set: string, file: string): RecordedGain[] {
	return readLines(file, pairRow).map(({ prompt, weak_correct, strong_correct }) => ({
		set,
		turns: [toTurn([prompt])],
		gain: strong_correct - weak_correct,
		weakRight: weak_correct,
		strongRight: strong_correct,
	}));
}

/** The pair that MMLU-Pro is tried with. */
const PAIR = ["Meta-Llama-3_1-8B-Instruct", "gemini-1.5-pro-002"] as const;

function readMatrix(): RecordedGain[] {
	const { models } = matrixModels.parse(JSON.parse(readFileSync(join(FOLDER, "mmlu_pro_models.json"), "utf8")));
	const [weak, strong] = PAIR.map((id) => models.indexOf(id));
	return readLines("mmlu_pro_matrix.public.jsonl", matrixRow).map(({ prompt, answer, preds }) => {
		const weakRight = Number(preds[weak ?? 0] === answer);
		const strongRight = Number(preds[strong ?? 0] === answer);
		const turns: [Turn] = [toTurn([prompt])];
		// The share of all models that are wrong, and what the pair itself gains.
		const wrong = [...preds].filter((each) => each !== answer).length / models.length;
		return { set: "MMLU-Pro", turns, gain: (wrong + strongRight - weakRight) / 2, weakRight, strongRight };
	});
}

/** The public parts of three sets. */
export function readRecordedGains(): RecordedGain[] {
	return [
		...readPairs("RouteLLM MMLU", "routellm_mmlu.public.jsonl"),
		...readPairs("RouteLLM GSM8K", "routellm_gsm8k.public.jsonl"),
		...readMatrix(),
	];
}
