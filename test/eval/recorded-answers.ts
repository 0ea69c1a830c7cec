// Recorded answers of real systems to problems with known solutions, and an engine that answers from them.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { type AnswerKind, findFinalAnswer } from "../../src/orchestration/final-answer.ts";
import { toQuestionCall } from "../../src/orchestration/request.ts";
import { type Engine, type Member, type Panel, type Task, userMessage } from "../../src/orchestration/strategy.ts";
import { hashText } from "../../src/proof/hash.ts";
import { curveAt, fromLogit } from "../../src/routing/quality.ts";
import { toTurn } from "../../src/routing/signals/turns.ts";
import { detectSignals } from "../../src/routing/signals.ts";
import { FAILED } from "../support/fake-engine.ts";
import { NONCE } from "../support/nonce.ts";
import { toTurnsKey } from "../train/expected-difficulty.ts";
import { findHardFigures } from "./curve-fit.ts";
import { readHeldOutDifficulties } from "./held-out-difficulty.ts";
import { fitGeneral } from "./recorded-models.ts";
import { seededRandom } from "./trade-off.ts";

export const DATA = process.env["ORCHESTRATION_DATA"] ?? resolve(import.meta.dirname, "../../../shared/data");
const GSM8K = resolve(DATA, "recorded/gsm8k-solutions.public.jsonl");
const MMLU_PRO = resolve(DATA, "routing/mmlu_pro_matrix.public.jsonl");
const ROUTELLM_MMLU = resolve(DATA, "routing/routellm_mmlu.public.jsonl");
const ROUTELLM_GSM8K = resolve(DATA, "routing/routellm_gsm8k.public.jsonl");
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
	/** What the router expects of each system on a problem: the quality of a model with a figure that the even half tells. */
	expected(problem: Problem): ReadonlyMap<string, number>;
}

/** What a set is made of, however its problems are divided. */
export type RecordedSource = Pick<RecordedSet, "name" | "kind" | "strong" | "findHouse"> & {
	problems: readonly Problem[];
};

function readRows<T>(file: string, schema: z.ZodType<T>): T[] {
	const lines = readFileSync(file, "utf8").split("\n");
	return lines.filter((line) => line.trim() !== "").map((line) => schema.parse(JSON.parse(line)));
}

/** @param split 0 for the halves that members and weights are chosen by; any other divides the problems anew. */
function isEven({ id }: Problem, split: number): boolean {
	return Number.parseInt(hashText(split === 0 ? id : `${split} ${id}`).slice(-1), 16) % 2 === 0;
}

/** The share of problems that a system has right. */
export function measureAccuracy(problems: readonly Problem[], system: string): number {
	return problems.filter(({ said }) => said.get(system)?.correct).length / problems.length;
}

const difficulties = new Map<string, number>();
let heldOut: ReadonlyMap<string, number> | null = null;

/** The expected difficulty of a prompt, from a fit that did not see it where there is one. */
function readDifficulty(prompt: string): number {
	heldOut ??= readHeldOutDifficulties();
	const known = difficulties.get(prompt) ?? heldOut.get(toTurnsKey([toTurn([prompt])]));
	const call = { messages: [userMessage(prompt)], maxTokens: 1, temperature: undefined, json: false };
	const difficulty = known ?? detectSignals(toQuestionCall(call)).expectedDifficulty;
	difficulties.set(prompt, difficulty);
	return difficulty;
}

function curveFor({ prompt }: Problem) {
	return curveAt({ expectedDifficulty: readDifficulty(prompt) });
}

/** By system: the figure of a catalog at which the router expects as many right answers to problems as were given. */
function findFigures(problems: readonly Problem[]): Map<string, number> {
	const systems = [...(problems[0]?.said.keys() ?? [])];
	const figureFor = (system: string) =>
		fitGeneral(problems.map((problem) => ({ ...curveFor(problem), right: problem.said.get(system)?.correct ? 1 : 0 })));
	return new Map(systems.map((system) => [system, figureFor(system)]));
}

/** A source in two halves. @param figures of its systems; by default those that the even half tells. */
export function toSet(source: RecordedSource, split = 0, figures?: ReadonlyMap<string, number>): RecordedSet {
	const { problems, ...set } = source;
	const even = problems.filter((problem) => isEven(problem, split));
	const systems = [...(problems[0]?.said.keys() ?? [])];
	const known = figures ?? findFigures(even);
	const expectations = new Map<Problem, ReadonlyMap<string, number>>();
	return {
		...set,
		even,
		odd: problems.filter((problem) => !isEven(problem, split)),
		quality: new Map(systems.map((system) => [system, measureAccuracy(even, system)])),
		expected(problem) {
			const earlier = expectations.get(problem);
			if (earlier) return earlier;
			const { base, slope } = curveFor(problem);
			const expected = new Map(systems.map((system) => [system, fromLogit(base + slope * (known.get(system) ?? 0))]));
			expectations.set(problem, expected);
			return expected;
		},
	};
}

const gsm8kRow = z.object({
	prompt: z.string(),
	solutions: z.record(
		z.string(),
		z.array(z.object({ text: z.string(), answer: z.number().nullable(), correct: z.boolean() })).min(1),
	),
});

function readGsm8k(): RecordedSource {
	const problems = readRows(GSM8K, gsm8kRow).map(({ prompt, solutions }) => {
		const said = Object.entries(solutions).flatMap(([system, [first]]) => {
			if (!first) return [];
			const { text, correct, answer } = first;
			return [[system, { text, correct, answer: answer === null ? null : String(answer) }] as const];
		});
		return { id: prompt, prompt, said: new Map(said) };
	});
	const findHouse = (system: string) => /^[a-z]+/i.exec(system)?.[0].toLowerCase() ?? system;
	return { name: "GSM8K", kind: "number", strong: "gpt-4-1106-preview", findHouse, problems };
}

const mmluRow = z.object({ id: z.number(), prompt: z.string(), answer: z.string(), preds: z.string() });
const mmluModels = z.object({ models: z.array(z.string()) });

function readMmluPro(): RecordedSource {
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
	return { name: "MMLU-Pro", kind: "choice", strong: "gemini-1.5-pro-002", findHouse, problems };
}

const routeLlmRow = z.object({ prompt: z.string(), weak_correct: z.number(), strong_correct: z.number() });

/** How often two systems of a set are wrong by the same answer, of all pairs that are both wrong. */
function shareOfSameErrors({ kind, problems }: RecordedSource): number {
	let [same, all] = [0, 0];
	for (const { said } of problems) {
		const wrong = [...said.values()].filter(({ correct }) => !correct);
		const answers = wrong.map(({ text }) => findFinalAnswer(text, kind));
		all += (answers.length * (answers.length - 1)) / 2;
		for (const [at, answer] of answers.entries())
			same += answers.slice(at + 1).filter((other) => answer !== null && other === answer).length;
	}
	return same / all;
}

/** Wrong answers to choose from by chance: the choices of MMLU-Pro and of MMLU without the right one; a number is never met by chance. */
const WRONG_CHOICES = { "MMLU-Pro": 9, MMLU: 3 } as const;

/** How often two wrong answers are the same on MMLU's four choices, if errors are as much alike beyond chance as on MMLU-Pro's ten. */
function toFourChoices(sameErrors: number): number {
	const [ten, four] = [1 / WRONG_CHOICES["MMLU-Pro"], 1 / WRONG_CHOICES.MMLU];
	const beyondChance = (sameErrors - ten) / (1 - ten);
	return four + (1 - four) * beyondChance;
}

/**
 * Right and wrong of a strong and a weak model; what they answered is not recorded. Two wrong answers are taken for the same one as often
 * as those of `like` let expect.
 */
function readRouteLlm(name: string, file: string, like: RecordedSource): RecordedSource {
	const recorded = shareOfSameErrors(like);
	const sameErrors = like.kind === "choice" ? toFourChoices(recorded) : recorded;
	console.log(
		`${name}: two wrong answers count as the same in ${sameErrors.toFixed(2)}; on ${like.name} ${recorded.toFixed(2)} are`,
	);
	const random = seededRandom(26);
	const problems = readRows(file, routeLlmRow).map(({ prompt, weak_correct, strong_correct }): Problem => {
		const other = random() < sameErrors ? "B" : "C";
		const say = (isRight: number, wrong: string) => {
			const answer = isRight === 1 ? "A" : wrong;
			return { text: `Final answer: ${answer}`, correct: isRight === 1, answer };
		};
		return {
			id: prompt,
			prompt,
			said: new Map([
				["strong", say(strong_correct, "B")],
				["weak", say(weak_correct, other)],
			]),
		};
	});
	return { name, kind: "choice", strong: "strong", findHouse: (system) => system, problems };
}

/** Reads the sources whose files are there; the others are named on the console. */
function readSources(readers: readonly (readonly [file: string, read: () => RecordedSource])[]): RecordedSource[] {
	return readers.flatMap(([file, read]) => {
		if (existsSync(file)) return [read()];
		console.log(`eval:orchestration: no ${file}; nothing measured.`);
		return [];
	});
}

/** The sources whose answers are recorded. */
export function readAnsweredSources(): RecordedSource[] {
	return readSources([
		[GSM8K, readGsm8k],
		[MMLU_PRO, readMmluPro],
	]);
}

/** The sources of which only right and wrong are recorded, each with the errors of one whose answers are. */
export function readPairSources(answered: readonly RecordedSource[]): RecordedSource[] {
	return answered.flatMap((like) =>
		readSources([
			like.kind === "number"
				? [ROUTELLM_GSM8K, () => readRouteLlm("RouteLLM GSM8K", ROUTELLM_GSM8K, like)]
				: [ROUTELLM_MMLU, () => readRouteLlm("RouteLLM MMLU", ROUTELLM_MMLU, like)],
		]),
	);
}

/** Answers as recorded, and notes who was asked. There is no recorded judge: what values do not decide is unknown. */
export function recordedEngine(
	{ said }: Problem,
	expectations: ReadonlyMap<string, number>,
	asked: Set<string> = new Set(),
): Engine {
	return {
		async ask(questions) {
			return questions.map(({ member: [system], stage }) => {
				if (stage.startsWith("agree")) return { ok: false, failure: FAILED, unaffordable: true };
				asked.add(system);
				const text = said.get(system)?.text ?? "";
				const expected = expectations.get(system) ?? 0.5;
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
	return {
		messages,
		prompt,
		kind,
		difficulty: 1,
		needsText: false,
		maxTokens: 1_024,
		temperature: undefined,
		nonce: NONCE,
	};
}

/** By system: the share that it has right of the half of the problems that is harder for the others. */
export function readHardFigures(problems: readonly Problem[]): Map<string, number> {
	const questions = problems.map(({ said }) => ({
		right: Object.fromEntries([...said].map(([system, { correct }]) => [system, Number(correct)])),
	}));
	return new Map(Object.entries(findHardFigures(questions)));
}
