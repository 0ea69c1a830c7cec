// Measures the shipped selection on recorded answers of models in ../shared: what it recovers of the gap between a weak and a
// strong model, and what quality each mode buys for how much. Prints, and draws src/docs/routing.svg with --plot; never fails.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Catalog } from "../../src/catalog/catalog.ts";
import { chatRequestSchema, toModelCall } from "../../src/chat/request.ts";
import { ROUTING_MODES, type RoutingMode } from "../../src/routing/mode.ts";
import { modeUtility } from "../../src/routing/score.ts";
import { selectModels } from "../../src/routing/select.ts";
import type { Candidate } from "../../src/routing/selection.ts";
import { toTurn } from "../../src/routing/signals/turns.ts";
import { detectSignals } from "../../src/routing/signals.ts";
import { selectionRequest } from "../support/selection.ts";
import { readSharedData } from "../support/shared-data.ts";
import { toTurnsKey } from "../train/expected-difficulty.ts";
import { fitCurve } from "./curve-fit.ts";
import { readHeldOutDifficulties } from "./held-out-difficulty.ts";
import { reportNatural } from "./natural-routing.ts";
import {
	MMLU_PRO_MODELS,
	type RecordedModel,
	type RecordedQuestion,
	ROUTELLM_MODELS,
	toRecordedCatalog,
} from "./recorded-models.ts";
import { drawTradeOff, type PlotPoint, type ShareCurve } from "./routing-plot.ts";
import { bootstrapTradeOff, type Interval, type RoutedPrompt, seededRandom, traceTradeOff } from "./trade-off.ts";

const SHARED_DATA = join(import.meta.dirname, "../../../shared/data");
const FOLDS = 5;
const SEED = 20_261_122;
const CHARS_PER_TOKEN = 4;

const routeLlmRow = z.object({
	domain: z.string().optional(),
	prompt: z.string(),
	weak_correct: z.number(),
	strong_correct: z.number(),
});
const mmluProRow = z.object({
	prompt: z.string(),
	answer: z.string(),
	preds: z.string(),
	out_chars: z.array(z.number()),
});
const mmluProModels = z.object({ models: z.array(z.string()) });

function parseLines<T>(path: string, row: z.ZodType<T>): T[] {
	return readSharedData(path)
		.trimEnd()
		.split("\n")
		.map((line) => row.parse(JSON.parse(line)));
}

function toCall(prompt: string) {
	return toModelCall(chatRequestSchema.parse({ messages: [{ role: "user", content: prompt }] }), anyCatalog);
}

/** The signals of a prompt do not depend on the catalog. */
const anyCatalog = toRecordedCatalog([], []);
let difficulties: ReadonlyMap<string, number> = new Map();

/** The signals of a prompt, with the difficulty of a fit that did not see it. */
function readSignals(prompt: string): RecordedQuestion["signals"] {
	const detected = detectSignals(toCall(prompt));
	const expectedDifficulty = difficulties.get(toTurnsKey([toTurn([prompt])])) ?? detected.expectedDifficulty;
	return { ...detected, expectedDifficulty };
}

function readRouteLlm(path: string): RecordedQuestion[] {
	return parseLines(path, routeLlmRow).map(({ domain, prompt, weak_correct, strong_correct }) => ({
		prompt,
		subject: domain ?? null,
		signals: readSignals(prompt),
		right: { weak: weak_correct, strong: strong_correct },
		answerChars: null,
	}));
}

function readMmluPro(): RecordedQuestion[] {
	const { models } = mmluProModels.parse(JSON.parse(readSharedData("routing/mmlu_pro_models.json")));
	return parseLines("routing/mmlu_pro_matrix.public.jsonl", mmluProRow).map(({ prompt, answer, preds, out_chars }) => ({
		prompt,
		subject: null,
		signals: readSignals(prompt),
		right: Object.fromEntries(models.map((id, at) => [id, Number(preds[at] === answer)])),
		answerChars: Object.fromEntries(models.map((id, at) => [id, out_chars[at] ?? 0])),
	}));
}

/** A question with the candidates that the shipped selection ranked for it, by mode. */
interface TriedQuestion {
	question: RecordedQuestion;
	fold: number;
	ranked: Readonly<Record<RoutingMode, readonly Candidate[]>>;
}

function rank({ prompt, signals }: RecordedQuestion, mode: RoutingMode, catalog: Catalog): readonly Candidate[] {
	const selected = selectModels(selectionRequest(catalog, signals, { call: toCall(prompt), routingMode: mode }));
	if (!selected.ok) throw new Error(JSON.stringify(selected.failure));
	return selected.value.candidates;
}

/** Tries every question with figures from the other folds. */
function tryQuestions(questions: readonly RecordedQuestion[], models: readonly RecordedModel[]): TriedQuestion[] {
	const random = seededRandom(SEED);
	const placed = questions.map((question) => ({ question, fold: Math.floor(random() * FOLDS) }));
	return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
		const others = placed.filter((each) => each.fold !== fold).map(({ question }) => question);
		const catalog = toRecordedCatalog(models, others);
		return placed
			.filter((each) => each.fold === fold)
			.map(({ question }) => {
				const by = (mode: RoutingMode) => rank(question, mode, catalog);
				return {
					question,
					fold,
					ranked: { quality: by("quality"), balanced: by("balanced"), agility: by("agility") },
				};
			});
	});
}

function expectationFor(candidates: readonly Candidate[], id: string): Candidate["expectation"] {
	const found = candidates.find(({ model }) => model.id === id);
	if (!found) throw new Error(`${id} was not ranked`);
	return found.expectation;
}

/**
 * The worth of twice the price (`perPriceDoubling` of a mode) below which selection takes the strong model: sweeping it gives
 * the whole curve.
 */
function worthOfDoubling(candidates: readonly Candidate[], strong: string, weak: string): number {
	const [dear, cheap] = [expectationFor(candidates, strong), expectationFor(candidates, weak)];
	return (dear.quality - cheap.quality) / Math.log2(dear.cost.totalNanoUsd / cheap.cost.totalNanoUsd);
}

/** A subject of few questions counts with so many of the mean gain. */
const PRIOR_QUESTIONS = 20;

/** The strong model's mean gain on a question's subject in the other folds: what a router could do that saw subjects. */
function subjectGains(tried: readonly TriedQuestion[], strong: string, weak: string): number[] {
	const gain = ({ question: { right } }: TriedQuestion) => (right[strong] ?? 0) - (right[weak] ?? 0);
	const mean = tried.reduce((sum, each) => sum + gain(each), 0) / tried.length;
	const sums = new Map<string, { count: number; gain: number }>();
	for (const each of tried) {
		for (let fold = 0; fold < FOLDS; fold++) {
			if (fold === each.fold) continue;
			const key = `${fold} ${each.question.subject}`;
			const known = sums.get(key) ?? { count: 0, gain: 0 };
			sums.set(key, { count: known.count + 1, gain: known.gain + gain(each) });
		}
	}
	return tried.map(({ fold, question: { subject } }) => {
		const { count, gain: total } = sums.get(`${fold} ${subject}`) ?? { count: 0, gain: 0 };
		return (total + PRIOR_QUESTIONS * mean) / (count + PRIOR_QUESTIONS);
	});
}

const DEMANDING =
	/\b(?:prove|proof|derive|calculate|compute|solve|equation|theorem|explain why|step by step|analy[sz]e|design|optimi[sz]e|algorithm)\b/gi;

/** Routers to compare with: by name, how much each wants the strong model. Equal ones are taken in random order. */
function preferences(
	{
		question: {
			prompt,
			signals: { expectedDifficulty },
		},
		ranked,
	}: TriedQuestion,
	strong: string,
	weak: string,
): Readonly<Record<string, number>> {
	return {
		random: 0,
		"length of the prompt": prompt.length,
		"demanding words": prompt.match(DEMANDING)?.length ?? 0,
		"expected difficulty": expectedDifficulty,
		"1 - P(weak is right)": -expectationFor(ranked.balanced, weak).quality,
		"svc (gain)": worthOfDoubling(ranked.balanced, strong, weak),
	};
}

const digits = ({ value, low, high }: Interval) => `${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;

function reportPair(name: string, tried: readonly TriedQuestion[], strong: string, weak: string): void {
	const mean = (id: string) =>
		(tried.reduce((sum, { question }) => sum + (question.right[id] ?? 0), 0) / tried.length).toFixed(3);
	console.log(`\n${name}: ${tried.length} questions; strong ${mean(strong)}, weak ${mean(weak)}`);
	console.log(["router".padEnd(24), "APGR".padEnd(24), "CPT(50 %)".padEnd(24), "CPT(80 %)"].join(""));
	const gains = subjectGains(tried, strong, weak);
	const hasSubjects = tried.some(({ question: { subject } }) => subject !== null);
	const wanted = tried.map(
		(each, at): Readonly<Record<string, number>> => ({
			...preferences(each, strong, weak),
			...(hasSubjects ? { "gain by subject": gains[at] ?? 0 } : {}),
		}),
	);
	for (const router of Object.keys(wanted[0] ?? {})) {
		const prompts = tried.map(
			({ question: { right }, fold }, at): RoutedPrompt => ({
				fold,
				preference: wanted[at]?.[router] ?? 0,
				weakRight: right[weak] ?? 0,
				strongRight: right[strong] ?? 0,
			}),
		);
		const { apgr, cpt50, cpt80 } = bootstrapTradeOff(prompts, SEED);
		console.log([router.padEnd(24), digits(apgr).padEnd(24), digits(cpt50).padEnd(24), digits(cpt80)].join(""));
	}
}

/** Share of right answers, and USD for a thousand of them, when each question goes to one model. */
function buy(
	tried: readonly TriedQuestion[],
	choose: (each: TriedQuestion) => string,
): { quality: number; usd: number } {
	let right = 0;
	let usd = 0;
	for (const each of tried) {
		const { question } = each;
		const id = choose(each);
		const model = MMLU_PRO_MODELS.find((known) => known.id === id);
		right += question.right[id] ?? 0;
		const [input, output] = [question.prompt.length, question.answerChars?.[id] ?? 0];
		usd += (input * (model?.input ?? 0) + output * (model?.output ?? 0)) / CHARS_PER_TOKEN / 1e6;
	}
	return { quality: right / tried.length, usd: (1_000 * usd) / tried.length };
}

/** The model that the score puts first when twice the price is worth this much quality. */
function firstAt(candidates: readonly Candidate[], perPriceDoubling: number): string {
	const worth = ({ expectation: { quality, cost } }: Candidate) =>
		quality - perPriceDoubling * Math.log2(cost.totalNanoUsd);
	return candidates.reduce((best, next) => (worth(next) > worth(best) ? next : best)).model.id;
}

/** Share of right answers on RouteLLM's MMLU by the share of strong calls, for routers that a page compares. */
function toShareCurves(tried: readonly TriedQuestion[]): ShareCurve[] {
	const routers = [
		["svc", "svc (gain)"],
		["length", "length of the prompt"],
		["random", "random"],
	] as const;
	return routers.map(([name, router]) => {
		const prompts = tried.map(
			(each): RoutedPrompt => ({
				fold: each.fold,
				preference: preferences(each, "strong", "weak")[router] ?? 0,
				weakRight: each.question.right.weak ?? 0,
				strongRight: each.question.right.strong ?? 0,
			}),
		);
		return { name, points: traceTradeOff(prompts, seededRandom(SEED)) };
	});
}

const SWEPT = [0.001, 0.002, 0.004, 0.008, 0.012, 0.016, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.2];

function reportModes(tried: readonly TriedQuestion[]): PlotPoint[] {
	const points: PlotPoint[] = [
		...MMLU_PRO_MODELS.map(({ id }): PlotPoint => ({ kind: "model", name: id, ...buy(tried, () => id) })),
		...SWEPT.map(
			(worth): PlotPoint => ({
				kind: "sweep",
				name: `twice the price is worth ${worth}`,
				...buy(tried, ({ ranked }) => firstAt(ranked.balanced, worth)),
			}),
		),
		...ROUTING_MODES.map(
			(mode): PlotPoint => ({
				kind: "mode",
				name: mode,
				...buy(tried, ({ ranked }) => ranked[mode][0]?.model.id ?? ""),
			}),
		),
	];
	console.log(`\nMMLU-Pro, ${MMLU_PRO_MODELS.length} models: ${tried.length} questions`);
	console.log(["choice".padEnd(40), "right".padEnd(10), "USD per 1,000 answers"].join(""));
	for (const { name, quality, usd } of points)
		console.log([name.padEnd(40), quality.toFixed(3).padEnd(10), usd.toFixed(4)].join(""));
	return points;
}

function main(): void {
	const files = ["routellm_mmlu", "routellm_gsm8k", "mmlu_pro_matrix"].map((name) => `routing/${name}.public.jsonl`);
	if (!files.every((path) => existsSync(join(SHARED_DATA, path)))) {
		console.log("../shared/data/routing is not here: nothing to measure");
		return;
	}
	console.log(
		`5-fold cross-validated; 95 % intervals from 1,000 resamples; balanced: ${JSON.stringify(modeUtility("balanced"))}`,
	);
	difficulties = readHeldOutDifficulties();
	const [mmlu, gsm8k] = [readRouteLlm(files[0] ?? ""), readRouteLlm(files[1] ?? "")];
	const mmluTried = tryQuestions(mmlu, ROUTELLM_MODELS);
	reportPair("RouteLLM MMLU", mmluTried, "strong", "weak");
	reportPair("RouteLLM GSM8K", tryQuestions(gsm8k, ROUTELLM_MODELS), "strong", "weak");
	const mmluPro = readMmluPro();
	const { constants, figure, difficulty, both } = fitCurve(mmluPro, [mmlu, gsm8k]);
	console.log(
		`\nCurve of quality: constants ${constants.map((each) => each.toFixed(2)).join(", ")} (MMLU-Pro, MMLU, GSM8K); ${figure.toFixed(2)} by figure, ${difficulty.toFixed(2)} by difficulty, ${both.toFixed(2)} by both`,
	);
	const tried = tryQuestions(mmluPro, MMLU_PRO_MODELS);
	reportPair("MMLU-Pro, Gemini 1.5 Pro and Llama 3.1 8B", tried, "gemini-1.5-pro-002", "Meta-Llama-3_1-8B-Instruct");
	const points = reportModes(tried);
	reportNatural(difficulties);
	if (process.argv.includes("--plot"))
		writeFileSync(
			join(import.meta.dirname, "../../src/docs/routing.svg"),
			drawTradeOff(points, toShareCurves(mmluTried)),
		);
}

main();
