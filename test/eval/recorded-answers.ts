// Recorded answers of real systems to problems with known solutions, and an engine that answers from them.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import type { AnswerKind } from "../../src/orchestration/final-answer.ts";
import { type Engine, type Member, type Panel, type Task, userMessage } from "../../src/orchestration/strategy.ts";
import { hashText } from "../../src/proof/hash.ts";
import { FAILED } from "../support/fake-engine.ts";
import { NONCE } from "../support/nonce.ts";

export const DATA = process.env["ORCHESTRATION_DATA"] ?? resolve(import.meta.dirname, "../../../shared/data");
const GSM8K = resolve(DATA, "recorded/gsm8k-solutions.public.jsonl");
const MMLU_PRO = resolve(DATA, "routing/mmlu_pro_matrix.public.jsonl");
const MMLU_PRO_MODELS = resolve(DATA, "routing/mmlu_pro_models.json");

/** One recorded problem: what each system said, and whether it was right. */
export interface Problem {
	id: string;
	prompt: string;
	said: Map<string, { text: string; correct: boolean; answer: string | null }>;
}

/** The recorded problems of one test. */
export interface RecordedSet {
	name: string;
	kind: AnswerKind;
	strong: string;
	/** Systems of one house err alike: at most one of each takes part. */
	findHouse(system: string): string;
	/** For choosing and fitting: the problems whose id has an even hash. */
	even: Problem[];
	/** For reporting. */
	odd: Problem[];
	/** The share of the even half that each system has right. */
	quality: ReadonlyMap<string, number>;
}

function readRows<T>(file: string, schema: z.ZodType<T>): T[] {
	const lines = readFileSync(file, "utf8").split("\n");
	return lines.filter((line) => line.trim() !== "").map((line) => schema.parse(JSON.parse(line)));
}

function isEven({ id }: Problem): boolean {
	return Number.parseInt(hashText(id).slice(-1), 16) % 2 === 0;
}

/** The share of problems that a system has right. */
export function measureAccuracy(problems: readonly Problem[], system: string): number {
	return problems.filter(({ said }) => said.get(system)?.correct).length / problems.length;
}

function toSet(set: Omit<RecordedSet, "even" | "odd" | "quality">, problems: readonly Problem[]): RecordedSet {
	const even = problems.filter(isEven);
	const systems = [...(problems[0]?.said.keys() ?? [])];
	return {
		...set,
		even,
		odd: problems.filter((problem) => !isEven(problem)),
		quality: new Map(systems.map((system) => [system, measureAccuracy(even, system)])),
	};
}

const gsm8kRow = z.object({
	prompt: z.string(),
	solutions: z.record(
		z.string(),
		z.array(z.object({ text: z.string(), answer: z.number().nullable(), correct: z.boolean() })).min(1),
	),
});

function readGsm8k(): RecordedSet {
	const problems = readRows(GSM8K, gsm8kRow).map(({ prompt, solutions }) => {
		const said = Object.entries(solutions).flatMap(([system, [first]]) => {
			if (!first) return [];
			const { text, correct, answer } = first;
			return [[system, { text, correct, answer: answer === null ? null : String(answer) }] as const];
		});
		return { id: prompt, prompt, said: new Map(said) };
	});
	const findHouse = (system: string) => /^[a-z]+/i.exec(system)?.[0].toLowerCase() ?? system;
	return toSet({ name: "GSM8K", kind: "number", strong: "gpt-4-1106-preview", findHouse }, problems);
}

const mmluRow = z.object({ id: z.number(), prompt: z.string(), answer: z.string(), preds: z.string() });
const mmluModels = z.object({ models: z.array(z.string()) });

function readMmluPro(): RecordedSet {
	const { models } = mmluModels.parse(JSON.parse(readFileSync(MMLU_PRO_MODELS, "utf8")));
	const problems = readRows(MMLU_PRO, mmluRow).map(({ id, prompt, answer, preds }) => {
		const said = models.map((system, at) => {
			const letter = preds[at] ?? "";
			const known = /^[A-J]$/.test(letter);
			const text = known ? `Final answer: ${letter}` : "I do not know which of them holds.";
			return [system, { text, correct: letter === answer, answer: known ? letter : null }] as const;
		});
		return { id: String(id), prompt, said: new Map(said) };
	});
	const findHouse = (system: string) => system;
	return toSet({ name: "MMLU-Pro", kind: "choice", strong: "gemini-1.5-pro-002", findHouse }, problems);
}

/** The sets whose files are there; the others are named on the console. */
export function readRecordedSets(): RecordedSet[] {
	const readers = [
		[GSM8K, readGsm8k],
		[MMLU_PRO, readMmluPro],
	] as const;
	return readers.flatMap(([file, read]) => {
		if (existsSync(file)) return [read()];
		console.log(`eval:orchestration: no ${file}; nothing measured.`);
		return [];
	});
}

/** Answers as recorded, and notes who was asked. There is no recorded judge: what values do not decide is unknown. */
export function recordedEngine(
	{ said }: Problem,
	quality: ReadonlyMap<string, number>,
	asked: Set<string> = new Set(),
): Engine {
	return {
		async ask(questions) {
			return questions.map(({ member: [system], stage }) => {
				if (stage.startsWith("agree")) return { ok: false, failure: FAILED, unaffordable: true };
				asked.add(system);
				const text = said.get(system)?.text ?? "";
				const expected = quality.get(system) ?? 0.5;
				return { ok: true, text, model: system, quality: expected, isCut: false, rate: () => undefined };
			});
		},
		describe: () => undefined,
		route: (_, [first]) => first,
	};
}

/** A panel of systems in this order. */
export function toSystemPanel(systems: readonly string[]): Panel {
	const [first, ...rest] = systems.map((system): Member => [system]);
	if (!first) throw new Error("nobody takes part");
	return { members: [first, ...rest], judge: first, rounds: 1 };
}

/** A task that asks for an answer of this kind. */
export function toEvalTask(prompt: string, kind: AnswerKind): Task {
	const messages = [userMessage(prompt)];
	return { messages, prompt, kind, difficulty: 1, needsText: false, maxTokens: 1_024, temperature: undefined, nonce: NONCE };
}
